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

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

// snapshot describes what the cluster in dir can leave on a machine, so that before and after can be compared.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	l, err := layout.New(dir)
	if err != nil {
		t.Fatal(err)
	}
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
			case strings.HasPrefix(line, "-A"), // rules, own chains, policies
				strings.HasPrefix(line, ":") && !strings.Contains(line, " ACCEPT "):
				out = append(out, program+table+" "+strings.Split(line, " [")[0])
			}
		}
	}
	for _, pattern := range []string{"/run/*", "/run/netns/*", "/sys/fs/cgroup" + l.CgroupRoot(), "/sys/fs/cgroup/*" + l.CgroupRoot(),
		"/sys/fs/cgroup/kubepods*", "/sys/fs/cgroup/*/kubepods*", "/var/lib/*", "/var/lib/kubelet/*", "/var/lib/cni/*", "/var/log/*",
		"/etc/cni*", "/opt/cni*"} {
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
	for _, pattern := range []string{"net/ipv4/*", "net/ipv4/conf/all/*", "net/ipv4/conf/default/*", "net/ipv6/conf/all/*", "net/netfilter/*",
		"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic*", "kernel/keys/*", "fs/inotify/*"} {
		paths, err := filepath.Glob("/proc/sys/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if b, err := os.ReadFile(path); err == nil && filepath.Base(path) != "nf_conntrack_count" {
				out = append(out, path+"="+strings.TrimSpace(string(b)))
			}
		}
	}
	for _, args := range [][]string{{"-4", "route", "show", "table", "all"}, {"-6", "route", "show", "table", "all"}, {"rule"}} {
		if b, err := exec.Command("ip", args...).Output(); err == nil {
			out = append(out, strings.Split(string(b), "\n")...)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		at := strings.Fields(line)[4]
		if strings.HasPrefix(at, os.TempDir()+"/") && !strings.HasPrefix(at, l.Dir) {
			continue // builds of images mount there for a while
		}
		out = append(out, "mount "+at)
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
