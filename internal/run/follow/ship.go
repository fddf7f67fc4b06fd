package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/mask"
)

// Runtime gives the log of a container, each line after its time; *kube.Client does.
type Runtime interface {
	Logs(ctx context.Context, namespace, pod, container string, since time.Time, follow bool) (io.ReadCloser, error)
}

// State is what is known of a container.
type State int

// The states.
const (
	Waiting State = iota // it has not run yet
	Running
	Ended // its log is as long as it gets
	Gone  // the pod is not there any more: somebody asked the cluster itself
)

// Target is the attempt whose output is shipped.
type Target struct {
	ID, RunID                 string
	Namespace, Pod, Container string // Pod is empty before there is one
	PodUID                    string
	Started                   bool      // the container has run
	Ended                     bool      // the attempt has ended
	EndedAt                   time.Time // when it is
	Complete                  bool      // the log is
}

// Source knows the attempts.
type Source interface {
	// Unfinished are the attempts, of one run or of all, whose log is not complete.
	Unfinished(ctx context.Context, runID string) ([]string, error)
	// Target is the attempt as it is now; nil when it is gone.
	Target(ctx context.Context, attemptID string) (*Target, error)
	// Container looks at the attempt's container.
	Container(ctx context.Context, t *Target) (State, error)
	// Masker hides the secrets that the attempt was given.
	Masker(ctx context.Context, t *Target) (*mask.Masker, error)
	// Finish writes the last lines of the platform and completes the log. What
	// may be missing is told when it is not empty.
	Finish(ctx context.Context, t *Target, missing *Missing) error
}

// Missing says why output may be missing, and after when.
type Missing struct {
	After time.Time // of the last line that is there; zero when there is none
	Cause error     // nil: the pod is gone
}

// shipment ships one attempt.
type shipment struct {
	*Crew
	id      string
	wake    <-chan struct{}
	writer  *logstore.Writer
	masker  *mask.Masker
	masked  bool     // masker is known: nothing is read before it is
	before  *rupture // how the last reading ended
	drained bool
	missing *Missing
	moved   time.Time // when output was last stored
	failed  int       // times in a row
	idle    int       // streams in a row that ended although the container seemed to run
}

func (s *shipment) run(ctx context.Context) {
	for ctx.Err() == nil {
		over, err := s.step(ctx)
		switch {
		case ctx.Err() != nil:
		case over:
			return
		case err != nil:
			if s.failed++; s.failed%20 == 5 {
				slog.Warn("log not shipped, will be tried again", "attempt_id", s.id, "tries", s.failed, "err", err)
			}
			s.wait(ctx, min(50*time.Millisecond<<min(s.failed, 7), 5*time.Second))
		default:
			s.failed = 0
		}
	}
}

func (s *shipment) wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-s.wake:
	case <-t.C:
	}
}

// step looks at the attempt and does the next thing.
func (s *shipment) step(ctx context.Context) (over bool, err error) {
	t, err := s.Source.Target(ctx, s.id)
	switch {
	case err != nil:
		return false, err
	case t == nil || t.Complete:
		return true, nil
	case s.drained || t.Pod == "" && t.Ended:
		if !t.Ended {
			s.wait(ctx, time.Second)
			return false, nil
		}
		err := s.Source.Finish(ctx, t, s.missing)
		return err == nil, err
	case t.Pod == "":
		s.wait(ctx, 2*time.Second)
		return false, nil
	}
	err = s.drain(ctx, t)
	switch {
	case errors.Is(err, logstore.ErrOvertaken):
		s.writer, s.before = nil, nil // read again where it is
	case errors.Is(err, logstore.ErrComplete):
		return true, nil
	case err != nil && s.overdue(t):
		s.lose(t, err)
		return false, nil
	}
	return false, err
}

// overdue reports an attempt that has ended, and whose log has not moved for too long.
func (s *shipment) overdue(t *Target) bool {
	since := t.EndedAt
	if s.moved.After(since) {
		since = s.moved
	}
	return t.Ended && time.Since(since) > s.Drain
}

// lose gives up what could not be read.
func (s *shipment) lose(t *Target, cause error) {
	s.drained = true
	if t.Started {
		s.missing = &Missing{Cause: cause}
		if s.writer != nil {
			s.missing.After = s.writer.Last()
		}
	}
}

// drain reads what there is to read.
func (s *shipment) drain(ctx context.Context, t *Target) error {
	if s.writer == nil {
		w, err := s.Logs.Writer(ctx, s.id)
		if err != nil {
			return err
		}
		s.writer = w
	}
	state, err := s.Source.Container(ctx, t)
	if err != nil {
		return err
	}
	switch state {
	case Waiting:
		if s.overdue(t) {
			s.lose(t, nil)
			return nil
		}
		s.wait(ctx, time.Second)
	case Gone:
		if s.before == nil || !s.before.clean {
			s.lose(t, nil)
			return nil
		}
		return s.close(ctx) // all was read before it went
	case Running:
		if s.writer.Truncated() {
			s.wait(ctx, time.Second)
			return nil
		}
		if err := s.stream(ctx, t, true); err != nil {
			return err
		}
		s.wait(ctx, min(20*time.Millisecond<<min(s.idle, 6), time.Second)) // the news of the end may be on its way
		s.idle++
	case Ended:
		if !s.writer.Truncated() {
			if err := s.stream(ctx, t, false); err != nil {
				return err
			}
		}
		return s.close(ctx)
	}
	return nil
}

// close stores a last line that has no newline.
func (s *shipment) close(ctx context.Context) error {
	if s.before != nil && s.before.open != nil {
		last := *s.before.open
		last.Text = s.before.line.Part(last.Text, false)
		if err := s.writer.Write(ctx, []logstore.Line{last}); err != nil {
			return err
		}
		s.before.open = nil
	}
	s.drained = true
	return nil
}

// stream reads the container's log once.
func (s *shipment) stream(ctx context.Context, t *Target, follow bool) error {
	if !s.masked {
		m, err := s.Source.Masker(ctx, t)
		if err != nil {
			return err
		}
		s.masker, s.masked = m, true
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	body, err := s.Runtime.Logs(ctx, t.Namespace, t.Pod, t.Container, s.writer.Since(), follow)
	if err != nil {
		if s.before != nil {
			s.before.clean = false
		}
		return err
	}
	st := &stream{w: s.writer, masker: s.masker, before: s.before, batches: make(chan []logstore.Line, 1)}
	go st.read(ctx, body)
	err = st.write(ctx, func() bool {
		if !st.flushed.IsZero() {
			s.moved = st.flushed
		}
		return s.goOn(ctx)
	})
	stop()
	_ = body.Close()
	for range st.batches { // until read has ended
	}
	if !st.flushed.IsZero() {
		s.moved, s.idle = st.flushed, 0
	}
	s.before = &rupture{open: st.tail, line: st.line, clean: err == nil && st.err == nil}
	switch {
	case err != nil:
		s.before.open = nil // what came before it is not stored either
		return err
	case st.err != nil:
		return fmt.Errorf("read log of %s/%s: %w", t.Namespace, t.Pod, st.err)
	}
	return nil
}

// goOn gives up an attempt that ended long ago while its container does not:
// its node is lost, and the connection may never tell.
func (s *shipment) goOn(ctx context.Context) bool {
	t, err := s.Source.Target(ctx, s.id)
	if err != nil {
		return true
	}
	return t != nil && !t.Complete && !s.overdue(t)
}
