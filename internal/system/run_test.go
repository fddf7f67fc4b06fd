//go:build cluster

package system

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestRunEnds: each way in which a script can end has its state, its reason
// and a log that can be read.
func TestRunEnds(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	img := p.image(testkit.ImageMini, true)
	sh := func(script string) []string { return []string{"/bin/sh", "-c", script} }
	cases := map[string]struct {
		command []string
		more    vars
		state   string
		code    string // of the reason, or its beginning
		log     string // a part of it
	}{
		"success":                   {sh("echo fine"), nil, "SUCCEEDED", "", "fine"},
		"exit code":                 {sh("echo broken >&2; exit 3"), nil, "FAILED", "exit", "broken"},
		"no such command (P79)":     {[]string{"/no/such/program"}, nil, "FAILED", "command-not-found", "/no/such/program"},
		"no shell expands anything": {[]string{"/bin/echo", "$(HOME) $HOME `id` ; ls"}, nil, "SUCCEEDED", "", "$(HOME) $HOME `id` ; ls"},
		"timeout (P64)":             {sh("sleep 60"), vars{"timeoutSeconds": 3}, "TIMED_OUT", "deadline", ""},
		"out of memory (P75)":       {sh("x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done"), vars{"resources": vars{"cpu": "500m", "memory": "32Mi", "gpu": 0}}, "FAILED", "oom-killed", ""},
		"GPU":                       {sh("echo gpus=$NVIDIA_VISIBLE_DEVICES"), vars{"resources": vars{"cpu": "100m", "memory": "64Mi", "gpu": 1}}, "SUCCEEDED", "", "gpus="},
		"online class":              {sh("echo online"), vars{"class": "ONLINE"}, "SUCCEEDED", "", "online"},
		"binary output":             {sh("head -c 20000 /dev/urandom; echo; echo after"), nil, "SUCCEEDED", "", "after"},
		"output without newline":    {sh("head -c 300000 /dev/zero | tr '\\0' x"), nil, "SUCCEEDED", "", "xxxx"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			q := *p
			q.t = t
			more := vars{"name": name}
			for k, v := range c.more {
				more[k] = v
			}
			r := q.ended(q.runNow(team, img, c.command, more).ID, 2*time.Minute)
			code := ""
			if r.Reason != nil {
				code = r.Reason.Code
			}
			if r.State != c.state || !strings.HasPrefix(code, c.code) || (c.code == "" && code != "") {
				t.Fatalf("%s with %q (%+v), want %s with %q", r.State, code, r.Reason, c.state, c.code)
			}
			a := r.Attempts[len(r.Attempts)-1]
			if c.code == "exit" && (a.ExitCode == nil || *a.ExitCode != 3) {
				t.Errorf("exit code %v, want 3", a.ExitCode)
			}
			if name == "online class" && a.Node != "online" {
				t.Errorf("online work ran on %q; it prefers the pool when there is room", a.Node)
			}
			q.logComplete(a.ID)
			var text strings.Builder
			for _, line := range q.wholeLog(a.ID) {
				text.WriteString(line.Text + "\n")
			}
			if !strings.Contains(text.String(), c.log) {
				t.Errorf("the log lacks %q: %.500s", c.log, text.String())
			}
		})
	}
	l.nothingLeft(p, ns)
}

// TestP71StoppedIsGone: a script that ignores SIGTERM is stopping until it is
// gone; then the state says who stopped it.
func TestP71StoppedIsGone(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	r := p.runNow(team, p.image(testkit.ImageMini, true), []string{"/bin/sh", "-c", "trap '' TERM; echo deaf; while true; do sleep 1; done"}, nil)
	eventually(t, time.Minute, "it runs", func() error {
		if got := p.run(r.ID); got.State != "RUNNING" {
			return fmt.Errorf("%s", got.State)
		}
		return nil
	})
	p.act("stopRun", r.ID)
	p.act("stopRun", r.ID) // twice is once
	stopping := false
	eventually(t, 90*time.Second, "it is stopped", func() error {
		got := p.run(r.ID)
		stopping = stopping || got.State == "STOPPING"
		if got.State != "STOPPED" {
			return fmt.Errorf("%s", got.State)
		}
		return nil
	})
	if !stopping {
		t.Error("it was never STOPPING, though it ignored SIGTERM")
	}
	if pods := l.pods(ns, "goblinlab.io/run-id", r.ID); len(pods) > 0 {
		t.Errorf("stopped, and %d pods are there", len(pods))
	}
	l.nothingLeft(p, ns)
}

// TestP67RetryAndInterruption: a failure of the script's own uses up a retry,
// a pod that somebody deleted does not.
func TestP67RetryAndInterruption(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	img := p.image(testkit.ImageMini, true)
	r := p.runNow(team, img, []string{"/bin/sh", "-c", "echo attempt $GOBLINLAB_ATTEMPT; [ $GOBLINLAB_ATTEMPT = 2 ] && sleep 30; [ $GOBLINLAB_ATTEMPT = 3 ]"}, vars{"retries": 1})
	eventually(t, 90*time.Second, "the second attempt runs", func() error {
		r = *p.run(r.ID)
		if len(r.Attempts) < 2 || r.Attempts[1].State != "RUNNING" {
			return fmt.Errorf("%+v", r)
		}
		return nil
	})
	for _, pod := range l.pods(ns, "goblinlab.io/run-id", r.ID) {
		if pod.Labels["goblinlab.io/attempt"] == "2" {
			if err := l.kube.CoreV1().Pods(ns).Delete(t.Context(), pod.Name, now()); err != nil {
				t.Fatal(err)
			}
		}
	}
	r = p.ended(r.ID, 2*time.Minute)
	var states []string
	for _, a := range r.Attempts {
		states = append(states, a.State)
	}
	if got := strings.Join(states, " "); r.State != "SUCCEEDED" || got != "FAILED INTERRUPTED SUCCEEDED" {
		t.Errorf("run %s with attempts %s, want SUCCEEDED after FAILED INTERRUPTED SUCCEEDED", r.State, got)
	}
	l.nothingLeft(p, ns)
}

// TestTwoHundredMegabytes of output end in a clear state with a whole log.
func TestTwoHundredMegabytes(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	line := strings.Repeat("0123456789", 100)
	r := p.runNow(team, p.image(testkit.ImageMini, true), []string{"/bin/sh", "-c", "yes " + line + " | head -n 200000"}, vars{"resources": vars{"cpu": "1", "memory": "128Mi", "gpu": 0}})
	r = p.ended(r.ID, 5*time.Minute)
	wantState(t, r, "SUCCEEDED", "")
	p.logComplete(r.Attempts[0].ID)
	r = *p.run(r.ID)
	if got := r.Attempts[0].Log; got.Lines < 200_000 || got.Bytes < 200_000_000 || got.Truncated {
		t.Errorf("the log holds %d lines, %d bytes, truncated %v; want 200,000 lines and more than 200 MB", got.Lines, got.Bytes, got.Truncated)
	}
	l.nothingLeft(p, ns)
}
