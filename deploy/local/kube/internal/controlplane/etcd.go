package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

const etcdStart = 30 * time.Second

// startEtcd runs the database on unix sockets only and returns when it serves.
func startEtcd(ctx context.Context, c Config) (*embed.Etcd, error) {
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
	e.AutoCompactionMode, e.AutoCompactionRetention = "periodic", "5m"
	etcd, err := embed.StartEtcd(e)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err = <-etcd.Err():
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(etcdStart):
		err = fmt.Errorf("does not serve after %s", etcdStart)
	}
	etcd.Close()
	return nil, fmt.Errorf("etcd: %w", err)
}
