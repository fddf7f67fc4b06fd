//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// useIsMeasured asks what kubectl and autoscalers ask.
func useIsMeasured(t *testing.T, l *local) {
	for _, node := range []string{"general", "gpu", "online"} {
		l.topHas(node, true)
	}
	eventually(t, 60*time.Second, "the use of a pod", func() error {
		out, err := l.kubectl("top", "pod", "web-0", "--containers", "--no-headers")
		if !regexp.MustCompile(`web-0 +main +\d+m +\d+Mi`).MatchString(out) {
			return fmt.Errorf("%q, %w", out, err)
		}
		return nil
	})
	for _, p := range processes(t) {
		if strings.HasSuffix(p.exe, "/metrics-server") {
			t.Logf("the metrics server has %d MB", p.rss/1024)
			return
		}
	}
	t.Error("no metrics server runs")
}

// topHas waits until the use of a node is known, or is not any more.
func (l *local) topHas(node string, want bool) {
	l.t.Helper()
	pattern := regexp.MustCompile(`(?m)^` + node + ` +\d+m +\d+% +\d+Mi +\d+%`)
	eventually(l.t, 120*time.Second, "the use of node "+node, func() error {
		out, err := l.kubectl("top", "node", "--no-headers")
		if pattern.MatchString(out) != want {
			return fmt.Errorf("%q, %w", out, err)
		}
		return nil
	})
}

// volumesAreKeptOrGo tries the reclaim policies, the access modes, and what the storage class says.
func volumesAreKeptOrGo(t *testing.T, l *local) {
	if out := l.must("get", "storageclass", "-o", `jsonpath={range .items[*]}{.metadata.name} {.reclaimPolicy} {.allowVolumeExpansion} {.metadata.annotations.storageclass\.kubernetes\.io/is-default-class}{"\n"}{end}`); out != "standard Delete true true" {
		t.Errorf("storage classes:\n%s", out)
	}
	l.must("apply", "-f", "testdata/volumes.yaml")
	folder := map[string]string{}
	for name, mode := range map[string]string{"shared": "ReadWriteMany", "kept": "ReadWriteOnce"} {
		l.must("wait", "--for=jsonpath={.status.phase}=Bound", "pvc/"+name, "--timeout=30s")
		if out := l.must("get", "pvc", name, "-o", "jsonpath={.status.capacity.storage} {.status.accessModes[0]}"); out != "5Mi "+mode {
			t.Errorf("claim %s has %q", name, out)
		}
		pv := l.must("get", "pvc", name, "-o", "jsonpath={.spec.volumeName}")
		if out := l.must("get", "pv", pv, "-o", "jsonpath={.spec.capacity.storage} {.spec.accessModes[0]}"); out != "5Mi "+mode {
			t.Errorf("volume of %s has %q", name, out)
		}
		folder[name] = l.must("get", "pv", pv, "-o", "jsonpath={.spec.hostPath.path}")
	}
	l.must("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/share-general", "pod/share-gpu", "pod/keep", "--timeout=60s")
	if b, err := os.ReadFile(folder["shared"] + "/both"); err != nil || strings.Count(string(b), "\n") != 2 {
		t.Errorf("two nodes wrote %q, %v", b, err)
	}
	l.must("patch", "pvc", "kept", "--type=merge", "-p", `{"spec":{"resources":{"requests":{"storage":"7Mi"}}}}`)
	l.must("wait", "--for=jsonpath={.status.capacity.storage}=7Mi", "pvc/kept", "--timeout=30s")
	l.refused("can not be less than", "patch", "pvc", "kept", "--type=merge", "-p", `{"spec":{"resources":{"requests":{"storage":"6Mi"}}}}`)
	pv := l.must("get", "pvc", "kept", "-o", "jsonpath={.spec.volumeName}")
	if out := l.must("get", "pv", pv, "-o", "jsonpath={.spec.capacity.storage}"); out != "7Mi" {
		t.Errorf("the grown volume has %q", out)
	}
	l.must("delete", "-f", "testdata/volumes.yaml", "--timeout=60s")
	eventually(t, 20*time.Second, "the end of a folder with the policy Delete", func() error {
		if _, err := os.Stat(folder["shared"]); !os.IsNotExist(err) {
			return fmt.Errorf("%s: %w", folder["shared"], err)
		}
		return nil
	})
	l.must("wait", "--for=jsonpath={.status.phase}=Released", "pv/"+pv, "--timeout=30s")
	if b, err := os.ReadFile(folder["kept"] + "/note"); err != nil || string(b) != "kept\n" {
		t.Errorf("a folder with the policy Retain has %q, %v", b, err)
	}
	l.must("delete", "pv", pv, "--timeout=30s")
	if _, err := os.Stat(folder["kept"]); err != nil {
		t.Errorf("a folder with the policy Retain, without its volume: %v", err)
	}
}
