package testkit

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// EnvLocal names the variable with the program of the local Kubernetes that
// `make test` starts.
const EnvLocal = "GOBLINLAB_TEST_LOCAL"

// Node gives the local Kubernetes under test a node command: "add", "cut",
// "heal", "stop", "start" or "rm" with the node's name and flags.
func Node(t testing.TB, words ...string) {
	t.Helper()
	program := os.Getenv(EnvLocal)
	if program == "" {
		t.Skipf("%s is not set: nodes can be cut off in the local Kubernetes only", EnvLocal)
	}
	args := append([]string{"node"}, words...)
	args = append(args, "--dir", filepath.Dir(os.Getenv(EnvKubeconfig)))
	// Not the test's context: a node must be removed when it has ended.
	if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("node %s: %v\n%s", strings.Join(words, " "), err, out)
	}
}
