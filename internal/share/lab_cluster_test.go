//go:build cluster

package share_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/share"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
	"github.com/goblinlab/goblinlab/internal/work"
)

// lab is what shares need of the platform, against a real cluster.
type lab struct {
	testkit.Cast
	t         *testing.T
	sys       context.Context
	db        *db.DB
	kube      *kube.Client
	image     *ent.Image
	broker    *event.Local
	logs      *logstore.Store
	secrets   *secret.Service
	volumes   *volume.Service
	runs      *run.Service
	instances *instance.Service
	shares    *share.Service
	stop      func()
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{t: t, sys: testkit.System(t), kube: testkit.Cluster(t), db: testkit.DB(t), broker: event.NewLocal()}
	l.Cast = testkit.NewCast(t, l.db)
	bucket, _ := logtest.Bucket(t)
	l.logs = logstore.New(l.db, bucket, l.broker, config.Default().Limits.LogBytes)
	l.image = l.db.Client.Image.Create().SetName("mini").SetReference(testkit.ImageMini).SetDevelopment(true).SaveX(l.sys)
	l.secrets = secrettest.New(t, l.db, l.broker, &testkit.Kicks{})
	t.Cleanup(func() {
		for _, tm := range []*ent.Team{l.Team, l.OtherTeam} {
			_ = l.kube.CoreV1().Namespaces().Delete(context.Background(), tm.Namespace, metav1.DeleteOptions{})
		}
	})
	l.start()
	t.Cleanup(func() { l.stop() })
	for _, tm := range []*ent.Team{l.Team, l.OtherTeam} {
		l.eventually("the namespace", func() error {
			_, err := l.kube.CoreV1().ServiceAccounts(tm.Namespace).Get(l.sys, manifest.ServiceAccount, metav1.GetOptions{})
			return err
		})
	}
	return l
}

// start is what a process of the platform does; stop ends it without a word.
func (l *lab) start() {
	l.t.Helper()
	ctx, cancel := context.WithCancel(l.sys)
	q := work.New()
	changes := make(chan kube.Change, 10_000)
	cache, err := kube.NewCache(l.kube, func(c kube.Change) { changes <- c })
	if err != nil {
		l.t.Fatal(err)
	}
	cfg := config.Default()
	cl := cluster.New(cluster.Deps{DB: l.db, Kube: l.kube, Cache: cache, Config: cfg})
	images, accounts := image.New(image.Deps{DB: l.db}), account.New(account.Deps{DB: l.db, Broker: l.broker, Config: cfg})
	teams := team.New(team.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg})
	l.volumes = volume.New(volume.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg})
	l.runs = run.New(run.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg, Logs: l.logs, Secrets: l.secrets,
		Tokens: accounts, Images: images, Volumes: l.volumes, Cluster: cl, Tuning: run.Tuning{Backoff: time.Second, Grace: 2 * time.Second}})
	l.instances = instance.New(instance.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Config: cfg, Secrets: l.secrets,
		Tokens: accounts, Images: images, Volumes: l.volumes, Cluster: cl})
	l.shares = share.New(share.Deps{DB: l.db, Broker: l.broker, Kicker: q, Kube: l.kube, Cache: cache, Instances: l.instances, Runs: l.runs})
	q.Register(outbox.Team, teams.Reconcile)
	q.Register(outbox.Volume, l.volumes.Reconcile)
	q.Register(outbox.Run, l.runs.Reconcile)
	q.Register(outbox.Instance, l.instances.Reconcile)
	q.Register(outbox.Share, l.shares.Reconcile)
	var wg sync.WaitGroup
	wg.Go(func() { cache.Run(ctx) })
	if err := cache.Wait(ctx); err != nil {
		l.t.Fatal(err)
	}
	if err := cl.EnsureObjects(ctx); err != nil {
		l.t.Fatal(err)
	}
	wg.Go(func() { q.Run(ctx, 8) })
	wg.Go(func() { l.runs.ShipLogs(ctx) })
	wg.Go(func() {
		tick := time.NewTicker(3 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := errors.Join(l.shares.Sweep(ctx), l.runs.Sweep(ctx), l.instances.Sweep(ctx)); err != nil && ctx.Err() == nil {
					l.t.Error(err)
				}
			case c := <-changes:
				l.wake(q, c)
			}
		}
	})
	q.Kick(outbox.Team, l.Team.ID)
	q.Kick(outbox.Team, l.OtherTeam.ID)
	l.stop = func() {
		cancel()
		wg.Wait()
	}
}

func (l *lab) wake(q *work.Queue, c kube.Change) {
	for kind, id := range map[string]func(kube.Change) (string, bool){outbox.Run: l.runs.OnChange, outbox.Instance: l.instances.OnChange,
		outbox.Volume: l.volumes.OnChange, outbox.Share: l.shares.OnChange} {
		if id, ok := id(c); ok {
			q.Kick(kind, id)
		}
	}
}

