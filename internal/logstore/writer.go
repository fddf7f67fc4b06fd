package logstore

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/logchunk"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/quantity"
)

// Writer stores the output of one attempt. It is not for several goroutines.
type Writer struct {
	s         *Store
	attemptID string
	pos       position
	recent    recent
	stored    int64 // bytes
	truncated bool
}

// Writer goes on where the log ends, whoever wrote it.
func (s *Store) Writer(ctx context.Context, attemptID string) (*Writer, error) {
	sys := authz.AsSystem(ctx)
	a, err := s.db.Client.Attempt.Get(sys, attemptID)
	if err != nil {
		return nil, fmt.Errorf("attempt %s: %w", attemptID, err)
	}
	if a.LogComplete {
		return nil, ErrComplete
	}
	w := &Writer{s: s, attemptID: attemptID, stored: a.LogBytes, truncated: a.LogTruncated}
	if w.pos, err = lastPosition(sys, s.db.Client.LogChunk, attemptID); err != nil {
		return nil, err
	}
	if w.pos.count == 0 {
		return w, nil
	}
	if err := w.remember(sys); err != nil {
		return nil, err
	}
	return w, nil
}

// Since is the moment to read the runtime's log from; zero for its start.
func (w *Writer) Since() time.Time { return w.recent.since() }

// Replay is for a reader that starts at Since.
func (w *Writer) Replay() *Replay { return w.recent.replay() }

// Truncated reports whether the log is at its limit: further output is not kept.
func (w *Writer) Truncated() bool { return w.truncated }

// Last is the time of the last stored line of output, zero when there is none.
func (w *Writer) Last() time.Time {
	if w.pos.count == 0 {
		return time.Time{}
	}
	return time.Unix(0, w.recent.last()).UTC()
}

// Write stores lines: all of them or, with an error, none. It fails with
// ErrOvertaken when another writer was at work, and this one is of no use then.
func (w *Writer) Write(ctx context.Context, lines []Line) error {
	if w.truncated || len(lines) == 0 {
		return nil
	}
	lines = split(lines)
	over := false
	if limit := w.s.limit(); limit > 0 {
		lines, over = w.within(lines, limit)
	}
	st, err := w.s.Stage(ctx, w.attemptID, lines)
	if err != nil {
		return err
	}
	st.expect, st.truncate = &w.pos, over
	if err := w.s.store(ctx, st); err != nil {
		return err
	}
	w.pos = w.pos.after(lines)
	for i := range lines {
		if lines[i].Source == Output {
			w.recent.add(seenOf(&lines[i]))
		}
	}
	w.stored, w.truncated = st.row.LogBytes, over
	w.s.grown(ctx, w.attemptID, st.bytes)
	return nil
}

// within keeps the lines below the limit, and says so in a line when some are not.
func (w *Writer) within(lines []Line, limit int64) (kept []Line, over bool) {
	size := w.stored
	for i := range lines {
		if size += int64(len(lines[i].Text)) + 40; size > limit { // 40: as long as a head gets
			return append(lines[:i:i], Say(lines[i].Time, "log.truncated", map[string]any{"limit": quantity.Memory(limit)})), true
		}
	}
	return lines, false
}

// remember reads back the times of the last lines, as many as since needs.
func (w *Writer) remember(ctx context.Context) error {
	const most = 16 << 20 // bytes to read
	r := &w.recent
	var size int64
	before := int64(1)<<62 - 1
	for {
		rows, err := w.s.db.Client.LogChunk.Query().
			Where(logchunk.AttemptID(w.attemptID), logchunk.FirstLineLT(before)).
			Order(ent.Desc(logchunk.FieldFirstLine)).Limit(smallRun).All(ctx)
		if err != nil {
			return fmt.Errorf("chunks of %s: %w", w.attemptID, err)
		}
		for _, c := range rows {
			before = c.FirstLine
			times, err := w.times(ctx, c)
			if err != nil {
				return err
			}
			if len(times) == 0 {
				continue
			}
			for _, t := range r.times {
				times = push(times, t)
			}
			for _, t := range times {
				r.newest = max(r.newest, t.time)
			}
			// Its first line may have begun in the chunk before.
			first := times[0].long
			times[0].long, r.times = true, times
			if r.since().UnixNano() > times[0].time {
				times[0].long = first
				return nil
			}
			times[0].long = first
			if size += c.Bytes; size > most {
				w.settle()
				return nil
			}
		}
		if len(rows) == 0 {
			return nil
		}
	}
}

// settle makes do with what was read: all before counts as stored. How many
// parts of one line without end are stored, the row knows.
func (w *Writer) settle() {
	r := &w.recent
	i := len(r.times) - 1
	if r.floor = r.times[0].time; i == 0 {
		r.floor--
	}
	if int64(r.times[i].lines) < w.pos.count {
		r.times[i].lines = int32(w.pos.count)
	}
}

// times are those of the output lines of a chunk.
func (w *Writer) times(ctx context.Context, c *ent.LogChunk) ([]seen, error) {
	b, err := w.s.bucket.ReadAll(ctx, c.Key)
	if err != nil {
		return nil, fmt.Errorf("chunk %s: %w", c.Key, err)
	}
	var out []seen
	for raw := range bytes.SplitSeq(bytes.TrimSuffix(b, []byte{'\n'}), []byte{'\n'}) {
		l, err := parseLine(raw)
		if err != nil {
			return nil, fmt.Errorf("chunk %s: %w", c.Key, err)
		}
		if l.Source == Output {
			out = push(out, seenOf(&l))
		}
	}
	return out, nil
}
