//go:build cluster

package instance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	entaudit "github.com/goblinlab/goblinlab/ent/audit"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestLifeInTheCluster(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	ctx := l.as(l.Member)
	i := l.until(l.start().ID, Running)
	var names []string
	for n, p := range i.Timeline {
		names = append(names, p.Name)
		if n > 0 && p.Since.Before(i.Timeline[n-1].Since) {
			t.Errorf("P4: %s began before %s", p.Name, i.Timeline[n-1].Name)
		}
	}
	for _, want := range []string{phaseQueued, phaseScheduled, phaseStarting, phaseReady} {
		if !slices.Contains(names, want) {
			t.Errorf("P4: no phase %s in %v", want, names)
		}
	}
	if i.Reason != nil || i.Node == "" || i.PodIP == "" || !strings.HasPrefix(i.HostKey, "SHA256:") || i.ReadyAt == nil || len(i.Apps) == 0 {
		t.Errorf("a running instance is %+v", i)
	}
	first, err := l.Reveal(ctx, i.ID)
	if err != nil || len(first.Password) < 32 || len(first.RootPassword) < 32 || first.Password == first.RootPassword {
		t.Fatalf("secret: %v", err)
	}
	if n := l.db.Client.Audit.Query().Where(entaudit.Action("instance.reveal")).CountX(testkit.System(t)); n != 1 {
		t.Errorf("revealing was audited %d times", n)
	}
	l.hidden(first)

	uid := l.pods(i.ID)[0].UID
	name := "another name"
	if _, err := l.Update(ctx, UpdateInput{ID: i.ID, Name: &name}); err != nil {
		t.Fatal(err)
	}
	l.eventually("the set has the new name", func() error {
		set, err := l.kube.AppsV1().StatefulSets(l.ns).Get(t.Context(), i.ObjectName, metav1.GetOptions{})
		if err == nil && set.Annotations[manifest.AnnotationName] != name {
			err = errors.New(set.Annotations[manifest.AnnotationName])
		}
		return err
	})
	if got := l.pods(i.ID)[0].UID; got != uid {
		t.Error("a new name restarted the pod")
	}

	if _, err := l.Restart(ctx, i.ID); err != nil {
		t.Fatal(err)
	}
	l.until(i.ID, Running)
	second, err := l.Reveal(ctx, i.ID)
	if err != nil || second == first {
		t.Errorf("a restart has a secret of its own: %v", err)
	}
	if got := l.again(i.ID); got.HostKey != i.HostKey || l.pods(i.ID)[0].UID == uid {
		t.Errorf("P31: host key %s, was %s", got.HostKey, i.HostKey)
	}
	if diff := cmp.Diff([]string{"set", "service", "pod " + i.ObjectName + "-0", "secret -login-2", "secret -ssh-host"}, l.left(i)); diff != "" {
		t.Errorf("after a restart: %s", diff)
	}

	if _, err := l.Stop(ctx, i.ID); err != nil {
		t.Fatal(err)
	}
	l.until(i.ID, Stopped)
	if diff := cmp.Diff([]string{"set", "service", "secret -ssh-host"}, l.left(i)); diff != "" {
		t.Errorf("P15: stopped: %s", diff)
	}
	if _, err := l.Reveal(ctx, i.ID); fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("a stopped instance has no secret: %v", err)
	}
	if _, err := l.Start(ctx, i.ID); err != nil {
		t.Fatal(err)
	}
	if got := l.until(i.ID, Running); got.HostKey != i.HostKey || got.StartNumber != 3 {
		t.Errorf("P31: %+v", got)
	}
	l.kept(i.ID)
}

