#!/bin/sh
# Runs Kubernetes' own end-to-end tests on a fresh local cluster, and judges the results by known.yaml.
#
#	run.sh BIN FOLDER      BIN holds the local Kubernetes, FOLDER the tests' programs and images, and gets the results
#
# FOCUS=regexp runs only tests whose names match; PROCS=N that many at once.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
dir=$out/cluster
results=$out/results
[ "$(id -u)" = 0 ] || { echo "The local Kubernetes needs root" >&2; exit 1; }

# The conformance set, and of the same areas what needs no cloud, no gate that is off, no disk or driver of its own.
# What takes a machine's node away, loads it for long, or is there for speed is left out.
areas='/^\[sig-(node|apps|scheduling|storage|api-machinery|network|instrumentation|auth|cli)\]/'
filter='Conformance || (!Feature: containsAny * && !Alpha && !Slow && !Disruptive && !Flaky)'
skip='\[Driver: (nfs|iscsi|csi-hostpath|gcepd|aws|azure|vsphere|cinder|ceph|rbd|gluster|windows)|CSI Volumes|CSI Mock|PersistentVolumes NFS|Windows|NetworkPolic|LoadBalancer|Ingress|IPv6|dual-stack'

judge() {
	part=
	[ -z "${FOCUS:-}" ] || part=-part
	(cd "$here" && go run . $part -known known.yaml -table "$results/table.md" "$results/report.json")
}

stop() { "$bin/goblinlab-local" wipe --dir "$dir" >/dev/null 2>&1 || true; }

start() {
	set --
	for archive in "$out"/images/*.tar; do set -- "$@" --image "$archive"; done
	"$bin/goblinlab-local" up --dir "$dir" --nodes "$here/nodes.yaml" --no-fsync "$@" &
	up=$!
	until grep -q '"imagesReady": *true' "$dir/status.json" 2>/dev/null; do
		kill -0 $up || { echo "The cluster did not start" >&2; exit 1; }
		sleep 1
	done
}

rm -rf "$results"
mkdir -p "$results"
stop
trap stop EXIT
start
echo "Testing; the output goes to $results/log"
PATH=$bin:$PATH "$out/bin/ginkgo" --procs="${PROCS:-4}" --timeout=12h --flake-attempts=2 --no-color --output-dir="$results" \
	--json-report=report.json --label-filter="$filter" --focus="${FOCUS:-}" --skip="$skip" "$out/bin/e2e.test" -- \
	--provider=local --kubeconfig="$dir/kubeconfig" --num-nodes=3 --allowed-not-ready-nodes=0 >"$results/log" 2>&1 || true
judge
