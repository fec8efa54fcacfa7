#!/bin/sh
# Builds the C-only harness of the engine and runs its requests under
# AddressSanitizer and under valgrind. HARNESS_ROUNDS sets how many.
set -eu

cd "$(dirname "$0")/.."
eval "$(scripts/cgo-env.sh)"
out=build/harness
mkdir -p "$out"

# Debian loads shared extensions with RTLD_DEEPBIND, which AddressSanitizer
# refuses: PHP runs without them here. OPcache's part is tested by the Go tests.
mkdir -p "$out/ini"
: > "$out/ini/php.ini"
export PHPRC="$out/ini" PHP_INI_SCAN_DIR="$out/ini"

engine=
for file in engine worker output log boot_error modules superglobals timeout thread \
	opcache functions functions_compat request stack fork forkcheck; do
	engine="$engine sapi/$file.c"
done
case $(uname -m) in
	x86_64) go_arch=amd64 ;;
	aarch64) go_arch=arm64 ;;
	*) echo "harness: no stack switch for $(uname -m)" >&2; exit 1 ;;
esac
engine="$engine sapi/switch_$go_arch.S"

# build <name> <flags...>
build() {
	name=$1
	shift
	# shellcheck disable=SC2086 # lists of words
	${CC:-gcc} -std=gnu11 -g -O1 -Wall -D_GNU_SOURCE $CGO_CFLAGS "$@" -o "$out/$name" \
		sapi/harness/harness.c $engine $CGO_LDFLAGS -ldl -lpthread
}

echo "== stack switch"
${CC:-gcc} -std=gnu11 -O2 -Wall -D_GNU_SOURCE -o "$out/stack" \
	sapi/harness/stack.c sapi/stack.c "sapi/switch_$go_arch.S"
"$out/stack"
# The other processor, where the tools to cross-compile and emulate are there.
if [ "$go_arch" = amd64 ] && command -v aarch64-linux-gnu-gcc qemu-aarch64-static >/dev/null; then
	aarch64-linux-gnu-gcc -std=gnu11 -O2 -Wall -D_GNU_SOURCE -static -o "$out/stack-arm64" \
		sapi/harness/stack.c sapi/stack.c sapi/switch_arm64.S
	qemu-aarch64-static "$out/stack-arm64"
fi

app=$PWD/testdata/apps/plain

echo "== harness under AddressSanitizer"
build asan -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
USE_ZEND_ALLOC=0 ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:verify_asan_link_order=0 \
	HARNESS_ROUNDS="${HARNESS_ROUNDS:-50}" "$out/asan" "$app" > "$out/asan.log" 2>&1 \
	|| { tail -n 60 "$out/asan.log"; exit 1; }
tail -n 1 "$out/asan.log"

echo "== harness under valgrind"
build plain
# PHP's vectorized string comparisons read what is not initialized, by design.
USE_ZEND_ALLOC=0 HARNESS_ROUNDS="${HARNESS_ROUNDS:-5}" valgrind --error-exitcode=9 --undef-value-errors=no -q \
	"$out/plain" "$app" > "$out/valgrind.log" 2>&1 \
	|| { tail -n 60 "$out/valgrind.log"; exit 1; }
tail -n 1 "$out/valgrind.log"
