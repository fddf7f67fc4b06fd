package work

// turns are the wake-ups that wait. Kinds take turns, and within a kind first
// come, first served: a thousand flow runs that are due together do not keep
// their own tasks waiting, nor somebody's instance.
type turns struct {
	kinds []kind
	next  int // whose turn it is
	n     int
}

// kind is the line of one kind; what was taken from it stands before head.
type kind struct {
	name string
	line []Key
	head int
}

// Touch implements workqueue.Queue: what waits keeps its place.
func (*turns) Touch(Key) {}

// Push implements workqueue.Queue.
func (t *turns) Push(k Key) {
	t.n++
	for i := range t.kinds {
		if t.kinds[i].name == k.Kind {
			t.kinds[i].line = append(t.kinds[i].line, k)
			return
		}
	}
	t.kinds = append(t.kinds, kind{name: k.Kind, line: []Key{k}})
}

// Len implements workqueue.Queue.
func (t *turns) Len() int { return t.n }

// Pop implements workqueue.Queue; there is one.
func (t *turns) Pop() Key {
	for {
		q := &t.kinds[t.next%len(t.kinds)]
		t.next = (t.next + 1) % len(t.kinds)
		if q.head == len(q.line) {
			continue
		}
		k := q.line[q.head]
		q.line[q.head] = Key{}
		if q.head++; 2*q.head >= len(q.line) { // a line that is never empty does not grow for ever
			q.line = q.line[:copy(q.line, q.line[q.head:])]
			q.head = 0
		}
		t.n--
		return k
	}
}
