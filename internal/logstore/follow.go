package logstore

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/goblinlab/goblinlab/internal/lang"
)

// pollEvery is how soon a reader sees lines whose message was lost.
const pollEvery = time.Second

// stamp has a fixed width, so that columns stand below each other.
const stamp = "2006-01-02T15:04:05.000000000Z07:00 "

// Follow gives the windows after a cursor (from the start without one) as they
// come, until the log is complete or ctx ends. Only the last window of a
// complete log may be without lines. An error ends it. Nothing is buffered: a
// slow reader gets later, larger windows.
func (s *Store) Follow(ctx context.Context, attemptID, after string) iter.Seq2[Window, error] {
	return func(yield func(Window, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		more := s.broker.Subscribe(ctx, Topic, attemptID) // before the first look, so that none is missed
		poll := time.NewTicker(pollEvery)
		defer poll.Stop()
		for {
			w, err := s.Window(ctx, attemptID, Query{After: after})
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				yield(Window{}, err)
				return
			case (len(w.Lines) > 0 || w.Complete) && !yield(w, nil), w.Complete:
				return
			}
			after = w.Cursor
			if !w.end {
				continue
			}
			select {
			case <-ctx.Done():
				return
			case <-more:
			case <-poll.C:
			}
		}
	}
}

// Form is how a log is written as text.
type Form struct {
	Times      bool // each line after its time
	OutputOnly bool // without the platform's own lines
	Lang       lang.Lang
}

// WriteTo writes what is stored of a log as text, of any size in constant
// memory. The platform's own lines begin with "[goblinlab] ".
func (s *Store) WriteTo(ctx context.Context, attemptID string, w io.Writer, form Form) error {
	out := bufio.NewWriterSize(w, 64<<10)
	open := false // inside of a line that goes on
	for after := ""; ; {
		win, err := s.Window(ctx, attemptID, Query{After: after})
		if err != nil {
			return err
		}
		for i := range win.Lines {
			if form.OutputOnly && win.Lines[i].Source == Platform {
				continue
			}
			open = writeLine(out, &win.Lines[i], open, form)
		}
		if after = win.Cursor; win.end {
			break
		}
	}
	if open {
		_ = out.WriteByte('\n')
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write log of %s: %w", attemptID, err)
	}
	return nil
}

// writeLine leaves errors to Flush.
func writeLine(out *bufio.Writer, l *Line, open bool, form Form) bool {
	if open && l.Source == Platform {
		_ = out.WriteByte('\n')
		open = false
	}
	if !open && form.Times {
		_, _ = out.Write(l.Time.AppendFormat(out.AvailableBuffer(), stamp))
	}
	if l.Source == Platform {
		_, _ = out.WriteString("[goblinlab] ")
	}
	_, _ = out.WriteString(l.In(form.Lang))
	if !l.Partial {
		_ = out.WriteByte('\n')
	}
	return l.Partial
}
