// Package event tells processes what changed. A message carries no state, only
// what to read again: a topic, an id and a version. Losing one costs latency.
package event

import (
	"context"
	"sync"
)

// Message says that an object changed.
type Message struct {
	Topic   string `json:"t"` // instance, run, attempt-log, event, volume, team
	ID      string `json:"i"`
	TeamID  string `json:"m,omitempty"`
	Version int64  `json:"v,omitempty"`
}

// Publisher sends messages; it never blocks for long and never fails the caller.
type Publisher interface {
	Publish(ctx context.Context, m Message)
}

// Broker delivers messages to subscribers in this process.
type Broker interface {
	Publisher
	// Subscribe gives messages of a topic, of one id if it is not empty. A
	// subscriber that does not read keeps the newest message per id and loses
	// the older ones: every message means "read again". The channel closes
	// when ctx ends.
	Subscribe(ctx context.Context, topic, id string) <-chan Message
}

// Local is a broker inside one process.
type Local struct {
	mu   sync.RWMutex
	subs map[*subscriber]struct{}
}

// NewLocal makes one.
func NewLocal() *Local { return &Local{subs: map[*subscriber]struct{}{}} }

var _ Broker = (*Local)(nil)

type subscriber struct {
	topic, id string
	mu        sync.Mutex
	pending   []Message      // in order of first arrival
	index     map[string]int // id to its place in pending
	wake      chan struct{}
}

func (s *subscriber) put(m Message) {
	s.mu.Lock()
	if i, ok := s.index[m.ID]; ok {
		s.pending[i] = m
	} else {
		s.index[m.ID] = len(s.pending)
		s.pending = append(s.pending, m)
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *subscriber) take() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.pending
	s.pending, s.index = nil, map[string]int{}
	return out
}

// Publish hands a message to every subscriber of its topic.
func (l *Local) Publish(_ context.Context, m Message) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for s := range l.subs {
		if s.topic == m.Topic && (s.id == "" || s.id == m.ID) {
			s.put(m)
		}
	}
}

// Subscribe implements Broker.
func (l *Local) Subscribe(ctx context.Context, topic, id string) <-chan Message {
	s := &subscriber{topic: topic, id: id, index: map[string]int{}, wake: make(chan struct{}, 1)}
	l.mu.Lock()
	l.subs[s] = struct{}{}
	l.mu.Unlock()
	out := make(chan Message)
	go func() {
		defer close(out)
		defer func() {
			l.mu.Lock()
			delete(l.subs, s)
			l.mu.Unlock()
		}()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.wake:
			}
			for _, m := range s.take() {
				select {
				case out <- m:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}

// Subscribers counts live subscriptions, for leak tests and metrics.
func (l *Local) Subscribers() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.subs)
}
