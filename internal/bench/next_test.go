//go:build bench

package bench

import (
	"fmt"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// benchNext is B4: from the end of a task's pod, as a watch tells it, until the
// Job of the next task is there.
func benchNext(t *testing.T) outcome {
	k := testkit.Cluster(t)
	l := start(t, app.Roles{Work: true}, instance.Resources{CPU: "100m", Memory: "64Mi"},
		image.CreateInput{Name: "mini", Reference: testkit.ImageMini, Development: true})
	l.kube = k
	space(t, k, nextSpace)
	of := l.app.DB.Client.Team.Query().OnlyX(l.ctx)
	task := fmt.Sprintf(`executor: container, with: {imageId: %s, command: ["true"], resources: {cpu: 100m, memory: 64Mi}}`, l.mini())
	f, err := l.app.Flows.Create(l.ctx, flow.CreateInput{TeamID: of.ID, Definition: flow.Definition{YAML: "apiVersion: goblinlab.io/v1\nkind: Flow\nname: next\nspec:\n  tasks:\n" +
		"    - {name: one, " + task + "}\n    - {name: two, needs: [one], " + task + "}\n"}})
	if err != nil {
		t.Fatal(err)
	}
	n := &nexts{starter: l, flowID: f.ID}
	n.ours(1) // the home volume is bound, the node has the image
	const each = 5
	return compare(5,
		contender{"the pod's end watched, one create, one event (the limit)", func() series { return n.byHand(each, false) }},
		contender{"GoblinLab: two tasks of a flow", func() series { return n.ours(each) }},
		contender{"the same, once the Job says that it is complete", func() series { return n.byHand(each, true) }},
	)
}

const nextSpace = "bench-next"

type nexts struct {
	*starter
	flowID string
	made   int
}

// tolds is something that a watch said, and when.
type tolds struct {
	at  time.Time
	pod *corev1.Pod
	job *batchv1.Job
	new bool
}

// watch tells of pods and Jobs of a namespace from now on.
func (n *nexts) watch(ns string) (<-chan tolds, func()) {
	n.t.Helper()
	ctx := n.t.Context()
	out, done := make(chan tolds, 1000), make(chan struct{})
	pump := func(w watch.Interface, err error) func() {
		if err != nil {
			n.t.Fatal(err)
		}
		go func() {
			for e := range w.ResultChan() {
				v := tolds{at: time.Now(), new: e.Type == watch.Added}
				v.pod, _ = e.Object.(*corev1.Pod)
				v.job, _ = e.Object.(*batchv1.Job)
				select {
				case out <- v:
				case <-done:
				}
			}
		}()
		return w.Stop
	}
	pods, err := n.kube.CoreV1().Pods(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		n.t.Fatal(err)
	}
	jobs, err := n.kube.BatchV1().Jobs(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		n.t.Fatal(err)
	}
	one := pump(n.kube.CoreV1().Pods(ns).Watch(ctx, metav1.ListOptions{ResourceVersion: pods.ResourceVersion}))
	two := pump(n.kube.BatchV1().Jobs(ns).Watch(ctx, metav1.ListOptions{ResourceVersion: jobs.ResourceVersion}))
	return out, func() { close(done); one(); two() }
}

// between is the time from the end of the first Job's pod to the second Job.
// came is called at each event, with the first Job's name.
func (n *nexts) between(ch <-chan tolds, came func(first string, v tolds)) time.Duration {
	n.t.Helper()
	first, ended := "", time.Time{}
	for limit := time.After(time.Minute); ; {
		select {
		case v := <-ch:
			switch {
			case v.job != nil && v.new && first == "":
				first = v.job.Name
			case v.job != nil && v.new && v.job.Name != first:
				if ended.IsZero() {
					n.t.Fatal("the second Job came before the first one's end")
				}
				return v.at.Sub(ended)
			case v.pod != nil && ended.IsZero() && over(v.pod):
				ended = v.at
			}
			came(first, v)
		case <-limit:
			n.t.Fatal("the second Job does not come")
		}
	}
}

func over(p *corev1.Pod) bool {
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Terminated != nil {
			return true
		}
	}
	return false
}

func (n *nexts) ours(count int) series {
	var out series
	for range count {
		ch, stop := n.watch(n.ns)
		r, err := n.app.Flows.Run(n.ctx, flow.RunInput{FlowID: n.flowID})
		if err != nil {
			n.t.Fatal(err)
		}
		out = append(out, n.between(ch, func(string, tolds) {}))
		stop()
		for end := time.Now().Add(time.Minute); n.app.DB.Client.FlowRun.GetX(n.ctx, r.ID).State != flowrun.StateSucceeded; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				n.t.Fatal("the flow run does not end")
			}
		}
	}
	return out
}

// byHand makes the second Job when the first one's pod has ended or, with chain,
// when the Job says so.
func (n *nexts) byHand(count int, chain bool) series {
	var out series
	for range count {
		n.made++
		ch, stop := n.watch(nextSpace)
		n.create(fmt.Sprintf("one-%d", n.made), false)
		next := fmt.Sprintf("two-%d", n.made)
		out = append(out, n.between(ch, func(first string, v tolds) {
			if next != "" && (chain && v.job != nil && v.job.Name == first && complete(v.job) || !chain && v.pod != nil && over(v.pod)) {
				n.create(next, true)
				next = ""
			}
		}))
		stop()
	}
	return out
}

func complete(j *batchv1.Job) bool {
	for _, c := range j.Status.Conditions {
		if c.Type == batchv1.JobComplete && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// create makes a Job, the second one of which costs no pod.
func (n *nexts) create(name string, suspend bool) {
	n.t.Helper()
	none := int32(0)
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{Suspend: &suspend, BackoffLimit: &none,
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "task", Image: testkit.ImageMini, Command: []string{"true"}}}}}}}
	if _, err := n.kube.BatchV1().Jobs(nextSpace).Create(n.t.Context(), j, metav1.CreateOptions{}); err != nil {
		n.t.Fatal(err)
	}
}
