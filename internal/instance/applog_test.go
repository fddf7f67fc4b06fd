package instance

import (
	"testing"
	"time"
)

func TestAppLogLines(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 3, 4, 5, 6, 7_000_000, time.UTC)
	type want struct {
		at   *time.Time
		text string
	}
	for name, tc := range map[string]struct {
		text string
		want []want
	}{
		"nothing":                    {"", nil},
		"a time and a text":          {"2026-02-03T04:05:06.007Z hello  there\n", []want{{&at, "hello  there"}}},
		"an empty line":              {"2026-02-03T04:05:06.007Z \n", []want{{&at, ""}}},
		"a line without a time":      {"Traceback (most\n", []want{{nil, "Traceback (most"}}},
		"no line break at the end":   {"2026-02-03T04:05:06.007Z cut", []want{{&at, "cut"}}},
		"bytes that are no text":     {"2026-02-03T04:05:06.007Z a\xffb\n", []want{{&at, "a\uFFFDb"}}},
		"two lines in their order":   {"2026-02-03T04:05:06.007Z a\n2026-02-03T04:05:06.007Z b\n", []want{{&at, "a"}, {&at, "b"}}},
		"colours are left to others": {"2026-02-03T04:05:06.007Z \x1b[31mred\n", []want{{&at, "\x1b[31mred"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := appLogLines(tc.text)
			if len(got) != len(tc.want) || got == nil {
				t.Fatalf("got %+v", got)
			}
			for i, w := range tc.want {
				if got[i].Text != w.text || (got[i].At == nil) != (w.at == nil) || w.at != nil && !got[i].At.Equal(*w.at) {
					t.Errorf("line %d is %v %q, want %v %q", i, got[i].At, got[i].Text, w.at, w.text)
				}
			}
		})
	}
}
