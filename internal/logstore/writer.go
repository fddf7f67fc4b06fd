package logstore

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/logchunk"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/lang"
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
	return time.Unix(0, w.recent.last).UTC()
}

// Write stores lines: all of them or, with an error, none. It fails with
// ErrOvertaken when another writer was at work, and this one is of no use then.
func (w *Writer) Write(ctx context.Context, lines []Line) error {
	if w.truncated || len(lines) == 0 {
		return nil
	}
	lines = split(lines)
	over := false
	if w.s.limit > 0 {
		lines, over = w.within(lines)
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
			w.recent.add(lines[i].Time, 1)
		}
	}
	w.stored, w.truncated = st.row.LogBytes, over
	w.s.grown(ctx, w.attemptID, st.bytes)
	return nil
}

// within keeps the lines below the limit, and says so in a line when some are not.
func (w *Writer) within(lines []Line) (kept []Line, over bool) {
	size := w.stored
	for i := range lines {
		if size += int64(len(lines[i].Text)) + 40; size > w.s.limit { // 40: as long as a head gets
			text := lang.Text(lang.English, "log.truncated", map[string]any{"limit": quantity.Memory(w.s.limit)})
			return append(lines[:i:i], Line{Time: lines[i].Time, Source: Platform, Text: text}), true
		}
	}
	return lines, false
}

// remember reads back the times of the last lines.
func (w *Writer) remember(ctx context.Context) error {
	const most = 16 << 20 // bytes to read
	var chunks [][]seen   // newest first
	var newest, size int64
	flood := false
	before := int64(1)<<62 - 1
	for enough := false; !enough; {
		rows, err := w.s.db.Client.LogChunk.Query().
			Where(logchunk.AttemptID(w.attemptID), logchunk.FirstLineLT(before)).
			Order(ent.Desc(logchunk.FieldFirstLine)).Limit(smallRun).All(ctx)
		if err != nil {
			return fmt.Errorf("chunks of %s: %w", w.attemptID, err)
		}
		enough = len(rows) == 0
		for _, r := range rows {
			before = r.FirstLine
			times, err := w.times(ctx, r)
			if err != nil {
				return err
			}
			size += r.Bytes
			chunks = append(chunks, times)
			if len(times) == 0 {
				continue
			}
			oldest := times[0].time
			for _, t := range times {
				newest, oldest = max(newest, t.time), min(oldest, t.time)
			}
			if size > most {
				w.recent.floor, flood = oldest-1, true
			}
			if size > most || oldest < newest-int64(overlap+time.Second) {
				enough = true
				break
			}
		}
	}
	for i := len(chunks) - 1; i >= 0; i-- {
		for _, t := range chunks[i] {
			w.recent.add(time.Unix(0, t.time), t.lines)
		}
	}
	// A line of gigabytes has one time; how many parts of it are stored, the row knows.
	if i := len(w.recent.times) - 1; flood && i >= 0 && int64(w.recent.times[i].lines) < w.pos.count {
		w.recent.times[i].lines = int32(w.pos.count)
	}
	return nil
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
		if l.Source != Output {
			continue
		}
		n := l.Time.UnixNano()
		if i := len(out) - 1; i >= 0 && out[i].time == n {
			out[i].lines++
		} else {
			out = append(out, seen{n, 1})
		}
	}
	return out, nil
}
