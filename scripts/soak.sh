#!/bin/sh
# One million requests in worker mode and 200,000 in classic mode: memory stays flat.
set -eu
cd "$(dirname "$0")/../bench"
exec go run ./soak -hathi "${HATHI_BIN:-../bin/hathi}" "$@"
