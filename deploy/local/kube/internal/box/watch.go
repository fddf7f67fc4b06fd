package box

import (
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watcher is the first process of a box once it is set up.
type watcher struct {
	spec   Spec
	result *os.File
	log    *boxLog
	main   int      // process id of the box's program
	input  *os.File // of the program; nil if it has none

	mu      sync.Mutex
	waiting map[int]chan syscall.WaitStatus // the processes that somebody waits for
}

// watch runs the box's program and serves its socket. It returns only with an error, before the program runs.
func watch() error {
	runtime.GOMAXPROCS(2)
	if os.Getpid() != 1 { // at the end it kills whatever it can
		return errors.New("this is not the first process of a box")
	}
	if err := unix.CloseRange(specFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil { // the program must not have them
		return err
	}
	// Nothing in the box may look into this process, though it has the same user.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	signal.Notify(make(chan os.Signal, 1)) // whoever signals the first process must not end the box
	s, err := readSpec()
	if err != nil {
		return err
	}
	if err := os.Setenv("PATH", lookup(s.Env, "PATH", DefaultPath)); err != nil {
		return err
	}
	w := &watcher{spec: s, result: os.NewFile(resultFD, "result"), log: &boxLog{file: os.NewFile(logFD, "log")}, waiting: map[int]chan syscall.WaitStatus{}}
	l, err := net.FileListener(os.NewFile(socketFD, "socket"))
	if err != nil {
		return err
	}
	if err := w.startMain(); err != nil {
		return err
	}
	go w.serve(l)
	w.reap()
	return nil
}

func lookup(env []string, key, fallback string) string {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, key+"="); ok {
			fallback = v
		}
	}
	return fallback
}

// startMain starts the box's program with its output going to the log.
func (w *watcher) startMain() (err error) {
	if w.spec.TTY {
		master, terminal, err := openTerminal()
		if err != nil {
			return err
		}
		defer terminal.Close()
		w.log.follow("stdout", master)
		w.input = master
		w.main, _, err = w.start(w.spec.Args, terminal, terminal, terminal, true)
		return err
	}
	in, err := w.stdin()
	if err != nil {
		return err
	}
	defer in.Close()
	outRead, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	errRead, errs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer errs.Close()
	w.log.follow("stdout", outRead)
	w.log.follow("stderr", errRead)
	w.main, _, err = w.start(w.spec.Args, in, out, errs, false)
	return err
}

func (w *watcher) stdin() (*os.File, error) {
	if !w.spec.Stdin {
		return os.Open(os.DevNull)
	}
	r, in, err := os.Pipe()
	w.input = in
	return r, err
}

// start starts a process and gives the channel that gets its end.
func (w *watcher) start(args []string, in, out, errs *os.File, terminal bool) (int, <-chan syscall.WaitStatus, error) {
	if len(args) == 0 {
		return 0, nil, errors.New("no command")
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return 0, nil, err
	}
	env := w.spec.Env
	if terminal {
		env = withTerm(env)
	}
	attr := &syscall.ProcAttr{Env: env, Files: []uintptr{in.Fd(), out.Fd(), errs.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true, Setctty: terminal}}
	w.mu.Lock()
	defer w.mu.Unlock()
	pid, err := syscall.ForkExec(path, args, attr)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", args[0], err)
	}
	end := make(chan syscall.WaitStatus, 1)
	w.waiting[pid] = end
	return pid, end, nil
}

// reap takes the ends of all processes of the box, also of those that their parents left to it. With the program's the
// box ends.
func (w *watcher) reap() {
	for {
		var st syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &st, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil { // there is nothing to wait for
			st = syscall.WaitStatus(Lost << 8)
		}
		if err != nil || pid == w.main {
			w.finish(st)
		}
		w.mu.Lock()
		if end := w.waiting[pid]; end != nil {
			end <- st
			delete(w.waiting, pid)
		}
		w.mu.Unlock()
	}
}

func (w *watcher) finish(st syscall.WaitStatus) {
	_ = syscall.Kill(-1, syscall.SIGKILL) // they hold the output open; there may be none
	w.log.wait()
	writeResult(w.result, Result{Code: exitCode(st), At: time.Now()})
	os.Exit(0)
}

func exitCode(st syscall.WaitStatus) int {
	if st.Signaled() {
		return 128 + int(st.Signal())
	}
	return st.ExitStatus()
}

// serve takes requests.
func (w *watcher) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			continue // too many open files; the next may work
		}
		go w.answer(c.(*net.UnixConn))
	}
}

func (w *watcher) answer(c *net.UnixConn) {
	defer c.Close()
	var q request
	files, err := receive(c, &q)
	defer closeAll(files)
	if err == nil {
		err = w.carryOut(c, q, files)
	}
	if err != nil {
		_ = send(c, reply{Error: err.Error()}) // whoever asked may have gone
	}
}

func (w *watcher) carryOut(c *net.UnixConn, q request, files []*os.File) error {
	switch q.Verb {
	case verbExec:
		return w.exec(c, q, files)
	case verbAttach:
		return w.attach(c, files)
	case verbFollow:
		if err := send(c, reply{}); err != nil {
			return err
		}
		_, _ = receive(c, nil) // until either end closes
		return nil
	case verbSignal:
		return errors.Join(w.signal(syscall.Signal(q.Signal)), send(c, reply{}))
	case verbReopen:
		return errors.Join(w.log.reopen(files), send(c, reply{}))
	}
	return errors.New("unknown request")
}

// signal sends a signal to the program; the one that kills goes to all.
func (w *watcher) signal(s syscall.Signal) error {
	if s == syscall.SIGKILL {
		return syscall.Kill(-1, s)
	}
	return syscall.Kill(w.main, s)
}
