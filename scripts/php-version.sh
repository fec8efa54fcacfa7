#!/bin/sh
# Prints the PHP version to build with, such as 8.2: $PHP_VERSION, or that of the
# Debian release. Prints nothing where the distribution's PHP is not known.
set -eu

if [ -n "${PHP_VERSION:-}" ]; then
	echo "$PHP_VERSION"
	exit
fi
if [ -r /etc/os-release ]; then
	. /etc/os-release
fi
case "${ID:-}-${VERSION_ID:-}" in
debian-12) echo 8.2 ;;
debian-13) echo 8.4 ;;
esac
