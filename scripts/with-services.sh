#!/usr/bin/env bash
# with-services.sh [postgres] [cluster] -- COMMAND…: starts a PostgreSQL and the
# local Kubernetes in folders of their own, on free ports or sockets, runs the
# command with their addresses in the environment, and stops them.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
as_pg() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
# A run that was killed could not clean up: its folder is there and nobody holds its lock.
for left in /tmp/goblinlab-test.*; do
  [ -f "$left/lock" ] && flock -n "$left/lock" true || continue
  echo "==> removing what a killed run of the tests left in $left"
  "$here/bin/local/goblinlab-local" down --dir "$left/cluster" --grace 0s >/dev/null || true
  pid=$(head -n 1 "$left/pg/postmaster.pid" 2>/dev/null) || true
  if [ -n "$pid" ] && [ "$(readlink "/proc/$pid/cwd")" = "$left/pg" ]; then kill -QUIT "$pid"; fi
  rm -rf "$left"
done
dir=$(mktemp -d /tmp/goblinlab-test.XXXXXX)
chmod 711 "$dir"
exec 9>"$dir/lock" && flock 9
want=()
while [ "$1" != -- ]; do want+=("$1"); shift; done
shift
cluster=
stop() {
  code=$?
  trap - EXIT INT TERM
  if [ -n "$cluster" ]; then
    "$here/bin/local/goblinlab-local" down --dir "$dir/cluster" >>"$dir/cluster.log" 2>&1 || tail -n 5 "$dir/cluster.log" >&2
    wait "$cluster" 2>/dev/null || true
  fi
  [ -f "$dir/pg/postmaster.pid" ] && as_pg "$pgbin/pg_ctl" -D "$dir/pg" -m immediate stop >/dev/null 2>&1
  rm -rf "$dir"
  exit "$code"
}
trap stop EXIT INT TERM
for w in "${want[@]}"; do
  case $w in
    postgres)
      "$here/scripts/need.sh" /usr/lib/postgresql/*/bin/initdb=postgresql redis-server=redis-server
      pgbin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
      mkdir "$dir/pg"
      if [ "$(id -u)" = 0 ]; then chown postgres "$dir/pg"; fi
      as_pg "$pgbin/initdb" -D "$dir/pg" -U goblinlab -A trust --no-sync >"$dir/initdb.log" 2>&1 || { cat "$dir/initdb.log" >&2; exit 1; }
      as_pg "$pgbin/pg_ctl" -D "$dir/pg" -w -t 60 -l "$dir/pg/server.log" \
        -o "-c listen_addresses='' -c unix_socket_directories='$dir/pg' -c fsync=off -c max_connections=300" start >/dev/null 9>&-
      export GOBLINLAB_TEST_DATABASE="postgres://goblinlab@/postgres?host=$dir/pg"
      GOBLINLAB_TEST_REDIS_SERVER=$(command -v redis-server)
      export GOBLINLAB_TEST_REDIS_SERVER
      echo "==> PostgreSQL $("$pgbin/postgres" --version | awk '{print $3}') and $(redis-server --version | awk '{print "Redis " $3}' | tr -d 'v=') for tests"
      ;;
    cluster)
      images=()
      for f in "$here"/bin/images/*.tar; do images+=(--image "$f"); done
      "$here/bin/local/goblinlab-local" up --dir "$dir/cluster" --no-fsync "${images[@]}" >"$dir/cluster.log" 2>&1 9>&- &
      cluster=$!
      for _ in $(seq 1200); do
        [ -f "$dir/cluster/status.json" ] && grep -q '"ready": *true' "$dir/cluster/status.json" && break
        kill -0 "$cluster" 2>/dev/null || { cat "$dir/cluster.log" >&2; echo "goblinlab: the local Kubernetes did not start" >&2; exit 1; }
        sleep 0.1
      done
      export GOBLINLAB_TEST_KUBECONFIG="$dir/cluster/kubeconfig"
      export GOBLINLAB_TEST_LOCAL="$here/bin/local/goblinlab-local"
      "$here/bin/local/goblinlab-local" image import --dir "$dir/cluster" "$here"/bin/images/*.tar >>"$dir/cluster.log" 2>&1
      echo "==> local Kubernetes for tests: $(grep -o '"server": *"[^"]*"' "$dir/cluster/status.json" | cut -d'"' -f4)"
      ;;
  esac
done
"$@"
