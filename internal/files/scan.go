package files

import (
	"cmp"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Progress is told while something takes long, at most once a second.
type Progress struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Tell hears of progress; its error ends the work.
type Tell func(Progress) error

// meter tells progress once a second.
type meter struct {
	Progress
	tell Tell
	next time.Time
}

func newMeter(tell Tell) *meter { return &meter{tell: tell, next: time.Now().Add(time.Second)} }

func (m *meter) add(files, bytes int64) error {
	m.Files += files
	m.Bytes += bytes
	if m.tell == nil {
		return nil
	}
	if now := time.Now(); now.After(m.next) {
		m.next = now.Add(time.Second)
		return m.tell(m.Progress)
	}
	return nil
}

// copyBlock is how much is copied between two looks at whether to go on.
const copyBlock = 1 << 20

// pump copies until the end of r, n bytes at most (-1 for all).
func (m *meter) pump(ctx context.Context, w io.Writer, r io.Reader, n int64) (int64, error) {
	var done int64
	for n < 0 || done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		block := int64(copyBlock)
		if n >= 0 {
			block = min(block, n-done)
		}
		k, err := io.CopyN(w, r, block)
		done += k
		if e := m.add(0, k); e != nil {
			return done, e
		}
		if errors.Is(err, io.EOF) {
			return done, nil
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// Sum is the checksum of a file.
type Sum struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Checksum reads a file whole.
func (v *Volume) Checksum(ctx context.Context, p string, tell Tell) (Sum, error) {
	f, _, err := v.File(p)
	if err != nil {
		return Sum{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := newMeter(tell).pump(ctx, h, f, -1)
	if err != nil {
		return Sum{}, explain(err, p)
	}
	return Sum{SHA256: hex.EncodeToString(h.Sum(nil)), Size: n}, nil
}

// Share is how much of a folder something in it takes.
type Share struct {
	Name   string `json:"name,omitempty"`
	Ref    string `json:"ref,omitempty"`
	Kind   string `json:"kind,omitempty"`
	Bytes  int64  `json:"bytes"`
	Inodes int64  `json:"inodes"`
}

// Usage is what a folder takes on the disk.
type Usage struct {
	Bytes  int64   `json:"bytes"`
	Inodes int64   `json:"inodes"`
	Items  []Share `json:"items"` // the largest
	Rest   Share   `json:"rest"`  // all others together
	Volume Space   `json:"volume"`
}

const (
	mostItems = 200
	mostSeen  = 300_000 // inodes with several names that are remembered; after that they count again
)

// Usage counts the blocks of what is below a folder, an inode with several
// names once.
func (v *Volume) Usage(ctx context.Context, p string, tell Tell) (Usage, error) {
	m, seen := newMeter(tell), map[[2]uint64]struct{}{}
	top := &smallest{}
	u := Usage{Items: []Share{}}
	var current *Share
	flush := func() {
		if current == nil {
			return
		}
		heap.Push(top, *current)
		if top.Len() > mostItems {
			s, _ := heap.Pop(top).(Share)
			u.Rest.Bytes, u.Rest.Inodes = u.Rest.Bytes+s.Bytes, u.Rest.Inodes+s.Inodes
		}
		current = nil
	}
	w := walker{ctx: ctx, visit: func(_ int, at, name string, st *unix.Stat_t) (bool, error) {
		if dir, _ := split(at); dir == p {
			flush()
			current = &Share{Name: Show(name), Ref: Ref(at), Kind: kindOf(st)}
		}
		if st.Nlink > 1 && kindOf(st) != KindFolder {
			key := [2]uint64{uint64(st.Dev), st.Ino} //nolint:unconvert // another type elsewhere
			if _, known := seen[key]; known {
				return false, m.add(1, 0)
			}
			if len(seen) < mostSeen {
				seen[key] = struct{}{}
			}
		}
		bytes := st.Blocks * 512
		current.Bytes += bytes
		current.Inodes++
		u.Bytes += bytes
		u.Inodes++
		return false, m.add(1, bytes)
	}}
	if err := w.walk(v, p); err != nil {
		return Usage{}, err
	}
	flush()
	u.Items = append(u.Items, *top...)
	slices.SortFunc(u.Items, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Inodes, a.Inodes), cmp.Compare(a.Ref, b.Ref))
	})
	space, err := v.Space()
	u.Volume = space
	return u, err
}

// smallest is a heap with the smallest share on top.
type smallest []Share

func (h smallest) Len() int           { return len(h) }
func (h smallest) Less(i, j int) bool { return h[i].Bytes < h[j].Bytes }
func (h smallest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *smallest) Push(x any)        { *h = append(*h, x.(Share)) } //nolint:forcetypeassert // ours
func (h *smallest) Pop() any {
	old := *h
	s := old[len(old)-1]
	*h = old[:len(old)-1]
	return s
}

// Bounds of a search.
const (
	MaxFound   = 1000
	maxScanned = 2_000_000
	maxPattern = 255
)

// Found ends a search.
type Found struct {
	Scanned   int64 `json:"scanned"`
	Truncated bool  `json:"truncated"` // there may be more
}

// Search looks below a folder for names that hold a text, or fit a pattern with
// * and ?, whatever the case of their letters.
func (v *Volume) Search(ctx context.Context, p, name string, limit int, found func(Entry) error, tell Tell) (Found, error) {
	if name == "" || len(name) > maxPattern {
		return Found{}, fault.New(fault.InvalidArgument, "files.search", fault.Args{"limit": maxPattern})
	}
	if limit <= 0 || limit > MaxFound {
		limit = MaxFound
	}
	fits, err := matcher(name)
	if err != nil {
		return Found{}, err
	}
	m, n, out := newMeter(tell), 0, Found{}
	w := walker{ctx: ctx, visit: func(_ int, at, name string, st *unix.Stat_t) (bool, error) {
		if out.Scanned++; out.Scanned > maxScanned {
			out.Truncated = true
			return true, errStop
		}
		if fits(name) {
			if n == limit {
				out.Truncated = true
				return true, errStop
			}
			n++
			if err := found(v.entry(at, st)); err != nil {
				return true, err
			}
		}
		return false, m.add(1, 0)
	}}
	if err := w.walk(v, p); err != nil && !errors.Is(err, errStop) {
		return Found{}, err
	}
	return out, nil
}

func matcher(pattern string) (func(string) bool, error) {
	pattern = strings.ToLower(pattern)
	if !strings.ContainsAny(pattern, "*?") {
		return func(name string) bool { return strings.Contains(strings.ToLower(name), pattern) }, nil
	}
	// Brackets and backslashes are nothing special in what people type here.
	pattern = strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(pattern)
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fault.New(fault.InvalidArgument, "files.search", fault.Args{"limit": maxPattern}).Wrap(err)
	}
	return func(name string) bool {
		ok, _ := path.Match(pattern, strings.ToLower(name))
		return ok
	}, nil
}
