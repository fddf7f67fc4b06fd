package follow

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/logstore"
)

// piece is what a container runtime stores: a line, or a part of a long one.
type piece struct {
	time    time.Time
	text    string
	partial bool
}

// node serves a container's log as a kubelet does: from a whole second on, one
// time at the start of each line, pieces of a long line joined.
type node struct {
	mu     sync.Mutex
	pieces []piece
	ended  bool
	gone   bool
	grown  chan struct{}

	cuts   []int  // bytes after which each connection breaks; then none does
	clean  bool   // broken connections look like a clean end
	broken func() // called when one breaks
	opens  int
}

var errReset = errors.New("connection reset by peer")

func newNode() *node { return &node{grown: make(chan struct{})} }

func (n *node) add(p ...piece) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pieces = append(n.pieces, p...)
	n.tell()
}

func (n *node) tell() {
	close(n.grown)
	n.grown = make(chan struct{})
}

func (n *node) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
	n.tell()
}

// Logs implements Runtime.
func (n *node) Logs(ctx context.Context, _, _, _ string, since time.Time, follow bool) (io.ReadCloser, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.gone {
		return nil, errors.New("pod not found")
	}
	n.opens++
	limit := -1
	if len(n.cuts) > 0 {
		limit, n.cuts = n.cuts[0], n.cuts[1:]
	}
	r, w := io.Pipe()
	go n.serve(ctx, w, since.Truncate(time.Second), follow, limit)
	return r, nil
}

func (n *node) serve(ctx context.Context, w *io.PipeWriter, since time.Time, follow bool, limit int) {
	fresh := true
	for i := 0; ; {
		n.mu.Lock()
		todo, over, grown := n.pieces[i:], n.ended || !follow, n.grown
		n.mu.Unlock()
		var b []byte
		for _, p := range todo {
			i++
			if p.time.Before(since) {
				continue
			}
			if fresh {
				b = append(p.time.AppendFormat(b, time.RFC3339Nano), ' ')
			}
			b = append(b, p.text...)
			if fresh = !p.partial; fresh {
				b = append(b, '\n')
			}
		}
		if limit >= 0 && len(b) >= limit {
			_, _ = w.Write(b[:limit])
			if n.broken != nil {
				n.mu.Lock()
				n.broken()
				n.mu.Unlock()
			}
			if n.clean {
				_ = w.Close()
			} else {
				_ = w.CloseWithError(errReset)
			}
			return
		}
		if limit >= 0 {
			limit -= len(b)
		}
		if _, err := w.Write(b); err != nil {
			return
		}
		if over {
			_ = w.Close()
			return
		}
		select {
		case <-ctx.Done():
			_ = w.CloseWithError(ctx.Err())
			return
		case <-grown:
		}
	}
}

// want is what the store should hold of a log: its lines, cut as Cut does.
func want(pieces []piece) []logstore.Line {
	var out []logstore.Line
	text, fresh := "", true
	var at time.Time
	for _, p := range pieces {
		if fresh {
			text, at = "", p.time
		}
		text += p.text
		if fresh = !p.partial; !fresh {
			continue
		}
		for b := []byte(text); ; {
			n := logstore.Cut(b)
			out = append(out, logstore.Line{Time: at, Source: logstore.Output, Text: string(b[:n]), Partial: n < len(b)})
			if b = b[n:]; len(b) == 0 {
				break
			}
		}
	}
	return out
}
