package box

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A way out is a script that says "out" where nothing stops it. Each is tried outside too, by the same user: one that does
// not lead out there proves nothing about the box.

func noWayOut(t *testing.T, s Spec, script string) {
	t.Helper()
	if got := outside(t, script); !strings.Contains(got, "out\n") {
		t.Fatalf("the script does not even lead out without a box: %q", got)
	}
	if got, _ := run(t, s, script); strings.Contains(got, "out\n") {
		t.Errorf("it leads out of the box: %q", got)
	}
}

func TestTheMachinesFilesAreHidden(t *testing.T) {
	home := t.TempDir()
	secret := filepath.Join(home, "kubeconfig")
	write(t, secret, "out\n")
	volume := t.TempDir()
	if err := os.Symlink(secret, filepath.Join(volume, "link")); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"by name":                        "cat " + secret,
		"upwards":                        "cd / && cat ../../../.." + secret,
		"upwards from the shown folders": "cd /usr/bin && cat ../../../.." + secret,
		"through the first process":      "cat /proc/1/root" + secret + " /proc/self/root" + secret,
		"what it had open":               "for p in 1 self $$; do for f in /proc/$p/fd/*; do cat $f/." + secret + " $f/.." + secret + "; done; done; cat " + secret,
		"a link in a volume":             "cat " + volume + "/link",
		"sockets":                        "test -e /run/. && find /run /var/run /tmp -type s | grep -q . && echo out; cat " + secret,
		"another process's root":         "for p in /proc/[0-9]*; do cat $p/root" + secret + " $p/cwd/" + filepath.Base(secret) + "; done; cat " + secret,
	} {
		t.Run(name, func(t *testing.T) {
			noWayOut(t, Spec{Mounts: []Mount{{Root: volume, Target: volume}}}, script)
		})
	}
}

func TestAHiddenFolderBelowAShownOne(t *testing.T) {
	const folder = "/usr/share"
	if got, _ := run(t, Spec{}, "ls "+folder); got == "" {
		t.Fatal("there is nothing to hide")
	}
	if got, _ := run(t, Spec{Hide: []string{folder, "/no/such/folder", "/home"}}, "ls "+folder); got != "" {
		t.Errorf("hidden, it shows %q", got)
	}
}

func TestALinkInAVolumeDoesNotLeadOut(t *testing.T) {
	volume, other := t.TempDir(), t.TempDir()
	write(t, filepath.Join(other, "file"), "out\n")
	if err := os.Symlink(other, filepath.Join(volume, "absolute")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../../../../../.."+other, filepath.Join(volume, "relative")); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"absolute", "relative", "absolute/..", "relative/../.."} {
		t.Run("as a source: "+link, func(t *testing.T) {
			s := Spec{Mounts: []Mount{{Root: "/", Source: filepath.Join(volume, link) + "/.", Target: "/v"}}}
			if got, _ := run(t, s, "cat /v/file"); strings.HasPrefix(link, "absolute") && link == "absolute" && got != "out\n" {
				t.Fatalf("without a root of its own the link should lead out: %q", got)
			}
			f, scratch := files(t)
			b, err := Start(Spec{Scratch: scratch, Args: []string{"sh", "-c", "cat /v/file"}, Mounts: []Mount{{Root: volume, Source: link, Target: "/v"}}}, f)
			if err != nil {
				return // nothing there below the root, which is as good
			}
			await(t, b)
			if got := said(t, f); strings.Contains(got, "out\n") {
				t.Errorf("the link leads out: %q", got)
			}
		})
	}
	for _, link := range []string{"absolute", "relative"} {
		t.Run("as a place: "+link, func(t *testing.T) {
			source := t.TempDir()
			write(t, filepath.Join(source, "seen"), "yes\n")
			s := Spec{Mounts: []Mount{{Root: source, Target: "/v/" + link + "/made"}, {Root: volume, Target: "/v"}}}
			if got, _ := run(t, s, "cat /v/"+link+"/made/seen"); got != "yes\n" {
				t.Errorf("the volume below the link shows %q", got)
			}
			if _, err := os.Stat(filepath.Join(other, "made")); err == nil {
				t.Error("a folder was made outside")
			}
		})
	}
}

