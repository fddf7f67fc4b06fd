package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

// errLocked says that another process holds a lock.
var errLocked = errors.New("locked")

const lockWait = 3 * time.Second

// lockFile takes the lock or fails with errLocked. The file names its holder. It is inherited by nothing but Exec.
func lockFile(path, holder string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !sameFile(f, path) { // removed by its last holder after we opened it
		f.Close()
		return lockFile(path, holder)
	}
	if err := errors.Join(f.Truncate(0), writeAt(f, holder)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func sameFile(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

func writeAt(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
}

// lockSoon waits a moment for a lock: a process that was just killed holds its own until the kernel has cleared it away.
func lockSoon(path, holder string) (*os.File, error) {
	for end := time.Now().Add(lockWait); ; time.Sleep(50 * time.Millisecond) {
		f, err := lockFile(path, holder)
		if !errors.Is(err, errLocked) || time.Now().After(end) {
			return f, err
		}
	}
}

// lockCluster takes the lock of a data folder and that of the machine.
func lockCluster(l layout.Layout) ([]*os.File, error) {
	pid := strconv.Itoa(os.Getpid())
	own, err := lockSoon(l.Lock(), pid+"\n")
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("the local cluster in %s is already running (process %s)", l.Dir, firstLine(l.Lock()))
	}
	if err != nil {
		return nil, err
	}
	machine, err := lockSoon(layout.MachineLock, pid+"\n"+l.Dir)
	if err == nil {
		return []*os.File{own, machine}, nil
	}
	own.Close()
	if errors.Is(err, errLocked) {
		b, _ := os.ReadFile(layout.MachineLock)
		holder, dir, _ := strings.Cut(string(b), "\n")
		return nil, fmt.Errorf("another local cluster runs on this machine (process %s, in %s); only one can. Stop it with: goblinlab-local down --dir %s", holder, dir, dir)
	}
	return nil, err
}

func firstLine(path string) string {
	b, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}

// running gives the process id of the cluster's process; false when none holds the lock.
func running(l layout.Layout) (int, bool) {
	f, err := os.Open(l.Lock()) // not for writing: any user may ask
	if err != nil {
		return 0, false
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		return 0, false // the lock goes with the file
	}
	pid, err := strconv.Atoi(firstLine(l.Lock()))
	return pid, err == nil
}

// waitUnlocked waits until the cluster's process has ended.
func waitUnlocked(l layout.Layout, d time.Duration) bool {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, yes := running(l); !yes {
			return true
		}
	}
	return false
}
