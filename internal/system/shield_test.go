//go:build cluster

package system

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const envShield = "GOBLINLAB_TEST_SHIELD"

// TestMain becomes a browser that is shielded, if it is asked to; see shielded.
func TestMain(m *testing.M) {
	if browser := os.Getenv(envShield); browser != "" {
		err := noNetlink()
		if err == nil {
			err = unix.Exec(browser, append([]string{browser}, os.Args[1:]...), os.Environ())
		}
		fmt.Fprintf(os.Stderr, "start %s: %v\n", browser, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// shielded makes a program that starts Chromium without its view of the
// machine's network interfaces. Each pod of the local Kubernetes comes with one,
// and at each the browser breaks off whatever it is loading
// (net::ERR_NETWORK_CHANGED): nothing that a page could help. A browser that
// cannot ask the kernel takes itself to be online.
func shielded(t *testing.T) string {
	t.Helper()
	browser := os.Getenv("CHROMIUM")
	if browser == "" {
		var err error
		if browser, err = exec.LookPath("chromium"); err != nil {
			t.Fatalf("there is no Chromium (%v); install it, or name it in CHROMIUM", err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	name := filepath.Join(t.TempDir(), "chromium")
	script := fmt.Sprintf("#!/bin/sh\n%s=%s exec %s \"$@\"\n", envShield, quote(browser), quote(self))
	if err := os.WriteFile(name, []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return name
}

// noNetlink has the kernel refuse sockets of netlink from here on, to this
// program and to whatever it becomes: seccomp(2), a filter of classic BPF.
func noNetlink() error {
	runtime.LockOSThread()
	ld := func(k uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: k}
	}
	unless := func(k uint32, skip uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: skip}
	}
	end := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	filter := []unix.SockFilter{
		ld(0), // nr of struct seccomp_data
		unless(unix.SYS_SOCKET, 3),
		ld(16), // the first argument, its lower half: the family
		unless(unix.AF_NETLINK, 1),
		end(unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)),
		end(unix.SECCOMP_RET_ALLOW),
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog))); e != 0 {
		return fmt.Errorf("seccomp: %w", syscall.Errno(e))
	}
	return nil
}
