package event_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func receive(t *testing.T, ch <-chan event.Message) event.Message {
	t.Helper()
	select {
	case m, ok := <-ch:
		if !ok {
			t.Fatal("the subscription ended")
		}
		return m
	case <-time.After(10 * time.Second):
		t.Fatal("no message came")
	}
	return event.Message{}
}

func TestSlowReaderGetsTheNewestOfEach(t *testing.T) {
	t.Parallel()
	b := event.NewLocal()
	ch := b.Subscribe(t.Context(), "run", "")
	for v := range int64(1000) {
		b.Publish(t.Context(), event.Message{Topic: "run", ID: fmt.Sprint(v % 3), Version: v})
	}
	newest := map[string]int64{}
	for newest["0"] != 999 || newest["1"] != 997 || newest["2"] != 998 {
		m := receive(t, ch)
		if m.Version < newest[m.ID] {
			t.Fatalf("%s went back from %d to %d", m.ID, newest[m.ID], m.Version)
		}
		newest[m.ID] = m.Version
	}
}

func TestP106SubscriptionsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	b := event.NewLocal()
	ctx, stop := context.WithCancel(t.Context())
	var chans []<-chan event.Message
	for range 50 {
		chans = append(chans, b.Subscribe(ctx, "run", "x"))
	}
	b.Publish(ctx, event.Message{Topic: "run", ID: "x"}) // nobody reads
	stop()
	for _, ch := range chans {
		for range ch {
		}
	}
	for end := time.Now().Add(5 * time.Second); b.Subscribers() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d subscriptions are left", b.Subscribers())
		}
	}
}

func TestOnlyWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	b := event.NewLocal()
	ch := b.Subscribe(t.Context(), "run", "mine")
	b.Publish(t.Context(), event.Message{Topic: "instance", ID: "mine"})
	b.Publish(t.Context(), event.Message{Topic: "run", ID: "other"})
	b.Publish(t.Context(), event.Message{Topic: "run", ID: "mine", Version: 7})
	if m := receive(t, ch); m.Version != 7 {
		t.Errorf("got %+v, want run mine alone", m)
	}
}

func TestMessagesCrossProcessesOnce(t *testing.T) {
	t.Parallel()
	c := testkit.Redis(t)
	one, two := event.NewRedis(c, "one"), event.NewRedis(c, "two")
	go one.Run(t.Context())
	go two.Run(t.Context())
	here, there := one.Subscribe(t.Context(), "run", ""), two.Subscribe(t.Context(), "run", "")
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) { // until both listen
		n, err := c.PubSubNumSub(t.Context(), "goblinlab:events").Result()
		if err == nil && n["goblinlab:events"] == 2 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("nobody listens: %v, %v", n, err)
		}
	}
	one.Publish(t.Context(), event.Message{Topic: "run", ID: "x", Version: 1})
	one.Publish(t.Context(), event.Message{Topic: "run", ID: "y", Version: 2})
	for _, ch := range []<-chan event.Message{here, there} {
		if a, b := receive(t, ch), receive(t, ch); a.ID != "x" || b.ID != "y" {
			t.Errorf("got %s and %s, want x and y once each", a.ID, b.ID)
		}
	}
}
