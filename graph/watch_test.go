package graph_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const watchInstance = `subscription($id: ID!) { instanceChanged(id: $id) { id state version reason { text } } }`

type seenInstance struct {
	InstanceChanged struct {
		ID, State string
		Version   int64
		Reason    *struct{ Text string }
	}
}

func (w *world) next(s *servertest.Socket) seenInstance {
	w.t.Helper()
	f := s.Next()
	if f.Type != "next" {
		w.t.Fatalf("%s %s", f.Type, f.Payload)
	}
	var out seenInstance
	if err := json.Unmarshal(f.Answer(w.t).Data, &out); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// eventually waits for something that another goroutine brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

func TestASubscriptionGivesTheStateThenEachChangeAndEndsWithTheRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance()
	s := w.SignIn(t, w.Cast.Member).Socket()
	s.Subscribe("1", watchInstance, map[string]any{"id": i.ID})
	if got := w.next(s).InstanceChanged; got.ID != i.ID || got.State != "STOPPED" || got.Version != 1 {
		t.Errorf("first %+v", got)
	}
	w.touch(i, instance.StatePending)
	if got := w.next(s).InstanceChanged; got.State != "PENDING" || got.Version != 2 {
		t.Errorf("then %+v", got)
	}
	// The same again says nothing; what comes next does.
	w.Broker.Publish(w.sys, event.Message{Topic: "instance", ID: i.ID, TeamID: i.TeamID, Version: 2})
	w.touch(i, instance.StateRunning)
	if got := w.next(s).InstanceChanged; got.State != "RUNNING" || got.Version != 3 {
		t.Errorf("then %+v", got)
	}
	if err := w.DB.Client.Instance.DeleteOneID(i.ID).Exec(w.sys); err != nil {
		t.Fatal(err)
	}
	w.Broker.Publish(w.sys, event.Message{Topic: "instance", ID: i.ID, TeamID: i.TeamID})
	if f := s.Next(); f.Type != "complete" {
		t.Errorf("the row is gone: %s %s", f.Type, f.Payload)
	}
}

func TestWhoLeavesTheTeamHearsNothingMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i, a := w.instance(), w.attempt()
	s := w.SignIn(t, w.Cast.Viewer).Socket()
	s.Subscribe("one", watchInstance, map[string]any{"id": i.ID})
	if f := s.Next(); f.Type != "next" {
		t.Fatalf("%+v", f)
	}
	s.Subscribe("all", `subscription { instancesChanged { id } }`, nil)
	s.Subscribe("events", `subscription($id: ID!) { eventAdded(subjectId: $id) { id } }`, map[string]any{"id": i.ID})
	s.Subscribe("log", `subscription($id: ID!) { logAppended(attemptId: $id) { lines { text } } }`, map[string]any{"id": a.ID})
	eventually(t, "four subscriptions", func() bool { return w.Broker.Subscribers() >= 3+4 }) // three are the gateway's
	if _, err := w.DB.Client.Membership.Delete().Where(membership.UserID(w.Cast.Viewer.ID)).Exec(w.sys); err != nil {
		t.Fatal(err)
	}
	w.touch(i, instance.StateRunning)
	w.happened(i.TeamID, i.ID, "Scheduled")
	w.log(a, "secret of the team")
	ended := map[string]bool{}
	for {
		f, ok := s.Within(500 * time.Millisecond)
		if !ok {
			break
		}
		if f.Type != "complete" {
			t.Errorf("%s heard %s %s", f.ID, f.Type, f.Payload)
		}
		ended[f.ID] = true
	}
	for _, id := range []string{"one", "events", "log"} {
		if !ended[id] {
			t.Errorf("%s did not end", id)
		}
	}
}

func TestSignOutEndsTheSockets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	s := b.Socket()
	s.Subscribe("1", watchInstance, map[string]any{"id": w.instance().ID})
	w.next(s)
	b.Get(`mutation { signOut { ok } }`, nil, nil)
	for {
		if _, ok := s.Within(10 * time.Second); !ok {
			break
		}
	}
	if a := b.Ask(`{ teams { nodes { id } } }`, nil); a.Code() != "UNAUTHENTICATED" {
		t.Errorf("after signing out: %+v", a)
	}
}

func TestTheSocketSpeaksTheLanguageOfItsHello(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance()
	if err := i.Update().SetReason(&spec.Reason{Code: "cluster-unreachable"}).Exec(w.sys); err != nil {
		t.Fatal(err)
	}
	b := w.SignIn(t, w.Cast.Member)
	b.Language = "zh-CN"
	s := b.Socket()
	s.Subscribe("1", watchInstance, map[string]any{"id": i.ID})
	got := w.next(s).InstanceChanged
	if got.Reason == nil || !strings.ContainsAny(got.Reason.Text, "集群") {
		t.Errorf("%+v", got.Reason)
	}
}

