//go:build cluster

package team

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestANamespaceIsKeptAsItsTeamSays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := testkit.Cluster(t)
	b.Kube = k
	ctx := b.as(b.Admin)
	row, err := b.Create(ctx, CreateInput{Name: "kept", Quota: QuotaInput{CPU: text("2"), Pods: number(5)}})
	if err != nil {
		t.Fatal(err)
	}
	ns := row.Namespace
	t.Cleanup(func() { _ = k.CoreV1().Namespaces().Delete(context.Background(), ns, metav1.DeleteOptions{}) })
	reconcile := func() {
		t.Helper()
		if after, err := b.Reconcile(t.Context(), row.ID); err != nil || after < drift {
			t.Fatalf("reconcile: %v, %v", after, err)
		}
	}
	hard := func(r corev1.ResourceName) string {
		t.Helper()
		q, err := k.CoreV1().ResourceQuotas(ns).Get(t.Context(), manifest.QuotaName, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		v, ok := q.Spec.Hard[r]
		if !ok {
			return ""
		}
		return v.String()
	}
	reconcile()
	now := b.db.Client.Team.GetX(testkit.System(t), row.ID)
	if now.Reason != nil || now.ObservedGeneration != now.Generation || hard("limits.cpu") != "2" || hard("pods") != "5" {
		t.Errorf("made: %+v, cpu %s", now, hard("limits.cpu"))
	}
	version := now.Version
	reconcile()
	if now = b.db.Client.Team.GetX(testkit.System(t), row.ID); now.Version != version {
		t.Error("nothing new was written all the same")
	}

	if err := k.CoreV1().ResourceQuotas(ns).Delete(t.Context(), manifest.QuotaName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := k.NetworkingV1().NetworkPolicies(ns).Delete(t.Context(), manifest.PolicyDeny, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	reconcile()
	if hard("limits.cpu") != "2" {
		t.Error("a quota that somebody deleted stays away")
	}
	if _, err := k.NetworkingV1().NetworkPolicies(ns).Get(t.Context(), manifest.PolicyDeny, metav1.GetOptions{}); apierrors.IsNotFound(err) {
		t.Error("a policy that somebody deleted stays away")
	}
	if _, err := b.Update(ctx, UpdateInput{ID: row.ID, Quota: &QuotaInput{Memory: text("1Gi")}}); err != nil {
		t.Fatal(err)
	}
	reconcile()
	want := manifest.Hard(spec.Quota{MemoryBytes: 1 << 30}, spec.Overcommit{})[corev1.ResourceLimitsMemory] // with room for the platform's own
	if hard("limits.cpu") != "" || hard("limits.memory") != want.String() {
		t.Errorf("the quota was not replaced whole: cpu %q, memory %q", hard("limits.cpu"), hard("limits.memory"))
	}
}