// hidden looks for a secret everywhere but in Secrets.
func (l *lab) hidden(s Secret) {
	l.t.Helper()
	pods, err := l.kube.CoreV1().Pods(l.ns).List(l.t.Context(), metav1.ListOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	sets, err := l.kube.AppsV1().StatefulSets(l.ns).List(l.t.Context(), metav1.ListOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	rows := l.db.Client.Instance.Query().AllX(testkit.System(l.t))
	audit := l.db.Client.Audit.Query().AllX(testkit.System(l.t))
	b, err := json.Marshal([]any{pods, sets, rows, audit})
	if err != nil {
		l.t.Fatal(err)
	}
	if strings.Contains(string(b), s.Password) || strings.Contains(string(b), s.RootPassword) {
		l.t.Error("the secret stands in an object or a row")
	}
}

// kept looks for what happened in our own database (P6).
func (l *lab) kept(id string) {
	l.t.Helper()
	for _, want := range []string{"created", "started", "ready", "restarted", "stopping", "stopped", "Scheduled", "Started"} {
		l.eventually("P6: the event "+want+" is kept", func() error {
			if l.db.Client.Event.Query().Where(entevent.SubjectID(id), entevent.Type(want)).CountX(testkit.System(l.t)) == 0 {
				return errors.New("none")
			}
			return nil
		})
	}
}

func TestDeleteWhileRunningLeavesTheVolumes(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	i := l.until(l.start().ID, Running)
	if err := l.Service.Delete(l.as(l.Member), i.ID); err != nil {
		t.Fatal(err)
	}
	l.eventually("the row is gone", func() error {
		if l.db.Client.Instance.Query().CountX(testkit.System(t)) > 0 {
			return errors.New("it is there")
		}
		return nil
	})
	if left := l.left(i); left != nil {
		t.Errorf("left: %v", left)
	}
	home := l.db.Client.Volume.Query().OnlyX(testkit.System(t))
	if home.Phase != entvolume.PhaseBound {
		t.Errorf("home is %+v", home)
	}
	if err := l.Volumes.Delete(l.as(l.Member), home.ID, home.Name); err != nil {
		t.Fatal(err)
	}
	l.eventually("the volume is gone, claim first", func() error {
		if l.db.Client.Volume.Query().CountX(testkit.System(t)) > 0 {
			return errors.New("the row is there")
		}
		claims, err := l.kube.CoreV1().PersistentVolumeClaims(l.ns).List(t.Context(), metav1.ListOptions{})
		if err == nil && len(claims.Items) > 0 {
			t.Fatal("the row went before its claim")
		}
		return err
	})
}

func TestABadImageAndThenAGoodOne(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	bad := l.db.Client.Image.Create().SetName("bad").SetReference("goblinlab.invalid/none:1").SetDevelopment(true).SaveX(testkit.System(t))
	i := l.start(func(in *CreateInput) { in.ImageID = bad.ID })
	asked := time.Now()
	l.eventually("P1: the cause is told", func() error {
		row := l.again(i.ID)
		if row.Reason == nil || !strings.HasPrefix(row.Reason.Code, "image-") {
			return errors.New(string(row.State))
		}
		if row.State == "running" {
			t.Error("P5: it is green")
		}
		return nil
	})
	t.Logf("the cause was told after %v", time.Since(asked).Round(time.Millisecond))
	if _, err := l.Update(l.as(l.Member), UpdateInput{ID: i.ID, ImageID: &l.image.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Restart(l.as(l.Member), i.ID); err != nil {
		t.Fatal(err)
	}
	l.until(i.ID, Running) // P16
}

func TestAStartThatTakesTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{}, func(c *config.Config) { c.Limits.StartTimeout = 20 * time.Second })
	bad := l.db.Client.Image.Create().SetName("bad").SetReference("goblinlab.invalid/none:1").SetDevelopment(true).SaveX(testkit.System(t))
	i := l.until(l.start(func(in *CreateInput) { in.ImageID = bad.ID }).ID, Failed)
	if i.Reason == nil || !strings.HasPrefix(i.Reason.Code, "image-") {
		t.Errorf("P2: the cause is %+v", i.Reason)
	}
	if diff := cmp.Diff([]string{"set", "service", "secret -ssh-host"}, l.left(i)); diff != "" {
		t.Errorf("P28: failed: %s", diff)
	}
	if _, err := l.Stop(l.as(l.Member), i.ID); err != nil {
		t.Fatal(err)
	}
	l.until(i.ID, Stopped)
}

func TestAQuotaThatOthersUsedUp(t *testing.T) {
	t.Parallel()
	cpu := "300m"
	l := newLab(t, team.QuotaInput{CPU: &cpu})
	// Somebody made a pod behind the platform's back; its own count does not know.
	r := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("32Mi")}
	_, err := l.kube.CoreV1().Pods(l.ns).Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "foreign"}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Image: testkit.ImageMini, Resources: corev1.ResourceRequirements{Limits: r, Requests: r}}}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	i := l.start()
	l.eventually("P3: the numbers are told", func() error {
		row := l.again(i.ID)
		if row.State != "pending" || row.Reason == nil || row.Reason.Code != reason.QuotaExceeded {
			return errors.New(string(row.State))
		}
		if row.Reason.Args["requested"] != "0.1 CPU" || row.Reason.Args["used"] != "0.25 CPU" || row.Reason.Args["limit"] != "0.3 CPU" {
			t.Errorf("numbers are %v", row.Reason.Args)
		}
		return nil
	})
	if _, err := l.Stop(l.as(l.Member), i.ID); err != nil {
		t.Fatal(err)
	}
	l.until(i.ID, Stopped) // P7, P15
}

