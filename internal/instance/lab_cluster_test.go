//go:build cluster

package instance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
	"github.com/goblinlab/goblinlab/internal/work"
)

// lab is a bundle whose services follow the local Kubernetes.
type lab struct {
	*bundle
	kube   *kube.Client
	ns     string
	images *image.Service
}

const patience = 60 * time.Second

func newLab(t *testing.T, quota team.QuotaInput, change ...func(*config.Config)) *lab {
	t.Helper()
	client := testkit.Cluster(t)
	b := &bundle{t: t, db: testkit.DB(t), kicks: &testkit.Kicks{}}
	b.Cast = testkit.NewCast(t, b.db)
	c := config.Default()
	for _, f := range change {
		f(&c)
	}
	queue, broker := work.New(), event.NewLocal()
	events := make(chan *corev1.Event, 1024)
	var volumes *volume.Service
	cache, err := kube.NewCache(client, func(c kube.Change) {
		if c.Event != nil {
			select {
			case events <- c.Event:
			default:
			}
		}
		if id, ok := b.Service.OnChange(c); ok {
			queue.Kick(outbox.Instance, id)
		}
		if id, ok := volumes.OnChange(c); ok {
			queue.Kick(outbox.Volume, id)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	secrets := secrettest.New(t, b.db, broker, queue)
	teams := team.New(team.Deps{DB: b.db, Broker: broker, Kicker: queue, Kube: client, Cache: cache, Config: c, Pulls: secrets})
	volumes = volume.New(volume.Deps{DB: b.db, Broker: broker, Kicker: queue, Kube: client, Cache: cache, Config: c})
	clusters := cluster.New(cluster.Deps{DB: b.db, Kube: client, Cache: cache, Config: c})
	images := image.New(image.Deps{DB: b.db})
	b.Service = New(Deps{DB: b.db, Broker: broker, Kicker: queue, Kube: client, Cache: cache, Config: c, Images: images, Volumes: volumes, Cluster: clusters,
		Secrets: secrets, Tokens: account.New(account.Deps{DB: b.db, Broker: broker, Config: c})})
	queue.Register(outbox.Team, teams.Reconcile)
	queue.Register(outbox.Volume, volumes.Reconcile)
	queue.Register(outbox.Instance, b.Service.Reconcile)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{}, 3)
	go func() { cache.Run(ctx); done <- struct{}{} }()
	go func() { queue.Run(ctx, 8); done <- struct{}{} }()
	go func() {
		defer func() { done <- struct{}{} }()
		for {
			select {
			case <-ctx.Done():
				return
			case e := <-events:
				if err := errors.Join(b.Service.Observe(ctx, e), volumes.Observe(ctx, e)); err != nil && ctx.Err() == nil {
					t.Errorf("observe: %v", err)
				}
			}
		}
	}()
	if err := cache.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if err := clusters.EnsureObjects(ctx); err != nil {
		t.Fatal(err)
	}
	tm, err := teams.Create(b.as(b.Admin), team.CreateInput{Name: t.Name() + time.Now().Format(time.RFC3339Nano), Quota: quota})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{bundle: b, kube: client, ns: tm.Namespace, images: images}
	t.Cleanup(func() {
		_ = client.CoreV1().Namespaces().Delete(context.Background(), tm.Namespace, metav1.DeleteOptions{})
		stop()
		for range 3 {
			<-done
		}
	})
	testkit.Join(t, b.db, tm, b.Member, authz.RoleMember)
	b.Team = tm
	b.image = b.newImage(nil, true)
	l.eventually("the team stands", func() error {
		row := b.db.Client.Team.GetX(testkit.System(t), tm.ID)
		if row.ObservedGeneration != row.Generation || row.Reason != nil {
			return fmt.Errorf("%+v", row)
		}
		return nil
	})
	return l
}

func (l *lab) eventually(what string, f func() error) {
	l.t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = f(); err == nil {
			return
		}
	}
	l.t.Fatalf("%s: not within %v: %v", what, patience, err)
}

func (l *lab) until(id string, states ...State) *ent.Instance {
	l.t.Helper()
	var row *ent.Instance
	l.eventually(fmt.Sprintf("%s comes to %v", id, states), func() error {
		row = l.again(id)
		for _, s := range states {
			if string(row.State) == string(s) {
				return nil
			}
		}
		return fmt.Errorf("is %s, %+v, %+v", row.State, row.Reason, row.Timeline)
	})
	return row
}

func (l *lab) small(in *CreateInput) { in.Resources = Resources{CPU: "100m", Memory: "128Mi"} }

func (l *lab) start(more ...func(*CreateInput)) *ent.Instance {
	l.t.Helper()
	return l.made(append([]func(*CreateInput){l.small, atOnce}, more...)...)
}

func (l *lab) pods(id string) []corev1.Pod {
	l.t.Helper()
	list, err := l.kube.CoreV1().Pods(l.ns).List(l.t.Context(), selectInstance(id))
	if err != nil {
		l.t.Fatal(err)
	}
	return list.Items
}

// left names what is left of an instance in the cluster.
func (l *lab) left(i *ent.Instance) []string {
	l.t.Helper()
	ctx, o := l.t.Context(), selectInstance(i.ID)
	var out []string
	if _, err := l.kube.AppsV1().StatefulSets(l.ns).Get(ctx, i.ObjectName, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		out = append(out, "set")
	}
	if _, err := l.kube.CoreV1().Services(l.ns).Get(ctx, i.ObjectName, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		out = append(out, "service")
	}
	for _, p := range l.pods(i.ID) {
		out = append(out, "pod "+p.Name)
	}
	secrets, err := l.kube.CoreV1().Secrets(l.ns).List(ctx, o)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, s := range secrets.Items {
		out = append(out, "secret "+strings.TrimPrefix(s.Name, i.ObjectName))
	}
	return out
}
