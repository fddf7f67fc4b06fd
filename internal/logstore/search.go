package logstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"time"
	"unicode/utf8"

	"gocloud.dev/gcerrors"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/logchunk"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Search says what to look for. Lines are compared as a terminal would show
// them: without colours, and of a progress bar its last state.
type Search struct {
	Text     string // at most MaxSearch characters
	Regexp   bool   // Text is a regular expression of RE2
	Case     bool   // capitals and small letters differ
	FromLine int64
	Limit    int // hits; MaxWindow when 0 or above
}

// Hits is what one search found.
type Hits struct {
	Lines []Line // in order; at most MaxWindowBytes and one line
	Next  int64  // the first line that was not looked at
	End   bool   // there are no more lines now
}

// The bounds of a search.
const (
	MaxSearch = 1000 // characters
	// MaxSearched is how many stored bytes one search looks through, and the rest
	// of the chunk that it is in.
	MaxSearched = 64 << 20
	// longestSearch is when a slow blob store makes a search give what it has.
	longestSearch = 3 * time.Second
)

// Search looks through a log as the viewer of the context, who must see the
// attempt. A long log takes several: each goes on at Next.
func (s *Store) Search(ctx context.Context, attemptID string, q Search) (Hits, error) {
	match, err := q.matcher()
	if err != nil {
		return Hits{}, err
	}
	a, err := s.db.Client.Attempt.Query().Where(attempt.ID(attemptID)).
		Select(attempt.FieldID, attempt.FieldLogLines, attempt.FieldLogRemovedAt, attempt.FieldLogKeptDays).Only(ctx)
	if ent.IsNotFound(err) {
		return Hits{}, fault.Missing("attempt", attemptID)
	}
	if err != nil {
		return Hits{}, fmt.Errorf("attempt %s: %w", attemptID, err)
	}
	if err := Gone(a); err != nil {
		return Hits{}, err
	}
	h := hunt{s: s, attemptID: attemptID, match: match, limit: q.Limit, at: min(q.FromLine, a.LogLines), total: a.LogLines, until: time.Now().Add(longestSearch)}
	for range mergedMeanwhile {
		err = h.run(authz.AsSystem(ctx))
		if gcerrors.Code(err) != gcerrors.NotFound || ctx.Err() != nil {
			break // else chunks were merged under the reader: it goes on where it is
		}
	}
	switch {
	case gcerrors.Code(err) == gcerrors.NotFound:
		return Hits{}, fault.New(fault.Unavailable, "log.unreadable", nil).Wrap(err)
	case err != nil:
		return Hits{}, err
	}
	return Hits{Lines: h.found, Next: h.at, End: h.at >= h.total}, nil
}

// matcher checks the question, and answers it for the text of a line.
func (q *Search) matcher() (func([]byte) bool, error) {
	var f fault.Fields
	n := utf8.RuneCountInString(q.Text)
	switch {
	case n == 0:
		f.Add("text", "log.search-empty", nil)
	case n > MaxSearch:
		f.Add("text", "log.search-long", fault.Args{"count": n, "limit": MaxSearch})
	}
	notNegative(&f, "fromLine", q.FromLine)
	q.Limit = atMost(&f, q.Limit)
	var match func([]byte) bool
	if err := f.Err(); err != nil {
		return nil, err
	}
	switch {
	case q.Regexp:
		pattern := q.Text
		if !q.Case {
			pattern = "(?i)" + pattern
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			what := err.Error()
			var bad *syntax.Error
			if errors.As(err, &bad) {
				what = fmt.Sprintf("%s: `%s`", bad.Code, bad.Expr)
			}
			f.Add("text", "log.search-regexp", fault.Args{"what": what})
			return nil, f.Err()
		}
		match = re.Match
	case q.Case:
		needle := []byte(q.Text)
		match = func(line []byte) bool { return bytes.Contains(line, needle) }
	default:
		match = insensitive(q.Text)
	}
	return func(line []byte) bool { return match(shown(line)) }, nil
}

