#!/bin/sh
# Builds Hathi with PHP 8.4 in a Debian 13 directory and runs its tests there.
#
#   scripts/php84.sh setup          make the directory and install what is missing
#   scripts/php84.sh run <command>  run a command in it, in the repository
#   scripts/php84.sh test           setup, build build/php84/hathi, test
#
# The directory is PHP84_ROOT. Default: hathi/trixie in the user's cache directory.
set -eu
cd "$(dirname "$0")/.."
. scripts/root.sh

root=${PHP84_ROOT:-${XDG_CACHE_HOME:-$HOME/.cache}/hathi/trixie}

in_root() {
	as_root env GOROOT="$(go env GOROOT)" GOMODCACHE="$(go env GOMODCACHE)" \
		scripts/debian-root.sh run "$root" "$PWD" "$@"
}

setup() {
	scripts/setup.sh php84
	as_root env DEBIAN_MIRROR="${DEBIAN_MIRROR:-}" scripts/debian-root.sh create trixie "$root"
	# An application whose framework Debian 13 does not have is not tested there.
	in_root env PHP_VERSION=8.4 SKIP_UNAVAILABLE=1 scripts/setup.sh build run test
}

run_tests() {
	go mod download
	version=$(scripts/version.sh)
	status=0
	in_root env PHP_VERSION=8.4 make build test-c go-test \
		BIN=build/php84/hathi VERSION="$version" SETUP=: TESTFLAGS="${TESTFLAGS:-}" || status=$?
	as_root chown -R "$(id -u):$(id -g)" build
	return $status
}

case ${1:-} in
setup) setup ;;
run)
	shift
	in_root "$@"
	;;
test)
	setup
	run_tests
	;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 1
	;;
esac
