#!/bin/sh
# Runs Kubernetes' own end-to-end tests on a fresh local cluster, and judges the results by known.yaml.
#
#	run.sh BIN FOLDER      BIN holds the local Kubernetes, FOLDER the tests' programs and images, and gets the results
#
# FOCUS=regexp runs only tests whose names match, PROCS=N so many at once; those that need the cluster alone come last.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
dir=$out/cluster
results=$out/results
mirror=127.0.0.1:5999 # the tests' own registries have port 5000
[ "$(id -u)" = 0 ] || { echo "The local Kubernetes needs root" >&2; exit 1; }

# The conformance set, and beside it what is neither behind a gate, nor bound to a feature that a cluster may lack, nor
# slow, nor about to take nodes away.
filter='Conformance || (!/^(Feature|FeatureGate):/ && !Alpha && !/^Beta/ && !Slow && !Disruptive && !Flaky)'
# Clouds, disks and drivers that are not here, Windows, network policies, SCTP, which few kernels are built with.
skip='\[Driver: (vsphere|azure|cinder|nfs|csi-hostpath|pd\.csi)|CSI Mock|\[DRA\] control plane|Volume metrics|PersistentVolumes NFS|HostCleanup|\[Provider:|[Ww]indows|Netpol|NetworkPolic|SCTP'

# The nodes have all images; a registry is for the tests that insist on a pull.
start() {
	set --
	for archive in "$out"/images/*.tar; do set -- "$@" --image "$archive"; done
	"$bin/goblinlab-local" up --dir "$dir" --nodes "$here/nodes.yaml" --no-fsync "$@" >"$results/up.log" 2>&1 &
	up=$!
	"$out/bin/registry" -listen "$mirror" "$out"/images/*.tar >"$results/registry.log" 2>&1 &
	registry=$!
	until grep -q '"imagesReady": *true' "$dir/status.json" 2>/dev/null; do
		kill -0 $up 2>/dev/null || { cat "$results/up.log" >&2; exit 1; }
		sleep 1
	done
	"$bin/goblinlab-local" registry set registry.k8s.io --mirror "http://$mirror" --dir "$dir"
}

stop() {
	[ -z "${registry:-}" ] || kill "$registry"
	"$bin/goblinlab-local" wipe --dir "$dir" >/dev/null 2>&1 || true
}

# What ginkgo says about success does not count, since it does not know the list.
run_tests() {
	PATH=$bin:$PATH "$out/bin/ginkgo" --procs="${PROCS:-4}" --timeout=12h --flake-attempts=2 --no-color --silence-skips \
		--output-dir="$results" --json-report=report.json --label-filter="$filter" --focus="${FOCUS:-}" --skip="$skip" \
		"$out/bin/e2e.test" -- --provider=local --kubeconfig="$dir/kubeconfig" --num-nodes=3 2>&1 | tee "$results/log"
}

judge() {
	set --
	[ -z "${FOCUS:-}" ] || set -- -part
	cd "$here"
	go run . "$@" -known known.yaml -table "$results/table.md" "$results/report.json"
}

rm -rf "$results"
mkdir -p "$results"
stop
trap stop EXIT
trap 'exit 1' INT TERM
echo "Starting a cluster of three nodes with the images of the tests…"
start
run_tests
judge
