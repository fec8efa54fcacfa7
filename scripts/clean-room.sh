#!/bin/sh
# Proves that a new machine needs nothing but git, make and Go: clones the last
# commit into a new Debian 12 directory and builds there.
#
#   scripts/clean-room.sh [<make target>...]     (default: build)
#
# The directory is CLEAN_ROOM, made anew each time. Default: hathi/bookworm in the
# user's cache directory.
set -eu
cd "$(dirname "$0")/.."
. scripts/root.sh

root=${CLEAN_ROOM:-${XDG_CACHE_HOME:-$HOME/.cache}/hathi/bookworm}

in_root() {
	as_root env GOROOT="$(go env GOROOT)" GOMODCACHE="$(go env GOMODCACHE)" \
		scripts/debian-root.sh run "$root" "$clone" "$@"
}

[ $# -gt 0 ] || set -- build
scripts/setup.sh php84
as_root env DEBIAN_MIRROR="${DEBIAN_MIRROR:-}" scripts/debian-root.sh recreate bookworm "$root"
go mod download

clone=$(mktemp -d)
trap 'as_root rm -rf "$clone"' EXIT
trap 'exit 1' HUP INT TERM
git clone --quiet --no-hardlinks . "$clone"

# What the README asks for, besides Go.
in_root sh -c 'apt-get -qq update && apt-get -qq install --no-install-recommends git make >/dev/null 2>&1'
in_root make "$@"
in_root bin/hathi version
