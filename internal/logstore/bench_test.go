package logstore_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/logstore"
)

// BenchmarkAppend stores lines of 100 bytes in batches as the shipper does.
func BenchmarkAppend(b *testing.B) {
	for _, batch := range []int{1, 100, 2500} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			s := setup(b, 0)
			w := s.writer(b)
			text := strings.Repeat("x", 100)
			lines := make([]logstore.Line, batch)
			b.SetBytes(int64(batch * 101))
			n := 0
			for b.Loop() {
				for i := range lines {
					n++
					lines[i] = logstore.Line{Time: epoch.Add(time.Duration(n) * time.Microsecond), Source: logstore.Output, Text: text}
				}
				s.write(b, w, lines)
			}
		})
	}
}

// BenchmarkWindow reads 1,000 lines by number from logs of three sizes: what it
// costs must not grow with the log.
func BenchmarkWindow(b *testing.B) {
	for _, size := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("lines=%d", size), func(b *testing.B) {
			s := setup(b, 0)
			w := s.writer(b)
			for i := 0; i < size; i += 2500 {
				s.write(b, w, outputs(i, 2500))
			}
			if err := s.store.Finish(s.ctx, s.attempt.ID, nil); err != nil {
				b.Fatal(err)
			}
			from := int64(0)
			for b.Loop() {
				from = (from + 7919) % int64(size-1000)
				if got := s.window(b, logstore.Query{FromLine: &from, Limit: 1000}); len(got.Lines) != 1000 {
					b.Fatal(len(got.Lines))
				}
			}
		})
	}
}

// BenchmarkDownload writes a log of 100,000 lines.
func BenchmarkDownload(b *testing.B) {
	s := setup(b, 0)
	w := s.writer(b)
	for i := 0; i < 100_000; i += 2500 {
		s.write(b, w, outputs(i, 2500))
	}
	for b.Loop() {
		if err := s.store.WriteTo(s.member, s.attempt.ID, io.Discard, logstore.Form{Times: true}); err != nil {
			b.Fatal(err)
		}
	}
}
