#!/bin/sh
# Prints the environment in which Go compiles against PHP, for the shell:
#
#   eval "$(scripts/cgo-env.sh)" && go test ./...
#
# The PHP is the one of PHP_CONFIG. Default: php-config of the Debian release's
# PHP, else the php-config in PATH.
set -eu

scripts=$(dirname "$0")

fail() {
	echo "cgo-env: $*" >&2
	exit 1
}

default_php_config() {
	version=$("$scripts/php-version.sh")
	if [ -n "$version" ] && command -v "php-config$version" >/dev/null; then
		echo "php-config$version"
	elif [ -n "${PHP_VERSION:-}" ]; then
		fail "php-config$version is not there; \`make setup\` installs it, or set PHP_CONFIG"
	else
		echo php-config
	fi
}

# php_config_value asks php-config, which is wrong about its sapis when Debian's
# dpkg database lacks one, and says so on stderr.
php_config_value() {
	"$php_config" "$1" 2>/dev/null
}

check_version() {
	number=$(php_config_value --vernum)
	if [ "$number" -lt 80200 ] || [ "$number" -ge 80600 ]; then
		fail "$php_config is PHP $(php_config_value --version); Hathi needs 8.2 to 8.5 (PHP_CONFIG selects another)"
	fi
}

# embed_library prints the linker flags of the embed library: libphp8.2.so in
# Debian's packages, libphp.so from PHP's own `make install`.
embed_library() {
	prefix=$(php_config_value --prefix)
	short=$(php_config_value --version | cut -d. -f1,2)
	for name in "php$short" php; do
		for dir in "$prefix/lib" "$prefix/lib64"; do
			if [ "$prefix" != /usr ] && [ -e "$dir/lib$name.so" ]; then
				echo "-L$dir -Wl,-rpath,$dir -l$name"
				return
			fi
		done
		# The compiler answers with a path only for what it would find by itself.
		case $("${CC:-gcc}" -print-file-name="lib$name.so") in
		/*)
			echo "-l$name"
			return
			;;
		esac
	done
	fail "PHP $short has no embed library (libphp$short.so): \`make setup\` installs it on Debian; a PHP of your own needs --enable-embed"
}

php_config=${PHP_CONFIG:-}
[ -n "$php_config" ] || php_config=$(default_php_config)
command -v "$php_config" >/dev/null ||
	fail "$php_config is not there; \`make setup\` installs it on Debian, or set PHP_CONFIG"
command -v "${CC:-gcc}" >/dev/null ||
	fail "there is no C compiler (${CC:-gcc}); \`make setup\` installs it on Debian"
check_version
includes=$(php_config_value --includes)
library=$(embed_library)

cat <<END
export CGO_ENABLED=1
export CGO_CFLAGS='-O2 -g $includes'
export CGO_LDFLAGS='-O2 -g $library'
END
