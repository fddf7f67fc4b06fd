#!/usr/bin/env bash
# Checks Go, Node and npm, which the machine must bring, and the rest, which it may not.
set -euo pipefail
fail() { echo "goblinlab: $*" >&2; exit 1; }
command -v go >/dev/null || fail "Go 1.26 or newer is needed: https://go.dev/dl"
command -v node >/dev/null || fail "Node 20 or newer is needed: https://nodejs.org"
command -v npm >/dev/null || fail "npm 10 or newer is needed (it comes with Node)"
v=$(node -p 'process.versions.node.split(".")[0]')
[ "$v" -ge 20 ] || fail "Node 20 or newer is needed, this is $(node --version)"
exec "$(dirname "$0")/need.sh" gcc=gcc make=make git=git
