package testkit

import (
	"os"
	"sync"
	"testing"

	"github.com/goblinlab/goblinlab/internal/kube"
)

// EnvKubeconfig names the variable with the kubeconfig of the local Kubernetes
// that `make test` starts.
const EnvKubeconfig = "GOBLINLAB_TEST_KUBECONFIG"

// Images that the local Kubernetes has.
const (
	ImageMini = "goblinlab.local/mini:1" // busybox and the start-up program
	ImageDev  = "goblinlab.local/dev:1"  // JupyterLab, sshd, Python

	ImageFiles = "goblinlab.local/files:1" // the start-up program alone, as the data manager uses it
)

// Cluster is a client of the local Kubernetes. Under -short the test is
// skipped; otherwise a cluster must be there.
func Cluster(t testing.TB) *kube.Client {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the local Kubernetes; run without -short")
	}
	path := os.Getenv(EnvKubeconfig)
	if path == "" {
		t.Fatalf("%s is not set: run `make test`, which starts the local Kubernetes, or point it at a kubeconfig", EnvKubeconfig)
	}
	c, err := kube.Connect(path, 200, 400)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Kicks records wake-ups.
type Kicks struct {
	mu   sync.Mutex
	keys []string
}

// Kick notes kind and id.
func (k *Kicks) Kick(kind, id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys = append(k.keys, kind+"/"+id)
}

// All are the wake-ups so far, as "kind/id".
func (k *Kicks) All() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.keys...)
}
