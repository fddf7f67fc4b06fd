// Package app wires everything: the only place that knows every part. An App
// has roles; `up` gives it all of them and the local Kubernetes.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // file:// stores

	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/files/courier"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/mail"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/person"
	"github.com/goblinlab/goblinlab/internal/platformvolume"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/setting"
	"github.com/goblinlab/goblinlab/internal/share"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/volume"
	"github.com/goblinlab/goblinlab/internal/work"
	"github.com/goblinlab/goblinlab/worker"
)

// Roles of a process.
type Roles struct {
	Serve bool // page, API, gateways
	Work  bool // reconcilers, sweeps, logs
}

// App is a process of GoblinLab.
type App struct {
	Config config.Config
	Roles  Roles

	DB     *db.DB
	Redis  redis.UniversalClient
	Broker event.Broker
	Kube   *kube.Client
	Cache  *kube.Cache
	Queue  *work.Queue
	Kicker outbox.Kicker
	Bucket *blob.Bucket

	Accounts *account.Service
	Audit    *audit.Service
	Teams    *team.Service
	Images   *image.Service
	Volumes  *volume.Service

	PlatformVolumes *platformvolume.Service

	Cluster   *cluster.Service
	Admission *admission.Service
	Instances *instance.Service
	Secrets   *secret.Service
	Logs      *logstore.Store
	Runs      *run.Service
	Shares    *share.Service
	Flows     *flow.Service
	Settings  *setting.Service
	Files     *courier.Service
	People    *person.Service

	holder     string
	listener   net.Listener // set by Listen
	collectors net.Listener // what shows metrics to collectors; nil for none
	inner      net.Listener // what programs inside of the local Kubernetes reach; nil for none
	keys       *secret.Keys
	changes    chan kube.Change
	background []func(ctx context.Context) // run beside the roles
	closers    []func() error
}

// New opens the parts and wires the services. Close it when done.
func New(ctx context.Context, c config.Config, roles Roles) (_ *App, err error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	a := &App{Config: c, Roles: roles, holder: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:6]), changes: make(chan kube.Change, 16384)}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	for _, open := range []func(context.Context) error{a.openKeys, a.openDatabase, a.openRedis, a.openBlobs, a.openCluster, a.openInner} {
		if err := open(ctx); err != nil {
			return nil, err
		}
	}
	if err := a.openSettings(ctx); err != nil {
		return nil, err
	}
	a.wire()
	if err := a.wireFlows(); err != nil {
		return nil, err
	}
	return a, a.Secrets.CheckKeys(ctx)
}

func (a *App) openKeys(context.Context) (err error) {
	a.keys, err = secret.OpenKeys(a.Config)
	return err
}

func (a *App) openDatabase(ctx context.Context) error {
	if path, ok := strings.CutPrefix(a.Config.Database, "sqlite:"); ok {
		if err := a.lock(path + ".lock"); err != nil {
			return err
		}
	}
	d, err := db.Open(ctx, a.Config.Database)
	if err != nil {
		return err
	}
	a.DB = d
	a.closers = append(a.closers, d.Close)
	n, err := d.Migrate(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		slog.Info("database migrated", "migrations", n)
	}
	return nil
}

// lock keeps a second server away from an SQLite database: it has one writer,
// and its Redis lives inside the process.
func (a *App) lock(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("lock of the database: %w", err)
	}
	a.closers = append(a.closers, f.Close)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("another GoblinLab runs on %s; stop it, or give this one its own --data", filepath.Dir(path))
	}
	return nil
}

func (a *App) openRedis(ctx context.Context) error {
	address := a.Config.Redis
	if address == "" {
		m := miniredis.NewMiniRedis()
		password := rand.Text()
		m.RequireAuth(password)
		m.ClockTTL(true)
		if err := m.Start(); err != nil {
			return fmt.Errorf("start the Redis inside the process: %w", err)
		}
		a.closers = append(a.closers, func() error { m.Close(); return nil })
		address = fmt.Sprintf("redis://:%s@%s", password, m.Addr())
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		return fmt.Errorf("redis address: %w", err)
	}
	c := redis.NewClient(o)
	a.closers = append(a.closers, c.Close)
	a.Redis = c
	if err := c.Ping(ctx).Err(); err != nil {
		slog.Warn("Redis does not answer; work goes on, more slowly", "err", err)
	}
	if a.Config.Redis == "" {
		a.Broker = event.NewLocal()
		return nil
	}
	b := event.NewRedis(c, a.holder)
	a.Broker = b
	a.background = append(a.background, b.Run)
	return nil
}

func (a *App) openBlobs(ctx context.Context) error {
	b, err := blob.OpenBucket(ctx, a.Config.Blobs)
	if err != nil {
		return fmt.Errorf("blob store %s: %w", a.Config.Blobs, err)
	}
	a.Bucket = b
	a.closers = append(a.closers, b.Close)
	return nil
}

func (a *App) openCluster(context.Context) error {
	k, err := kube.Connect(a.Config.Cluster.Kubeconfig, a.Config.Cluster.QPS, a.Config.Cluster.Burst)
	if err != nil {
		return fmt.Errorf("%w; give --cluster.kubeconfig, or --cluster.local for the local Kubernetes", err)
	}
	a.Kube = k
	a.Cache, err = kube.NewCache(k, func(c kube.Change) {
		if !a.Roles.Work {
			return
		}
		select {
		case a.changes <- c:
		default: // the sweep sees what a flood hides
		}
	})
	if err != nil {
		return err
	}
	a.background = append(a.background, a.Cache.Run)
	return nil
}

