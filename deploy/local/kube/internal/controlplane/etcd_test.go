package controlplane

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
)

// TestDatabaseHasALimitAndRecovers fills a small database, and finds it writable again after a start that can give the
// space of old revisions back.
func TestDatabaseHasALimitAndRecovers(t *testing.T) {
	run, err := os.MkdirTemp("/tmp", "etcd") // short, for the sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	c := Config{EtcdDir: filepath.Join(t.TempDir(), "etcd"), Run: run, NoFsync: true}
	const quota, defrag = 8 << 20, 1
	etcd := served(t, c, quota, defrag)
	if got := etcd.Config(); got.QuotaBackendBytes != quota || got.AutoCompactionMode != "periodic" || got.AutoCompactionRetention != "5m" {
		t.Errorf("quota %d, compaction %s %s", got.QuotaBackendBytes, got.AutoCompactionMode, got.AutoCompactionRetention)
	}
	client := v3client.New(etcd.Server)
	var last int64
	for range 400 {
		time.Sleep(10 * time.Millisecond) // the size is known once a batch is written, each 100 ms
		r, err := client.Put(t.Context(), "key", strings.Repeat("x", 256<<10))
		if err != nil {
			if !strings.Contains(err.Error(), "database space exceeded") {
				t.Fatal(err)
			}
			last = -last
			break
		}
		last = r.Header.Revision
	}
	if last >= 0 {
		t.Fatal("100 MB fit into a database of 8 MB")
	}
	if _, err := client.Compact(t.Context(), -last); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Put(t.Context(), "key", "small"); err == nil {
		t.Error("a full database was written")
	}
	client.Close()
	etcd.Close()

	etcd = served(t, c, quota, defrag)
	defer etcd.Close()
	client = v3client.New(etcd.Server)
	defer client.Close()
	if _, err := client.Put(t.Context(), "key", "small"); err != nil {
		t.Errorf("after a start: %v", err)
	}
}

func TestDatabaseOfTheCluster(t *testing.T) {
	run, err := os.MkdirTemp("/tmp", "etcd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(run) })
	etcd, err := startEtcd(t.Context(), Config{EtcdDir: filepath.Join(t.TempDir(), "etcd"), Run: run})
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Close()
	got := etcd.Config()
	if got.QuotaBackendBytes != 2<<30 || got.AutoCompactionRetention != "5m" || got.BootstrapDefragThresholdMegabytes != 64 {
		t.Errorf("quota %d, history %s, defragmentation from %d MB", got.QuotaBackendBytes, got.AutoCompactionRetention, got.BootstrapDefragThresholdMegabytes)
	}
	if got.UnsafeNoFsync {
		t.Error("it does not wait for the disk, though nobody asked for that")
	}
}

func served(t *testing.T, c Config, quota int64, defrag uint) *embed.Etcd {
	t.Helper()
	etcd, err := serveEtcd(context.WithoutCancel(t.Context()), c, quota, defrag)
	if err != nil {
		t.Fatal(err)
	}
	return etcd
}