func TestVolumes(t *testing.T) {
	volume, readOnly := t.TempDir(), t.TempDir()
	write(t, filepath.Join(readOnly, "sub", "file"), "one\n")
	single := filepath.Join(readOnly, "sub", "file")
	s := Spec{Mounts: []Mount{
		{Root: volume, Target: "/data"}, {Root: readOnly, Target: "/data/deep/er", ReadOnly: true},
		{Root: readOnly, Source: "sub", Target: "/sub"}, {Root: "/", Source: single, Target: "/etc/one/file", ReadOnly: true},
	}}
	got, _ := run(t, s, `cat /data/deep/er/sub/file /sub/file /etc/one/file; echo x > /data/new; echo x > /data/deep/er/new || echo read-only; echo x > /etc/one/file || echo read-only`)
	if n := strings.Count(got, "one\n"); n != 3 {
		t.Errorf("%d of 3 mounts show their file: %q", n, got)
	}
	if n := strings.Count(got, "read-only\n"); n != 2 {
		t.Errorf("%d of 2 refuse to be written: %q", n, got)
	}
	if _, err := os.Stat(filepath.Join(volume, "new")); err != nil {
		t.Error(err)
	}
}

func TestOtherProcessesAreOutOfSight(t *testing.T) {
	other := bystander(t, "word-of-a-bystander")
	noWayOut(t, Spec{}, "grep -q word-of-a-bystande[r] /proc/[0-9]*/cmdline && echo out")
	noWayOut(t, Spec{}, fmt.Sprintf("grep -qz sleep.60 /proc/%d/cmdline && kill -0 %[1]d && echo out", other.Process.Pid))
	got, _ := run(t, Spec{}, "kill -9 -1; kill -9 1; for p in $(seq 1 400); do test $p = $$ || kill -9 $p; done 2>/dev/null; echo still here")
	if !strings.Contains(got, "still here") {
		t.Errorf("the box says %q", got)
	}
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Error("a process outside was killed")
	}
	var st syscall.WaitStatus
	if pid, _ := syscall.Wait4(other.Process.Pid, &st, syscall.WNOHANG, nil); pid != 0 {
		t.Errorf("a process outside was killed: %v", st)
	}
}

func TestBoxesDoNotSeeEachOther(t *testing.T) {
	volume := t.TempDir()
	write(t, filepath.Join(volume, "file"), "out\n")
	script := "echo $SECRET > /tmp/secret; cat " + volume + "/file; sleep 60; : word-of-the-first"
	first, f := start(t, Spec{Env: []string{"PATH=" + DefaultPath, "SECRET=word"}, Mounts: []Mount{{Root: volume, Target: volume}}}, script)
	eventually(t, func() bool { return strings.Contains(said(t, f), "out\n") })
	for name, script := range map[string]string{
		"volume":    "cat " + volume + "/file",
		"processes": "grep -q word-of-the-firs[t] /proc/[0-9]*/cmdline && echo out",
		"variables": "grep -qz SECRET=word /proc/[0-9]*/environ && echo out",
		"socket":    "test -S " + f.Socket + " && echo out",
		"log":       "grep -o 'out$' " + f.Log,
	} {
		t.Run(name, func(t *testing.T) { noWayOut(t, Spec{}, script) })
	}
	if got, _ := run(t, Spec{}, "ls -A /tmp"); got != "" {
		t.Errorf("the other's temporary files show: %q", got)
	}
	if code := execute(t, first, nil, "test", "-s", "/tmp/secret"); code != 0 {
		t.Error("the first box has no secret to hide")
	}
}

