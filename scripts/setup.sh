#!/bin/sh
# Installs the Debian packages that Hathi needs, those that are missing.
#
#   scripts/setup.sh <group>...
#
#   build   a C compiler, PHP's headers and its embed library
#   run     OPcache and the packages of the applications in testdata/apps
#   test    what the tests compare with and drive: php-fpm, nginx, curl, valgrind ...
#   bench   the load generator of soak and bench
#   php84   debootstrap, for the Debian directories of test-php84 and clean-room
#
# PHP_VERSION selects the version of PHP. Default: the release's own.
# PHP_CONFIG selects a PHP that is not from packages; its development packages
# are then left out.
# SKIP_UNAVAILABLE=1 names the packages that the release does not have and goes on.

# Lists of packages are split into words on purpose.
# shellcheck disable=SC2086
set -eu
cd "$(dirname "$0")/.."
. scripts/root.sh

say() { echo "setup: $*"; }

fail() {
	echo "setup: $*" >&2
	exit 1
}

application_packages() {
	list=testdata/apps/packages.txt
	[ -r "$list" ] || fail "$list is missing: it names the packages of the applications"
	sed 's/#.*//' "$list"
}

# packages_of prints the packages of a group. The tests and the server are built
# with make, so build has it for a machine that starts at .ci/run.
packages_of() {
	case $1 in
	build)
		echo make gcc libc6-dev
		[ -n "${PHP_CONFIG:-}" ] || echo "php$php-dev libphp$php-embed"
		;;
	run)
		echo "php$php-opcache"
		application_packages
		;;
	test)
		echo "php$php-cli php$php-fpm php$php-curl php$php-intl php$php-gd php$php-sqlite3 php$php-mbstring php$php-xml"
		echo nginx curl nghttp2-client valgrind gdb procps iproute2 openssl
		;;
	bench) echo wrk ;;
	php84)
		echo debootstrap util-linux mount
		;;
	*) fail "unknown group $1; there are: build run test bench php84" ;;
	esac
}

# wanted prints the packages of all groups, one a line. The lists of the
# applications name Debian 12's PHP.
wanted() {
	words=$(for group; do packages_of "$group" || exit; done)
	printf '%s\n' $words | sed "s/^php8\.[0-9]-/php$php-/" | sort -u
}

# missing prints those of the packages that are not installed.
missing() {
	installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)
	for package; do
		echo "$installed" | grep -qxF "$package" || echo "$package"
	done
}

# available prints those of the packages that apt can install.
available() {
	known=$(LC_ALL=C apt-cache policy "$@" | awk '/^[^ ]/ { p = $1 } /^  Candidate: [^(]/ { print p }')
	for package; do
		if echo "$known" | grep -qxF "$package:"; then
			echo "$package"
		elif [ "${SKIP_UNAVAILABLE:-}" = 1 ]; then
			say "this release has no $package, it is left out" >&2
		else
			fail "apt knows no package $package: is \"main\" of this release in its sources?"
		fi
	done
}

apt_get() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}

# logged runs a command whose output matters only when it fails.
logged() {
	log=$(mktemp)
	if ! "$@" >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		fail "that was: $*"
	fi
	rm -f "$log"
}

# Packages such as nginx start their service when they are installed, and it would
# take port 80. invoke-rc.d asks policy-rc.d first; 101 means no.
policy=/usr/sbin/policy-rc.d

forbid_services() {
	[ ! -e "$policy" ] || return 0
	trap 'as_root rm -f "$policy"' EXIT
	trap 'exit 1' HUP INT TERM
	printf '#!/bin/sh\nexit 101\n' | as_root sh -c "cat >$policy && chmod 755 $policy"
}

# disable_services keeps services that were installed just now from starting with
# the machine.
disable_services() {
	command -v systemctl >/dev/null || return 0
	for package; do
		case $package in
		nginx | php*-fpm) as_root systemctl --quiet disable "$package" 2>/dev/null || true ;;
		esac
	done
}

install_packages() {
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		echo "setup: packages are missing, and installing them needs root or sudo. As root:" >&2
		fail "apt-get install --no-install-recommends $*"
	fi
	say "apt-get update"
	logged apt_get update
	packages=$(available "$@")
	set -- $packages
	[ $# -gt 0 ] || return 0
	say "installing $# packages and what they depend on; this takes a minute or two:"
	echo "$@" | fold -s -w 76 | sed 's/^/  /'
	forbid_services
	logged apt_get install --no-install-recommends "$@"
	disable_services "$@"
	say "done"
}

# by_hand is for a distribution whose packages have other names.
by_hand() {
	if [ "$*" = build ] && scripts/cgo-env.sh >/dev/null 2>&1; then
		return
	fi
	say "this is not Debian 12 or 13, so nothing is installed. Needed are, by their names on Debian:"
	php=8.x
	wanted "$@" | tr '\n' ' ' | fold -s -w 76 | sed 's/^/  /'
	echo
	scripts/cgo-env.sh >/dev/null || fail "install them, and make the lines above this one go away"
	say "a C compiler and PHP with its embed library are there; going on"
}

[ $# -gt 0 ] || set -- build run test
php=$(scripts/php-version.sh)
if [ -z "$php" ] || ! command -v apt-get >/dev/null; then
	by_hand "$@"
	exit
fi
packages=$(wanted "$@")
packages=$(missing $packages)
[ -z "$packages" ] || install_packages $packages
