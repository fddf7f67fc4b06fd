package logstore

import (
	"context"
	"io"
	"iter"
	"time"

	"gocloud.dev/blob"

	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
)

// Source says whose line it is.
type Source byte

// The sources.
const (
	Output   Source = 'O' // of the program
	Platform Source = 'P' // of GoblinLab
)

// Line is a stored line.
type Line struct {
	Number  int64 // from 0, without gaps; given by the store
	Time    time.Time
	Source  Source
	Text    string // without its newline
	Partial bool   // the line goes on in the next one
}

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
}

// The bounds of a window.
const (
	MaxWindow      = 5000    // lines
	MaxWindowBytes = 1 << 20 // of stored text; a line more may be in
)

// Store keeps logs.
type Store struct {
	db     *db.DB
	bucket *blob.Bucket
	broker event.Broker
	limit  int64
}

// New makes a store. What an attempt writes beyond limitBytes is not kept, and
// its log says so; 0 means no limit.
func New(d *db.DB, bucket *blob.Bucket, broker event.Broker, limitBytes int64) *Store {
	return &Store{db: d, bucket: bucket, broker: broker, limit: limitBytes}
}

// Append adds lines of the platform (or of a test). It fails with ErrComplete
// once the log is complete.
func (s *Store) Append(ctx context.Context, attemptID string, lines []Line) error { panic("not yet") }

// Finish adds last lines and completes the log in one step, then merges its
// small chunks. To finish a finished log changes nothing.
func (s *Store) Finish(ctx context.Context, attemptID string, lines []Line) error { panic("not yet") }

// Delete removes a log: rows, then blobs.
func (s *Store) Delete(ctx context.Context, attemptID string) error { panic("not yet") }

// Window reads a piece of a log as the viewer of the context, who must see the attempt.
func (s *Store) Window(ctx context.Context, attemptID string, q Query) (Window, error) {
	panic("not yet")
}

// Follow gives the windows after a cursor (from the start without one) as they
// come, until the log is complete or ctx ends. Only the last window of a
// complete log may be without lines. An error ends it.
func (s *Store) Follow(ctx context.Context, attemptID, after string) iter.Seq2[Window, error] {
	panic("not yet")
}

// WriteTo writes what is stored of a log as text, of any size in constant
// memory, each line after its time if withTimes.
func (s *Store) WriteTo(ctx context.Context, attemptID string, w io.Writer, withTimes bool) error {
	panic("not yet")
}
