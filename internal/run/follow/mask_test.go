package follow

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/mask"
)

const hush = "s3cret-s3cret-s3cret"

func masker() *mask.Masker {
	return mask.New([][]byte{[]byte(hush)}, mask.Tokens{Prefix: "gbl_", Length: 14, Is: func(string) bool { return true }})
}

// TestP96NoSecretGetsIntoALog breaks connections anywhere, begins anew with a
// new crew, and has lines far longer than a stored one.
func TestP96NoSecretGetsIntoALog(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)
	b := setup(t)
	rapid.Check(t, func(r *rapid.T) {
		a, src, n := b.attempt(t), newAttempts(b.store), newNode()
		src.masker = masker()
		var all strings.Builder
		for i := range rapid.IntRange(1, 6).Draw(r, "lines") {
			var line strings.Builder
			for range rapid.IntRange(1, 4).Draw(r, "pieces") {
				// A secret may begin anywhere near the end of a stored part.
				line.WriteString(strings.Repeat("x", rapid.SampledFrom([]int{0, 3, logstore.MaxLine - 40, logstore.MaxLine - 30, logstore.MaxLine - 10, logstore.MaxLine}).Draw(r, "size")+rapid.IntRange(0, 30).Draw(r, "more")))
				line.WriteString(rapid.SampledFrom([]string{hush, "gbl_abcdefghij", hush + hush, ""}).Draw(r, "secret"))
			}
			n.add(piece{at.Add(time.Duration(i) * time.Second), line.String(), false})
			all.WriteString(line.String() + "\n")
		}
		n.end()
		for range rapid.IntRange(0, 3).Draw(r, "breaks") {
			n.cuts = append(n.cuts, rapid.IntRange(1, all.Len()).Draw(r, "break"))
		}
		src.set(a.ID, Ended, pod(true, true))
		b.ship(t, b.crew(src, n), src)
		var out strings.Builder
		if err := b.store.WriteTo(b.ctx, a.ID, &out, logstore.Form{}); err != nil {
			r.Fatal(err)
		}
		if got, want := out.String(), masker(); strings.Contains(got, hush) || strings.Contains(got, "gbl_a") {
			r.Fatalf("a secret is in a log of %d bytes", len(got))
		} else if squeeze(got) != squeeze(maskLines(want, all.String())) {
			r.Fatalf("the log has %d bytes, want %d", len(got), len(maskLines(want, all.String())))
		}
	})
}

func maskLines(m *mask.Masker, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(m.Whole(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return out.String()
}

func squeeze(s string) string {
	for strings.Contains(s, mask.Hidden+mask.Hidden) {
		s = strings.ReplaceAll(s, mask.Hidden+mask.Hidden, mask.Hidden)
	}
	return s
}

// TestP96NotEvenAcrossARotation has the node begin a new file in the middle of a secret.
func TestP96NotEvenAcrossARotation(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)
	for cut := 1; cut < len(hush); cut += 3 {
		b := setup(t)
		a, src, n := b.attempt(t), newAttempts(b.store), newNode()
		src.masker = masker()
		first := "begin " + hush[:cut]
		n.add(piece{at, "one", false}, piece{at.Add(time.Second), first, true})
		n.clean, n.cuts = true, []int{len("2026-11-29T08:00:00Z one\n2026-11-29T08:00:01Z " + first)}
		n.broken = func() {
			n.pieces = []piece{{at.Add(time.Minute), hush[cut:] + " end", false}}
			n.ended = true
			src.set(a.ID, Ended, pod(true, true))
		}
		src.set(a.ID, Running, pod(true, false))
		b.ship(t, b.crew(src, n), src)
		var out strings.Builder
		if err := b.store.WriteTo(b.ctx, a.ID, &out, logstore.Form{}); err != nil {
			t.Fatal(err)
		}
		if want := "one\nbegin *** end\n"; out.String() != want {
			t.Errorf("cut at %d the log is %q, want %q", cut, out.String(), want)
		}
	}
}
