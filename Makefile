# Hathi: `make help` lists the targets.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run build test soak bench fmt lint clean test-php84 clean-room \
	setup setup-run setup-bench check-go go-test test-c

BIN       ?= bin/hathi
VERSION   ?= $(shell scripts/version.sh)
SETUP     ?= scripts/setup.sh
TESTFLAGS ?=

# The tests of the commands start the binary of this build.
export HATHI_BIN := $(abspath $(BIN))

# WITH_PHP goes before a Go command that compiles C against PHP.
WITH_PHP = env="$$(scripts/cgo-env.sh)" && eval "$$env" &&

## Targets:

help: ## print this
	@sed -n -e 's/^## \(.*\)/\n\1/p' -e 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/  \1\t\2/p' \
		-e 's/^#: \([^ ]*\) *\(.*\)/  \1\t\2/p' Makefile | expand -t 16

run: check-go setup-run build ## install what is needed, build, and serve the Symfony demo on http://localhost:8080
	@scripts/demo.sh $(BIN)

build: check-go ## build bin/hathi
	@$(SETUP) build
	$(WITH_PHP) go build -trimpath -ldflags '-X main.version=$(VERSION)' -o $(BIN) ./cmd/hathi

test: check-go setup build lint test-c go-test ## install what is needed, build, and run every test

soak: check-go setup-bench build ## a million requests: memory must stay flat
	scripts/soak.sh

bench: check-go setup-bench build ## measure the figures of docs/architecture.md
	cd bench && go run ./figures -hathi $(HATHI_BIN)

test-php84: check-go ## build and test with PHP 8.4 in a Debian 13 directory
	@scripts/php84.sh test

clean-room: check-go ## build a fresh clone in a fresh Debian 12 directory
	@scripts/clean-room.sh $(TARGETS)

setup: ## install the packages for run and test
	@$(SETUP) build run test

fmt: ## format the Go code
	gofmt -l -w $(GO_FILES)

lint: ## gofmt and go vet, without changing files
	@unformatted=$$(gofmt -l $(GO_FILES)) && test -z "$$unformatted" || \
		{ echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; }
	$(WITH_PHP) go vet ./...
	cd bench && go vet ./...

clean: ## remove what was built
	rm -rf bin build

# Without .ci and the like, and without what is built.
GO_FILES = $(wildcard bench caddymodule cmd sapi static worker)

setup-run:
	@$(SETUP) build run

setup-bench:
	@$(SETUP) build run bench

check-go:
	@scripts/check-go.sh

go-test:
	$(WITH_PHP) go test -count=1 $(TESTFLAGS) ./...

test-c:
	scripts/harness.sh

## Variables:

#: PHP_VERSION=    PHP of which version, from packages (the Debian release's)
#: PHP_CONFIG=     php-config of a PHP of your own, built with --enable-embed
#: TESTFLAGS=      more flags for go test, such as "-run Session -v"
#: PHP84_ROOT=     the Debian 13 directory (hathi/trixie in the cache directory)
#: CLEAN_ROOM=     the Debian 12 directory, made anew each time (hathi/bookworm)
#: TARGETS=        what clean-room makes, such as test (build)
