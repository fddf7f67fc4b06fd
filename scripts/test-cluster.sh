#!/usr/bin/env bash
# Tests that need the local Kubernetes. The whole system is tried on SQLite with
# the Redis inside the process; beside it the packages one after another, and
# then the whole system again, as a server and a worker on PostgreSQL with a
# real Redis. Both wait for pods most of their time, so that two cores do.
set -euo pipefail
packages=$(grep -rlE '^//go:build .*\bcluster\b' --include='*_test.go' . | xargs -n1 dirname | sort -u | grep -vx ./internal/system)
# What the page does is the same on either database; these follow what the worker sends to the server.
once='TestWithoutRoot|TestBrowser/(a11y|account|files|instance|oidc|people|run|secrets|settings|shares|teams|volumes|vscode)'
sqlite() { env -u GOBLINLAB_TEST_DATABASE -u GOBLINLAB_TEST_REDIS_SERVER go test -tags cluster -timeout 40m "$@"; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT
echo "==> cluster tests on SQLite; what the system's say comes at the end"
sqlite -parallel 2 ./internal/system >"$out" 2>&1 &
system=$!
code=0
# shellcheck disable=SC2086 # a list
sqlite -p 1 $packages || code=1
echo "==> system tests on PostgreSQL and Redis"
go test -tags cluster -vet=off -parallel 2 -timeout 40m -skip "$once" ./internal/system || code=1
wait "$system" || code=1
echo "==> system tests on SQLite"
cat "$out"
exit "$code"
