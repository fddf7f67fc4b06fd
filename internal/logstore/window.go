package logstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"gocloud.dev/gcerrors"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/logchunk"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Query says which lines: those after a cursor, those from a number, or the
// last ones. The zero value is from the start.
type Query struct {
	After    string // a Window's Cursor
	FromLine *int64
	Last     int
	Limit    int // lines; MaxWindow when 0 or above
}

// Window is a piece of a log.
type Window struct {
	Lines    []Line
	Cursor   string // where it ends; to go on from there
	Complete bool   // nothing comes after it, now or ever

	end bool // nothing comes after it now
}

// The bounds of a window.
const (
	MaxWindow      = 5000    // lines
	MaxWindowBytes = 1 << 20 // of stored lines
)

const mergedMeanwhile = 5 // how often chunks may vanish under a reader

// Window reads a piece of a log as the viewer of the context, who must see the attempt.
func (s *Store) Window(ctx context.Context, attemptID string, q Query) (Window, error) {
	from, err := parseCursor(q.After)
	if err != nil {
		return Window{}, err
	}
	if err := q.check(); err != nil {
		return Window{}, err
	}
	for range mergedMeanwhile {
		var w Window
		w, err = s.window(ctx, attemptID, q, from)
		if gcerrors.Code(err) != gcerrors.NotFound || ctx.Err() != nil {
			return w, err
		}
	}
	return Window{}, fault.New(fault.Unavailable, "log.unreadable", nil).Wrap(err)
}

func (q *Query) check() error {
	var f fault.Fields
	if q.FromLine != nil {
		notNegative(&f, "fromLine", *q.FromLine)
	}
	notNegative(&f, "last", int64(q.Last))
	q.Limit = atMost(&f, q.Limit)
	return f.Err()
}

func notNegative(f *fault.Fields, path string, n int64) {
	if n < 0 {
		f.Add(path, "log.negative", fault.Args{"value": n})
	}
}

// atMost is a limit of lines, of which 0 is the most.
func atMost(f *fault.Fields, limit int) int {
	notNegative(f, "limit", int64(limit))
	if limit == 0 || limit > MaxWindow {
		return MaxWindow
	}
	return limit
}

func (s *Store) window(ctx context.Context, attemptID string, q Query, from place) (Window, error) {
	a, err := s.db.Client.Attempt.Query().Where(attempt.ID(attemptID)).
		Select(attempt.FieldID, attempt.FieldLogLines, attempt.FieldLogBytes, attempt.FieldLogComplete, attempt.FieldLogRemovedAt, attempt.FieldLogKeptDays).Only(ctx)
	if ent.IsNotFound(err) {
		return Window{}, fault.Missing("attempt", attemptID)
	}
	if err != nil {
		return Window{}, fmt.Errorf("attempt %s: %w", attemptID, err)
	}
	if err := Gone(a); err != nil {
		return Window{}, err
	}
	ctx = authz.AsSystem(ctx)
	r := reading{s: s, attemptID: attemptID, limit: q.Limit, at: from, exact: true}
	switch {
	case q.After != "":
		if from.line > a.LogLines || from.byte > a.LogBytes {
			return Window{}, badCursor(q.After)
		}
	case q.FromLine != nil:
		r.at, r.exact = place{line: min(*q.FromLine, a.LogLines)}, false
	case q.Last > 0:
		q.Last = min(q.Last, q.Limit)
		if r.at.line, err = s.lastLines(ctx, a, int64(q.Last)); err != nil {
			return Window{}, err
		}
		r.exact, r.tail = false, true
	}
	if r.at.line >= a.LogLines {
		r.at = place{a.LogLines, a.LogBytes}
	} else if err := r.run(ctx); err != nil {
		if errors.Is(err, errLine) && q.After != "" { // no cursor of ours ends within a line
			return Window{}, badCursor(q.After)
		}
		return Window{}, err
	}
	end := r.at.line >= a.LogLines
	return Window{Lines: r.lines, Cursor: r.at.String(), Complete: end && a.LogComplete, end: end}, nil
}

