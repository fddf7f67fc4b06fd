package gateway

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
)

// Bounds of a shell.
const (
	keepOutput   = 128 << 10        // bytes shown again to who comes back
	keepDetached = 5 * time.Minute  // how long a shell waits for somebody to come back
	keepIdle     = 12 * time.Hour   // without a byte either way
	writeWait    = 10 * time.Second // for a browser to take what it is sent
)

// login starts the best shell that the image has, as a login in the home folder.
var login = []string{"/bin/sh", "-c", `export TERM=xterm-256color
[ -d ` + manifest.HomePath + ` ] && export HOME=` + manifest.HomePath + `
cd "${HOME:-/}" 2>/dev/null
if command -v bash >/dev/null 2>&1; then exec bash -l; fi
exec sh -l`}

// shell is a login shell in an instance. It outlives the browser's connection
// for a while, so that a reload comes back to it.
type shell struct {
	stdin *io.PipeWriter
	sizes chan remotecommand.TerminalSize
	end   context.CancelCauseFunc
	done  chan struct{} // closed when it ended; then exit is set
	exit  exit
	// settled closes once the end was noted as well.
	settled chan struct{}

	mu       sync.Mutex
	tail     []byte // the last output
	screen   *screen
	detached time.Time // since when nobody looks; zero while somebody does
	used     time.Time // when a byte last passed
	in, out  int64     // bytes that were typed and put out
}

// exit is how a shell ended.
type exit struct {
	code int
	err  error // when it did not end by itself
}

// screen is a browser that looks at a shell.
type screen struct {
	out  chan []byte
	gone chan struct{}
	once sync.Once
}

func newScreen() *screen { return &screen{out: make(chan []byte, 16), gone: make(chan struct{})} }

func (s *screen) close() { s.once.Do(func() { close(s.gone) }) }

// startShell runs a shell until it exits or ctx ends.
func startShell(ctx context.Context, sh Shells, d *door, size remotecommand.TerminalSize, finished func(*shell)) *shell {
	ctx, end := context.WithCancelCause(ctx)
	in, stdin := io.Pipe()
	s := &shell{stdin: stdin, sizes: make(chan remotecommand.TerminalSize, 1), end: end,
		done: make(chan struct{}), settled: make(chan struct{}), detached: time.Now(), used: time.Now()}
	s.sizes <- size
	go func() {
		err := sh.Exec(ctx, kube.Shell{Namespace: d.namespace, Pod: d.pod, Container: manifest.ContainerInstance,
			Command: login, TTY: true, Stdin: in, Stdout: s, Sizes: queue{ctx, s.sizes}})
		var code exec.CodeExitError
		switch {
		case err == nil:
		case errors.As(err, &code):
			s.exit.code = code.Code
		case ctx.Err() != nil:
			s.exit.err = context.Cause(ctx)
		default:
			s.exit.err = err
		}
		end(nil)
		_ = stdin.Close() // who types now hears at once
		close(s.done)
		finished(s)
		close(s.settled)
	}()
	return s
}

// Write takes the shell's output: into its tail, and to who looks. A browser
// that does not read slows the shell down, and is let go after a while.
func (s *shell) Write(b []byte) (int, error) {
	s.mu.Lock()
	s.used = time.Now()
	s.out += int64(len(b))
	s.tail = append(s.tail, b...)
	if cut := len(s.tail) - keepOutput; cut > 0 {
		s.tail = append(s.tail[:0], s.tail[cut:]...)
	}
	look := s.screen
	s.mu.Unlock()
	if look != nil {
		t := time.NewTimer(writeWait)
		defer t.Stop()
		select {
		case look.out <- append([]byte(nil), b...):
		case <-look.gone:
		case <-t.C:
			look.close()
		}
	}
	return len(b), nil
}

// attach makes a screen the one that looks; an older one is let go. It gives
// what was put out before.
func (s *shell) attach(n *screen) (tail []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen != nil {
		s.screen.close()
	}
	s.screen, s.detached = n, time.Time{}
	return append([]byte(nil), s.tail...)
}

// detach notes that a screen looks no more.
func (s *shell) detach(old *screen) {
	old.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen == old {
		s.screen, s.detached = nil, time.Now()
	}
}

// typed sends what was typed.
func (s *shell) typed(b []byte) error {
	s.mu.Lock()
	s.used = time.Now()
	s.in += int64(len(b))
	s.mu.Unlock()
	_, err := s.stdin.Write(b)
	return err
}

// resize keeps the newest size only.
func (s *shell) resize(size remotecommand.TerminalSize) {
	for {
		select {
		case s.sizes <- size:
			return
		default:
		}
		select {
		case <-s.sizes:
		default:
		}
	}
}

// passed is how many bytes were typed and put out.
func (s *shell) passed() (in, out int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.in, s.out
}

// forgotten reports whether nobody needs the shell any more.
func (s *shell) forgotten(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.detached.IsZero() && now.Sub(s.detached) > keepDetached || now.Sub(s.used) > keepIdle
}

// queue gives sizes as they come.
type queue struct {
	ctx   context.Context //nolint:containedctx // the interface has none
	sizes <-chan remotecommand.TerminalSize
}

// Next implements remotecommand.TerminalSizeQueue.
func (q queue) Next() *remotecommand.TerminalSize {
	select {
	case s := <-q.sizes:
		return &s
	case <-q.ctx.Done():
		return nil
	}
}
