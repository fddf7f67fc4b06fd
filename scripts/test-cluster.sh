#!/usr/bin/env bash
# Tests that need the local Kubernetes: first on SQLite with the Redis inside
# the process, then on PostgreSQL with a real Redis. Packages run one after
# another, since they share the cluster's two cores.
set -euo pipefail
packages=$(grep -rlE '^//go:build .*\bcluster\b' --include='*_test.go' . | xargs -n1 dirname | sort -u)
echo "==> cluster tests on SQLite"
env -u GOBLINLAB_TEST_DATABASE -u GOBLINLAB_TEST_REDIS_SERVER go test -race -tags cluster -p 1 -timeout 40m $packages
echo "==> cluster tests on PostgreSQL and Redis"
go test -race -tags cluster -p 1 -timeout 40m ./internal/system
