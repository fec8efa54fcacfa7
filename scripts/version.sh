#!/bin/sh
# Prints the version of this checkout, from git: 1.2.3 at the tag v1.2.3, else with
# the distance from it. Prints nothing outside of a repository.
set -eu
cd "$(dirname "$0")/.."

# Looking must not take the index's lock from a commit that is being made.
export GIT_OPTIONAL_LOCKS=0

git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null | sed 's/^v//' | grep . ||
	git describe --always --dirty 2>/dev/null | sed 's/^/0.0.0-/' || true
