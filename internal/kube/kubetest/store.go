package kubetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// kept is how many changes of a kind can still be watched from.
const kept = 20_000

// object is any object as its JSON says it.
type object map[string]any

func (o object) meta() map[string]any {
	m, _ := o["metadata"].(map[string]any)
	if m == nil {
		m = map[string]any{}
		o["metadata"] = m
	}
	return m
}

func (o object) text(key string) string {
	s, _ := o.meta()[key].(string)
	return s
}

func (o object) labels() labels.Set {
	out := labels.Set{}
	m, _ := o.meta()["labels"].(map[string]any)
	for k, v := range m {
		out[k], _ = v.(string)
	}
	return out
}

// copied is deep.
func (o object) copied() object {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // it was JSON
	}
	var out object
	if err := json.Unmarshal(b, &out); err != nil {
		panic(err)
	}
	return out
}

// row is an object as it is stored and sent.
type row struct {
	object
	raw []byte
}

// change is what watches are told.
type change struct {
	number int64
	what   string // ADDED, MODIFIED, DELETED
	row    row
}

// kind is all objects of a resource.
type kind struct {
	rows    map[string]row // by namespace/name
	changes []change
	dropped int64 // the newest change that is forgotten
}

// store keeps objects and tells watches.
type store struct {
	mu     sync.Mutex
	number int64 // of the last change
	kinds  map[string]*kind
	news   chan struct{} // closed at the next change
}

func newStore() *store { return &store{kinds: map[string]*kind{}, news: make(chan struct{})} }

func (s *store) kind(resource string) *kind {
	k := s.kinds[resource]
	if k == nil {
		k = &kind{rows: map[string]row{}}
		s.kinds[resource] = k
	}
	return k
}

// put stores an object under the lock; a nil one is deleted.
func (s *store) put(resource, key string, o object) row {
	k := s.kind(resource)
	old, was := k.rows[key]
	what := "ADDED"
	switch {
	case o == nil && !was:
		return row{}
	case o == nil:
		what, o = "DELETED", old.copied()
	case was:
		what = "MODIFIED"
	}
	s.number++
	m := o.meta()
	m["resourceVersion"] = strconv.FormatInt(s.number, 10)
	if m["uid"] == nil {
		m["uid"] = fmt.Sprintf("%08d-0000-4000-8000-%012d", s.number, s.number)
		m["creationTimestamp"] = time.Now().UTC().Format(time.RFC3339)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // it was JSON
	}
	r := row{o, raw}
	if what == "DELETED" {
		delete(k.rows, key)
	} else {
		k.rows[key] = r
	}
	k.changes = append(k.changes, change{s.number, what, r})
	if n := len(k.changes); n > 2*kept {
		k.dropped = k.changes[n-kept-1].number
		k.changes = slices.Clone(k.changes[n-kept:])
	}
	close(s.news)
	s.news = make(chan struct{})
	return r
}

// list are the objects of a resource, in one namespace or all.
func (s *store) list(resource, namespace string, want func(object) bool) (rows []row, number int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.kind(resource).rows
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if r := all[key]; (namespace == "" || r.text("namespace") == namespace) && want(r.object) {
			rows = append(rows, r)
		}
	}
	return rows, s.number
}

// since are the changes after a number, and what to wait on for more; not ok when
// some of them are forgotten.
func (s *store) since(resource string, number int64) (news []change, more <-chan struct{}, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kind(resource)
	if number < k.dropped {
		return nil, nil, false
	}
	i, _ := slices.BinarySearchFunc(k.changes, number+1, func(c change, n int64) int { return int(c.number - n) })
	return k.changes[i:len(k.changes):len(k.changes)], s.news, true
}

// merge lays one object over another; lists are replaced.
func merge(under, over map[string]any) {
	for k, v := range over {
		a, isMap := under[k].(map[string]any)
		b, both := v.(map[string]any)
		if isMap && both {
			merge(a, b)
			continue
		}
		under[k] = v
	}
}
