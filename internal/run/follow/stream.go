package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/mask"
)

// Flushing: the first lines at once, then each interval or when there is a
// chunk full, whichever is first. A store that is slow is asked less often.
const (
	minInterval = 100 * time.Millisecond
	maxInterval = time.Second
	flushBytes  = 256 << 10
	batchBytes  = 64 << 10
)

// stream is one reading of a container's log.
type stream struct {
	w       *logstore.Writer
	masker  *mask.Masker
	line    *mask.Line // what is held back of the line that is read
	before  *rupture   // how the reading before ended; nil for the first one
	batches chan []logstore.Line
	tail    *logstore.Line // a last line without newline; valid once batches is closed
	err     error          // nil for a clean end; valid once batches is closed

	pending []logstore.Line
	size    int
	flushed time.Time
	pause   time.Duration
}

// read cuts the stream and sends what is not stored yet, a batch whenever it
// would wait for more.
func (s *stream) read(ctx context.Context, body io.Reader) {
	defer close(s.batches)
	replay, after := s.w.Replay(), s.w.Last()
	sc := newScanner(body, s.masker.Hold())
	var batch []logstore.Line
	size := 0
	send := func() bool {
		if len(batch) == 0 {
			return true
		}
		select {
		case s.batches <- batch:
			batch, size = nil, 0
			return true
		case <-ctx.Done():
			s.err = ctx.Err()
			return false
		}
	}
	for {
		p, ok, err := sc.next()
		switch {
		case err != nil:
			s.err = err
			send()
			return
		case !ok:
			if !send() {
				return
			}
			if !sc.fill() {
				if !errors.Is(sc.err, io.EOF) {
					s.err = sc.err
				}
				return
			}
			continue
		}
		if p.first || s.line == nil {
			s.line = s.masker.Line()
		}
		if replay.Stored(p.time) {
			s.line.Part(p.text, p.partial) // its end may be held back for the part that follows
			continue
		}
		if replay.Gap() {
			batch = append(batch, s.bridge(after, p.time)...)
		}
		l := logstore.Line{Time: p.time, Source: logstore.Output, Text: p.text, Partial: p.partial}
		if p.open { // more of it may come: it is masked then
			s.tail = &l
			continue
		}
		l.Text = s.line.Part(p.text, p.partial)
		batch, size = append(batch, l), size+len(p.text)+64
		if size >= batchBytes && !send() {
			return
		}
	}
}

// rupture is how a reading ended.
type rupture struct {
	open  *logstore.Line // the beginning of a line whose end was not read, not masked yet
	line  *mask.Line     // what comes before it in the line
	clean bool
}

// bridge is what stands between the last stored line and one that follows
// without anything stored coming again: the node has rotated the log. It serves
// the new file alone, which may begin in the middle of a line. A runtime ends
// the old file with what it has of a line: who has read that to a clean end has
// read all. Otherwise the node may have turned to the new file while the
// runtime still wrote to the old one, which nobody can read any more.
func (s *stream) bridge(after, before time.Time) []logstore.Line {
	var lines []logstore.Line
	b := s.before
	if b == nil || !b.clean || b.open == nil {
		lines = append(lines, rotated(after, before))
	}
	if b != nil && b.open != nil {
		l := *b.open
		l.Partial = true
		l.Text = b.line.Part(l.Text, true)
		s.line = b.line // a secret may go on in the new file
		lines = append(lines, l)
	}
	return lines
}

func rotated(after, before time.Time) logstore.Line {
	return logstore.Say(before, "log.rotated", map[string]any{"after": after.Format(time.RFC3339Nano), "before": before.Format(time.RFC3339Nano)})
}

// write stores what read sends until it ends; what is read is stored, save
// when storing fails. check is asked each second whether to go on.
func (s *stream) write(ctx context.Context, check func() bool) error {
	var due <-chan time.Time
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case b, more := <-s.batches:
			if !more {
				return s.flush(ctx)
			}
			s.pending = append(s.pending, b...)
			for i := range b {
				s.size += len(b[i].Text) + 64
			}
			wait := time.Until(s.flushed.Add(s.interval()))
			if s.size < flushBytes && wait > 0 {
				if due == nil {
					due = time.After(wait)
				}
				continue
			}
		case <-due:
		case <-tick.C:
			if !check() {
				return errGiveUp
			}
			continue
		}
		due = nil
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
}

var errGiveUp = errors.New("the attempt has ended, but not its log")

func (s *stream) interval() time.Duration {
	return max(minInterval, min(5*s.pause, maxInterval))
}

func (s *stream) flush(ctx context.Context) error {
	if len(s.pending) == 0 {
		return nil
	}
	start := time.Now()
	if err := s.w.Write(ctx, s.pending); err != nil {
		return fmt.Errorf("store output: %w", err)
	}
	s.flushed = time.Now()
	s.pause = s.flushed.Sub(start)
	clear(s.pending)
	s.pending, s.size = s.pending[:0], 0
	return nil
}
