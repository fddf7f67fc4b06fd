//go:build e2e

package e2e

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// snapshot describes what a cluster can leave on a machine, so that before and after can be compared.
func snapshot(t *testing.T) string {
	t.Helper()
	var out []string
	for _, program := range []string{"iptables-save", "ip6tables-save"} {
		b, err := exec.Command(program).Output()
		if err != nil {
			continue
		}
		table := ""
		for line := range strings.Lines(string(b)) {
			switch line = strings.TrimSpace(line); {
			case strings.HasPrefix(line, "*"):
				table = line
			case strings.HasPrefix(line, "-A"), strings.HasPrefix(line, ":") && strings.Contains(line, " - "): // rules, own chains
				out = append(out, program+table+" "+strings.Split(line, " [")[0])
			}
		}
	}
	for _, pattern := range []string{"/run/*", "/sys/fs/cgroup/goblinlab*", "/sys/fs/cgroup/*/goblinlab*", "/var/lib/kubelet", "/var/lib/cni",
		"/var/lib/containerd", "/run/containerd", "/var/log/pods", "/var/log/containers", "/var/run/netns/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, paths...)
	}
	links, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		out = append(out, "interface "+link.Name)
	}
	for _, key := range []string{"net/ipv4/ip_forward", "net/ipv4/conf/all/route_localnet", "vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops"} {
		b, _ := os.ReadFile("/proc/sys/" + key)
		out = append(out, key+"="+strings.TrimSpace(string(b)))
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		out = append(out, "mount "+strings.Fields(line)[4])
	}
	for _, p := range processes(t) {
		out = append(out, "process "+p.exe)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

type proc struct {
	pid int
	exe string
	rss int // kB
}

// processes lists those that run a program of the local Kubernetes, or a container of the e2e image.
func processes(t *testing.T) []proc {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	var out []proc
	for _, p := range paths {
		exe, err := os.Readlink(p)
		if err != nil || !strings.HasPrefix(exe, bin+"/") && exe != "/pause" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(p)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		out = append(out, proc{pid: pid, exe: exe, rss: rss(pid)})
	}
	return out
}

func rss(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			n, _ := strconv.Atoi(f[1])
			return n
		}
	}
	return 0
}

// eventually repeats a check until it gives no error.
func eventually(t *testing.T, limit time.Duration, what string, check func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	t.Fatalf("%s: not within %s: %v", what, limit, err)
}

// insecure accepts any certificate: the test asks whether a stranger is let in.
func insecure() http.RoundTripper {
	return &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // see above
}
