package layout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOneFolderIsOneCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	want := mustNew(t, dir)
	for _, spelling := range []string{dir + "/", dir + "/../" + filepath.Base(dir), link} {
		if got := mustNew(t, spelling); got != want {
			t.Errorf("New(%q) = %v, want %v", spelling, got, want)
		}
	}
	if other := mustNew(t, t.TempDir()); other.ID == want.ID || other.Run == want.Run {
		t.Errorf("two folders share %s", other.Run)
	}
}

func TestSocketPathsAreShort(t *testing.T) {
	t.Parallel()
	l := mustNew(t, "/"+strings.Repeat("deep/", 60))
	path := l.Node(strings.Repeat("n", 40)).Containerd() + ".ttrpc"
	if len(path) >= 108 {
		t.Errorf("%s has %d bytes, a socket's path must have fewer than 108", path, len(path))
	}
	if name := l.Bridge(255); len(name) > 15 {
		t.Errorf("interface name %s has %d characters, at most 15 are possible", name, len(name))
	}
}

func TestFoldersThatBreakTheConfigurationAreRefused(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"/a'b", "/a\nb", `/a\b`} {
		if _, err := New(dir); err == nil {
			t.Errorf("New(%q) was accepted", dir)
		}
	}
}

func mustNew(t *testing.T, dir string) Layout {
	t.Helper()
	l, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSocketsWithoutRootHaveRoom(t *testing.T) {
	t.Parallel()
	for length, ok := range map[int]bool{72: true, 73: false} {
		l := Layout{Dir: "/" + strings.Repeat("x", length-1)}.Host()
		if err := l.CheckHost(); (err == nil) != ok {
			t.Errorf("%d characters: %v", length, err)
		}
		socket := filepath.Join(l.Kubelet(15), "pod-resources", "kubelet.sock")
		if (len(socket) <= 107) != ok {
			t.Errorf("the socket's path has %d characters", len(socket))
		}
	}
}