// openSettings lays what was changed in the page over the configuration.
func (a *App) openSettings(ctx context.Context) error {
	started := a.Config
	c, live := started.Alive()
	a.Config = c
	d := setting.Deps{DB: a.DB, Broker: a.Broker, Config: started, Live: live, Mail: &mail.Sender{}}
	if !a.keys.Ring().Empty() {
		d.Box = setting.Keyed(a.keys)
	}
	a.Settings = setting.New(d)
	if err := a.Settings.Load(ctx); err != nil {
		return err
	}
	a.Config.SSH.Listen = a.Config.Now().SSH.Listen // counts from the start on
	a.background = append(a.background, a.Settings.Run)
	return nil
}

func (a *App) wire() {
	a.Queue = work.New()
	a.Kicker = a.Queue
	if !a.Roles.Work {
		r := worker.NewRemote(a.Redis)
		a.Kicker = r
		a.background = append(a.background, r.Run)
	}
	c := a.Config // each service asks it by Now for what the page can change
	a.Accounts = account.New(account.Deps{DB: a.DB, Broker: a.Broker, Config: c})
	a.Audit = audit.New(audit.Deps{DB: a.DB, Keep: func() time.Duration { return c.Now().Limits.AuditKeep }})
	a.Secrets = secret.New(secret.Deps{DB: a.DB, Broker: a.Broker, Kicker: a.Kicker, Keys: a.keys})
	a.Teams = team.New(team.Deps{DB: a.DB, Broker: a.Broker, Kicker: a.Kicker, Kube: a.Kube, Cache: a.Cache, Config: c, Pulls: a.Secrets})
	a.Images = image.New(image.Deps{DB: a.DB})
	a.Volumes = volume.New(volume.Deps{DB: a.DB, Broker: a.Broker, Kicker: a.Kicker, Kube: a.Kube, Cache: a.Cache, Config: c})
	a.PlatformVolumes = platformvolume.New(platformvolume.Deps{DB: a.DB, Broker: a.Broker, Kicker: a.Kicker, Kube: a.Kube, Cache: a.Cache, Config: c, Classes: a.Volumes})
	a.Cluster = cluster.New(cluster.Deps{DB: a.DB, Kube: a.Kube, Cache: a.Cache, Config: c})
	a.Admission = admission.New(admission.Deps{DB: a.DB, Capacity: a.Cluster, Kicker: a.Kicker})
	a.Instances = instance.New(instance.Deps{DB: a.DB, Broker: a.Broker, Kicker: a.Kicker, Kube: a.Kube, Cache: a.Cache, Config: c, Images: a.Images, Volumes: a.Volumes, Platform: a.PlatformVolumes, Cluster: a.Cluster, Admission: a.Admission, Secrets: a.Secrets, Tokens: a.Accounts})
	a.Logs = logstore.New(a.DB, a.Bucket, a.Broker, 0).LimitBy(func() int64 { return c.Now().Limits.LogBytes }).InFolder(logstore.FolderOf(c.Blobs))
	a.Runs = run.New(run.Deps{DB: a.DB, Broker: a.Broker, Kicker: a.Kicker, Kube: a.Kube, Cache: a.Cache, Config: c, Logs: a.Logs, Images: a.Images, Volumes: a.Volumes, Platform: a.PlatformVolumes, Cluster: a.Cluster, Admission: a.Admission, Secrets: a.Secrets, Tokens: a.Accounts})
	a.Shares = share.New(share.Deps{DB: a.DB, Broker: a.Broker, Kicker: a.Kicker, Kube: a.Kube, Cache: a.Cache, Instances: a.Instances, Runs: a.Runs})
	a.People = person.New(person.Deps{DB: a.DB, Broker: a.Broker, Config: c, Account: a.Accounts, Teams: a.Teams, Instances: a.Instances, Runs: a.Runs, Volumes: a.Volumes})
	a.Teams.Estates, a.Accounts.Members = a.People, a.Teams
	a.Files = courier.New(courier.Deps{DB: a.DB, Volumes: a.Volumes, Kube: a.Kube, Cache: a.Cache, Reacher: &kube.Reacher{Client: a.Kube}, Image: a.filesImage, Waits: a.Images.Waits})
	a.background = append(a.background, a.Files.Run)
	if c.Cluster.Local {
		a.background = append(a.background, a.deliverImages)
	}
}

// Run runs the roles until ctx ends or one of them fails.
func (a *App) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	for _, f := range a.background {
		wg.Go(func() { f(ctx) })
	}
	role := func(name string, f func(context.Context) error) {
		wg.Go(func() {
			if err := f(ctx); err != nil && ctx.Err() == nil {
				stop(fmt.Errorf("%s: %w", name, err))
			}
		})
	}
	if a.Roles.Work {
		role("worker", a.work)
	}
	if a.Roles.Serve {
		role("server", a.serve)
	}
	<-ctx.Done()
	wg.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Close closes what New opened, the last first.
func (a *App) Close() {
	for i := len(a.closers) - 1; i >= 0; i-- {
		if err := a.closers[i](); err != nil {
			slog.Warn("not closed cleanly", "err", err)
		}
	}
	a.closers = nil
}
