// Command probe does in a container of the end-to-end test what its busybox cannot. It succeeds when it got what it wanted.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var commands = map[string]func(args []string) error{
	"dial":    dial,
	"get":     get,
	"as":      as,
	"root":    root,
	"handle":  handle,
	"syscall": call,
}

func main() {
	f := commands[os.Args[1]]
	if f == nil {
		fmt.Fprintln(os.Stderr, "probe: no command", os.Args[1])
		os.Exit(2)
	}
	if err := f(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

// dial reaches an address, and says so.
func dial(args []string) error {
	for _, address := range args {
		if c, err := net.DialTimeout("tcp", address, 2*time.Second); err == nil {
			c.Close()
			fmt.Println(address)
		}
	}
	return nil
}

// get fetches a URL, with the token in a file if there is one.
func get(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, args[0], nil)
	if err != nil {
		return err
	}
	if token, err := os.ReadFile(args[1]); err == nil {
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // an intruder would not check either
	a, err := client.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return errors.New(a.Status)
	}
	_, err = io.Copy(io.Discard, a.Body)
	return err
}

// as runs a command as a user.
func as(args []string) error {
	id, err := strconv.ParseUint(args[0], 10, 32)
	if err != nil {
		return err
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
	return cmd.Run()
}

// root succeeds when the program has root's rights, as one with the setuid bit would.
func root([]string) error {
	if id := os.Geteuid(); id != 0 {
		return fmt.Errorf("user %d", id)
	}
	return nil
}

// handle opens the root folder of the file system of a path by its number, which is how a container once read all of its
// host, and reads a file below it.
func handle(args []string) error {
	at, err := unix.Open(args[0], unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	const inodeAndGeneration, rootInode = 1, 2
	h := unix.NewFileHandle(inodeAndGeneration, []byte{rootInode, 0, 0, 0, 0, 0, 0, 0})
	fd, err := unix.OpenByHandleAt(at, h, unix.O_RDONLY)
	if err != nil {
		return fmt.Errorf("open by handle: %w", err)
	}
	b, err := os.ReadFile(filepath.Join("/proc/self/fd", strconv.Itoa(fd), args[1]))
	fmt.Printf("%s", b)
	return err
}

// Numbers with arguments that do no harm: a kernel that lets them pass answers with another error, or with success.
var calls = map[string][4]uintptr{
	"add_key":           {unix.SYS_ADD_KEY, 0, 0, 0},
	"bpf":               {unix.SYS_BPF, ^uintptr(0), 0, 0},
	"fsopen":            {unix.SYS_FSOPEN, 0, 0, 0},
	"init_module":       {unix.SYS_INIT_MODULE, 0, 0, 0},
	"io_uring_setup":    {unix.SYS_IO_URING_SETUP, 0, 0, 0},
	"kexec_load":        {unix.SYS_KEXEC_LOAD, 0, ^uintptr(0), 0},
	"keyctl":            {unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(2), 0},
	"move_mount":        {unix.SYS_MOVE_MOUNT, ^uintptr(0), 0, ^uintptr(0)},
	"perf_event_open":   {unix.SYS_PERF_EVENT_OPEN, 0, 0, 0},
	"setns":             {unix.SYS_SETNS, ^uintptr(0), 0, 0},
	"settimeofday":      {unix.SYS_SETTIMEOFDAY, 1, 0, 0},
	"swapon":            {unix.SYS_SWAPON, 0, 0, 0},
	"syslog":            {unix.SYS_SYSLOG, 10, 0, 0},
	"unshare_user":      {unix.SYS_UNSHARE, unix.CLONE_NEWUSER, 0, 0},
	"userfaultfd":       {unix.SYS_USERFAULTFD, 0, 0, 0},
	"open_by_handle_at": {unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(0), 0, 0},
}

// call makes a system call and fails when it is forbidden.
func call(args []string) error {
	c, ok := calls[args[0]]
	if !ok {
		return errors.New("no system call " + args[0])
	}
	_, _, err := unix.RawSyscall6(c[0], c[1], c[2], c[3], 0, 0, 0)
	if err == unix.EPERM || err == unix.ENOSYS {
		return err
	}
	fmt.Println(err)
	return nil
}
