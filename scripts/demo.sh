#!/bin/sh
# Serves the Symfony demo in the foreground: scripts/demo.sh bin/hathi
set -eu
binary=$(realpath "$1")
cd "$(dirname "$0")/.."

cat <<END

  The Symfony application testdata/apps/symfony in worker mode, by scripts/demo.Caddyfile:

    http://localhost:8080            a page with Twig
    http://localhost:8080/api/hello  JSON
    http://localhost:8080/login      a session
    http://localhost:8080/pid        the process that answers

  See its processes:  ps -eo pid,args | grep '[h]athi'
  Stop it:            Ctrl-C

END
exec "$binary" run --config scripts/demo.Caddyfile
