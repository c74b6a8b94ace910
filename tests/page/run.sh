#!/bin/sh
# Runs a test of the HTML report in a browser: run.sh TEST.js BINARY. 77: what it needs is not there.
set -eu

need() {
    echo "skipped: found no $1; scripts/install-packages --tests and scripts/test install it"
    exit 77
}
command -v node >/dev/null || need node
command -v chromium >/dev/null || need chromium
command -v sqlite3 >/dev/null || need sqlite3
node -e 'require("playwright-core")' 2>/dev/null || need playwright-core
exec node "$@"
