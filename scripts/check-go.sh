#!/bin/sh
# Checks that Go is there and new enough for go.mod, and says how to get it.
set -eu
cd "$(dirname "$0")/.."

needed=$(sed -n 's/^go //p' go.mod)

machine() {
	case $(uname -m) in
	aarch64 | arm64) echo arm64 ;;
	*) echo amd64 ;;
	esac
}

how_to_get() {
	cat >&2 <<END
check-go: get it from https://go.dev/dl/, for example:

    curl -fsSLO https://go.dev/dl/go$needed.linux-$(machine).tar.gz
    rm -rf /usr/local/go && tar -C /usr/local -xzf go$needed.linux-$(machine).tar.gz   # as root
    export PATH=/usr/local/go/bin:\$PATH

END
	exit 1
}

# older_than says whether version $1 is below $2.
older_than() {
	[ "$1" != "$2" ] && [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

if ! command -v go >/dev/null; then
	if [ -x /usr/local/go/bin/go ]; then
		echo "check-go: Go is in /usr/local/go, but not in PATH: export PATH=/usr/local/go/bin:\$PATH" >&2
		exit 1
	fi
	echo "check-go: Go $needed or newer is needed, and there is no go in PATH." >&2
	how_to_get
fi

# Outside of the module: a Go before 1.21 stops at a go.mod that it does not know.
found=$(cd / && GOTOOLCHAIN=local go env GOVERSION | sed 's/^go//; s/[^0-9.].*//')
if ! older_than "$found" "$needed"; then
	exit 0
fi
# Go 1.21 and later fetch the toolchain that go.mod asks for.
if ! older_than "$found" 1.21 && go version >/dev/null; then
	exit 0
fi
echo "check-go: Go $needed or newer is needed, and $(command -v go) is $found." >&2
how_to_get
