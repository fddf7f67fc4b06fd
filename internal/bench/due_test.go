//go:build bench

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	entimage "github.com/goblinlab/goblinlab/ent/image"
	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const (
	dueRounds   = 3
	dueMany     = 300 // of 1,000: two cores bear no more within some minutes a round
	dueWorkers  = 8
	duePatience = 5 * time.Minute // until the last Job of a minute is there
	dueSpace    = "bench"         // namespace of what is made by hand
)

// benchDue is B2: schedules that are due in one minute. Each contender has a
// cluster of its own, so that nobody cleans up after another, and the peers'
// controller manager has its own flags: the one of `make bench` ends here. The
// nodes are cordoned: pods are made and stay pending, on all sides.
func benchDue(t *testing.T) outcome {
	if os.Geteuid() != 0 {
		return outcome{note: "Not measured: the local Kubernetes takes root."}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	d := &dues{restarts: restarts{t: t, root: root}, last: map[string]series{}}
	d.local("down", filepath.Dir(kubeconfig(t)))
	d.within("sample", d.sample)
	defaults := []string{"--kube-api-qps=20", "--kube-api-burst=30", "--concurrent-cron-job-syncs=5", "--concurrent-job-syncs=5"}
	o := compare(dueRounds,
		d.contender("the same Jobs created in a loop by 8 workers (the limit)", d.limit),
		d.contender("GoblinLab", d.ours),
		d.contender("CronJob, tuned: 500 requests a second, burst 1,000, 32 syncs at once", func(t *testing.T) series {
			return d.cron(t, "--concurrent-cron-job-syncs=32")
		}),
		d.contender("CronJob at Kubernetes' defaults: 20, 30, 5", func(t *testing.T) series { return d.cron(t, defaults...) }),
	)
	o.note = d.words(o)
	return o
}

type dues struct {
	restarts
	job  *batchv1.Job      // one of GoblinLab's, to be made by others
	last map[string]series // of each contender's rounds, the last Job
}

// contender has a round in a test of its own, at the end of which everything of
// the round ends.
func (d *dues) contender(name string, round func(*testing.T) series) contender {
	return contender{name, func() (out series) {
		d.within("round", func(t *testing.T) { out = round(t) })
		d.last[name] = append(d.last[name], out.quantile(1))
		return out
	}}
}

func (d *dues) within(name string, f func(*testing.T)) {
	if !d.t.Run(name, f) {
		d.t.FailNow()
	}
}

func (d *dues) words(o outcome) string {
	p50 := func(i int) time.Duration { return o.all[i].quantile(.5) }
	last := func(i int) time.Duration { return d.last[o.names[i]].quantile(.5) }
	return fmt.Sprintf("%d schedules, %d rounds. The last Job, median of the rounds: limit %s, GoblinLab %s (%.2f ×), CronJob tuned %s, at defaults %s. By p50 GoblinLab is %.1f × better than CronJob at defaults, %.1f × than tuned. Counted from a list at the end of each round: none missing, none twice.",
		dueMany, len(d.last[o.names[0]]), short(last(0)), short(last(1)), float64(last(1))/float64(last(0)), short(last(2)), short(last(3)),
		float64(p50(3))/float64(p50(1)), float64(p50(2))/float64(p50(1)))
}

// start runs a cluster whose nodes take nothing, until the test ends.
func (d *dues) start(t *testing.T, flags ...string) (*kube.Client, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gl-due") // short: sockets' paths have a limit
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"up", "--dir", dir, "--no-fsync"}
	for _, f := range flags {
		args = append(args, "--manager-flag", f)
	}
	cmd := exec.Command(d.program(), args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command(d.program(), "down", "--dir", dir, "--grace", "0s").Run()
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	})
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		b, err := os.ReadFile(filepath.Join(dir, "status.json"))
		var st struct{ Ready bool }
		if err == nil && json.Unmarshal(b, &st) == nil && st.Ready {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("a cluster is not ready after %v", patience)
		}
	}
	path := filepath.Join(dir, "kubeconfig")
	k, err := kube.Connect(path, 5000, 5000)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := k.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range nodes.Items {
		_, err := k.CoreV1().Nodes().Patch(t.Context(), nodes.Items[i].Name, types.MergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	return k, path
}

// arrivals are how long after due each Job of a namespace was there, as a watch
// tells it. A list at the end says how many there are, by their key.
func arrivals(t *testing.T, k *kube.Client, ns string, n int, key func(*batchv1.Job) string) (wait func(due time.Time) series) {
	t.Helper()
	l, err := k.BatchV1().Jobs(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := k.BatchV1().Jobs(ns).Watch(t.Context(), metav1.ListOptions{ResourceVersion: l.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[string]time.Time{}
	go func() {
		for e := range w.ResultChan() {
			at := time.Now()
			if j, ok := e.Object.(*batchv1.Job); ok {
				mu.Lock()
				if _, there := seen[j.Name]; !there {
					seen[j.Name] = at
				}
				mu.Unlock()
			}
		}
	}()
	return func(due time.Time) series {
		defer w.Stop()
		for end := due.Add(duePatience); ; time.Sleep(glance) {
			mu.Lock()
			have := len(seen)
			mu.Unlock()
			if have >= n || time.Now().After(end) {
				break
			}
		}
		time.Sleep(2 * time.Second) // a second one of a time would come now
		all, err := k.BatchV1().Jobs(ns).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		times := map[string]int{}
		for i := range all.Items {
			times[key(&all.Items[i])]++
		}
		for what, n := range times {
			if n != 1 {
				t.Errorf("%s has %d Jobs", what, n)
			}
		}
		if len(times) != n || len(all.Items) != n {
			t.Errorf("%d Jobs of %d schedules, of %d", len(all.Items), len(times), n)
		}
		mu.Lock()
		defer mu.Unlock()
		var out series
		for _, at := range seen {
			out = append(out, at.Sub(due))
		}
		return out
	}
}

// minute is one that begins when n things can have been made before.
func minute(n int) time.Time {
	ready := time.Now().Add(10*time.Second + time.Duration(n)*15*time.Millisecond)
	return ready.Truncate(time.Minute).Add(time.Minute).UTC()
}

func cronAt(at time.Time) string { return fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour()) }

// lab runs GoblinLab on a cluster, with a team without limits.
func (d *dues) lab(t *testing.T) (*starter, *kube.Client, string) {
	t.Helper()
	k, path := d.start(t)
	l := start(t, app.Roles{Work: true}, instance.Resources{CPU: "100m", Memory: "64Mi"},
		image.CreateInput{Name: "mini", Reference: testkit.ImageMini, Development: true}, func(c *config.Config) { c.Cluster.Kubeconfig = path })
	of := l.app.DB.Client.Team.Query().OnlyX(l.ctx)
	if _, err := l.app.Teams.Update(l.ctx, team.UpdateInput{ID: of.ID, Quota: &team.QuotaInput{}}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		q, err := k.CoreV1().ResourceQuotas(l.ns).List(t.Context(), metav1.ListOptions{})
		if err == nil && !slices.ContainsFunc(q.Items, func(q corev1.ResourceQuota) bool { return len(q.Spec.Hard) > 0 }) {
			return l, k, of.ID
		}
		if time.Now().After(end) {
			t.Fatalf("the quota of %s does not go: %v", l.ns, err)
		}
	}
}

// mini is the id of the minimal image.
func (l *starter) mini() string {
	return l.app.DB.Client.Image.Query().Where(entimage.Reference(testkit.ImageMini)).OnlyIDX(l.ctx)
}

// flow makes one of one task.
func (l *starter) flow(t *testing.T, teamID, name, schedule string) string {
	t.Helper()
	f, err := l.app.Flows.Create(l.ctx, flow.CreateInput{TeamID: teamID, Definition: flow.Definition{YAML: fmt.Sprintf(`
apiVersion: goblinlab.io/v1
kind: Flow
name: %s
spec:%s
  tasks:
    - {name: one, executor: container, with: {imageId: %s, command: ["true"], resources: {cpu: 100m, memory: 64Mi}}}
`, name, schedule, l.mini())}})
	if err != nil {
		t.Fatal(err)
	}
	return f.ID
}

// sample keeps a Job of GoblinLab's, for those who make the same ones.
func (d *dues) sample(t *testing.T) {
	l, k, teamID := d.lab(t)
	wait := arrivals(t, k, l.ns, 1, func(j *batchv1.Job) string { return j.Name })
	if _, err := l.app.Flows.Run(l.ctx, flow.RunInput{FlowID: l.flow(t, teamID, "sample", "")}); err != nil {
		t.Fatal(err)
	}
	wait(time.Now())
	all, err := k.BatchV1().Jobs(l.ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	from := all.Items[0]
	d.job = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Labels: from.Labels, Annotations: from.Annotations}, Spec: *from.Spec.DeepCopy()}
	d.job.Spec.Selector = nil
	tpl := &d.job.Spec.Template
	tpl.Spec.PriorityClassName, tpl.Spec.Priority = "", nil // GoblinLab's own, which other clusters do not have
	for _, m := range []map[string]string{tpl.Labels, d.job.Labels} {
		for key := range m {
			if strings.HasSuffix(key, "controller-uid") || strings.HasSuffix(key, "job-name") {
				delete(m, key)
			}
		}
	}
}

// ours are flows of one task, due together.
func (d *dues) ours(t *testing.T) series {
	l, k, teamID := d.lab(t)
	due := minute(dueMany)
	for i := range dueMany {
		l.flow(t, teamID, fmt.Sprintf("due-%d", i), "\n  schedule: {cron: \""+cronAt(due)+"\"}")
	}
	if time.Now().After(due) {
		t.Fatal("the flows were not made in time")
	}
	out := arrivals(t, k, l.ns, dueMany, func(j *batchv1.Job) string { return j.Labels[manifest.LabelFlowID] })(due)
	if n := l.app.DB.Client.FlowRun.Query().CountX(l.ctx); n != dueMany {
		t.Errorf("%d flow runs of %d schedules", n, dueMany)
	}
	return out
}

// byHand makes a namespace and n objects in it by the limit's workers.
func byHand(t *testing.T, k *kube.Client, n int, create func(ctx context.Context, name string) error) {
	t.Helper()
	names := make(chan string)
	var wg sync.WaitGroup
	for range dueWorkers {
		wg.Go(func() {
			for name := range names {
				if err := create(t.Context(), name); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range n {
		names <- fmt.Sprintf("due-%d", i)
	}
	close(names)
	wg.Wait()
}

// space is a namespace with its account, without which there are no pods.
func space(t *testing.T, k *kube.Client, name string) {
	t.Helper()
	if _, err := k.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := k.CoreV1().ServiceAccounts(name).Get(t.Context(), "default", metav1.GetOptions{}); err == nil {
			return
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func (d *dues) limit(t *testing.T) series {
	k, _ := d.start(t)
	space(t, k, dueSpace)
	wait := arrivals(t, k, dueSpace, dueMany, func(j *batchv1.Job) string { return j.Name })
	due := time.Now()
	byHand(t, k, dueMany, func(ctx context.Context, name string) error {
		j := d.job.DeepCopy()
		j.Name = name
		_, err := k.BatchV1().Jobs(dueSpace).Create(ctx, j, metav1.CreateOptions{})
		return err
	})
	return wait(due)
}

func (d *dues) cron(t *testing.T, flags ...string) series {
	k, _ := d.start(t, flags...)
	space(t, k, dueSpace)
	due := minute(dueMany)
	zone := "Etc/UTC"
	byHand(t, k, dueMany, func(ctx context.Context, name string) error {
		c := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.CronJobSpec{Schedule: cronAt(due), TimeZone: &zone,
			JobTemplate: batchv1.JobTemplateSpec{ObjectMeta: *d.job.ObjectMeta.DeepCopy(), Spec: *d.job.Spec.DeepCopy()}}}
		_, err := k.BatchV1().CronJobs(dueSpace).Create(ctx, c, metav1.CreateOptions{})
		return err
	})
	if time.Now().After(due) {
		t.Fatal("the CronJobs were not made in time")
	}
	return arrivals(t, k, dueSpace, dueMany, func(j *batchv1.Job) string {
		for _, o := range j.OwnerReferences {
			return o.Name
		}
		return ""
	})(due)
}
