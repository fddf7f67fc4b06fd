//go:build cluster

package system

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestHundredThousandLines: the subscription, cut off five times, and the
// stored log are complete, in order, without a line twice (P77 to P84).
func TestHundredThousandLines(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	const n = 100_000
	script := fmt.Sprintf(`i=0; while [ $i -lt %d ]; do echo "line $i of the log, with some words behind it"; i=$((i+1)); done`, n)
	r := p.runNow(team, p.image(testkit.ImageMini, true), []string{"/bin/sh", "-c", script}, nil)
	eventually(t, 60*time.Second, "there is an attempt", func() error {
		if r = *p.run(r.ID); len(r.Attempts) == 0 {
			return fmt.Errorf("none yet")
		}
		return nil
	})
	attempt := r.Attempts[0].ID

	live := p.followLog(attempt, n/6)
	wantState(t, p.ended(r.ID, 2*time.Minute), "SUCCEEDED", "")
	wantLines(t, "the subscription over five reconnects", outputs(live), n)
	p.logComplete(attempt)
	stored := p.wholeLog(attempt)
	wantLines(t, "the stored log", outputs(stored), n)
	for i, s := range stored {
		if s.Number != int64(i) {
			t.Fatalf("line %d carries the number %d", i, s.Number)
		}
	}
	res, err := p.http.Get(l.url + "/api/logs/" + attempt)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || strings.Count(string(text), "of the log, with some words behind it\n") != n {
		t.Errorf("the download: %s, %d bytes, %v", res.Status, len(text), err)
	}
	eventually(t, time.Minute, "the pod is gone (P77)", func() error {
		if pods := l.pods(ns, "goblinlab.io/run-id", r.ID); len(pods) > 0 {
			return fmt.Errorf("%d pods", len(pods))
		}
		return nil
	})
	wantLines(t, "the log after its pod", outputs(p.wholeLog(attempt)), n)
}

// followLog reads a log by subscription and cuts the connection off five
// times, each after some more lines, going on from the cursor.
func (p *person) followLog(attempt string, each int) []logLine {
	p.t.Helper()
	var lines []logLine
	var after any
	cuts := 0
	for {
		s := p.subscribe(`subscription($a: ID!, $after: String) { logAppended(attemptId: $a, after: $after) { cursor complete lines { number text source partial } } }`,
			vars{"a": attempt, "after": after})
		got := 0
		for cuts >= 5 || got < each {
			var d struct{ LogAppended window }
			done, err := s.next(60*time.Second, &d)
			if err != nil {
				p.t.Fatalf("log after %d lines and %d cuts: %v", len(lines), cuts, err)
			}
			lines = append(lines, d.LogAppended.Lines...)
			got += len(d.LogAppended.Lines)
			if d.LogAppended.Cursor != "" {
				after = d.LogAppended.Cursor
			}
			if done || d.LogAppended.Complete {
				s.close()
				if cuts < 5 {
					p.t.Errorf("the log was over after %d cuts; the test wants 5", cuts)
				}
				return lines
			}
		}
		s.close()
		cuts++
	}
}

func wantLines(t testing.TB, what string, got []string, n int) {
	t.Helper()
	for i := range max(len(got), n) {
		if i >= len(got) || i >= n || got[i] != fmt.Sprintf("line %d of the log, with some words behind it", i) {
			t.Errorf("%s: %d lines, wrong at %d: %q", what, len(got), i, got[max(0, min(i-1, len(got))):min(len(got), i+2)])
			return
		}
	}
}
