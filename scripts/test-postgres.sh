#!/usr/bin/env bash
# The packages that have a database, on the one that is given. Those that start
# threads, with a database or not, have the race detector beside them, which
# compiles everything anew and slows it down several times: the others go without.
set -euo pipefail
dirs() { xargs -n1 dirname | sort -u; }
threads=$(grep -rlE '^\s+go (func|[a-z.]+\()|\bGo\(func' --include='*.go' graph worker internal | grep -v '_test\.go$\|^graph/generated/' | dirs)
database=$(grep -rlE 'internal/testkit"' --include='*_test.go' ent graph worker internal | dirs)
plain=$(comm -23 <(echo "$database") <(echo "$threads"))
code=0
# shellcheck disable=SC2086 # lists
go test -vet=off -timeout 15m $(printf './%s ' $plain) || code=1
echo "==> those that start threads, with the race detector"
# shellcheck disable=SC2086
go test -race -vet=off -timeout 15m $(printf './%s ' $threads) || code=1
exit "$code"
