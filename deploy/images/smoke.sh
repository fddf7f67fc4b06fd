#!/bin/sh
# Tries out dev.tar without a cluster: unpacks it, starts it as a container
# would (own processes, mounts and network) and acts as a user. Needs root.
#
#   smoke.sh [archive]     default: bin/images/dev.tar
set -eu
here=$(cd "$(dirname "$0")" && pwd)
archive=${1:-$here/../../bin/images/dev.tar}
[ "$(id -u)" = 0 ] || { echo "smoke.sh needs root" >&2; exit 1; }

dir=$(mktemp -d)
root=$dir/root
init=
trap 'status=$?; [ -z "$init" ] || kill -KILL "$init" 2>/dev/null || true; rm -rf "$dir"; exit $status' EXIT
trap 'exit 1' INT TERM

passed=0
pass() { passed=$((passed + 1)); echo "ok    $*"; }
fail() { echo "FAIL  $*"; tail -n 60 "$dir/log"; exit 1; }
check() { what=$1; shift; if "$@"; then pass "$what"; else fail "$what"; fi; }
ms() { date +%s%3N; }

mkdir -p "$root" "$dir/keys"
tar -xf "$archive" -C "$dir" --no-same-owner
for blob in $(python3 - "$dir" <<'PY'
import json, sys
def blob(d): return sys.argv[1] + "/blobs/" + d["digest"].replace(":", "/")
image = json.load(open(blob(json.load(open(sys.argv[1] + "/index.json"))["manifests"][0])))
print(*[blob(layer) for layer in image["layers"]])
PY
); do tar -xf "$blob" -C "$root"; done
ssh-keygen -q -t ed25519 -N '' -C test -f "$dir/keys/ssh_host_ed25519_key"
mkdir -p "$root/etc/goblinlab/ssh-host-keys"
cp "$dir"/keys/* "$root/etc/goblinlab/ssh-host-keys/"
chmod 0644 "$root"/etc/goblinlab/ssh-host-keys/*

# What docs/images.md asks of a pod's security context, and no more.
caps=+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+net_bind_service,+sys_chroot,+audit_write

# start runs goblin-init as process 1 of new namespaces; $init is its number
# outside. Devices come from the host; /run is fresh, as in a container.
start() {
	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
		PASSWORD=the-token ROOT_PASSWORD='the "root" pass' NOTEBOOK_TAG=smoke \
		GOBLINLAB_URL=http://goblin.test TZ=Asia/Shanghai GREETING="it's \"quoted\" \$HOME" \
		unshare --mount --pid --net --ipc --uts --fork --kill-child sh -eu -c '
			mount -t proc proc "$0/proc"
			mount -t tmpfs -o mode=755 tmpfs "$0/run"
			mount --rbind /dev "$0/dev" && mount --make-rslave "$0/dev"
			mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts"
			ip link set lo up
			exec setpriv --no-new-privs --bounding-set "-all,$1" --inh-caps -all \
				chroot "$0" /usr/local/bin/goblin-init' "$root" "$caps" >"$dir/log" 2>&1 &
	unshare=$!
	for _ in $(seq 100); do
		init=$(cat "/proc/$unshare/task/$unshare/children" 2>/dev/null | tr -d ' ')
		[ -z "$init" ] || [ "$(cat "/proc/$init/comm" 2>/dev/null)" != goblin-init ] || return 0
		sleep 0.05
	done
	fail "goblin-init starts"
}
inside() { nsenter -t "$init" -n "$@"; }           # in the container's network
code() { inside curl -s -m 30 -o /dev/null -w '%{http_code}' "$@"; }
gets() { [ "$(code "$2" -H "$3")" = "$1" ]; }
apps() { inside curl -s -m 5 127.0.0.1:9999/apps; }
wait_ready() { # $1 seconds
	for _ in $(seq $(($1 * 10))); do
		[ "$(code 127.0.0.1:9999/readyz)" = 200 ] && return
		sleep 0.1
	done
	return 1
}
login() { # $1 password, then the command
	printf '#!/bin/sh\necho "$SMOKE_PASSWORD"\n' >"$dir/askpass"; chmod 700 "$dir/askpass"
	pw=$1; shift
	SMOKE_PASSWORD=$pw SSH_ASKPASS=$dir/askpass SSH_ASKPASS_REQUIRE=force inside \
		"${ssh:-ssh}" -o UserKnownHostsFile="$dir/known" -o StrictHostKeyChecking=yes -o NumberOfPasswordPrompts=1 \
		-o PubkeyAuthentication=no -o ConnectTimeout=5 ${tty:-} root@127.0.0.1 "$@" 2>"$dir/ssh.err"
}
printf '127.0.0.1 %s\n' "$(cut -d' ' -f1,2 "$dir/keys/ssh_host_ed25519_key.pub")" >"$dir/known"

began=$(ms); start
check "ready within 60 s" wait_ready 60
echo "      start to ready: $(($(ms) - began)) ms"
check "livez answers" gets 200 127.0.0.1:9999/livez X:
j=127.0.0.1:8888/api/status
check "JupyterLab accepts the token" gets 200 $j "Authorization: token the-token"
check "JupyterLab refuses a wrong token" gets 403 $j "Authorization: token wrong"
check "JupyterLab refuses no token" gets 403 $j X:
check "the lab page is served" gets 200 127.0.0.1:8888/lab "Authorization: token the-token"
check "a foreign Host is served" gets 200 "$j" "Host: jupyterlab--x--y.apps.test
Authorization: token the-token"
key=$(printf the-token | sha256sum | cut -d' ' -f1)
v=127.0.0.1:8080/
check "VS Code asks who comes without a session" test "$(inside curl -s -m 30 -o /dev/null -w '%{redirect_url}' $v)" = http://127.0.0.1:8080/login
check "VS Code accepts the session of the password" test "$(inside curl -s -m 30 -o /dev/null -w '%{redirect_url}' -H "Cookie: code-server-session=$key" $v)" = "http://127.0.0.1:8080/?folder=/home/goblin"
check "VS Code's workbench is served" gets 200 "$v?folder=/home/goblin" "Cookie: code-server-session=$key"
log=127.0.0.1:9999/apps/code-server/log
check "the log of VS Code takes the password" gets 401 $log X:
inside curl -s -m 5 -H "Authorization: Bearer the-token" $log | grep -q 'HTTP server listening' || fail "the log of VS Code is told"; pass "the log of VS Code is told"
apps | grep -q '"tensorboard","port":6006,"state":"absent"' || fail "TensorBoard is absent"; pass "TensorBoard is absent"
check "ssh signs in with the password, host key as mounted" test "$(login 'the "root" pass' 'echo $HOME')" = /home/goblin
! login wrong true || fail "ssh refuses a wrong password"; pass "ssh refuses a wrong password"
case $(tty=-tt login 'the "root" pass' tty) in /dev/pts/*) pass "ssh gives a terminal" ;; *) fail "ssh gives a terminal" ;; esac
echo 'put /etc/hostname uploaded' >"$dir/batch"
ssh=sftp tty="-o BatchMode=no -b $dir/batch" login 'the "root" pass' >/dev/null || fail "sftp"
check "sftp puts a file" test -f "$root/home/goblin/uploaded"
vars=$(login 'the "root" pass' env; login 'the "root" pass' bash -lc env)
for want in NOTEBOOK_TAG=smoke GOBLINLAB_URL=http://goblin.test TZ=Asia/Shanghai "GREETING=it's \"quoted\" \$HOME"; do
	check "both kinds of shell see ${want%%=*}" test "$(printf '%s\n' "$vars" | grep -cxF "$want")" = 2
done
case $vars in *the-token* | *'"root"'*) fail "no secret in a shell's environment" ;; esac
pass "no secret in a shell's environment"
secret_seen() { # in any environment or argument list of the container
	for p in $(inside_pids); do
		tr '\0' '\n' <"/proc/$p/environ" | cat - "/proc/$p/cmdline" | grep -aqF -e the-token -e '"root"' -e "$key" && return
	done
	grep -qF -e the-token -e '"root"' -e "$key" "$dir/log"
}
inside_pids() { for p in /proc/[0-9]*; do [ "$(readlink "$p/ns/pid")" != "$(readlink "/proc/$init/ns/pid")" ] || echo "${p#/proc/}"; done; }
! secret_seen || fail "no secret in any process or in the log"; pass "no secret in any process or in the log"
check "the home is seeded" test -f "$root/home/goblin/example.ipynb"

jupyter=$(inside_pids | while read -r p; do tr '\0' ' ' <"/proc/$p/cmdline" | grep -q 'jupyter-lab --ip' && echo "$p"; done | head -1)
kill -KILL "$jupyter"
restarted() { for _ in $(seq 300); do apps | grep -q '"jupyterlab","port":8888,"state":"ready","restarts":1' && return; sleep 0.1; done; return 1; }
check "JupyterLab is restarted alone after a crash" restarted
apps | grep -q '"sshd","port":22,"state":"ready","restarts":0' || fail "sshd was not disturbed"; pass "sshd was not disturbed"
apps | grep -q '"code-server","port":8080,"state":"ready","restarts":0' || fail "VS Code was not disturbed"; pass "VS Code was not disturbed"

began=$(ms); kill -TERM "$init"; wait "$unshare" || true; took=$(($(ms) - began)); init=
check "TERM ends everything in less than 6 s ($took ms)" test "$took" -lt 6000
echo "      left in the home: $(cd "$root/home/goblin" && find . -type f | sort | xargs)"
echo "$passed passed, 0 failed"