func TestACrashIsToldAndHealed(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	i := l.until(l.start().ID, Running)
	kill := func() {
		t.Helper()
		var out bytes.Buffer
		// The connection ends with the container, so its error says nothing.
		_ = l.kube.Exec(t.Context(), kube.Shell{Namespace: l.ns, Pod: PodName(i), Container: manifest.ContainerInstance,
			Command: []string{"sh", "-c", "kill -TERM 1"}, Stdout: &out})
	}
	kill()
	// One crash of a pod that was ready: not ready any more, and healed by the kubelet.
	l.until(i.ID, Unhealthy)
	l.until(i.ID, Running)
	kill()
	l.eventually("P5: the crash is told", func() error {
		row := l.again(i.ID)
		if row.State == "running" || row.Reason == nil || !strings.HasPrefix(row.Reason.Code, "crash") {
			return errors.New(string(row.State))
		}
		if row.Reason.Args["exit"] == nil || row.Reason.Args["restarts"] == nil {
			t.Errorf("it says %v", row.Reason.Args)
		}
		t.Logf("it says %v", row.Reason.Args)
		return nil
	})
	l.until(i.ID, Running)
	if got := l.again(i.ID); got.StartNumber != 1 || got.Reason != nil {
		t.Errorf("healed: %+v", got)
	}
}

