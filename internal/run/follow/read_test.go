package follow

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/logstore"
)

// clean is what the store does with text.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// read is one connection: it stores what comes until the stream ends or breaks.
func read(ctx context.Context, w *logstore.Writer, n *node) (*stream, error) {
	body, err := n.Logs(ctx, "", "", "", w.Since(), false)
	if err != nil {
		return nil, err
	}
	s := &stream{w: w, batches: make(chan []logstore.Line, 1)}
	go s.read(ctx, body)
	err = s.write(ctx, func() bool { return true })
	for range s.batches {
	}
	_ = body.Close()
	return s, errors.Join(err, s.err)
}

// pieces draws a log: short lines and long ones, many with one time, some
// stamped a little out of order, as two streams of a container are.
func pieces(r *rapid.T, most int) []piece {
	at := time.Date(2026, 11, 29, 8, 0, 0, rapid.IntRange(0, 999_999_999).Draw(r, "first"), time.UTC)
	steps := rapid.SampledFrom([]time.Duration{0, 0, 1, 1000, 80 * time.Millisecond, 1100 * time.Millisecond, 5 * time.Second})
	sizes := rapid.SampledFrom([]int{0, 1, 7, 30, 30, 30, 30, logstore.MaxLine - 1, logstore.MaxLine, logstore.MaxLine + 1, 3*logstore.MaxLine + 5})
	var out []piece
	for i := range rapid.IntRange(0, most).Draw(r, "lines") {
		at = at.Add(steps.Draw(r, "step"))
		text := strings.Repeat(fmt.Sprintf("%d·训\xfe\x00 ", i), 3*logstore.MaxLine/8)[:sizes.Draw(r, "size")]
		for first := true; first || len(text) > 0; first = false { // as a runtime stores it
			n := min(len(text), logstore.MaxLine)
			out = append(out, piece{at, text[:n], n < len(text)})
			if text = text[n:]; len(text) > 0 {
				at = at.Add(steps.Draw(r, "within"))
			}
		}
	}
	return out
}

// TestReconnectsLoseAndDoubleNothing: whatever breaks and whoever is killed, each
// line is stored once (P77, P80, P81, P84).
func TestReconnectsLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rapid.Check(t, func(r *rapid.T) {
		n := newNode()
		n.add(pieces(r, 25)...)
		n.clean = rapid.Bool().Draw(r, "clean breaks")
		n.cuts = rapid.SliceOfN(rapid.IntRange(0, 120_000), 0, 6).Draw(r, "cuts")
		kills := rapid.SliceOfN(rapid.Bool(), len(n.cuts), len(n.cuts)).Draw(r, "kills")
		a := b.attempt(t)
		w, err := b.store.Writer(b.ctx, a.ID)
		if err != nil {
			r.Fatal(err)
		}
		for i := 0; len(n.cuts) > 0; i++ {
			_, _ = read(b.ctx, w, n)
			if kills[i] { // a new process knows only what is stored
				if w, err = b.store.Writer(b.ctx, a.ID); err != nil {
					r.Fatal(err)
				}
			}
		}
		if s, err := read(b.ctx, w, n); err != nil || s.tail != nil {
			r.Fatalf("the last read: %v, tail %v", err, s.tail)
		}
		if d := diff(b.stored(t, a.ID), want(n.pieces)); d != "" {
			r.Fatal(d)
		}
	})
}

// TestAHundredReconnects of whoever ships a log and of whoever reads it (P80):
// half of the shippers know only what is stored, each reader only its cursor.
func TestAHundredReconnects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, n := b.attempt(t), newNode()
	at := time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)
	const lines, breaks = 20_000, 100
	for i := range lines { // some with the same time
		n.add(piece{at.Add(time.Duration(i/3) * 30 * time.Millisecond), fmt.Sprintf("line %d with some words behind it", i), false})
	}
	dice := rand.New(rand.NewPCG(1, 2))
	for range breaks {
		n.cuts = append(n.cuts, 6_000+dice.IntN(20_000))
	}
	w, err := b.store.Writer(b.ctx, a.ID)
	if err != nil {
		t.Fatal(err)
	}
	var live []logstore.Line
	cursor := ""
	look := func(most int) bool {
		got, err := b.store.Window(b.ctx, a.ID, logstore.Query{After: cursor, Limit: most})
		if err != nil {
			t.Fatal(err)
		}
		live, cursor = append(live, got.Lines...), got.Cursor
		return len(got.Lines) > 0
	}
	for i := 0; len(n.cuts) > 0; i++ {
		n.clean = i%3 == 0
		if _, err := read(b.ctx, w, n); err == nil != n.clean {
			t.Fatalf("connection %d ended so: %v", i, err)
		}
		if i%2 == 0 {
			if w, err = b.store.Writer(b.ctx, a.ID); err != nil {
				t.Fatal(err)
			}
		}
		look(1 + dice.IntN(300))
	}
	if _, err := read(b.ctx, w, n); err != nil {
		t.Fatal(err)
	}
	for more := true; more; {
		more = look(1000)
	}
	if d := diff(live, want(n.pieces)); d != "" {
		t.Errorf("read: %s", d)
	}
	if d := diff(b.stored(t, a.ID), want(n.pieces)); d != "" {
		t.Errorf("stored: %s", d)
	}
	if n.opens != breaks+1 {
		t.Errorf("%d connections, want %d", n.opens, breaks+1)
	}
}

