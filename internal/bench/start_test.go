//go:build bench

package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// benchStart is B1: from the start's mutation to RUNNING seen by a subscriber,
// against creating the same objects by hand and watching the pod.
func benchStart(t *testing.T) outcome {
	k := testkit.Cluster(t)
	l := start(t, app.Roles{Work: true}, instance.Resources{CPU: "100m", Memory: "64Mi"},
		image.CreateInput{Name: "mini", Reference: testkit.ImageMini, Development: true})
	l.kube = k
	const n = 6
	o := compare(5,
		contender{"create the same objects and watch (the limit)", func() series { return l.direct(n) }},
		contender{"GoblinLab, mutation to RUNNING", func() series { return l.ours(n) }},
	)
	o.note = l.slowest.words()
	return o
}

// slow is one start and where its time went.
type slow struct {
	took   time.Duration
	begin  time.Time
	phases []spec.Phase
}

// words say it, for a table shows only that a start was slow.
func (s slow) words() string {
	out := fmt.Sprintf("The slowest start of GoblinLab's took %s:", short(s.took))
	for i, p := range s.phases {
		end := s.begin.Add(s.took)
		if i+1 < len(s.phases) {
			end = s.phases[i+1].Since
		}
		out += fmt.Sprintf(" %s %s,", p.Name, short(max(0, end.Sub(p.Since))))
	}
	return strings.TrimSuffix(out, ",") + "."
}

type starter struct {
	t    *testing.T
	app  *app.App
	kube *kube.Client
	ctx  context.Context // of the administrator
	ns   string
	ids  string // of the instance
	obj  string
	link string // to sign in by
	n    int

	slowest slow
}

// start runs a GoblinLab in this process, with one instance that is stopped.
func start(t *testing.T, roles app.Roles, size instance.Resources, of image.CreateInput, change ...func(*config.Config)) *starter {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.URL = t.TempDir(), "127.0.0.1:0", "http://localhost"
	cfg.Database = testkit.DatabaseURL(t)
	cfg.Blobs = "file://" + t.TempDir()
	cfg.Cluster.Kubeconfig = kubeconfig(t)
	for _, f := range change {
		f(&cfg)
	}
	a, err := app.New(t.Context(), cfg, roles)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	if roles.Serve {
		if err := a.Listen(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	w, err := a.Bootstrap(ctx)
	if err != nil {
		t.Fatal(err)
	}
	u, _, err := a.Accounts.EnsureAdministrator(authz.AsSystem(ctx))
	if err != nil {
		t.Fatal(err)
	}
	as := testkit.As(t, a.DB, u)
	team := a.DB.Client.Team.Query().OnlyX(as)
	img, err := a.Images.Create(as, of)
	if err != nil {
		t.Fatal(err)
	}
	var in string
	for end := time.Now().Add(30 * time.Second); in == ""; time.Sleep(100 * time.Millisecond) {
		row, err := a.Instances.Create(as, instance.CreateInput{TeamID: team.ID, Name: "bench", ImageID: img.ID, Resources: size})
		if err == nil {
			in = row.ID
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	return &starter{t: t, app: a, ctx: as, link: w.SignIn, ns: team.Namespace, ids: in, obj: a.DB.Client.Instance.GetX(as, in).ObjectName}
}

func (s *starter) ours(n int) series {
	var out series
	for range n {
		sub, stop := context.WithCancel(s.ctx)
		ch := s.app.Broker.Subscribe(sub, "instance", s.ids)
		start := time.Now()
		if _, err := s.app.Instances.Start(s.ctx, s.ids); err != nil {
			s.t.Fatal(err)
		}
		row := s.await(ch, "running")
		took := time.Since(start)
		out = append(out, took)
		if took > s.slowest.took {
			s.slowest = slow{took, start, row.Timeline}
		}
		if _, err := s.app.Instances.Stop(s.ctx, s.ids); err != nil {
			s.t.Fatal(err)
		}
		s.await(ch, "stopped")
		stop()
	}
	return out
}

// await reads the row at each message, as a subscription does, until it has the state.
func (s *starter) await(ch <-chan eventMessage, state string) *ent.Instance {
	s.t.Helper()
	limit := time.After(time.Minute)
	for {
		row, err := s.app.DB.Client.Instance.Get(s.ctx, s.ids)
		if err != nil {
			s.t.Fatal(err)
		}
		if string(row.State) == state {
			return row
		}
		select {
		case <-ch:
		case <-limit:
			s.t.Fatalf("the instance is %s, not %s", row.State, state)
		}
	}
}

// direct creates what a start of ours creates – login Secret, Service,
// StatefulSet – from the objects that ours last applied, under other names.
func (s *starter) direct(n int) series {
	set, err := s.kube.AppsV1().StatefulSets(s.ns).Get(s.t.Context(), s.obj, metav1.GetOptions{})
	if err != nil { // no start yet: make one
		s.ours(1)
		if set, err = s.kube.AppsV1().StatefulSets(s.ns).Get(s.t.Context(), s.obj, metav1.GetOptions{}); err != nil {
			s.t.Fatal(err)
		}
	}
	var out series
	for range n {
		s.n++
		name := fmt.Sprintf("direct-%d", s.n)
		ac, err := appsv1ac.ExtractStatefulSet(set, "goblinlab")
		if err != nil {
			s.t.Fatal(err)
		}
		own := map[string]string{"bench": name}
		ac.WithName(name).WithLabels(own).WithAnnotations(map[string]string{})
		ac.Labels, ac.Annotations = own, nil
		ac.Spec.WithReplicas(1).WithServiceName(name)
		ac.Spec.Selector.MatchLabels = own
		ac.Spec.Template.Labels = own
		for i := range ac.Spec.Template.Spec.Containers[0].Env {
			if e := &ac.Spec.Template.Spec.Containers[0].Env[i]; e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
				e.ValueFrom.SecretKeyRef.WithName(name)
			}
		}
		ctx := s.t.Context()
		w, err := s.kube.CoreV1().Pods(s.ns).Watch(ctx, metav1.ListOptions{LabelSelector: "bench=" + name})
		if err != nil {
			s.t.Fatal(err)
		}
		start := time.Now()
		secret := corev1ac.Secret(name, s.ns).WithStringData(map[string]string{"PASSWORD": "direct", "ROOT_PASSWORD": "direct"})
		if _, err := s.kube.CoreV1().Secrets(s.ns).Apply(ctx, secret, kube.Apply); err != nil {
			s.t.Fatal(err)
		}
		svc := corev1ac.Service(name, s.ns).WithSpec(corev1ac.ServiceSpec().WithClusterIP("None").WithSelector(own).WithPorts(corev1ac.ServicePort().WithName("ssh").WithPort(22)))
		if _, err := s.kube.CoreV1().Services(s.ns).Apply(ctx, svc, kube.Apply); err != nil {
			s.t.Fatal(err)
		}
		if _, err := s.kube.AppsV1().StatefulSets(s.ns).Apply(ctx, ac, kube.Apply); err != nil {
			s.t.Fatal(err)
		}
		out = append(out, s.ready(w.ResultChan(), start))
		w.Stop()
		s.remove(name)
	}
	return out
}
