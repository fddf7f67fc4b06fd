package files

import (
	"cmp"
	"container/heap"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Orders of a list.
const (
	OrderName    = "name"    // by the bytes of names
	OrderFolders = "folders" // folders first
)

// Bounds of a page of a list.
const (
	DefaultPage = 200
	MaxPage     = 1000
)

// Page is a part of a folder.
type Page struct {
	Entries []Entry `json:"entries"`
	Next    string  `json:"next"`  // cursor of the page after it, empty at the end
	Total   int     `json:"total"` // -1 when it was not counted
}

type item struct {
	name   string
	folder bool
}

// before is the order of a list.
func before(order string) func(a, b item) int {
	return func(a, b item) int {
		if order == OrderFolders && a.folder != b.folder {
			if a.folder {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.name, b.name)
	}
}

// listings keeps the names of the folder that was listed last, so that its next
// page need not read it again.
type listings struct {
	mu    sync.Mutex
	key   listing
	items []item
}

type listing struct {
	dev, ino     uint64
	mtime, ctime int64
	order        string
}

// mostKept is how many names are kept: some 12 MB. A larger folder is read once a page.
const mostKept = 200_000

// List gives a page of a folder: limit entries after a cursor. Every entry that
// is there all the time is given once, whatever else comes and goes.
func (v *Volume) List(p, after, order string, limit int) (Page, error) {
	if order == "" {
		order = OrderFolders
	}
	if order != OrderName && order != OrderFolders {
		return Page{}, fault.New(fault.InvalidArgument, "files.order", fault.Args{"value": clip(order)})
	}
	if limit <= 0 {
		limit = DefaultPage
	}
	limit = min(limit, MaxPage)
	from, err := cursor(after)
	if err != nil {
		return Page{}, err
	}
	d, err := v.folder(p)
	if err != nil {
		return Page{}, err
	}
	defer d.Close()
	picked, more, total, err := v.listings.pick(d, p, from, order, limit)
	if err != nil {
		return Page{}, explain(err, p)
	}
	page := Page{Entries: make([]Entry, 0, len(picked)), Total: total}
	for _, i := range picked {
		var st unix.Stat_t
		if err := unix.Fstatat(int(d.Fd()), i.name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			continue // gone meanwhile
		}
		page.Entries = append(page.Entries, v.entry(join(p, i.name), &st))
	}
	if more {
		last := picked[len(picked)-1]
		kind := "f"
		if last.folder {
			kind = "d"
		}
		page.Next = base64.RawURLEncoding.EncodeToString([]byte(kind + last.name))
	}
	return page, nil
}

func cursor(text string) (*item, error) {
	if text == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 2 || b[0] != 'd' && b[0] != 'f' {
		return nil, fault.New(fault.InvalidArgument, "files.cursor", nil)
	}
	return &item{name: string(b[1:]), folder: b[0] == 'd'}, nil
}

func (l *listings) pick(d *os.File, p string, from *item, order string, limit int) (picked []item, more bool, total int, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(d.Fd()), &st); err != nil {
		return nil, false, 0, err
	}
	key := listing{uint64(st.Dev), st.Ino, st.Mtim.Nano(), st.Ctim.Nano(), order} //nolint:unconvert // another type elsewhere
	l.mu.Lock()
	defer l.mu.Unlock()
	less := before(order)
	if from == nil || l.key != key || l.items == nil {
		all, smallest, count, err := read(d, p, from, less, limit)
		if err != nil {
			return nil, false, 0, err
		}
		if all == nil { // too large to keep
			l.items = nil
			if len(smallest) > limit {
				return smallest[:limit], true, count, nil
			}
			return smallest, false, count, nil
		}
		l.key, l.items = key, all
	}
	start := 0
	if from != nil {
		i, found := slices.BinarySearchFunc(l.items, *from, less)
		start = i
		if found {
			start++
		}
	}
	end := min(start+limit, len(l.items))
	return slices.Clone(l.items[start:end]), end < len(l.items), len(l.items), nil
}

// read reads a folder: all of its names, sorted, or, if these are too many, the
// limit+1 next ones after from.
func read(d *os.File, p string, from *item, less func(a, b item) int, limit int) (all, next []item, total int, err error) {
	h := &largest{less: less}
	all = []item{}
	for {
		batch, err := d.ReadDir(1024)
		for _, e := range batch {
			if p == "." && hidden(e.Name()) {
				continue
			}
			i := item{e.Name(), e.IsDir()}
			total++
			if all != nil {
				if all = append(all, i); len(all) > mostKept {
					for _, i := range all {
						h.offer(i, from, limit+1)
					}
					all = nil
				}
				continue
			}
			h.offer(i, from, limit+1)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, 0, err
		}
	}
	if all != nil {
		slices.SortFunc(all, less)
		return all, nil, total, nil
	}
	slices.SortFunc(h.items, less)
	return nil, h.items, total, nil
}

// largest is a heap with the largest item on top: it keeps the smallest few.
type largest struct {
	items []item
	less  func(a, b item) int
}

func (h *largest) Len() int           { return len(h.items) }
func (h *largest) Less(i, j int) bool { return h.less(h.items[i], h.items[j]) > 0 }
func (h *largest) Swap(i, j int)      { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *largest) Push(x any)         { h.items = append(h.items, x.(item)) } //nolint:forcetypeassert // ours
func (h *largest) Pop() any {
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	return last
}

func (h *largest) offer(i item, from *item, keep int) {
	switch {
	case from != nil && h.less(i, *from) <= 0:
	case len(h.items) < keep:
		heap.Push(h, i)
	case h.less(i, h.items[0]) < 0:
		h.items[0] = i
		heap.Fix(h, 0)
	}
}