func TestEventsThatHappenAroundTheSubscriptionAreNotMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance()
	w.happened(i.TeamID, i.ID, "JustBefore") // after the page listed them, before it listens
	s := w.SignIn(t, w.Cast.Member).Socket()
	s.Subscribe("1", `subscription($id: ID!) { eventAdded(subjectId: $id) { type count message } }`, map[string]any{"id": i.ID})
	next := func() (e struct {
		EventAdded struct {
			Type, Message string
			Count         int
		}
	}) {
		t.Helper()
		if err := json.Unmarshal(s.Next().Answer(t).Data, &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	if got := next().EventAdded; got.Type != "JustBefore" || got.Message != "JustBefore happened" {
		t.Errorf("%+v", got)
	}
	w.happened(i.TeamID, i.ID, "After")
	if got := next().EventAdded; got.Type != "After" || got.Count != 1 {
		t.Errorf("%+v", got)
	}
	// The cluster repeats itself: the same event with a higher count.
	w.DB.Client.Event.Update().Where(entevent.Type("After")).SetCount(5).ExecX(w.sys)
	w.Broker.Publish(w.sys, event.Message{Topic: "event", ID: i.ID, TeamID: i.TeamID})
	if got := next().EventAdded; got.Type != "After" || got.Count != 5 {
		t.Errorf("%+v", got)
	}
}

func TestALogIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.attempt()
	w.log(a, "one", "two")
	s := w.SignIn(t, w.Cast.Viewer).Socket()
	s.Subscribe("1", `subscription($id: ID!) { logAppended(attemptId: $id) { lines { number text source } cursor complete } }`, map[string]any{"id": a.ID})
	var texts []string
	complete := false
	step := 0
	for {
		f := s.Next()
		if f.Type == "complete" {
			break
		}
		var got struct {
			LogAppended struct {
				Lines    []struct{ Text string }
				Complete bool
			}
		}
		if err := json.Unmarshal(f.Answer(t).Data, &got); err != nil {
			t.Fatal(err)
		}
		for _, l := range got.LogAppended.Lines {
			texts = append(texts, l.Text)
		}
		complete = got.LogAppended.Complete
		switch step++; step {
		case 1:
			w.log(a, "three")
		case 2:
			if err := w.Logs.Finish(w.sys, a.ID, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if fmt.Sprint(texts) != "[one two three]" || !complete {
		t.Errorf("%v, complete %v", texts, complete)
	}
}

func TestASocketOfAnotherOriginIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	for _, origin := range []string{"https://evil.example", "null", strings.Replace(w.URL, "localhost", "app--ins.localhost", 1), "http://localhost:1"} {
		c, status, err := b.Dial("/graphql", origin, "graphql-transport-ws")
		if err == nil {
			_ = c.Close()
			t.Errorf("%s was let in", origin)
			continue
		}
		if status != http.StatusForbidden {
			t.Errorf("%s: %v", origin, err)
		}
	}
}

func TestWhoDoesNotAnswerAPingIsGone(t *testing.T) { // P106
	t.Parallel()
	w := &world{Site: servertest.Start(t, servertest.Options{Graph: func(d *graph.Deps) { d.KeepAlive = 50 * time.Millisecond }}), t: t}
	w.sys = newSystem(t)
	i := w.instance()
	const before = 3 // the gateway's own
	eventually(t, "the gateway's start", func() bool { return w.Broker.Subscribers() == before })
	b := w.SignIn(t, w.Cast.Member)
	s := b.Socket()
	s.Subscribe("1", watchInstance, map[string]any{"id": i.ID})
	w.next(s)
	if w.Broker.Subscribers() == before {
		t.Fatal("nothing is subscribed")
	}
	// The connection stays open and says nothing: TCP sees no fault.
	eventually(t, "the end of the subscription", func() bool { return w.Broker.Subscribers() == before })
}

func TestOneSocketCarriesABoundedNumberOfSubscriptions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.SignIn(t, w.Cast.Member).Socket()
	for n := range 201 {
		s.Subscribe(fmt.Sprint(n), `subscription { instancesChanged { id } }`, nil)
	}
	a := s.Next().Answer(t)
	if a.Code() != "RESOURCE_EXHAUSTED" || !strings.Contains(a.Errors[0].Message, "200") {
		t.Errorf("%+v", a.Errors)
	}
}

func TestSubscriptionsComeAsServerSentEventsToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance()
	b := w.SignIn(t, w.Cast.Member)
	body, err := json.Marshal(map[string]any{"query": watchInstance, "variables": map[string]any{"id": i.ID}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+"/graphql", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	res, err := b.HTTP.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	data := func() string {
		for lines.Scan() {
			if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return d
			}
		}
		t.Fatal("the stream ended")
		return ""
	}
	if d := data(); !strings.Contains(d, "STOPPED") {
		t.Errorf("first %s", d)
	}
	w.touch(i, instance.StateStarting)
	if d := data(); !strings.Contains(d, "STARTING") {
		t.Errorf("then %s", d)
	}
}

func TestASlowReaderGetsTheLatestState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance()
	s := w.SignIn(t, w.Cast.Member).Socket()
	s.Subscribe("1", watchInstance, map[string]any{"id": i.ID})
	const changes = 200
	for n := range changes {
		w.touch(i, []instance.State{instance.StatePending, instance.StateStarting}[n%2])
	}
	frames := 0
	for {
		frames++
		if got := w.next(s).InstanceChanged; got.Version == changes+1 {
			break
		}
	}
	if frames > changes+1 {
		t.Errorf("%d frames for %d changes", frames, changes)
	}
}
