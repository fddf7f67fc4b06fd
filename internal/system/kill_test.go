//go:build cluster

package system

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestKilledInTheMiddleOfAStart: the server dies right after a start was asked
// for, again and again; there is one start, one pod, and it becomes ready.
func TestKilledInTheMiddleOfAStart(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	img := p.image(testkit.ImageMini, true)
	for i, wait := range []time.Duration{0, 150 * time.Millisecond, 600 * time.Millisecond} {
		in := p.createInstance(team, img, vars{"name": fmt.Sprintf("killed %d", i), "start": true})
		time.Sleep(wait) // the moment of death differs; nothing depends on it
		l.kill9()
		got := p.until(in.ID, "RUNNING", 90*time.Second)
		if got.Starts != 1 {
			t.Errorf("killed after %v: %d starts, want 1", wait, got.Starts)
		}
		pods := l.pods(ns, manifest.LabelInstanceID, in.ID)
		if len(pods) != 1 {
			t.Errorf("killed after %v: %d pods, want 1", wait, len(pods))
		}
		secrets, err := l.kube.CoreV1().Secrets(ns).List(t.Context(), metav1.ListOptions{LabelSelector: manifest.LabelInstanceID + "=" + in.ID})
		if err != nil {
			t.Fatal(err)
		}
		if len(secrets.Items) != 2 {
			t.Errorf("killed after %v: %d secrets, want one login and one of host keys", wait, len(secrets.Items))
		}
		p.act("deleteInstance", in.ID)
	}
	l.nothingLeft(p, ns)
}

// TestKilledInTheMiddleOfARun: the server dies while a script writes; the
// script goes on, its log is whole and in order, and it ran once (P69, P77).
func TestKilledInTheMiddleOfARun(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	img := p.image(testkit.ImageMini, true)
	const n = 120
	r := p.runNow(team, img, []string{"/bin/sh", "-c", fmt.Sprintf("i=0; while [ $i -lt %d ]; do echo line $i; i=$((i+1)); sleep 0.1; done", n)}, nil)
	for range 2 {
		time.Sleep(3 * time.Second)
		l.kill9()
	}
	r = p.ended(r.ID, 90*time.Second)
	wantState(t, r, "SUCCEEDED", "")
	if len(r.Attempts) != 1 {
		t.Fatalf("%d attempts, want 1", len(r.Attempts))
	}
	p.logComplete(r.Attempts[0].ID)
	got := outputs(p.wholeLog(r.Attempts[0].ID))
	for i := range max(len(got), n) {
		if i >= len(got) || i >= n || got[i] != fmt.Sprintf("line %d", i) {
			t.Fatalf("line %d of %d is wrong: %v", i, len(got), got[max(0, min(i, len(got))-2):min(len(got), i+3)])
		}
	}
	l.nothingLeft(p, ns)
}

// TestRedisEmptied: all of Redis is lost in the middle; nothing else is.
func TestRedisEmptied(t *testing.T) {
	if !separate() {
		t.Skip("the Redis inside the process is emptied by killing the process: see the tests above")
	}
	l := newLab(t)
	p := l.admin()
	team, ns := p.team()
	img := p.image(testkit.ImageMini, true)
	for i := range 5 {
		in := p.createInstance(team, img, vars{"name": fmt.Sprintf("flushed %d", i), "start": true})
		if err := l.redis.FlushAll(context.Background()).Err(); err != nil {
			t.Fatal(err)
		}
		p.until(in.ID, "RUNNING", 90*time.Second)
		p.act("deleteInstance", in.ID)
	}
	r := p.runNow(team, img, []string{"/bin/sh", "-c", "sleep 2; echo done"}, nil)
	if err := l.redis.FlushAll(context.Background()).Err(); err != nil {
		t.Fatal(err)
	}
	wantState(t, p.ended(r.ID, 90*time.Second), "SUCCEEDED", "")
	l.nothingLeft(p, ns)
}

func (l *lab) pods(ns, label, value string) []corev1.Pod {
	l.t.Helper()
	pods, err := l.kube.CoreV1().Pods(ns).List(l.t.Context(), metav1.ListOptions{LabelSelector: label + "=" + value})
	if err != nil {
		l.t.Fatal(err)
	}
	return pods.Items
}

func (p *person) logComplete(attempt string) {
	p.t.Helper()
	eventually(p.t, 60*time.Second, "the log is complete", func() error {
		var d struct {
			Node struct {
				Log struct{ Complete bool }
			}
		}
		p.do(`query($id: ID!) { node(id: $id) { ... on Attempt { log { complete } } } }`, vars{"id": attempt}, &d)
		if !d.Node.Log.Complete {
			return fmt.Errorf("not yet")
		}
		return nil
	})
}

// nothingLeft deletes whatever the person has, then looks into the namespace:
// only home volumes' claims may stay.
func (l *lab) nothingLeft(p *person, ns string) {
	l.t.Helper()
	var d struct {
		Instances struct{ Nodes []struct{ ID string } }
		Runs      struct{ Nodes []struct{ ID string } }
	}
	p.do(`{ instances(first: 100) { nodes { id } } runs(first: 100) { nodes { id } } }`, nil, &d)
	for _, n := range d.Instances.Nodes {
		p.try(`mutation($id: ID!) { deleteInstance(id: $id) { id } }`, vars{"id": n.ID}, nil)
	}
	for _, n := range d.Runs.Nodes {
		p.try(`mutation($id: ID!) { deleteRun(id: $id) { id } }`, vars{"id": n.ID}, nil)
	}
	o := metav1.ListOptions{LabelSelector: manifest.SelectManaged}
	eventually(l.t, 90*time.Second, "nothing is left in "+ns, func() error {
		ctx := l.t.Context()
		pods, err := l.kube.CoreV1().Pods(ns).List(ctx, metav1.ListOptions{})
		if err != nil || len(pods.Items) > 0 {
			return fmt.Errorf("%d pods, %w", len(pods.Items), err)
		}
		sets, err := l.kube.AppsV1().StatefulSets(ns).List(ctx, o)
		if err != nil || len(sets.Items) > 0 {
			return fmt.Errorf("%d stateful sets, %w", len(sets.Items), err)
		}
		jobs, err := l.kube.BatchV1().Jobs(ns).List(ctx, o)
		if err != nil || len(jobs.Items) > 0 {
			return fmt.Errorf("%d jobs, %w", len(jobs.Items), err)
		}
		svcs, err := l.kube.CoreV1().Services(ns).List(ctx, o)
		if err != nil || len(svcs.Items) > 0 {
			return fmt.Errorf("%d services, %w", len(svcs.Items), err)
		}
		secs, err := l.kube.CoreV1().Secrets(ns).List(ctx, o)
		if err != nil || len(secs.Items) > 0 {
			return fmt.Errorf("%d secrets, %w", len(secs.Items), err)
		}
		return nil
	})
}