// TestRotationIsSaid: the node has put lines away that nobody read.
func TestRotationIsSaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.attempt(t)
	at := time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)
	n := newNode()
	n.add(piece{at, "one", false})
	w, err := b.store.Writer(b.ctx, a.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(b.ctx, w, n); err != nil {
		t.Fatal(err)
	}
	n.pieces = nil
	n.add(piece{at.Add(time.Minute), "nine", false})
	if _, err := read(b.ctx, w, n); err != nil {
		t.Fatal(err)
	}
	got := b.stored(t, a.ID)
	if len(got) != 3 || got[1].Source != logstore.Platform || !strings.Contains(got[1].Text, "may be missing") || got[2].Text != "nine" {
		t.Errorf("the log is %+v", got)
	}
}

func TestScannerReadsWhatKubeletsSay(t *testing.T) {
	t.Parallel()
	stamp := "2026-11-29T08:00:00.000000001Z "
	for name, c := range map[string]struct {
		in   string
		want []part
		err  error
	}{
		"nothing":                     {"", nil, nil},
		"a line":                      {stamp + "hello\n", []part{{text: "hello", first: true}}, nil},
		"an empty line":               {stamp + "\n" + stamp + "x\n", []part{{text: "", first: true}, {text: "x", first: true}}, nil},
		"a line that looks stamped":   {stamp + stamp + "x\n", []part{{text: stamp + "x", first: true}}, nil},
		"no newline at the end":       {stamp + "hel", []part{{text: "hel", first: true, open: true}}, nil},
		"a stamp and nothing":         {strings.TrimSuffix(stamp, " ") + "\n", []part{{text: "", first: true}}, nil},
		"no stamp":                    {"rubbish\n", []part{{text: "rubbish", first: true}}, nil},
		"carriage returns":            {stamp + "10%\r20%\n", []part{{text: "10%\r20%", first: true}}, nil},
		"the node has lost it":        {"unable to retrieve container logs for containerd://abc", nil, errLost},
		"a line as long as one gets":  {stamp + strings.Repeat("x", logstore.MaxLine) + "\n", []part{{text: strings.Repeat("x", logstore.MaxLine), first: true}}, nil},
		"a line that is a bit longer": {stamp + strings.Repeat("x", logstore.MaxLine+1) + "\n", []part{{text: strings.Repeat("x", logstore.MaxLine), first: true, partial: true}, {text: "x"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, step := range []int{1, 7, 1 << 20} {
				s := newScanner(&slow{c.in, step}, 0)
				var got []part
				var err error
				for {
					p, ok, e := s.next()
					if e != nil {
						err = e
						break
					}
					if ok {
						p.time = time.Time{}
						got = append(got, p)
					} else if !s.fill() {
						break
					}
				}
				if !errors.Is(err, c.err) || fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("%d bytes at a time: %.200v, %v", step, got, err)
				}
			}
		})
	}
}

// FuzzScanner: no input makes it fail or grow, and how it arrives changes nothing.
func FuzzScanner(f *testing.F) {
	f.Add("2026-11-29T08:00:00Z a\n2026-11-29T08:00:01Z b", 3)
	f.Add("\n\n \n", 1)
	f.Add(strings.Repeat("2026-11-29T08:00:00Z \xff\x00", 3000), 4096)
	f.Fuzz(func(t *testing.T, in string, step int) {
		all := func(step int) (out []part) {
			s := newScanner(&slow{in, step}, 0)
			for {
				p, ok, err := s.next()
				if err != nil {
					return out
				}
				if ok {
					if len(p.text) > logstore.MaxLine {
						t.Fatalf("a part of %d bytes", len(p.text))
					}
					out = append(out, p)
				} else if !s.fill() {
					return out
				}
			}
		}
		if len(in) > 200_000 {
			return
		}
		if a, b := fmt.Sprint(all(max(1, step%5000))), fmt.Sprint(all(1<<20)); a != b {
			t.Fatalf("in steps of %d: %.200s, at once: %.200s", step, a, b)
		}
	})
}

type slow struct {
	rest string
	step int
}

func (s *slow) Read(b []byte) (int, error) {
	n := copy(b[:min(len(b), s.step)], s.rest)
	s.rest = s.rest[n:]
	if n == 0 {
		return 0, errEnd
	}
	return n, nil
}

var errEnd = errors.New("no more")
