package courier

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/files/agent"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Answer is that of an agent, on its way to whoever asked.
type Answer struct {
	Status int
	Header http.Header // what may be passed on

	body    io.ReadCloser
	lines   bool
	done    func(last map[string]any) error // called with the last line, before it is passed on
	closers []io.Closer
}

// given are the headers of an agent's answer that are passed on.
var given = []string{"Content-Type", "Content-Length", "Content-Disposition", "Content-Range", "Accept-Ranges", "Etag", "Last-Modified", agent.HeaderOffset, agent.HeaderLength}

// answer prepares what is passed on. What was done is written down first, or,
// when that is known at the end alone, before the end is told.
func (s *Service) answer(ctx context.Context, resp *http.Response, w way, q Request, e audit.Entry, to ...volume.Access) (*Answer, error) {
	if err := refusal(resp); err != nil {
		return nil, err
	}
	a := &Answer{Status: resp.StatusCode, Header: http.Header{}, body: resp.Body,
		lines: strings.HasPrefix(resp.Header.Get("Content-Type"), agent.JSONLines)}
	for _, k := range given {
		if v := resp.Header.Values(k); len(v) > 0 {
			a.Header[http.CanonicalHeaderKey(k)] = v
		}
	}
	switch {
	case w.audit == "" || resp.StatusCode >= http.StatusMultipleChoices:
	case w.audit == "files.download":
		key := downloadKey(ctx, to[0].Volume.ID, q)
		if s.downloads.has(key, q) {
			break
		}
		if err := s.record(ctx, e, to...); err != nil {
			a.Close()
			return nil, err
		}
		s.downloads.note(key)
	case a.lines:
		a.done = func(last map[string]any) error {
			for _, k := range []string{"files", "bytes", "removed", "sha256"} {
				if v, ok := last[k]; ok {
					e.After[k] = v
				}
			}
			if entry, ok := last["entry"].(map[string]any); ok {
				ref, _ := entry["ref"].(string)
				e.After["path"], e.After["size"] = shown(ref), entry["size"]
			}
			return s.record(ctx, e, to...)
		}
	default:
		if err := s.record(ctx, e, to...); err != nil {
			a.Close()
			return nil, err
		}
	}
	return a, nil
}

// goneOn are downloads that were written down lately: what goes on with one, part
// by part, is no other download.
type goneOn struct {
	mu    sync.Mutex
	known map[string]time.Time
}

const (
	goneOnFor  = time.Hour
	mostGoneOn = 10_000
)

func downloadKey(ctx context.Context, volumeID string, q Request) string {
	v := authz.From(ctx)
	if v == nil {
		return ""
	}
	return v.UserID + " " + volumeID + " " + q.Path + "?" + q.Query
}

// has reports whether a request goes on with a download that was written down.
func (g *goneOn) has(key string, q Request) bool {
	if q.Header.Get("Range") == "" {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Since(g.known[key]) < goneOnFor
}

func (g *goneOn) note(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil || len(g.known) >= mostGoneOn {
		g.known = map[string]time.Time{}
	}
	g.known[key] = time.Now()
}

// Close ends an answer that is not passed on, or was.
func (a *Answer) Close() error {
	err := a.body.Close()
	for _, c := range a.closers {
		err = errors.Join(err, c.Close())
	}
	return err
}

const maxLine = 4 << 20

// Copy passes the body on. In an answer of lines, say puts an error into the
// words of whoever asked, and flush is called after each line.
func (a *Answer) Copy(w io.Writer, flush func(), say func(error) any) error {
	if !a.lines {
		_, err := io.Copy(w, a.body)
		return err
	}
	r := bufio.NewReaderSize(a.body, 64<<10)
	ended := false
	for {
		line, err := r.ReadBytes('\n')
		if ended { // more than the last line is nobody's
			return nil
		}
		if len(line) > maxLine || err != nil && (!errors.Is(err, io.EOF) || len(line) > 0) {
			err = errors.Join(err, errors.New("a line of the agent's is not whole"))
		}
		if errors.Is(err, io.EOF) && len(line) == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			broken := fault.New(fault.Unavailable, "files.broke-off", nil).Wrap(err)
			return a.put(w, flush, map[string]any{"error": say(broken)})
		}
		out, last, err := a.line(line, say)
		if err != nil {
			return a.put(w, flush, map[string]any{"error": say(err)})
		}
		ended = ended || last
		if _, err := w.Write(out); err != nil {
			return err
		}
		flush()
	}
}

func (a *Answer) put(w io.Writer, flush func(), v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	flush()
	return err
}

// line looks at a line: the last one is written down, an error is put into words.
func (a *Answer) line(line []byte, say func(error) any) (out []byte, last bool, err error) {
	switch {
	case bytes.HasPrefix(line, []byte(`{"error":`)):
		var wire struct{ Error files.WireFault }
		if err := json.Unmarshal(line, &wire); err != nil {
			return nil, true, err
		}
		b, err := json.Marshal(map[string]any{"error": say(wire.Error.Err())})
		return append(b, '\n'), true, err
	case bytes.HasPrefix(line, []byte(`{"done":true`)):
		if a.done != nil {
			var m map[string]any
			if err := json.Unmarshal(line, &m); err != nil {
				return nil, true, err
			}
			if err := a.done(m); err != nil {
				return nil, true, err
			}
		}
		return line, true, nil
	}
	return line, false, nil
}
