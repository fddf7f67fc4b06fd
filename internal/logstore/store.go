package logstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/xid"
	"gocloud.dev/blob"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/logchunk"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
)

// Topic of the messages about logs; their id is the attempt's, their version
// the number of its lines.
const Topic = "log"

var (
	// ErrComplete says that nothing can be added to a log any more.
	ErrComplete = errors.New("the log is complete")
	// ErrOvertaken says that another process stored output since this writer did.
	ErrOvertaken = errors.New("another process ships this log")
)

// Store keeps logs.
type Store struct {
	db     *db.DB
	bucket *blob.Bucket
	broker event.Broker
	limit  func() int64
	folder string // of the blobs, where they are files; empty elsewhere

	mu    sync.Mutex
	small map[string]int // chunks by attempt since its tail was merged
}

// New makes a store. What an attempt writes beyond limitBytes is not kept, and
// its log says so; 0 means no limit.
func New(d *db.DB, bucket *blob.Bucket, broker event.Broker, limitBytes int64) *Store {
	return &Store{db: d, bucket: bucket, broker: broker, limit: func() int64 { return limitBytes }, small: map[string]int{}}
}

// LimitBy makes the limit one that may change; what is stored already stays.
func (s *Store) LimitBy(limitBytes func() int64) *Store {
	s.limit = limitBytes
	return s
}

// position is how far a program's output is stored: the time of the last line
// and how many lines at the end have that time.
type position struct {
	time  time.Time
	count int64
}

// nowhere is the position of a log without output; databases want a time.
var nowhere = position{time: time.Unix(0, 0).UTC()}

// is compares with what a database gave back: PostgreSQL keeps microseconds.
func (p position) is(q position) bool {
	return p.count == q.count && p.time.Truncate(time.Microsecond).Equal(q.time.Truncate(time.Microsecond))
}

// after is the position once lines are stored as well.
func (p position) after(lines []Line) position {
	for i := range lines {
		switch {
		case lines[i].Source != Output:
		case p.count > 0 && lines[i].Time.Truncate(time.Microsecond).Equal(p.time.Truncate(time.Microsecond)):
			p.count++
		default:
			p = position{lines[i].Time.UTC(), 1}
		}
	}
	return p
}

// Staged lines are in the blob store and wait for the transaction that makes them count.
type Staged struct {
	s         *Store
	attemptID string
	key       string
	lines     []Line
	bytes     int64
	truncate  bool
	complete  bool
	expect    *position // of a Writer
	row       *ent.Attempt
}

// Stage puts lines into the blob store. Nothing has happened until Commit; give
// Announce after the transaction. It lets a state and the lines that tell of it
// become true in one step.
func (s *Store) Stage(ctx context.Context, attemptID string, lines []Line) (*Staged, error) {
	st := &Staged{s: s, attemptID: attemptID, lines: split(lines)}
	if len(lines) == 0 {
		return st, nil
	}
	var b []byte
	for i := range st.lines {
		b = appendLine(b, st.lines[i])
	}
	st.bytes = int64(len(b))
	st.key = prefix(attemptID) + xid.New().String()
	if err := s.bucket.WriteAll(ctx, st.key, b, nil); err != nil {
		return nil, fmt.Errorf("store log of %s: %w", attemptID, err)
	}
	return st, nil
}

func prefix(attemptID string) string { return "logs/" + attemptID + "/" }

// Commit makes staged lines part of the log, at its end.
func (st *Staged) Commit(ctx context.Context, tx *ent.Tx) error {
	ctx = authz.AsSystem(ctx)
	// The update locks the attempt's row: writers of one log go one by one, and
	// what is read after it is what the one before left.
	up := tx.Attempt.Update().Where(attempt.ID(st.attemptID), attempt.LogComplete(false)).
		AddLogLines(int64(len(st.lines))).AddLogBytes(st.bytes)
	if st.truncate {
		up.SetLogTruncated(true)
	}
	if st.complete {
		up.SetLogComplete(true)
	}
	n, err := up.Save(ctx)
	if err != nil {
		return fmt.Errorf("log of %s: %w", st.attemptID, err)
	}
	if n == 0 {
		return ErrComplete
	}
	if st.row, err = tx.Attempt.Get(ctx, st.attemptID); err != nil {
		return fmt.Errorf("log of %s: %w", st.attemptID, err)
	}
	if len(st.lines) == 0 {
		return nil
	}
	pos, err := lastPosition(ctx, tx.LogChunk, st.attemptID)
	if err != nil {
		return err
	}
	if st.expect != nil && !st.expect.is(pos) {
		return ErrOvertaken
	}
	pos = pos.after(st.lines)
	err = tx.LogChunk.Create().SetAttemptID(st.attemptID).SetKey(st.key).
		SetFirstLine(st.row.LogLines - int64(len(st.lines))).SetLines(int64(len(st.lines))).
		SetFirstByte(st.row.LogBytes - st.bytes).SetBytes(st.bytes).
		SetLastTime(pos.time).SetLastCount(pos.count).Exec(ctx)
	if err != nil {
		return fmt.Errorf("log of %s: %w", st.attemptID, err)
	}
	return nil
}

// Announce tells readers, after the commit.
func (st *Staged) Announce(ctx context.Context) {
	if st.row == nil || len(st.lines) == 0 && !st.complete {
		return
	}
	st.s.broker.Publish(ctx, event.Message{Topic: Topic, ID: st.attemptID, TeamID: st.row.TeamID, Version: st.row.LogLines})
}

func lastPosition(ctx context.Context, c *ent.LogChunkClient, attemptID string) (position, error) {
	last, err := c.Query().Where(logchunk.AttemptID(attemptID)).Order(ent.Desc(logchunk.FieldFirstLine)).First(ctx)
	switch {
	case ent.IsNotFound(err):
		return nowhere, nil
	case err != nil:
		return nowhere, fmt.Errorf("log of %s: %w", attemptID, err)
	}
	return position{last.LastTime.UTC(), last.LastCount}, nil
}

func (s *Store) store(ctx context.Context, st *Staged) error {
	if err := s.db.Tx(ctx, func(tx *ent.Tx) error { return st.Commit(ctx, tx) }); err != nil {
		return err
	}
	st.Announce(ctx)
	return nil
}

// Append adds lines of the platform. It fails with ErrComplete once the log is complete.
func (s *Store) Append(ctx context.Context, attemptID string, lines []Line) error {
	if len(lines) == 0 {
		return nil
	}
	st, err := s.Stage(ctx, attemptID, lines)
	if err != nil {
		return err
	}
	return s.store(ctx, st)
}

// Finish adds last lines and completes the log in one step, then merges its
// small chunks. To finish a finished log changes nothing.
func (s *Store) Finish(ctx context.Context, attemptID string, lines []Line) error {
	st, err := s.Stage(ctx, attemptID, lines)
	if err != nil {
		return err
	}
	st.complete = true
	if err := s.store(ctx, st); err != nil && !errors.Is(err, ErrComplete) {
		return err
	}
	s.mu.Lock()
	delete(s.small, attemptID)
	s.mu.Unlock()
	return s.mergeAll(ctx, attemptID)
}
