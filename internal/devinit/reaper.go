package devinit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ErrStopping is returned for a process that was to be started after Stop.
var ErrStopping = errors.New("the container is being ended")

// Exit is how a process ended.
type Exit struct{ Status syscall.WaitStatus }

// String says it in words.
func (e Exit) String() string {
	if e.Status.Signaled() {
		return fmt.Sprintf("killed by %s", unix.SignalName(e.Status.Signal()))
	}
	return fmt.Sprintf("exited with status %d", e.Status.ExitStatus())
}

// Killed reports whether it was ended by SIGKILL.
func (e Exit) Killed() bool { return e.Status.Signaled() && e.Status.Signal() == unix.SIGKILL }

// OK reports whether the process ended by itself with status 0.
func (e Exit) OK() bool { return e.Status.Exited() && e.Status.ExitStatus() == 0 }

// Process is a running child.
type Process struct {
	PID    int
	Exited <-chan Exit // yields once
}

// Command is a program to start.
type Command struct {
	Path           string // absolute
	Args           []string
	Env            []string
	Dir            string
	Stdin          *os.File // nil is /dev/null
	Stdout, Stderr *os.File
}

// Reaper starts processes and waits for every child of this process, also for
// those that it did not start but inherited when their parents ended.
//
// All waiting is done here, by wait4(-1). os/exec must not be used beside it:
// the two would take each other's results. A lock is held while a process is
// started, so that its end cannot be collected before it is known.
type Reaper struct {
	mu       sync.Mutex
	children map[int]chan Exit
	stopping bool
	changed  chan struct{} // told when a child was collected
}

// NewReaper makes this process the parent of all orphans below it, which the
// first process of a container is anyway.
func NewReaper() (*Reaper, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become parent of orphans: %w", err)
	}
	return &Reaper{children: map[int]chan Exit{}, changed: make(chan struct{}, 1)}, nil
}

// Run collects ended children until ctx ends.
func (r *Reaper) Run(ctx context.Context) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGCHLD)
	defer signal.Stop(signals)
	for {
		r.collect()
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
	}
}

// collect takes the status of every child that has ended and reports whether
// there are other children left. One SIGCHLD can stand for many ends.
func (r *Reaper) collect() (left bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // ECHILD: none left
			return false
		case pid == 0:
			return true
		default:
			if exited, ours := r.children[pid]; ours {
				exited <- Exit{syscall.WaitStatus(status)}
				delete(r.children, pid)
			}
			select {
			case r.changed <- struct{}{}:
			default: // told already
			}
		}
	}
}

// Start runs a command in a session of its own, so that a signal from a
// terminal or to a process group stays within one app.
func (r *Reaper) Start(c Command) (Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return Process{}, fmt.Errorf("open null device: %w", err)
	}
	defer null.Close()
	files := []*os.File{c.Stdin, c.Stdout, c.Stderr}
	for i, f := range files {
		if f == nil {
			files[i] = null
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return Process{}, ErrStopping
	}
	child, err := os.StartProcess(c.Path, append([]string{c.Path}, c.Args...), &os.ProcAttr{
		Dir: c.Dir, Env: c.Env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return Process{}, fmt.Errorf("start: %w", err)
	}
	exited := make(chan Exit, 1)
	r.children[child.Pid] = exited
	process := Process{PID: child.Pid, Exited: exited}
	return process, child.Release() // which forgets the number
}

// Stop asks every process below this one to end, and kills those that are left
// after the grace. It returns when none is left, or shortly after the kill.
// Nothing can be started any more. It reports whether it had to kill.
func (r *Reaper) Stop(grace time.Duration) (killed bool) {
	r.signalAll(unix.SIGTERM)
	if r.awaitNone(time.After(grace), func() {}) {
		return false
	}
	kill := func() { r.signalAll(unix.SIGKILL) }
	kill()
	r.awaitNone(time.After(grace/5), kill)
	return true
}

// awaitNone waits until no child is left, calling again whenever one has ended,
// and reports false when the deadline came first.
func (r *Reaper) awaitNone(deadline <-chan time.Time, again func()) bool {
	for r.collect() {
		select {
		case <-r.changed:
			again()
		case <-deadline:
			return false
		}
	}
	return true
}

// signalAll signals every process below this one, in whatever session it is. It
// holds the lock, so that no number of a collected child is used.
func (r *Reaper) signalAll(sig unix.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
	for _, pid := range descendants(os.Getpid()) {
		_ = unix.Kill(pid, sig) // it may have ended by now
	}
}