// insensitive finds a text whatever its capitals. Lines of ASCII, which nearly
// all are, are compared without a copy of their own.
func insensitive(text string) func([]byte) bool {
	needle, scratch := bytes.ToLower([]byte(text)), make([]byte, 0, 1<<10)
	return func(line []byte) bool {
		scratch = append(scratch[:0], line...)
		for i, c := range scratch {
			if c >= utf8.RuneSelf {
				return bytes.Contains(bytes.ToLower(line), needle)
			}
			if 'A' <= c && c <= 'Z' {
				scratch[i] = c + 'a' - 'A'
			}
		}
		return bytes.Contains(scratch, needle)
	}
}

// sequences of a terminal: CSI, OSC, and lone escapes, as the page takes them out.
var sequences = regexp.MustCompile("\x1b\\[[0-9;:?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[@-Z\\\\^_=>78-]")

// shown is what a terminal would still show of a line.
func shown(line []byte) []byte {
	if bytes.IndexByte(line, 0x1b) >= 0 {
		line = sequences.ReplaceAll(line, nil)
	}
	if bytes.IndexByte(line, '\r') < 0 {
		return line
	}
	last := []byte{}
	for state := range bytes.SplitSeq(line, []byte{'\r'}) {
		if len(bytes.TrimSpace(state)) > 0 {
			last = state
		}
	}
	return last
}

// hunt is a search on its way.
type hunt struct {
	s         *Store
	attemptID string
	match     func([]byte) bool
	limit     int
	at, total int64 // the next line, and how many there are
	until     time.Time
	searched  int64
	found     []Line
	size      int // bytes found
}

// run looks through one chunk after another: through one at least, whatever the bounds.
func (h *hunt) run(ctx context.Context) error {
	for h.at < h.total {
		c, err := h.s.db.Client.LogChunk.Query().
			Where(logchunk.AttemptID(h.attemptID), logchunk.FirstLineLTE(h.at)).
			Order(ent.Desc(logchunk.FieldFirstLine)).First(ctx)
		if err != nil {
			return fmt.Errorf("chunks of %s: %w", h.attemptID, err)
		}
		before := h.at
		if err := h.chunk(ctx, c); err != nil {
			return err
		}
		if h.at == before {
			return fmt.Errorf("chunk %s ends before line %d", c.Key, before)
		}
		if h.full() || h.searched >= MaxSearched || time.Now().After(h.until) {
			return nil
		}
	}
	return nil
}

// full reports whether no more is to be found at once.
func (h *hunt) full() bool { return len(h.found) >= h.limit || h.size >= MaxWindowBytes }

// chunk looks through a chunk from the line on that is next.
func (h *hunt) chunk(ctx context.Context, c *ent.LogChunk) error {
	body, err := h.s.bucket.NewReader(ctx, c.Key, nil)
	if err != nil {
		return fmt.Errorf("chunk %s: %w", c.Key, err)
	}
	defer body.Close()
	b := readers.Get().(*bufio.Reader)
	defer readers.Put(b)
	b.Reset(body)
	for n := c.FirstLine; n < h.total && !h.full(); n++ {
		raw, err := b.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(raw) == 0 {
			break
		}
		if err != nil {
			return fmt.Errorf("chunk %s: %w", c.Key, err)
		}
		if n < h.at {
			continue
		}
		h.searched += int64(len(raw))
		raw = bytes.TrimSuffix(raw, []byte{'\n'})
		if head := bytes.IndexByte(raw, ' ') + len(" OF "); head < len(" OF ") || head > len(raw) {
			return fmt.Errorf("chunk %s, line %d: %w", c.Key, n, errLine)
		} else if h.match(raw[head:]) {
			l, err := parseLine(raw)
			if err != nil {
				return fmt.Errorf("chunk %s, line %d: %w", c.Key, n, err)
			}
			l.Number = n
			h.found, h.size = append(h.found, l), h.size+len(raw)
		}
		h.at = n + 1
	}
	return nil
}
