package box

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Names under which this program is executed again.
const (
	setupName = "goblinlab-box"
	watchName = "goblinlab-box-watch"
)

// init is the start of a box's first process. In main it would come after the initialization of all of Kubernetes, which
// costs each container more than the rest of its start.
func init() {
	if len(os.Args) != 1 {
		return
	}
	switch os.Args[0] {
	case setupName:
		runtime.LockOSThread() // rights belong to the thread
		giveUp(setUp())
	case watchName:
		giveUp(watch())
	}
}

// giveUp ends the first process with the reason.
func giveUp(err error) {
	writeResult(os.NewFile(resultFD, "result"), Result{Code: 128, Error: err.Error(), At: time.Now()})
	os.Exit(1)
}

func writeResult(f *os.File, r Result) {
	if b, err := json.Marshal(r); err == nil {
		_, _ = f.Write(b) // without it the end is unknown, which is an answer too
	}
}

// readSpec reads what the box is made of. Not through an os.File: the end of one closes it, and the watcher reads it again.
func readSpec() (Spec, error) {
	var s Spec
	var st unix.Stat_t
	if err := unix.Fstat(specFD, &st); err != nil {
		return s, err
	}
	b := make([]byte, st.Size)
	if _, err := unix.Pread(specFD, b, 0); err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

// setUp makes the box around this process and goes on as the watcher. It returns only with an error.
func setUp() error {
	// What our parent left open by mistake would lead out of the box.
	if err := unix.CloseRange(logFD+1, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	s, err := readSpec()
	if err != nil {
		return err
	}
	if err := enterRoot(s); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(s.Hostname)); err != nil {
		return fmt.Errorf("host name: %w", err)
	}
	if err := enterDir(s.Dir); err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if err := dropRights(); err != nil {
		return err
	}
	// A new image of the program, because rights are dropped for this thread only.
	return fmt.Errorf("start the watcher: %w", syscall.Exec("/proc/self/exe", []string{watchName}, []string{}))
}

func enterDir(dir string) error {
	if dir == "" {
		dir = "/"
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(root)
	fd, err := place(root, dir, true)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fchdir(fd)
}

// dropRights leaves the thread without any, and without a way to gain some.
func dropRights() error {
	// In a further user namespace a program would have rights again, and with them the kernel's less tried parts.
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		return fmt.Errorf("forbid user namespaces: %w", err)
	}
	// The user's own session keyring would be shared. Where keyrings are forbidden there is none to share.
	if _, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0); err != nil && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("keyring: %w", err)
	}
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // there are no more
		}
		if err != nil {
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("ambient capabilities: %w", err)
	}
	var none [2]unix.CapUserData
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	return cutAbstractSockets()
}

// cutAbstractSockets keeps the box from sockets without a file, such as those of the desktop: they belong to the network,
// which it shares. Linux before 6.12 cannot.
func cutAbstractSockets() error {
	attr := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	fd, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return nil
	}
	defer unix.Close(int(fd))
	if _, _, e := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); e != 0 {
		return fmt.Errorf("restrict sockets: %w", e)
	}
	return nil
}
