package work

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestKindsTakeTurns: what waits comes out once, in its kind's order, and no
// kind waits for more than one of each other kind.
func TestKindsTakeTurns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var q turns
		want, made := map[string][]Key{}, 0
		waited := map[string]map[string]int{} // by kind that waits: those that came out meanwhile
		n := 0
		r.Repeat(map[string]func(*rapid.T){
			"push": func(r *rapid.T) {
				k := Key{rapid.SampledFrom([]string{"run", "flow-run", "instance"}).Draw(r, "kind"), fmt.Sprint(made)}
				made, n = made+1, n+1
				q.Push(k)
				want[k.Kind] = append(want[k.Kind], k)
			},
			"pop": func(r *rapid.T) {
				if n == 0 {
					return
				}
				n--
				got := q.Pop()
				line := want[got.Kind]
				if len(line) == 0 || line[0] != got {
					r.Fatalf("%v came out, but %v waits", got, line)
				}
				want[got.Kind] = line[1:]
				delete(waited, got.Kind)
				for kind, line := range want {
					if len(line) == 0 {
						delete(waited, kind)
						continue
					}
					if kind == got.Kind {
						continue
					}
					if waited[kind] == nil {
						waited[kind] = map[string]int{}
					}
					if waited[kind][got.Kind]++; waited[kind][got.Kind] > 2 {
						r.Fatalf("%s waits while %s came out %d times", kind, got.Kind, waited[kind][got.Kind])
					}
				}
			},
			"": func(r *rapid.T) {
				if q.Len() != n {
					r.Fatalf("%d wait, it says %d", n, q.Len())
				}
			},
		})
	})
}