// lastLines is where the last n lines begin, or the last MaxWindowBytes and a
// bit, whichever is later.
func (s *Store) lastLines(ctx context.Context, a *ent.Attempt, n int64) (int64, error) {
	start := max(a.LogLines-n, 0)
	c, err := s.db.Client.LogChunk.Query().
		Where(logchunk.AttemptID(a.ID), logchunk.FirstByteLTE(max(a.LogBytes-MaxWindowBytes, 0))).
		Order(ent.Desc(logchunk.FieldFirstLine)).First(ctx)
	if ent.IsNotFound(err) {
		return start, nil
	}
	if err != nil {
		return 0, fmt.Errorf("chunks of %s: %w", a.ID, err)
	}
	return max(start, c.FirstLine), nil
}

// reading gathers lines from a place on.
type reading struct {
	s         *Store
	attemptID string
	limit     int
	at        place
	exact     bool // at.byte is known, not only at.line
	tail      bool // too much: drop from the front
	lines     []Line
	sizes     []int
	size      int
}

func (r *reading) full() bool {
	return !r.tail && (len(r.lines) >= r.limit || r.size >= MaxWindowBytes)
}

func (r *reading) run(ctx context.Context) error {
	c, err := r.s.db.Client.LogChunk.Query().
		Where(logchunk.AttemptID(r.attemptID), logchunk.FirstLineLTE(r.at.line)).
		Order(ent.Desc(logchunk.FieldFirstLine)).First(ctx)
	if err != nil {
		return fmt.Errorf("chunks of %s: %w", r.attemptID, err)
	}
	if off := r.at.byte - c.FirstByte; r.exact && (off < 0 || off >= c.Bytes || (off == 0) != (r.at.line == c.FirstLine)) {
		return errLine
	}
	chunks := []*ent.LogChunk{c}
	for len(chunks) > 0 {
		for i, c := range chunks {
			// Between two looks at the rows, chunks may have become one that
			// begins before the place.
			if (i > 0 || len(r.lines) > 0) && c.FirstLine != r.at.line {
				return nil
			}
			if err := r.chunk(ctx, c); err != nil {
				return err
			}
			if r.full() {
				return nil
			}
		}
		chunks, err = r.s.db.Client.LogChunk.Query().
			Where(logchunk.AttemptID(r.attemptID), logchunk.FirstLineGT(chunks[len(chunks)-1].FirstLine)).
			Order(ent.Asc(logchunk.FieldFirstLine)).Limit(2 * smallRun).All(ctx)
		if err != nil {
			return fmt.Errorf("chunks of %s: %w", r.attemptID, err)
		}
	}
	return nil
}

var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, maxStored+4096) }}

// chunk reads the lines of a chunk from the place on.
func (r *reading) chunk(ctx context.Context, c *ent.LogChunk) error {
	skip := r.at.line - c.FirstLine
	off := int64(0)
	if r.exact && skip > 0 {
		off, skip = r.at.byte-c.FirstByte, 0
	}
	if !r.exact {
		r.at = place{c.FirstLine, c.FirstByte}
		r.exact = true
	}
	body, err := r.s.bucket.NewRangeReader(ctx, c.Key, off, c.Bytes-off, nil)
	if err != nil {
		return fmt.Errorf("chunk %s: %w", c.Key, err)
	}
	defer body.Close()
	b := readers.Get().(*bufio.Reader)
	defer readers.Put(b)
	b.Reset(body)
	for !r.full() {
		raw, err := b.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(raw) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("chunk %s at %d: %w", c.Key, off, err)
		}
		at := r.at
		r.at = place{at.line + 1, at.byte + int64(len(raw))}
		if skip > 0 {
			skip--
			continue
		}
		if err := r.add(at, raw); err != nil {
			return fmt.Errorf("chunk %s: %w", c.Key, err)
		}
	}
	return nil
}

func (r *reading) add(at place, raw []byte) error {
	l, err := parseLine(bytes.TrimSuffix(raw, []byte{'\n'}))
	if err != nil {
		return err
	}
	l.Number = at.line
	r.lines, r.sizes, r.size = append(r.lines, l), append(r.sizes, len(raw)), r.size+len(raw)
	for r.tail && (len(r.lines) > r.limit || r.size > MaxWindowBytes && len(r.lines) > 1) {
		r.size -= r.sizes[0]
		r.lines, r.sizes = r.lines[1:], r.sizes[1:]
	}
	return nil
}