func TestNothingCanBeMounted(t *testing.T) {
	const inNamespace = `unshare -Urm sh -c 'mount -t tmpfs none /mnt && echo out'`
	noWayOut(t, Spec{}, inNamespace)
	for _, script := range []string{
		"mount -t tmpfs none /mnt && echo out", "mount --bind /etc /mnt && echo out", "umount -l /proc && echo out",
		"unshare -m true && echo out", "unshare -U true && echo out", "chroot / true && echo out",
		"echo 100 > /proc/sys/user/max_user_namespaces && echo out", "mount -o remount,rw /sys && echo out",
		"nsenter -t 1 -m true && echo out", "nsenter -t 1 -U true && echo out",
	} {
		if got, _ := run(t, Spec{}, script); strings.Contains(got, "out\n") || strings.Contains(got, "not found") {
			t.Errorf("%s: %q", script, got)
		}
	}
}

func TestNothingCanBeGained(t *testing.T) {
	for _, user := range []int{0, 1000, os.Getuid()} {
		f, scratch := files(t)
		b, err := Start(Spec{Scratch: scratch, User: user, Group: user, Args: []string{"sh", "-c", "id -u; grep -E '^(Cap|NoNewPrivs)' /proc/self/status; ls /proc/self/fd | wc -l"}}, f)
		if err != nil {
			t.Fatal(err)
		}
		await(t, b)
		const none = "0000000000000000\n"
		want := fmt.Sprintf("%d\nCapInh:\t%[2]sCapPrm:\t%[2]sCapEff:\t%[2]sCapBnd:\t%[2]sCapAmb:\t%[2]sNoNewPrivs:\t1\n4\n", user, none)
		if got := said(t, f); got != want {
			t.Errorf("as user %d it has %q", user, got)
		}
	}
}

func TestSetuidProgramsGiveNothing(t *testing.T) {
	program := os.Getenv(setuidProgram)
	if program == "" {
		t.Skip("only root can make a setuid program")
	}
	script := "test $(" + program + " -u) = 0 && echo out"
	dir := filepath.Dir(program)
	noWayOut(t, Spec{Mounts: []Mount{{Root: dir, Target: dir, ReadOnly: true}}}, script)
	if got, _ := run(t, Spec{Mounts: []Mount{{Root: dir, Target: dir}}}, program+" -u"); got != fmt.Sprintf("%d\n", os.Getuid()) {
		t.Errorf("the program says that it runs as %q", got)
	}
}

func TestDevices(t *testing.T) {
	got, _ := run(t, Spec{}, "cd /dev && ls | grep -v nvidia | tr '\\n' ' '")
	if want := "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero \n"; got != want {
		t.Errorf("/dev has %q", got)
	}
	noWayOut(t, Spec{}, "for d in /dev/kmsg /dev/mem /dev/vda /dev/sda /dev/fuse /dev/console; do test -e $d && echo out && break; done")
	if got, _ := run(t, Spec{}, "mknod /tmp/d c 1 11 && echo out; mknod /tmp/b b 254 0 && echo out"); strings.Contains(got, "out\n") {
		t.Errorf("a device was made: %q", got)
	}
}

func TestTheFirstProcessCannotBeLookedInto(t *testing.T) {
	for _, file := range []string{"environ", "mem", "fd/3", "fd/4", "root", "cwd"} {
		noWayOut(t, Spec{}, "p=1; grep -q box-watch /proc/1/cmdline || p=$$; case "+file+" in fd/*) test -e /proc/$p/fd/0;; *) head -c0 /proc/$p/"+file+" 2>/dev/null || ls /proc/$p/"+file+"/;; esac && echo out")
	}
}

func TestDesktopSocketsAreCut(t *testing.T) {
	const python, withScopes = "/usr/bin/python3", 6
	if abi, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); int(abi) < withScopes {
		t.Skip("this kernel cannot")
	}
	if _, err := os.Stat(python); err != nil {
		t.Skip(python + " is missing")
	}
	const name = "goblinlab-box-test"
	l, err := listenAbstract(name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	script := python + ` -c 'import socket; socket.socket(socket.AF_UNIX).connect("\0` + name + `"); print("out")'`
	noWayOut(t, Spec{}, script)
}

func listenAbstract(name string) (net.Listener, error) { return net.Listen("unix", "@"+name) }
