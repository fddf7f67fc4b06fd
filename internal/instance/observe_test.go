package instance

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	entevent "github.com/goblinlab/goblinlab/ent/event"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestEventsOfTheClusterAreKeptOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys := testkit.System(t)
	i := b.made()
	ev := func(uid, kind, ns, name string, count int32) *corev1.Event {
		return &corev1.Event{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid)}, InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: ns, Name: name},
			Type: corev1.EventTypeWarning, Reason: "FailedCreate", Message: "exceeded quota", Count: count, LastTimestamp: metav1.NewTime(noon.Add(time.Duration(count) * time.Second))}
	}
	for _, e := range []*corev1.Event{
		ev("1", "StatefulSet", b.Team.Namespace, i.ObjectName, 1),
		ev("1", "StatefulSet", b.Team.Namespace, i.ObjectName, 3),
		ev("1", "StatefulSet", b.Team.Namespace, i.ObjectName, 2), // late
		ev("2", "Pod", b.Team.Namespace, PodName(i), 1),
		ev("3", "Pod", "somewhere-else", PodName(i), 1),
		ev("4", "Pod", b.Team.Namespace, "evil-"+i.ID+"-0", 1),
		ev("5", "Pod", b.Team.Namespace, "coredns-0", 1),
		ev("6", "Pod", b.Team.Namespace, "lab-ins-d0000000000000000000-0", 1),
	} {
		if err := b.Observe(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	rows := b.db.Client.Event.Query().Where(entevent.SourceEQ(entevent.SourceCluster)).Order(entevent.ByID()).AllX(sys)
	if len(rows) != 2 {
		t.Fatalf("%d events are kept, 2 are ours", len(rows))
	}
	e := rows[0]
	if e.SubjectID != i.ID || e.TeamID != b.Team.ID || e.Count != 3 || !e.At.Equal(noon.Add(3*time.Second)) || e.Severity != entevent.SeverityWarning || e.Message != "exceeded quota" {
		t.Errorf("kept %+v", e)
	}
}

func TestOnChange(t *testing.T) {
	t.Parallel()
	s := New(Deps{})
	id := "ins-d0000000000000000000"
	for name, c := range map[string]struct {
		change kube.Change
		want   string
	}{
		"a pod":              {kube.Change{Kind: "Pod", Labels: map[string]string{manifest.LabelInstanceID: id}}, id},
		"a pod of a run":     {kube.Change{Kind: "Pod", Labels: map[string]string{manifest.LabelRunID: "run-1"}}, ""},
		"an event of a set":  {kube.Change{Kind: "Event", Event: &corev1.Event{InvolvedObject: corev1.ObjectReference{Name: "lab-" + id}}}, id},
		"an event of a pod":  {kube.Change{Kind: "Event", Event: &corev1.Event{InvolvedObject: corev1.ObjectReference{Name: "lab-" + id + "-0"}}}, id},
		"an event of a disk": {kube.Change{Kind: "Event", Event: &corev1.Event{InvolvedObject: corev1.ObjectReference{Name: "data-vol-d0000000000000000000"}}}, ""},
	} {
		if got, ok := s.OnChange(c.change); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s: %q %v", name, got, ok)
		}
	}
}

// TestAStatusIsWrittenOntoTheRowItWasDecidedFor is the contract between the
// services and the one writer.
func TestAStatusIsWrittenOntoTheRowItWasDecidedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys := testkit.System(t)
	i := b.made(atOnce)
	stale := b.again(i.ID)
	if _, err := b.Stop(b.as(b.Member), i.ID); err != nil {
		t.Fatal(err)
	}
	d := Decision{State: Running, Timeline: stale.Timeline, Happened: "ready", ReadyAt: noon}
	if err := b.save(sys, stale, d, nil, done{applied: true}); err == nil {
		t.Error("a decision about an older row was written")
	}
	now := b.again(i.ID)
	if now.State != entinstance.StateStopping || b.db.Client.Event.Query().Where(entevent.Type("ready")).CountX(sys) != 0 {
		t.Errorf("the row is %s", now.State)
	}
	apps := []spec.App{{Name: "sshd", Port: 22, State: "ready"}}
	d = Decision{State: Starting, Timeline: now.Timeline, Reason: &spec.Reason{Code: "unschedulable", Args: map[string]any{"nodes": 3, "causes": []string{"a"}}}}
	for n := range 3 { // the same again is no news
		now = b.again(i.ID)
		if err := b.save(sys, now, d, apps, done{applied: true, hostKey: "SHA256:x"}); err != nil {
			t.Fatal(err)
		}
		if got := b.again(i.ID); got.Version != stale.Version+2 || got.ObservedGeneration != got.Generation || len(got.Apps) != 1 {
			t.Errorf("after writing %d times: %+v", n+1, got)
		}
	}
}

func TestPasswordsAreLongRandomAndPlain(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		p := password()
		if len(p) < 32 || seen[p] {
			t.Fatalf("%d characters, or twice", len(p))
		}
		seen[p] = true
		for _, r := range p {
			if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
				t.Fatalf("a password holds %q", r)
			}
		}
	}
	if s := (Secret{Password: "p", RootPassword: "r"}); s.String() != "(secret)" || s.GoString() != "(secret)" {
		t.Error("a secret prints itself")
	}
}
