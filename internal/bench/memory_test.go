//go:build bench

package bench

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// memory is what the agent beside a volume holds and what this process holds,
// which is the server and its client, in bytes.
type memory struct{ agent, own int64 }

func (m memory) most(o memory) memory {
	return memory{max(m.agent, o.agent), max(m.own, o.own)}
}

// atRest is what both hold now, and makes the kernel count their most from here
// on. The local Kubernetes runs on this machine, so its processes are seen.
func atRest(t *testing.T) memory {
	t.Helper()
	debug.FreeOSMemory()
	m := measure(t, "VmRSS:")
	for _, dir := range append(agents(t), "/proc/self") {
		if err := os.WriteFile(filepath.Join(dir, "clear_refs"), []byte("5"), 0); err != nil {
			t.Fatalf("the kernel does not begin to count anew: %v", err)
		}
	}
	return m
}

// since is the most that both held since then, beside what they held at rest.
func since(t *testing.T, rest memory) memory {
	t.Helper()
	now := measure(t, "VmHWM:")
	return memory{now.agent - rest.agent, now.own - rest.own}
}

func measure(t *testing.T, what string) memory {
	t.Helper()
	m := memory{own: status(t, "/proc/self", what)}
	for _, dir := range agents(t) {
		m.agent = max(m.agent, status(t, dir, what))
	}
	return m
}

// agents are the folders of the agents' processes.
func agents(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range all {
		b, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(b), "goblin-init\x00files\x00") {
			out = append(out, filepath.Dir(f))
		}
	}
	if len(out) == 0 {
		t.Fatal("no process of an agent is seen")
	}
	return out
}

func status(t *testing.T, dir, key string) int64 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		if rest, ok := strings.CutPrefix(line, key); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatalf("%s tells no %s", dir, key)
	return 0
}
