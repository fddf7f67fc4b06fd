package gateway_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

// term is a terminal's socket with what came over it.
type term struct {
	t *testing.T
	*websocket.Conn
	out  string
	last map[string]any // the last control message
}

func (w *world) terminal(b *servertest.Browser, instanceID, query string) *term {
	w.t.Helper()
	c, _, err := b.Dial("/terminal/"+instanceID+query, "")
	if err != nil {
		w.t.Fatalf("terminal: %v", err)
	}
	w.t.Cleanup(func() { _ = c.Close() })
	return &term{t: w.t, Conn: c}
}

func (x *term) send(text string) {
	x.t.Helper()
	if err := x.WriteMessage(websocket.BinaryMessage, []byte(text)); err != nil {
		x.t.Fatal(err)
	}
}

// until reads until the output holds a text, or the connection ends.
func (x *term) until(text string) bool {
	x.t.Helper()
	for !strings.Contains(x.out, text) {
		_ = x.SetReadDeadline(time.Now().Add(10 * time.Second))
		kind, b, err := x.ReadMessage()
		if err != nil {
			return false
		}
		if kind == websocket.BinaryMessage {
			x.out += string(b)
			continue
		}
		x.last = nil
		if err := json.Unmarshal(b, &x.last); err != nil {
			x.t.Fatal(err)
		}
	}
	return true
}

func (x *term) end() map[string]any {
	x.t.Helper()
	x.until("\x00never")
	return x.last
}

func TestATerminalTypesResizesAndTellsHowItEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	x := w.terminal(w.SignIn(t, w.Cast.Member), i.ID, "?cols=120&rows=40&tab=a")
	x.send("echo sum $((40+2))\n")
	if !x.until("sum 42") {
		t.Fatalf("output %q, %v", x.out, x.last)
	}
	if got := <-w.pods.started; got != w.Cast.Team.Namespace+"/"+i.ObjectName+"-0/notebook" {
		t.Errorf("the shell is in %s", got)
	}
	if got := <-w.pods.widths; got != 120 {
		t.Errorf("%d columns at first", got)
	}
	if err := x.WriteMessage(websocket.TextMessage, []byte(`{"type":"resize","cols":99,"rows":50}`)); err != nil {
		t.Fatal(err)
	}
	if got := <-w.pods.widths; got != 99 {
		t.Errorf("%d columns after resizing", got)
	}
	for _, bad := range []string{`{"type":"resize","cols":0,"rows":0}`, `{"type":"resize","cols":70000}`, `nonsense`, `{}`} {
		if err := x.WriteMessage(websocket.TextMessage, []byte(bad)); err != nil {
			t.Fatal(err)
		}
	}
	x.send("exit 7\n")
	if got := x.end(); got["type"] != "exit" || got["code"] != float64(7) {
		t.Errorf("the end is %v", got)
	}
	eventually(t, "the audit", func() bool {
		n := w.DB.Client.Audit.Query().Where(audit.ObjectID(i.ID), audit.ActionIn("instance.open-terminal", "instance.close-terminal"), audit.ActorID(w.Cast.Member.ID)).CountX(w.sys)
		return n == 2
	})
	end := w.DB.Client.Audit.Query().Where(audit.Action("instance.close-terminal")).OnlyX(w.sys)
	if in, out := end.After["bytesIn"], end.After["bytesOut"]; in != float64(len("echo sum $((40+2))\nexit 7\n")) || out == float64(0) || end.After["seconds"] == nil {
		t.Errorf("the end says %v", end.After)
	}
}

func TestAReloadComesBackToTheShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	b := w.SignIn(t, w.Cast.Member)
	x := w.terminal(b, i.ID, "?tab=a")
	x.send("mine=kept; echo first\n")
	if !x.until("first") {
		t.Fatal(x.out)
	}
	_ = x.Close()
	y := w.terminal(b, i.ID, "?tab=a")
	if !y.until("first") {
		t.Errorf("what was put out before is not shown again: %q", y.out)
	}
	y.send("echo again $mine\n")
	if !y.until("again kept") {
		t.Errorf("it is another shell: %q", y.out)
	}
	z := w.terminal(b, i.ID, "?tab=b")
	z.send("echo other [$mine]\n")
	if !z.until("other []") {
		t.Errorf("another tab is the same shell: %q", z.out)
	}
	// The same tab in a second window takes the shell over.
	again := w.terminal(b, i.ID, "?tab=a")
	if !again.until("again kept") {
		t.Error(again.out)
	}
	if got := y.end(); got["type"] != "error" {
		t.Errorf("the first window hears %v", got)
	}
}

func TestNobodyElseGetsAShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	stopped := w.instance(nil)
	w.stop(stopped)
	for name, c := range map[string]struct {
		who *ent.User
		id  string
	}{
		"a maintainer":     {w.Cast.Maintainer, i.ID},
		"an administrator": {w.Cast.Admin, i.ID},
		"another team":     {w.Cast.Other, i.ID},
		"nobody":           {nil, i.ID},
		"not running":      {w.Cast.Member, stopped.ID},
		"no such one":      {w.Cast.Member, "ins-nothing"},
	} {
		b := w.Stranger(t)
		if c.who != nil {
			b = w.SignIn(t, c.who)
		}
		got := w.terminal(b, c.id, "").end()
		if got["type"] != "error" || got["message"] == "" {
			t.Errorf("%s: %v", name, got)
		}
	}
	if len(w.pods.started) != 0 {
		t.Error("a shell was started")
	}
	if c, status, err := w.SignIn(t, w.Cast.Member).Dial("/terminal/"+i.ID, "https://evil.example"); err == nil {
		_ = c.Close()
		t.Error("another origin was let in")
	} else if status != http.StatusForbidden {
		t.Errorf("another origin: %v", err)
	}
}

func TestAShellEndsWithTheInstanceAndShellsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	b := w.SignIn(t, w.Cast.Member)
	b.Language = "zh-CN"
	var open []*term
	for range 20 {
		open = append(open, w.terminal(b, i.ID, ""))
		<-w.pods.started
	}
	if got := w.terminal(b, i.ID, "").end(); got["type"] != "error" || !strings.Contains(got["message"].(string), "20") {
		t.Errorf("one too many: %v", got)
	}
	w.stop(i)
	for _, x := range open {
		if got := x.end(); got["type"] != "error" || got["message"] == "" {
			t.Errorf("the end is %v", got)
		}
	}
	eventually(t, "the end of all shells", func() bool {
		return w.DB.Client.Audit.Query().Where(audit.Action("instance.close-terminal")).CountX(w.sys) == 20
	})
}

func TestAFloodOfOutputArrivesWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	x := w.terminal(w.SignIn(t, w.Cast.Member), i.ID, "")
	x.send("n=0; while [ $n -lt 20000 ]; do n=$((n+1)); echo line-$n; done; exit\n")
	if got := x.end(); got["type"] != "exit" {
		t.Fatalf("the end is %v", got)
	}
	if n := strings.Count(x.out, "line-"); n < 20000 || !strings.Contains(x.out, "line-20000") {
		t.Errorf("%d lines", n)
	}
}
