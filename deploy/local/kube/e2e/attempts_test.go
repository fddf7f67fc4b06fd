//go:build e2e

package e2e

// attempt is one way out of a container. Its script succeeds when it got out. The same script has to succeed in a pod
// that may do anything, or it would show nothing.
type attempt struct {
	name, script string
	needs        string // a file of the machine without which the kernel does not have this way at all
}

const setuidProgram = "setuid program on a volume"

// The scripts find these variables: SECRET, a file of the machine; VOLUME, the pod's volume, with what others prepared in
// it; HOST and NEIGHBOUR, patterns for the command lines of a process of the machine and of one in another pod, which do
// not match themselves; DISK, the numbers of a disk; NODE and API, addresses; SOCKETS, sockets of the node.
var attempts = []attempt{
	// By path.
	{name: "path up from the root", script: `cat /../../../..$SECRET`},
	{name: "path up from the volume", script: `cd $VOLUME && cat ../../../../../../../../../..$SECRET`},
	{name: "path up from an open folder", script: `exec 3<$VOLUME && cat /proc/self/fd/3/../../../../../../../../../..$SECRET`},
	{name: "path by the working folder of a process", script: `cd $VOLUME && cat /proc/self/cwd/../../../../../../../../../..$SECRET`},
	{name: "root of the first process", script: `cat /proc/1/root$SECRET`},
	{name: "root of any process", script: `for p in /proc/[0-9]*; do cat $p/root$SECRET && exit; done; false`},
	{name: "file that a process left open", script: `for f in /proc/[0-9]*/fd/*; do cat $f/../../../../../../../..$SECRET && exit; done; false`},

	// By links in a volume.
	{name: "link to the machine", script: `ln -sfn $SECRET $VOLUME/mine && cat $VOLUME/mine`},
	{name: "link up to the machine", script: `ln -sfn ../../../../../../../../../../../..$SECRET $VOLUME/up && cat $VOLUME/up`},
	{name: "link made by somebody else", script: `cat $VOLUME/theirs`},
	{name: "link by a process", script: `ln -sfn /proc/1/root $VOLUME/root && cat $VOLUME/root$SECRET`},
	{name: "file handle of the disk", script: `probe handle $VOLUME $SECRET | grep .`},

	// By /proc and /sys.
	{name: "processes of the machine", script: `grep -l "$HOST" /proc/[0-9]*/cmdline`},
	{name: "processes of other pods", script: `grep -l "$NEIGHBOUR" /proc/[0-9]*/cmdline`},
	{name: "environment of other processes", script: `cat /proc/[0-9]*/environ | grep "$HOST"`},
	{name: "sysrq", needs: "/proc/sysrq-trigger", script: `echo h >/proc/sysrq-trigger`},
	{name: "memory of the kernel", needs: "/proc/kcore", script: `head -c 4 /proc/kcore | grep -q ELF`},
	{name: "kernel setting", script: `v=$(cat /proc/sys/vm/swappiness) && echo $v >/proc/sys/vm/swappiness`},
	{name: "core_pattern", needs: "/proc/sys/kernel/core_pattern", script: `v=$(cat /proc/sys/kernel/core_pattern) && echo "$v" >/proc/sys/kernel/core_pattern`},
	{name: "modprobe", needs: "/proc/sys/kernel/modprobe", script: `v=$(cat /proc/sys/kernel/modprobe) && echo "$v" >/proc/sys/kernel/modprobe`},
	{name: "binfmt_misc", needs: "/proc/sys/fs/binfmt_misc/register", script: `test -w /proc/sys/fs/binfmt_misc/register && echo -1 >/proc/sys/fs/binfmt_misc/status`},
	{name: "uevent_helper", needs: "/sys/kernel/uevent_helper", script: `v=$(cat /sys/kernel/uevent_helper) && echo "$v" >/sys/kernel/uevent_helper`},
	{name: "setting of a disk", needs: "/sys/block/vda/queue/read_ahead_kb", script: `v=$(cat /sys/block/vda/queue/read_ahead_kb) && echo $v >/sys/block/vda/queue/read_ahead_kb`},
	{name: "keys of others", needs: "/proc/keys", script: `grep -q . /proc/keys`},
	{name: "timers", needs: "/proc/timer_list", script: `grep -q . /proc/timer_list`},

	// By mounts and namespaces.
	{name: "mount tmpfs", script: `mkdir -p /tmp/m && mount -t tmpfs none /tmp/m`},
	{name: "mount proc", script: `mkdir -p /tmp/p && mount -t proc none /tmp/p`},
	{name: "mount a folder", script: `mkdir -p /tmp/b && mount --bind / /tmp/b`},
	{name: "mount the disk", script: `mknod /tmp/disk-to-mount b $DISK && mkdir -p /tmp/d && mount -o ro -t ext4 /tmp/disk-to-mount /tmp/d`},
	{name: "unmount", script: `umount -l /etc/hosts`},
	{name: "new mount namespace", script: `unshare -m true`},
	{name: "new user namespace", script: `unshare -U true`},
	{name: "mount in a new user namespace", script: `unshare -U -r -m mount -t tmpfs none /tmp`},
	{name: "namespace of the machine", script: `nsenter -t 1 -m cat $SECRET`},

	// By signals.
	{name: "signal to other pods", script: `kill -9 $(grep -l "$NEIGHBOUR" /proc/[0-9]*/cmdline | cut -d/ -f3)`},
	{name: "signal to the machine", script: `kill -9 $(grep -l "$HOST" /proc/[0-9]*/cmdline | cut -d/ -f3)`},

	// By devices.
	{name: "device in /dev", script: `find /dev -type b | grep .`},
	{name: "disk", script: `mknod /tmp/disk b $DISK && head -c 512 /tmp/disk | grep -q .`},
	{name: "disk made by somebody else", script: `head -c 512 $VOLUME/disk | grep -q .`},
	{name: "memory", needs: "/dev/mem", script: `mknod /tmp/mem c 1 1 && head -c 1 /tmp/mem`},
	{name: "log of the kernel", script: `mknod /tmp/kmsg c 1 11 && dd if=/tmp/kmsg bs=8192 count=1 | grep -q .`},
	{name: "log of the kernel in /dev", script: `dd if=/dev/kmsg bs=8192 count=1 | grep -q .`},

	// By rights.
	{name: setuidProgram, script: `if [ $(id -u) = 0 ]; then probe as 1234 $VOLUME/setuid root; else $VOLUME/setuid root; fi`},
	{name: "cgroup", script: `d=$(dirname $(find /sys/fs/cgroup/ -name cgroup.procs | head -n 1)) && mkdir $d/mine && rmdir $d/mine`},
	{name: "limit of the own cgroup", script: `f=$(find /sys/fs/cgroup/ -name memory.limit_in_bytes -o -name memory.max | head -n 1) && v=$(cat $f) && echo $v >$f`},
	{name: "release_agent", script: `mkdir -p /tmp/cg && mount -t $(grep -q "^nodev.cgroup$" /proc/filesystems && echo cgroup -o memory || echo cgroup2) none /tmp/cg`},
	{name: "call add_key", script: `probe syscall add_key`},
	{name: "call bpf", script: `probe syscall bpf`},
	{name: "call fsopen", script: `probe syscall fsopen`},
	{name: "call init_module", script: `probe syscall init_module`},
	{name: "call io_uring_setup", script: `probe syscall io_uring_setup`},
	{name: "call kexec_load", script: `probe syscall kexec_load`},
	{name: "call keyctl", script: `probe syscall keyctl`},
	{name: "call move_mount", script: `probe syscall move_mount`},
	{name: "call open_by_handle_at", script: `probe syscall open_by_handle_at`},
	{name: "call perf_event_open", script: `probe syscall perf_event_open`},
	{name: "call setns", script: `probe syscall setns`},
	{name: "call settimeofday", script: `probe syscall settimeofday`},
	{name: "call swapon", script: `probe syscall swapon`},
	{name: "call syslog", script: `probe syscall syslog`},
	{name: "call unshare", script: `probe syscall unshare_user`},
	{name: "call userfaultfd", script: `probe syscall userfaultfd`},

	// By the node's programs and the API server.
	{name: "sockets of the node", script: `for s in $SOCKETS; do test -S $s && exit; done; false`},
	{name: "service account token", script: `test -s /var/run/secrets/kubernetes.io/serviceaccount/token`},
	{name: "kubelet", script: `probe get https://$NODE:10250/pods /var/run/secrets/kubernetes.io/serviceaccount/token`},
	{name: "API server", script: `probe get https://$API/api/v1/secrets /var/run/secrets/kubernetes.io/serviceaccount/token`},
}
