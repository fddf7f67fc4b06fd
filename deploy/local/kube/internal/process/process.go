// Package process supervises child processes: they are started again when they end. They never outlive their parent,
// unless they are meant to: then the next start finds them and goes on with them.
package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/mountns"
)

const (
	stopGrace   = 8 * time.Second
	restartWait = time.Second
	followEvery = 200 * time.Millisecond
)

// Command is a program to keep running.
type Command struct {
	Name string
	Path string
	Args []string
	Env  []string // added to our own
	Log  string   // file that gets both outputs
	// PidFile remembers the process id, so that a later start can wait for a process that is still ending.
	PidFile string
	// Namespace is the mount namespace to run in; nil for ours.
	Namespace *os.File
	// OwnUsers runs it in a user namespace in which nobody but we exist.
	OwnUsers bool
	// Stays lets the process go on when we end, and the next start take it over. Anew ends one that stayed, because it
	// runs with what is out of date.
	Stays, Anew bool
	// Ended is called at once when the process has ended although it should run; nil for nothing.
	Ended func()
}

// Group waits for the ends of what it started. The zero value is ready.
type Group struct{ wg sync.WaitGroup }

// Start runs the command until ctx ends, then asks it to stop, if it is not to stay. It returns when the process runs for
// the first time.
func (g *Group) Start(ctx context.Context, c Command) error {
	found := c.find()
	if found != 0 && (!c.Stays || c.Anew) {
		_ = syscall.Kill(found, syscall.SIGTERM) // it may have ended meanwhile
		found = 0
	}
	if found == 0 {
		if err := AwaitEnd(ctx, c.PidFile, c.Path); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	log, err := OpenLog(c.Log)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	started := make(chan error, 1)
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		defer log.Close()
		// The death signal is sent when the starting thread ends, and the namespace is the thread's. So the thread
		// is kept for this command and, as it is never unlocked, thrown away afterwards.
		runtime.LockOSThread()
		if c.Namespace != nil {
			if err := mountns.Enter(c.Namespace); err != nil {
				started <- fmt.Errorf("%s: %w", c.Name, err)
				return
			}
		}
		c.loop(ctx, log, found, started)
	}()
	return <-started
}

// Wait returns when all commands have ended.
func (g *Group) Wait() { g.wg.Wait() }

// find is the process that an earlier start left running this very program; 0 without one.
func (c Command) find() int {
	pid, err := readPid(c.PidFile)
	if err != nil {
		return 0
	}
	exe, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return 0
	}
	if file, err := os.Stat(c.Path); err != nil || !os.SameFile(exe, file) { // it was built anew, or is another's
		return 0
	}
	return pid
}

// follow waits for the end of a process that is no child of ours; false when ctx ended before.
func (c Command) follow(ctx context.Context, pid int) bool {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for runs(pid, c.Path) {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

func (c Command) attributes() *syscall.SysProcAttr {
	if c.Stays {
		return &syscall.SysProcAttr{Setsid: true}
	}
	a := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if c.OwnUsers {
		a.Cloneflags = syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	}
	return a
}

// loop starts the command again and again until ctx ends, first following the one that was found. The first outcome goes
// to started.
func (c Command) loop(ctx context.Context, log *os.File, found int, started chan<- error) {
	first := true
	if found != 0 {
		started <- nil
		if !c.follow(ctx, found) {
			return
		}
		first = false
		c.sayEnded(nil)
	}
	for ; ctx.Err() == nil; first = false {
		cmd := exec.Command(c.Path, c.Args...)
		cmd.Env = append(os.Environ(), c.Env...)
		cmd.Stdout, cmd.Stderr = log, log
		cmd.SysProcAttr = c.attributes()
		err := cmd.Start()
		if err == nil {
			err = os.WriteFile(c.PidFile, []byte(strconv.Itoa(cmd.Process.Pid)), 0o644)
			if first {
				started <- nil
			}
			err = errors.Join(err, c.waitOrStop(ctx, cmd))
		} else if first {
			started <- fmt.Errorf("%s: %w", c.Name, err)
			return
		}
		if ctx.Err() != nil {
			return
		}
		c.sayEnded(err)
		select {
		case <-ctx.Done():
		case <-time.After(restartWait):
		}
	}
}

func (c Command) sayEnded(err error) {
	if c.Ended != nil {
		c.Ended()
	}
	slog.Error("a process ended and is started again", "name", c.Name, "error", err)
}

// waitOrStop waits for the end of a started command. When ctx ends it hurries it, or leaves it alone if it stays.
func (c Command) waitOrStop(ctx context.Context, cmd *exec.Cmd) error {
	if c.Stays {
		end := make(chan error, 1)
		go func() { end <- cmd.Wait() }()
		select {
		case err := <-end:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		_ = cmd.Process.Signal(syscall.SIGTERM) // fails only when it has ended
		select {
		case <-ended:
		case <-time.After(stopGrace):
			_ = cmd.Process.Kill()
		}
	}()
	return cmd.Wait()
}

// AwaitEnd waits until the process named in a pid file has ended, if it still runs that program. A parent that was
// killed leaves children which are ending; two of them on the same files would harm each other.
func AwaitEnd(ctx context.Context, pidFile, program string) error {
	pid, err := readPid(pidFile)
	if err != nil {
		return nil
	}
	deadline := time.Now().Add(stopGrace)
	for killed := false; runs(pid, program); {
		if time.Now().After(deadline) {
			if killed {
				return fmt.Errorf("process %d, left from before, cannot be ended", pid)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("end process %d, left from before: %w", pid, err)
			}
			killed, deadline = true, time.Now().Add(stopGrace)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

func readPid(file string) (int, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

func runs(pid int, program string) bool {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && filepath.Base(strings.TrimSuffix(exe, " (deleted)")) == filepath.Base(program)
}

// OpenLog opens a log file for appending; one that has grown large is moved aside first.
func OpenLog(path string) (*os.File, error) {
	const large = 32 << 20
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); err == nil && st.Size() > large {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}