func TestWhatVanishesComesBackAndWhatIsOrphanedGoes(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	l.orphanAge = 0
	i := l.until(l.start().ID, Running)
	background := metav1.DeletePropagationBackground
	if err := l.kube.AppsV1().StatefulSets(l.ns).Delete(t.Context(), i.ObjectName, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
	l.until(i.ID, Pending, Starting)
	i = l.until(i.ID, Running)
	l.db.Client.Instance.DeleteOneID(i.ID).ExecX(testkit.System(t))
	l.eventually("P74: nothing is left of what has no row", func() error {
		if err := l.orphans(testkit.System(t)); err != nil {
			t.Fatal(err)
		}
		if left := l.left(i); left != nil {
			return errors.New(strings.Join(left, ", "))
		}
		return nil
	})
}

func TestNoNodeIsLargeEnough(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	_, err := l.Create(l.as(l.Member), l.input(func(in *CreateInput) { in.Resources = Resources{CPU: "200", Memory: "2Ti"} }))
	if diff := cmp.Diff([]string{"resources.cpu preflight.fit.cpu", "resources.memory preflight.fit.memory"}, faults(err)); diff != "" {
		t.Errorf("P10: %v", err)
	}
	fit, err := l.Cluster.Fit(l.as(l.Member), l.Team.ID, spec.Resources{CPUMilli: 200_000, MemoryBytes: 1}, spec.ClassTest)
	if err != nil || fit.Reason == nil || fit.Reason.Code != reason.LargerThanAnyNode || len(fit.Nodes) != 0 {
		t.Errorf("fit: %+v, %v", fit, err)
	}
	fit, err = l.Cluster.Fit(l.as(l.Member), l.Team.ID, spec.Resources{CPUMilli: 10, MemoryBytes: 1 << 20}, spec.ClassTest)
	if err != nil || fit.Reason != nil || len(fit.Nodes) == 0 {
		t.Errorf("fit: %+v, %v", fit, err)
	}
}

func TestAVolumeWhoseClaimSomebodyDeletedIsLost(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	v := l.disk(l.Member, l.Team, "ReadWriteMany")
	phase := func(want entvolume.Phase) {
		t.Helper()
		l.eventually("the volume is "+string(want), func() error {
			if row := l.db.Client.Volume.GetX(testkit.System(t), v.ID); row.Phase != want {
				return fmt.Errorf("%s %+v", row.Phase, row.Reason)
			}
			return nil
		})
	}
	phase(entvolume.PhaseBound)
	if err := l.kube.CoreV1().PersistentVolumeClaims(l.ns).Delete(t.Context(), v.ObjectName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	phase(entvolume.PhaseLost)
	if _, err := l.kube.CoreV1().PersistentVolumeClaims(l.ns).Get(t.Context(), v.ObjectName, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("P25: an empty disk took the place of the one that is lost: %v", err)
	}
	if err := l.Volumes.Delete(l.as(l.Member), v.ID, v.Name); err != nil {
		t.Fatal(err)
	}
	l.eventually("a lost volume can be deleted", func() error {
		if n := l.db.Client.Volume.Query().CountX(testkit.System(t)); n > 0 {
			return errors.New("the row is there")
		}
		return nil
	})
}

func TestAStartWaitsForAnImageOnItsWay(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	l.images.SetWaits(testkit.ImageMini, &spec.Reason{Code: image.Building, Args: map[string]any{"step": "pack mini"}})
	i := l.start()
	l.eventually("it says that its image is built", func() error {
		if row := l.again(i.ID); string(row.State) != string(Pending) || row.Reason == nil || row.Reason.Code != image.Building {
			return fmt.Errorf("%s %+v", row.State, row.Reason)
		}
		return nil
	})
	if pods := l.pods(i.ID); len(pods) > 0 {
		t.Errorf("%d pods", len(pods))
	}
	l.images.SetWaits(testkit.ImageMini, nil)
	if row := l.until(i.ID, Running); row.Reason != nil {
		t.Errorf("%+v", row.Reason)
	}
}

// TestALostHomeIsSaid: a start with a home whose disk is gone says what to do,
// and doing it helps.
func TestALostHomeIsSaid(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	i := l.until(l.start().ID, Running)
	if _, err := l.Stop(l.as(l.Member), i.ID); err != nil {
		t.Fatal(err)
	}
	l.until(i.ID, Stopped)
	home := l.db.Client.Volume.Query().Where(entvolume.HomeKeyNotNil()).OnlyX(testkit.System(t))
	if err := l.kube.CoreV1().PersistentVolumeClaims(l.ns).Delete(t.Context(), home.ObjectName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	l.eventually("the home is lost", func() error {
		if err := l.Volumes.Sweep(t.Context()); err != nil {
			return err
		}
		if row := l.db.Client.Volume.GetX(testkit.System(t), home.ID); row.Phase != entvolume.PhaseLost {
			return fmt.Errorf("it is %s", row.Phase)
		}
		return nil
	})
	if _, err := l.Start(l.as(l.Member), i.ID); fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("a start with a lost home: %v", err)
	}
	if err := l.Volumes.Delete(l.as(l.Member), home.ID, home.Name); err != nil {
		t.Fatal(err)
	}
	l.eventually("a new home", func() error {
		_, err := l.Start(l.as(l.Member), i.ID)
		return err
	})
	l.until(i.ID, Running)
}
