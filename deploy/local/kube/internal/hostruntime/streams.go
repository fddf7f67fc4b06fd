package hostruntime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	remote "k8s.io/cri-client/pkg"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/box"
)

const (
	syncLimit = 1 << 20         // bytes of output that a probe or hook may have
	drainWait = 2 * time.Second // for output after the end of a program, which its children may hold open
)

// Exec implements the interface.
func (r *Runtime) Exec(_ context.Context, q *cri.ExecRequest) (*cri.ExecResponse, error) {
	if _, err := r.running(q.ContainerId); err != nil {
		return nil, err
	}
	return r.streams.GetExec(q)
}

// Attach implements the interface.
func (r *Runtime) Attach(_ context.Context, q *cri.AttachRequest) (*cri.AttachResponse, error) {
	if _, err := r.running(q.ContainerId); err != nil {
		return nil, err
	}
	return r.streams.GetAttach(q)
}

// PortForward implements the interface.
func (r *Runtime) PortForward(_ context.Context, q *cri.PortForwardRequest) (*cri.PortForwardResponse, error) {
	return r.streams.GetPortForward(q)
}

// ExecSync implements the interface.
func (r *Runtime) ExecSync(ctx context.Context, id string, command []string, timeout time.Duration) (stdout, stderr []byte, err error) {
	c, err := r.running(id)
	if err != nil {
		return nil, nil, err
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var out, errs limited
	err = runPlain(ctx, c.box, command, nil, &out, &errs)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: %q after %s", remote.ErrCommandTimedOut, command, timeout) // which makes a probe fail
	}
	return out.bytes(), errs.bytes(), err
}

// limited keeps the beginning of what is written.
type limited struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer; it never fails.
func (l *limited) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Write(b[:min(len(b), syncLimit-l.buf.Len())])
	return len(b), nil
}

func (l *limited) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.buf.Bytes())
}

// streams serves the streams of exec, attach and port-forward.
type streams struct{ r *Runtime }

// Exec implements the streaming server's interface.
func (s streams) Exec(ctx context.Context, id string, command []string, in io.Reader, out, errs io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	c, err := s.r.running(id)
	if err != nil {
		return err
	}
	if tty {
		return runTerminal(ctx, c.box, command, in, out, resize)
	}
	return runPlain(ctx, c.box, command, in, writer(out), writer(errs))
}

// writer keeps a missing stream from becoming an interface that holds nil.
func writer(w io.WriteCloser) io.Writer {
	if w == nil {
		return nil
	}
	return w
}

// runPlain runs a command in a box with pipes as its streams.
func runPlain(ctx context.Context, b *box.Box, command []string, in io.Reader, out, errs io.Writer) error {
	var p pipes
	defer p.close()
	stdin, stdout, stderr := p.from(in), p.to(out), p.to(errs)
	if p.err != nil {
		return p.err
	}
	session, err := b.Exec(command, stdin, stdout, stderr)
	p.handOver()
	if err != nil {
		return err
	}
	defer session.Close()
	return p.drain(wait(ctx, session))
}

// runTerminal runs a command in a box on a terminal.
func runTerminal(ctx context.Context, b *box.Box, command []string, in io.Reader, out io.Writer, resize <-chan remotecommand.TerminalSize) error {
	session, err := b.ExecTerminal(command)
	if err != nil {
		return err
	}
	defer session.Close()
	go follow(session, resize)
	if in != nil {
		go func() { _, _ = io.Copy(session.Input, in) }() // ends with the stream
	}
	shown := make(chan struct{})
	go func() {
		if out != nil {
			_, _ = io.Copy(out, session.Input) // ends with an error when the last program has left the terminal
		}
		close(shown)
	}()
	err = wait(ctx, session)
	select {
	case <-shown:
	case <-time.After(drainWait):
	}
	return err
}

func follow(s *box.Session, resize <-chan remotecommand.TerminalSize) {
	for size := range resize {
		_ = s.Resize(size.Height, size.Width) // the terminal may be gone
	}
}

// wait gives the end of a session's program as an error with its exit code.
func wait(ctx context.Context, s *box.Session) error {
	stop := context.AfterFunc(ctx, s.Close)
	defer stop()
	code, err := s.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && code != 0 {
		err = utilexec.CodeExitError{Err: fmt.Errorf("command terminated with exit code %d", code), Code: code}
	}
	return err
}

// Attach implements the streaming server's interface.
func (s streams) Attach(ctx context.Context, id string, in io.Reader, out, errs io.WriteCloser, _ bool, resize <-chan remotecommand.TerminalSize) error {
	c, err := s.r.running(id)
	if err != nil {
		return err
	}
	var p pipes
	defer p.close()
	stdout, stderr := p.to(io.Discard), p.to(io.Discard)
	if out != nil {
		stdout = p.to(out)
	}
	if errs != nil {
		stderr = p.to(errs)
	}
	if p.err != nil {
		return p.err
	}
	session, err := c.box.Attach(stdout, stderr)
	p.handOver()
	if err != nil {
		return err
	}
	defer session.Close()
	if session.Input != nil {
		go follow(session, resize)
		if in != nil {
			go func() {
				_, _ = io.Copy(session.Input, in)
				session.Input.Close() // the program's input ends if nobody else may have it
			}()
		}
	}
	select {
	case <-c.box.Done():
	case <-ctx.Done():
	}
	return p.drain(nil)
}

// PortForward implements the streaming server's interface.
func (s streams) PortForward(ctx context.Context, _ string, port int32, stream io.ReadWriteCloser) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort("localhost", strconv.Itoa(int(port))))
	if err != nil {
		return err
	}
	defer conn.Close()
	go func() {
		_, _ = io.Copy(conn, stream) // its end is the client's
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(stream, conn)
	return err
}

// pipes connect a program in a box with streams here.
type pipes struct {
	ours, theirs []*os.File
	copies       sync.WaitGroup
	err          error
}

func (p *pipes) pipe() (r, w *os.File) {
	r, w, err := os.Pipe()
	p.err = errors.Join(p.err, err)
	return r, w
}

// from gives the end of a pipe from which the program reads; nil without a stream.
func (p *pipes) from(in io.Reader) *os.File {
	if in == nil {
		return nil
	}
	r, w := p.pipe()
	p.theirs, p.ours = append(p.theirs, r), append(p.ours, w)
	go func() {
		_, _ = io.Copy(w, in) // ends with the stream, or with the program
		w.Close()
	}()
	return r
}

// to gives the end of a pipe to which the program writes; nil without a stream.
func (p *pipes) to(out io.Writer) *os.File {
	if out == nil {
		return nil
	}
	r, w := p.pipe()
	p.theirs, p.ours = append(p.theirs, w), append(p.ours, r)
	p.copies.Go(func() { _, _ = io.Copy(out, r) }) // ends with the program
	return w
}

// handOver closes the ends that the program has now.
func (p *pipes) handOver() {
	for _, f := range p.theirs {
		f.Close()
	}
}

// drain waits for the rest of the output and passes err on.
func (p *pipes) drain(err error) error {
	done := make(chan struct{})
	go func() {
		p.copies.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(drainWait):
	}
	return err
}

func (p *pipes) close() {
	p.handOver()
	for _, f := range p.ours {
		f.Close()
	}
}
