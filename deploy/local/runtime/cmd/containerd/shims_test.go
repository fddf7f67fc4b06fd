package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/containerd/containerd/v2/core/sandbox"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/errdefs"
)

type one struct{ sandbox.Store }

func (one) Get(_ context.Context, id string) (sandbox.Sandbox, error) {
	if id == "sandbox" {
		return sandbox.Sandbox{ID: id}, nil
	}
	return sandbox.Sandbox{}, errdefs.ErrNotFound
}

func TestKeeperKeepsTasksThatWereCreated(t *testing.T) {
	t.Parallel()
	k := keeper{Store: one{}, tasks: t.TempDir()}
	for _, id := range []string{"created", "half"} {
		if err := os.MkdirAll(filepath.Join(k.tasks, "k8s.io", id), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(k.tasks, "k8s.io", "created", "init.pid"), []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx := namespaces.WithNamespace(t.Context(), "k8s.io")
	if s, err := k.Get(ctx, "sandbox"); err != nil || s.ID != "sandbox" {
		t.Errorf("a sandbox: %v, %v", s, err)
	}
	if _, err := k.Get(ctx, "created"); err == nil || errdefs.IsNotFound(err) {
		t.Errorf("a created task: %v", err)
	}
	for _, id := range []string{"half", "none"} {
		if _, err := k.Get(ctx, id); !errdefs.IsNotFound(err) {
			t.Errorf("%s: %v", id, err)
		}
	}
}
