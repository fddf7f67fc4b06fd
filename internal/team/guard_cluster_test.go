//go:build cluster

package team

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// guarded is a team in a cluster whose changes wake its reconciler.
func guarded(t *testing.T) (*bundle, *ent.Team) {
	t.Helper()
	b := setup(t)
	b.Kube = testkit.Cluster(t)
	changes := make(chan string, 4096)
	cache, err := kube.NewCache(b.Kube, func(c kube.Change) {
		if id, ok := b.OnChange(c); ok {
			changes <- id
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Cache = cache
	row, err := b.Create(b.as(b.Admin), CreateInput{Name: "guarded", Quota: QuotaInput{CPU: text("2"), Pods: number(5)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.Kube.CoreV1().Namespaces().Delete(context.Background(), row.Namespace, metav1.DeleteOptions{})
	})
	b.look(row)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { cache.Run(ctx) }()
	if err := cache.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case id := <-changes:
				if id == row.ID {
					_, _ = b.Reconcile(ctx, id)
				}
			}
		}
	}()
	t.Cleanup(func() { stop(); <-done })
	return b, row
}

func (b *bundle) look(row *ent.Team) time.Duration {
	b.t.Helper()
	after, err := b.Reconcile(b.t.Context(), row.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return after
}

func (b *bundle) again(row *ent.Team) *ent.Team {
	return b.db.Client.Team.GetX(testkit.System(b.t), row.ID)
}

// within waits for what only a change of the cluster can bring about.
func within(t *testing.T, limit time.Duration, what string, ok func() bool) time.Duration {
	t.Helper()
	begin := time.Now()
	for !ok() {
		if time.Since(begin) > limit {
			t.Fatalf("%s: not within %v", what, limit)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(begin).Round(10 * time.Millisecond)
}

func TestWhatGuardsANamespaceComesBackWithinSeconds(t *testing.T) {
	t.Parallel()
	b, row := guarded(t)
	ctx, k, ns, o := t.Context(), b.Kube, row.Namespace, metav1.DeleteOptions{}
	for what, c := range map[string]struct {
		spoil func() error
		whole func() bool
	}{
		"the quota": {func() error { return k.CoreV1().ResourceQuotas(ns).Delete(ctx, manifest.QuotaName, o) }, func() bool {
			_, err := k.CoreV1().ResourceQuotas(ns).Get(ctx, manifest.QuotaName, metav1.GetOptions{})
			return err == nil
		}},
		"the closed door": {func() error { return k.NetworkingV1().NetworkPolicies(ns).Delete(ctx, manifest.PolicyDeny, o) }, func() bool {
			_, err := k.NetworkingV1().NetworkPolicies(ns).Get(ctx, manifest.PolicyDeny, metav1.GetOptions{})
			return err == nil
		}},
		"the limit range": {func() error { return k.CoreV1().LimitRanges(ns).Delete(ctx, manifest.LimitRangeName, o) }, func() bool {
			_, err := k.CoreV1().LimitRanges(ns).Get(ctx, manifest.LimitRangeName, metav1.GetOptions{})
			return err == nil
		}},
		"the role binding": {func() error { return k.RbacV1().RoleBindings(ns).Delete(ctx, manifest.ServiceAccount, o) }, func() bool {
			_, err := k.RbacV1().RoleBindings(ns).Get(ctx, manifest.ServiceAccount, metav1.GetOptions{})
			return err == nil
		}},
		"an account with a token": {func() error {
			yes := true
			sa, err := k.CoreV1().ServiceAccounts(ns).Get(ctx, manifest.ServiceAccount, metav1.GetOptions{})
			if err != nil {
				return err
			}
			sa.AutomountServiceAccountToken = &yes
			_, err = k.CoreV1().ServiceAccounts(ns).Update(ctx, sa, metav1.UpdateOptions{})
			return err
		}, func() bool {
			sa, err := k.CoreV1().ServiceAccounts(ns).Get(ctx, manifest.ServiceAccount, metav1.GetOptions{})
			return err == nil && !*sa.AutomountServiceAccountToken
		}},
		"a wider quota": {func() error {
			q, err := k.CoreV1().ResourceQuotas(ns).Get(ctx, manifest.QuotaName, metav1.GetOptions{})
			if err != nil {
				return err
			}
			q.Spec.Hard["limits.cpu"] = resource.MustParse("100")
			_, err = k.CoreV1().ResourceQuotas(ns).Update(ctx, q, metav1.UpdateOptions{})
			return err
		}, func() bool {
			q, err := k.CoreV1().ResourceQuotas(ns).Get(ctx, manifest.QuotaName, metav1.GetOptions{})
			if err != nil {
				return false
			}
			cpu := q.Spec.Hard["limits.cpu"]
			return cpu.String() == "2"
		}},
		"labels taken from the namespace": {func() error {
			n, err := k.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{})
			if err != nil {
				return err
			}
			n.Labels = nil
			_, err = k.CoreV1().Namespaces().Update(ctx, n, metav1.UpdateOptions{})
			return err
		}, func() bool {
			n, err := k.CoreV1().Namespaces().Get(ctx, ns, metav1.GetOptions{})
			return err == nil && n.Labels["pod-security.kubernetes.io/enforce"] == "baseline"
		}},
	} {
		if err := kube.Retry(c.spoil); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		t.Logf("%s: whole again after %v", what, within(t, 5*time.Second, what, c.whole))
	}
	if got := b.again(row); got.Reason != nil || len(got.Findings) != 0 {
		t.Errorf("afterwards: %+v, %+v", got.Reason, got.Findings)
	}
}

func TestWhatDoesNotBelongIsToldAndLeftAlone(t *testing.T) {
	t.Parallel()
	b, row := guarded(t)
	ctx, k, ns := t.Context(), b.Kube, row.Namespace
	_, err := k.RbacV1().RoleBindings(ns).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "backdoor"},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "view"},
		Subjects: []rbacv1.Subject{{Kind: "User", Name: "mallory", APIGroup: "rbac.authorization.k8s.io"}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.CoreV1().ResourceQuotas(ns).Create(ctx, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "tight"},
		Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"pods": resource.MustParse("1")}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	within(t, 5*time.Second, "both are told", func() bool {
		f := b.again(row).Findings
		return len(f) == 2 && f[0].Args["kind"] == "ResourceQuota" && f[1].Args["name"] == "backdoor"
	})
	if _, err := k.RbacV1().RoleBindings(ns).Get(ctx, "backdoor", metav1.GetOptions{}); err != nil {
		t.Errorf("it was taken away: %v", err)
	}
	for _, remove := range []func() error{
		func() error { return k.RbacV1().RoleBindings(ns).Delete(ctx, "backdoor", metav1.DeleteOptions{}) },
		func() error { return k.CoreV1().ResourceQuotas(ns).Delete(ctx, "tight", metav1.DeleteOptions{}) },
	} {
		if err := remove(); err != nil {
			t.Fatal(err)
		}
	}
	within(t, 5*time.Second, "nothing is told any more", func() bool { return len(b.again(row).Findings) == 0 })
}

func TestANamespaceOfSomebodyElsesIsNotTakenOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Kube = testkit.Cluster(t)
	ctx := t.Context()
	row, err := b.Create(b.as(b.Admin), CreateInput{Name: "late"})
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := b.Kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: row.Namespace, Labels: map[string]string{"owner": "them"}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.Kube.CoreV1().Namespaces().Delete(context.Background(), row.Namespace, metav1.DeleteOptions{})
	})
	b.look(row)
	if got := b.again(row); got.Reason == nil || got.Reason.Code != "team-namespace-taken" || got.NamespaceUID != "" {
		t.Errorf("%+v", got)
	}
	now, err := b.Kube.CoreV1().Namespaces().Get(ctx, row.Namespace, metav1.GetOptions{})
	if err != nil || now.ResourceVersion != theirs.ResourceVersion {
		t.Errorf("it was touched: %+v, %v", now.Labels, err)
	}
	if quotas, err := b.Kube.CoreV1().ResourceQuotas(row.Namespace).List(ctx, metav1.ListOptions{}); err != nil || len(quotas.Items) != 0 {
		t.Errorf("%d quotas were put there, %v", len(quotas.Items), err)
	}
	// Nor does it go with the team.
	b.db.Client.Team.UpdateOneID(row.ID).SetArchivedAt(time.Now().UTC()).SetDesired(entteam.DesiredDeleted).ExecX(testkit.System(t))
	b.look(row)
	if _, err := b.Kube.CoreV1().Namespaces().Get(ctx, row.Namespace, metav1.GetOptions{}); err != nil {
		t.Errorf("it was deleted with the team: %v", err)
	}
	if there := b.db.Client.Team.Query().Where(entteam.ID(row.ID)).ExistX(testkit.System(t)); there {
		t.Error("the team is still there")
	}
}

