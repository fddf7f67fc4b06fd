package follow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/goblinlab/goblinlab/internal/logstore"
)

// part is a line of a container's log, or a part of a long one.
type part struct {
	time    time.Time
	text    string
	first   bool // begins its line
	partial bool // the line goes on
	open    bool // the stream ended without a newline: there may be more of it
}

// errLost says that the node has no log of the container any more.
var errLost = errors.New("the node has no log of the container")

const (
	scanBuffer = 4 * logstore.MaxLine
	maxStamp   = 40 // bytes; RFC 3339 with nanoseconds and a zone has 35
)

// scanner cuts a stream of "<time> <text>\n" into parts, in constant memory.
type scanner struct {
	r      io.Reader
	limit  int // bytes of a part
	buf    []byte
	from   int // buf[from:to] is not cut yet
	to     int
	err    error // of the reader; nothing more comes
	inLine bool
	first  bool
	time   time.Time // of the line
}

// newScanner leaves room in each part for what is held back of the part before.
func newScanner(r io.Reader, room int) *scanner {
	return &scanner{r: r, limit: logstore.MaxLine - room, buf: make([]byte, scanBuffer)}
}

// next gives the next part; ok is false when more must be read first.
func (s *scanner) next() (p part, ok bool, err error) {
	if !s.inLine {
		if ok, err := s.begin(); !ok {
			return part{}, false, err
		}
	}
	b := s.buf[s.from:s.to]
	window := b[:min(len(b), s.limit+1)]
	p = part{time: s.time, first: s.first}
	switch i := bytes.IndexByte(window, '\n'); {
	case i >= 0:
		p.text = string(b[:i])
		s.from += i + 1
		s.inLine = false
	case len(b) > s.limit:
		n := logstore.CutAt(window, s.limit)
		p.text, p.partial = string(b[:n]), true
		s.from += n
	case s.err != nil:
		p.text, p.open = string(b), true
		s.from, s.inLine = s.to, false
	default:
		return part{}, false, nil
	}
	s.first = false
	return p, true, nil
}

// begin reads the time at the start of a line.
func (s *scanner) begin() (ok bool, err error) {
	b := s.buf[s.from:s.to]
	if len(b) == 0 || len(b) < maxStamp && s.err == nil && bytes.IndexByte(b, '\n') < 0 {
		return false, nil
	}
	head := b[:min(len(b), maxStamp)]
	if i := bytes.IndexAny(head, " \n"); i > 0 {
		if t, err := time.Parse(time.RFC3339Nano, string(head[:i])); err == nil {
			s.time = t.UTC()
			s.from += i
			if head[i] == ' ' {
				s.from++
			}
			s.inLine, s.first = true, true
			return true, nil
		}
	}
	// The node speaks for itself in the stream, or a runtime stamps in another way.
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	for _, words := range []string{"unable to retrieve container logs", "failed to try resolving symlinks", "failed to create fsnotify watcher", "rpc error: code = NotFound"} {
		if bytes.HasPrefix(line, []byte(words)) {
			return false, fmt.Errorf("%w: %s", errLost, line[:min(len(line), 300)])
		}
	}
	s.inLine, s.first = true, true
	return true, nil
}

// fill reads more; it blocks. At the end it reports false.
func (s *scanner) fill() bool {
	if s.err != nil {
		return false
	}
	if s.from > 0 {
		s.to = copy(s.buf, s.buf[s.from:s.to])
		s.from = 0
	}
	n, err := s.r.Read(s.buf[s.to:])
	s.to += n
	s.err = err
	return true
}
