package box

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exec runs a further program in the box. It returns when the program runs; the session then owns the three files, which
// may be nil.
func (b *Box) Exec(args []string, in, out, errs *os.File) (*Session, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	files := []*os.File{in, out, errs}
	for i, f := range files {
		if f == nil {
			files[i] = null
		}
	}
	c, _, err := b.session(request{Verb: verbExec, Args: args}, files...)
	return &Session{c: c}, err
}

// ExecTerminal runs a further program on a new terminal.
func (b *Box) ExecTerminal(args []string) (*Session, error) {
	c, got, err := b.session(request{Verb: verbExec, Args: args, TTY: true})
	if err == nil && len(got) != 1 {
		err = errors.New("the box gave no terminal")
	}
	if err != nil {
		return nil, err
	}
	return &Session{c: c, Input: got[0]}, nil
}

// Attach has the output of the box's program copied to files; the error output may be nil.
func (b *Box) Attach(out, errs *os.File) (*Session, error) {
	files := []*os.File{out}
	if errs != nil {
		files = append(files, errs)
	}
	c, got, err := b.session(request{Verb: verbAttach}, files...)
	if err != nil {
		return nil, err
	}
	s := &Session{c: c}
	if len(got) == 1 {
		s.Input = got[0]
	}
	return s, nil
}

func (b *Box) session(r request, files ...*os.File) (*net.UnixConn, []*os.File, error) {
	c, got, err := ask(b.files.Socket, r, files...)
	if err != nil {
		return nil, nil, fmt.Errorf("box: %w", err)
	}
	return c, got, nil
}

// Session is a program that runs beside the box's own, or a look at that one.
type Session struct {
	// Input is the terminal, or the program's standard input; nil if it has none.
	Input *os.File
	c     *net.UnixConn
}

// Resize tells the terminal its size.
func (s *Session) Resize(rows, columns uint16) error {
	return unix.IoctlSetWinsize(int(s.Input.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
}

// Wait gives the exit code of a session's program when it has ended.
func (s *Session) Wait() (int, error) {
	var a reply
	if _, err := receive(s.c, &a); err != nil {
		return 0, errors.New("the container ended")
	}
	return a.Code, nil
}

// Close ends the session, and its program if that still runs.
func (s *Session) Close() {
	if s.Input != nil {
		s.Input.Close()
	}
	s.c.Close()
}

// exec serves Exec and ExecTerminal.
func (w *watcher) exec(c *net.UnixConn, q request, files []*os.File) error {
	var given []*os.File
	if q.TTY {
		master, terminal, err := openTerminal()
		if err != nil {
			return err
		}
		defer master.Close()
		given, files = []*os.File{master}, []*os.File{terminal, terminal, terminal}
	}
	if len(files) != 3 {
		return errors.New("exec takes three files")
	}
	pid, end, err := w.start(q.Args, files[0], files[1], files[2], q.TTY)
	closeAll(files)
	if err != nil {
		return err
	}
	if err := send(c, reply{}, given...); err != nil {
		return err
	}
	gone := make(chan struct{})
	go func() {
		_, _ = receive(c, nil)
		close(gone)
	}()
	select {
	case st := <-end:
		_ = send(c, reply{Code: exitCode(st)}) // whoever asked may have gone
	case <-gone:
		_ = syscall.Kill(-pid, syscall.SIGKILL) // it may have ended
	}
	return nil
}

// attach serves Attach until whoever asked goes.
func (w *watcher) attach(c *net.UnixConn, files []*os.File) error {
	for i, stream := range []string{"stdout", "stderr"} {
		if i < len(files) {
			f, err := dup(files[i])
			if err != nil {
				return err
			}
			w.log.attach(stream, f)
			defer w.log.detach(f)
		}
	}
	closeAll(files)
	var given []*os.File
	if w.input != nil {
		given = append(given, w.input)
	}
	if err := send(c, reply{}, given...); err != nil {
		return err
	}
	if w.spec.StdinOnce && !w.spec.TTY && w.input != nil {
		w.input.Close() // the one who asked has it now, and ends it
		w.input = nil
	}
	_, _ = receive(c, nil)
	return nil
}

// dup gives an open file again, so that writing to it can be given up.
func dup(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// openTerminal makes a terminal in the box.
func openTerminal() (master, terminal *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		master.Close()
		return nil, nil, fmt.Errorf("terminal: %w", err)
	}
	return master, terminal, nil
}

// withTerm tells programs on a terminal its kind, as container runtimes do.
func withTerm(env []string) []string {
	for _, e := range env {
		if strings.HasPrefix(e, "TERM=") {
			return env
		}
	}
	return append(env[:len(env):len(env)], "TERM=xterm")
}
