package agenda

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

const (
	stepBack = time.Second // a clock that went back further has the rows looked at again
	noticed  = time.Second // within which a clock that jumps is noticed
	batch    = 512         // taken at once, so that the first fire while the others are taken
)

// entry is something in the heap.
type entry struct {
	id string
	at time.Time
	i  int // its place
}

// entries is a heap by time.
type entries []*entry

func (l entries) Len() int           { return len(l) }
func (l entries) Less(a, b int) bool { return l[a].at.Before(l[b].at) }
func (l entries) Swap(a, b int) {
	l[a], l[b] = l[b], l[a]
	l[a].i, l[b].i = a, b
}

// Push implements heap.Interface.
func (l *entries) Push(x any) {
	e := x.(*entry)
	e.i = len(*l)
	*l = append(*l, e)
}

// Pop implements heap.Interface.
func (l *entries) Pop() any {
	last := len(*l) - 1
	e := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	return e
}

// Agenda is what is due when.
type Agenda struct {
	mu    sync.Mutex
	list  entries
	byID  map[string]*entry
	waken chan struct{} // something is due earlier than was thought
}

// New makes an empty one.
func New() *Agenda { return &Agenda{byID: map[string]*entry{}, waken: make(chan struct{}, 1)} }

// Len is how much is in it.
func (a *Agenda) Len() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.list)
}

// Set says when something is due.
func (a *Agenda) Set(id string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.byID[id]
	if e == nil {
		e = &entry{id: id, at: at}
		a.byID[id] = e
		heap.Push(&a.list, e)
	} else {
		e.at = at
		heap.Fix(&a.list, e.i)
	}
	if a.list[0] == e {
		select {
		case a.waken <- struct{}{}:
		default:
		}
	}
}

// Drop takes something out.
func (a *Agenda) Drop(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := a.byID[id]; e != nil {
		heap.Remove(&a.list, e.i)
		delete(a.byID, id)
	}
}

// Keep drops what is not in a set.
func (a *Agenda) Keep(ids map[string]bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, e := range a.byID {
		if !ids[id] {
			heap.Remove(&a.list, e.i)
			delete(a.byID, id)
		}
	}
}

// take gives what is due now, at most so much of it, and when the next is.
func (a *Agenda) take(now time.Time, most int) (ids []string, next time.Time, more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.list) > 0 && len(ids) < most {
		if e := a.list[0]; e.at.After(now) {
			return ids, e.at, true
		}
		e := heap.Pop(&a.list).(*entry)
		delete(a.byID, e.id)
		ids = append(ids, e.id)
	}
	return ids, time.Time{}, false
}

// Loop is how an agenda is worked through.
type Loop struct {
	Now   func() time.Time
	Lanes int                                  // how much fires at once
	Every time.Duration                        // how often the rows are looked at
	Look  func(ctx context.Context)            // has the agenda say what the rows say
	Fire  func(ctx context.Context, id string) // what is due
}

// Run hands out what is due until ctx ends, and waits for what fires.
func (a *Agenda) Run(ctx context.Context, l Loop) {
	var wg sync.WaitGroup
	defer wg.Wait()
	queue := make(chan string, batch) // what waits in it is lost with this process, as the heap is
	for range l.Lanes {
		wg.Go(func() {
			for id := range queue {
				l.Fire(ctx, id)
			}
		})
	}
	defer close(queue)
	looked := time.Time{}
	for ctx.Err() == nil {
		if now := l.Now(); now.Sub(looked) >= l.Every || now.Before(looked.Add(-stepBack)) {
			l.Look(ctx)
			looked = now
		}
		ids, next, more := a.take(l.Now(), batch)
		for _, id := range ids {
			select {
			case queue <- id:
			case <-ctx.Done():
				return
			}
		}
		if len(ids) > 0 {
			continue
		}
		wait := looked.Add(l.Every).Sub(l.Now())
		if more {
			wait = min(wait, next.Sub(l.Now()))
		}
		t := time.NewTimer(max(min(wait, noticed), time.Millisecond))
		select {
		case <-ctx.Done():
		case <-a.waken:
		case <-t.C:
		}
		t.Stop()
	}
}