func (l *lab) as(u *ent.User) context.Context { return testkit.As(l.t, l.db, u) }

func (l *lab) eventually(what string, ok func() error) {
	l.t.Helper()
	end := time.Now().Add(90 * time.Second)
	for {
		err := ok()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			l.t.Fatalf("%s: not after 90 s: %v", what, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (l *lab) data() *ent.Volume {
	l.t.Helper()
	v, err := l.volumes.Create(l.as(l.Member), volume.CreateInput{TeamID: l.Team.ID, Name: "data", Size: "1Gi", AccessMode: "ReadWriteMany"})
	if err != nil {
		l.t.Fatal(err)
	}
	l.eventually("the volume is bound", func() error {
		if v = l.db.Client.Volume.GetX(l.sys, v.ID); v.Phase != entvolume.PhaseBound {
			return fmt.Errorf("%s %+v", v.Phase, v.Reason)
		}
		return nil
	})
	return v
}

// begin starts a script as a run of somebody's with one mount.
func (l *lab) begin(t *ent.Team, u *ent.User, script string, m spec.Mount) *ent.Run {
	l.t.Helper()
	r, err := l.runs.RunNow(l.as(u), run.Input{TeamID: t.ID, Name: "run", ImageID: l.image.ID, Command: []string{"/bin/sh", "-c", script},
		Resources: run.Resources{CPU: "100m", Memory: "64Mi"}, Mounts: []spec.Mount{m}})
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// says runs a script to its end and gives what it printed.
func (l *lab) says(t *ent.Team, u *ent.User, script string, m spec.Mount) string {
	l.t.Helper()
	r := l.begin(t, u, script, m)
	l.eventually("the run ends", func() error {
		if r = l.db.Client.Run.GetX(l.sys, r.ID); !run.Over(r.State) {
			return fmt.Errorf("%s %+v", r.State, r.Reason)
		}
		return nil
	})
	a := l.db.Client.Run.QueryAttempts(r).OnlyX(l.sys)
	l.eventually("the log is complete", func() error {
		if !l.db.Client.Attempt.GetX(l.sys, a.ID).LogComplete {
			return errors.New("not yet")
		}
		return nil
	})
	var b bytes.Buffer
	if err := l.logs.WriteTo(l.sys, a.ID, &b, logstore.Form{}); err != nil {
		l.t.Fatal(err)
	}
	return fmt.Sprintf("%s: %s", r.State, b.String())
}

func (l *lab) ready(id string) *ent.Share {
	l.t.Helper()
	var sh *ent.Share
	l.eventually("the share is ready", func() error {
		if sh = l.db.Client.Share.GetX(l.sys, id); !sh.Ready || sh.ObservedGeneration != sh.Generation {
			return fmt.Errorf("%s ready %v %+v", sh.State, sh.Ready, sh.Reason)
		}
		return nil
	})
	return sh
}

// gone waits until nothing of a share is left in the cluster.
func (l *lab) gone(sh *ent.Share) {
	l.t.Helper()
	for _, name := range []string{sh.ReadOnlyName, sh.ReadWriteName} {
		l.eventually("the objects of the share are gone", func() error {
			if _, err := l.kube.CoreV1().PersistentVolumeClaims(l.OtherTeam.Namespace).Get(l.sys, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				return fmt.Errorf("claim %s: %v", name, err)
			}
			if _, err := l.kube.CoreV1().PersistentVolumes().Get(l.sys, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				return fmt.Errorf("volume %s: %v", name, err)
			}
			return nil
		})
	}
	l.eventually("the share is at rest", func() error {
		if sh = l.db.Client.Share.GetX(l.sys, sh.ID); sh.Ready || sh.ObservedGeneration != sh.Generation {
			return fmt.Errorf("%+v", sh)
		}
		return nil
	})
}

func lacks(t *testing.T, said string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(said, w) {
			t.Errorf("%q lacks %q", said, w)
		}
	}
}

func (l *lab) pod(i *ent.Instance) *corev1.Pod {
	l.t.Helper()
	p, err := l.kube.CoreV1().Pods(l.OtherTeam.Namespace).Get(l.sys, instance.PodName(i), metav1.GetOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	return p
}

func (l *lab) running(id string, start int64) *ent.Instance {
	l.t.Helper()
	var i *ent.Instance
	l.eventually("the instance runs", func() error {
		if i = l.db.Client.Instance.GetX(l.sys, id); i.State != "running" || i.StartNumber != start {
			return fmt.Errorf("start %d %s %+v", i.StartNumber, i.State, i.Reason)
		}
		return nil
	})
	return i
}

func stopped(r *ent.Run) bool { return r.State == entrun.StateStopped }

func modeOf(m entshare.Mode) *entshare.Mode { return &m }
