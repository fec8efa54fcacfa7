#!/bin/sh
# A Debian release in a directory, to build and test in. Run as root.
#
#   scripts/debian-root.sh create <suite> <directory>
#   scripts/debian-root.sh recreate <suite> <directory>
#   scripts/debian-root.sh run <directory> <sources> <command>...
#
# create makes it with debootstrap, once; the mirror is the one apt uses here, or
# DEBIAN_MIRROR. recreate removes it first, if create made it.
# run runs the command in it, in /src, where the sources are mounted, with the Go
# toolchain GOROOT and the module cache GOMODCACHE (read only, so it must hold all
# modules). The mounts are in a mount namespace of their own and end with it.
set -eu

fail() {
	echo "debian-root: $*" >&2
	exit 1
}

# mirror prints what follows "deb" in apt's sources for Debian itself.
mirror() {
	if [ -n "${DEBIAN_MIRROR:-}" ]; then
		echo "$DEBIAN_MIRROR"
	elif command -v apt-get >/dev/null; then
		# shellcheck disable=SC2016 # apt expands it
		apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | grep '/debian/\?$' | head -n 1
	fi
}

# copy_apt_proxy copies the settings of apt that the machine needs to reach its mirror.
copy_apt_proxy() {
	if command -v apt-config >/dev/null; then
		apt-config dump | grep -i '^Acquire::https\?::Proxy ' >"$1/etc/apt/apt.conf.d/90proxy" || true
	fi
}

create() {
	suite=$1 root=$2
	# debootstrap removes its own directory when it is through.
	if [ -e "$root/etc/debian_version" ] && [ ! -d "$root/debootstrap" ]; then
		return
	fi
	if [ -e "$root" ] && [ -n "$(ls -A "$root")" ] && [ ! -e "$root/.hathi-root" ]; then
		fail "$root exists and is no Debian directory"
	fi
	command -v debootstrap >/dev/null || fail "debootstrap is missing: scripts/setup.sh php84"
	echo "debian-root: Debian $suite in $root; this takes some minutes"
	rm -rf --one-file-system "$root"
	mkdir -p "$root"
	touch "$root/.hathi-root"
	log=$root/.debootstrap.log
	# No mirror leaves debootstrap's own default.
	# shellcheck disable=SC2046
	if ! debootstrap --variant=minbase "$suite" "$root" $(mirror) >"$log" 2>&1; then
		tail -n 20 "$log" >&2
		fail "debootstrap $suite failed"
	fi
	copy_apt_proxy "$root"
}

# enter runs in the mount namespace.
enter() {
	root=$1 sources=$2
	shift 2
	mount --make-rprivate /
	mkdir -p "$root/src" "$root/usr/local/go" "$root/go/pkg/mod"
	mount -t proc proc "$root/proc"
	mount --rbind /sys "$root/sys"
	mount --rbind /dev "$root/dev"
	mount -t tmpfs tmpfs "$root/tmp"
	mount --bind "$sources" "$root/src"
	for pair in "$GOROOT:/usr/local/go" "$GOMODCACHE:/go/pkg/mod"; do
		mount --bind "${pair%%:*}" "$root${pair#*:}"
		mount -o remount,bind,ro "$root${pair#*:}"
	done
	cp --remove-destination /etc/resolv.conf /etc/hosts "$root/etc/"
	exec chroot "$root" /usr/bin/env -i \
		PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		GOROOT=/usr/local/go GOMODCACHE=/go/pkg/mod GOPROXY=off GOTOOLCHAIN=local GOFLAGS=-buildvcs=false \
		sh -c 'cd /src && exec "$@"' sh "$@"
}

[ "$(id -u)" -eq 0 ] || fail "this needs root"
[ $# -ge 3 ] || fail "usage: create|recreate <suite> <directory> | run <directory> <sources> <command>..."
action=$1
shift
case $action in
create) create "$@" ;;
recreate)
	if [ -e "$2/.hathi-root" ]; then
		rm -rf --one-file-system "$2"
	fi
	[ ! -e "$2/etc" ] || fail "$2 was not made by debian-root.sh, so it is not removed"
	create "$@"
	;;
run)
	: "${GOROOT:?}" "${GOMODCACHE:?}"
	exec unshare --mount "$0" enter "$@"
	;;
enter) enter "$@" ;;
*) fail "unknown action $action" ;;
esac
