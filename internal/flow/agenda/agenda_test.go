package agenda

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A heap that is changed at random hands out the same as a list that is sorted.
func TestItIsWhatASortedListIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, model := New(), map[string]time.Time{}
		id := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "id")) })
		at := rapid.Custom(func(t *rapid.T) time.Time { return time.Unix(int64(rapid.IntRange(0, 50).Draw(t, "at")), 0) })
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				i, x := id.Draw(t, "i"), at.Draw(t, "x")
				a.Set(i, x)
				model[i] = x
			},
			"drop": func(t *rapid.T) {
				i := id.Draw(t, "i")
				a.Drop(i)
				delete(model, i)
			},
			"keep": func(t *rapid.T) {
				keep := map[string]bool{}
				for i := range model {
					keep[i] = rapid.Bool().Draw(t, i)
				}
				a.Keep(keep)
				for i := range keep {
					if !keep[i] {
						delete(model, i)
					}
				}
			},
			"take": func(t *rapid.T) {
				now := at.Draw(t, "now")
				ids, next, more := a.take(now, 1000)
				var want []string
				var first time.Time
				for i, x := range model {
					if !x.After(now) {
						want = append(want, i)
						delete(model, i)
					} else if first.IsZero() || x.Before(first) {
						first = x
					}
				}
				slices.Sort(ids)
				slices.Sort(want)
				if !slices.Equal(ids, want) || more != (len(model) > 0) || more && !next.Equal(first) {
					t.Fatalf("at %d it gave %v and %v %v, want %v and %v", now.Unix(), ids, next, more, want, first)
				}
			},
			"": func(t *rapid.T) {
				if a.Len() != len(model) {
					t.Fatalf("%d are in it, want %d", a.Len(), len(model))
				}
			},
		})
	})
}

func TestWhatIsSetEarlierWakesIt(t *testing.T) {
	t.Parallel()
	a := New()
	ctx, stop := context.WithCancel(t.Context())
	fired := make(chan string, 2)
	var wg sync.WaitGroup
	a.Set("late", time.Now().Add(time.Hour))
	wg.Go(func() {
		a.Run(ctx, Loop{Now: time.Now, Lanes: 2, Every: time.Hour, Look: func(context.Context) {}, Fire: func(_ context.Context, id string) { fired <- id }})
	})
	a.Set("soon", time.Now().Add(20*time.Millisecond))
	select {
	case id := <-fired:
		if id != "soon" {
			t.Errorf("%s fired", id)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing fired")
	}
	stop()
	wg.Wait()
	if a.Len() != 1 {
		t.Errorf("%d are left", a.Len())
	}
}
