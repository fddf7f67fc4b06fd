package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
)

const (
	etcdStart = 30 * time.Second
	// etcdQuota is how large the database may become, in bytes. Beyond it nothing can be written until the next start.
	etcdQuota = 2 << 30
	// etcdHistory is how long old revisions stay, for watches that were interrupted.
	etcdHistory = "5m"
	// etcdDefrag is how many megabytes a start must be able to give back to the disk for it to do so.
	etcdDefrag = 64
)

// startEtcd runs the database on unix sockets only and returns when it serves.
func startEtcd(ctx context.Context, c Config) (*embed.Etcd, error) {
	return serveEtcd(ctx, c, etcdQuota, etcdDefrag)
}

func serveEtcd(ctx context.Context, c Config, quota int64, defrag uint) (*embed.Etcd, error) {
	client := url.URL{Scheme: "unix", Path: c.etcdSocket()}
	peer := url.URL{Scheme: "unix", Path: filepath.Join(c.Run, "etcd-peer.sock")}
	for _, u := range []url.URL{client, peer} { // left behind by a killed process
		if err := os.Remove(u.Path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	e := embed.NewConfig()
	e.Dir = c.EtcdDir
	e.LogLevel = "error"
	e.UnsafeNoFsync = c.NoFsync
	e.ListenClientUrls, e.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	e.ListenPeerUrls, e.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	e.InitialCluster = e.InitialClusterFromName(e.Name)
	e.AutoCompactionMode, e.AutoCompactionRetention = embed.CompactorModePeriodic, etcdHistory
	e.QuotaBackendBytes, e.BootstrapDefragThresholdMegabytes = quota, defrag
	etcd, err := embed.StartEtcd(e)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		if err = liftAlarm(ctx, etcd, quota); err == nil {
			return etcd, nil
		}
	case err = <-etcd.Err():
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(etcdStart):
		err = fmt.Errorf("does not serve after %s", etcdStart)
	}
	etcd.Close()
	return nil, fmt.Errorf("etcd: %w", err)
}

// liftAlarm lets a database be written again that was full, once a start has given space back.
func liftAlarm(ctx context.Context, etcd *embed.Etcd, quota int64) error {
	if etcd.Server.Backend().Size() >= quota {
		return nil
	}
	found, err := etcd.Server.Alarm(ctx, &pb.AlarmRequest{Action: pb.AlarmRequest_GET})
	if err != nil {
		return err
	}
	for _, a := range found.Alarms {
		if a.Alarm != pb.AlarmType_NOSPACE {
			continue
		}
		off := &pb.AlarmRequest{Action: pb.AlarmRequest_DEACTIVATE, MemberID: a.MemberID, Alarm: a.Alarm}
		if _, err := etcd.Server.Alarm(ctx, off); err != nil {
			return err
		}
	}
	return nil
}