func TestANamespaceThatVanishesIsMadeAnewAndTold(t *testing.T) {
	t.Parallel()
	b, row := guarded(t)
	ctx, sys := t.Context(), testkit.System(t)
	disk := b.db.Client.Volume.Create().SetTeamID(row.ID).SetOwnerID(b.Owner.ID).SetName("results").SetKind(entvolume.KindData).SetObjectName("results").
		SetSizeBytes(1 << 30).SetAccessMode(entvolume.AccessModeReadWriteMany).SetPhase(entvolume.PhaseBound).SaveX(sys)
	first := b.again(row).NamespaceUID
	if err := b.Kube.CoreV1().Namespaces().Delete(ctx, row.Namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	within(t, 90*time.Second, "it is made anew", func() bool {
		_, _ = b.Reconcile(ctx, row.ID) // what changed meanwhile is looked at once more, as the worker does
		got := b.again(row)
		return got.Reason == nil && got.NamespaceUID != first
	})
	got := b.again(row)
	if got.Lost == nil || got.Lost.Code != "team-namespace-lost" || got.Lost.Args["count"] != 1.0 || got.Lost.Args["volumes"].([]any)[0] != disk.Name {
		t.Errorf("what was lost: %+v", got.Lost)
	}
	if _, err := b.Kube.NetworkingV1().NetworkPolicies(row.Namespace).Get(ctx, manifest.PolicyDeny, metav1.GetOptions{}); err != nil {
		t.Errorf("the new one is not closed: %v", err)
	}
	if _, err := b.Acknowledge(b.as(b.Admin), row.ID); err != nil {
		t.Fatal(err)
	}
	b.look(row)
	if got = b.again(row); got.Lost != nil {
		t.Errorf("it was read and comes back: %+v", got.Lost)
	}
}

func TestATeamGoesWithItsNamespace(t *testing.T) {
	t.Parallel()
	b, row := guarded(t)
	admin := b.as(b.Admin)
	if _, err := b.Archive(admin, row.ID, false); err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(admin, row.ID, row.Name); err != nil {
		t.Fatal(err)
	}
	within(t, 90*time.Second, "it is gone", func() bool {
		b.look(row)
		return !b.db.Client.Team.Query().Where(entteam.ID(row.ID)).ExistX(testkit.System(t))
	})
	if _, err := b.Kube.CoreV1().Namespaces().Get(t.Context(), row.Namespace, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the namespace is left: %v", err)
	}
	if _, err := b.Create(admin, CreateInput{Name: row.Name}); err != nil {
		t.Errorf("its name is not free: %v", err)
	}
}
