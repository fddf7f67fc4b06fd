package cluster

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/machine"
)

const stopLimit = 25 * time.Second

// Down stops a cluster and everything that it left on the machine; its data stays. Containers have the grace to end by
// themselves.
func Down(dir string, grace time.Duration, say func(format string, args ...any)) error {
	l, err := layout.New(dir)
	if err != nil {
		return err
	}
	s, err := loadSaved(l)
	if err != nil {
		return err
	}
	if s.Runtime == RuntimeHost {
		return downHost(l, s, grace, say)
	}
	if os.Geteuid() != 0 && len(s.Nodes) > 0 {
		return errors.New("the cluster in " + l.Dir + " runs with containerd: taking it down needs root")
	}
	if pid, runs := running(l); runs {
		say("stopping process %d", pid)
		if err := stopProcess(l, pid); err != nil {
			return err
		}
	}
	if _, err := machine.Load(l); errors.Is(err, os.ErrNotExist) {
		say("nothing of the cluster in %s is running", l.Dir)
		return removeStatus(l)
	}
	locks, err := lockCluster(l)
	if err != nil {
		return err
	}
	defer func() {
		for _, f := range locks {
			f.Close()
		}
	}()
	say("ending pods and removing mounts, cgroups, interfaces and packet filter rules")
	if err := machine.Clean(l, grace); err != nil {
		return fmt.Errorf("not everything could be removed (run it again to retry): %w", err)
	}
	say("down; data stays in %s", l.Dir)
	return errors.Join(removeStatus(l), os.Remove(layout.MachineLock))
}

// stopProcess ends the cluster's process, which the lock has named.
func stopProcess(l layout.Layout, pid int) error {
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop process %d: %w", pid, err)
	}
	if waitUnlocked(l, stopLimit) {
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill process %d: %w", pid, err)
	}
	if !waitUnlocked(l, stopLimit) {
		return fmt.Errorf("process %d does not end", pid)
	}
	return nil
}

// Wipe takes a cluster down and deletes its data, volumes included. Other files in the folder stay.
func Wipe(dir string, say func(format string, args ...any)) error {
	if err := Down(dir, 0, say); err != nil {
		return err
	}
	l, err := layout.New(dir)
	if err != nil {
		return err
	}
	lock, err := lockFile(l.Lock(), strconv.Itoa(os.Getpid())+"\n") // a start during the deletion would find half of its data
	if errors.Is(err, errLocked) {
		return fmt.Errorf("the cluster in %s was started again meanwhile (process %s), and its data is kept; if goblinlab up runs, stop it first", l.Dir, firstLine(l.Lock()))
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := machine.RefuseMounts(l.Dir); err != nil {
		return err
	}
	var errs []error
	for _, path := range l.Data() {
		errs = append(errs, os.RemoveAll(path))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if entries, err := os.ReadDir(l.Dir); err == nil && len(entries) == 0 {
		return os.Remove(l.Dir)
	}
	return nil
}
