package testkit

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// EnvRedis names the variable with the path of a redis-server to start for
// tests; without it they use one inside the process.
const EnvRedis = "GOBLINLAB_TEST_REDIS_SERVER"

// RedisURL is the address of a new, empty Redis that ends with the test.
func RedisURL(t testing.TB) string {
	t.Helper()
	bin := os.Getenv(EnvRedis)
	if bin == "" {
		m := miniredis.RunT(t)
		return "redis://" + m.Addr()
	}
	dir, err := os.MkdirTemp("", "gl-redis") // short: a socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	sock := filepath.Join(dir, "r.sock")
	cmd := exec.Command(bin, "--port", "0", "--unixsocket", sock, "--save", "", "--appendonly", "no", "--dir", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // a run that is killed leaves none behind
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", bin, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: sock})
	defer c.Close()
	deadline := time.Now().Add(10 * time.Second)
	for c.Ping(context.Background()).Err() != nil {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer", bin)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return "unix://" + sock
}

// Redis is a client of a new, empty Redis.
func Redis(t testing.TB) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}
