package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/reason"
)

func notFound(err error) bool { return ent.IsNotFound(err) }

// observe gathers what the cluster shows of a run: from the cache, and where
// the cache has nothing although something should be, from the API itself.
func (s *Service) observe(ctx context.Context, r *loaded) (Observed, error) {
	o := Observed{Left: map[string]bool{}}
	ns := r.team.Namespace
	sel := labels.SelectorFromSet(labels.Set{manifest.LabelRunID: r.row.ID})
	jobs, err := s.Cache.Jobs.Jobs(ns).List(sel)
	if err != nil {
		return o, fmt.Errorf("jobs of %s: %w", r.row.ID, err)
	}
	pods, err := s.Cache.PodsOf(ns, manifest.LabelRunID, r.row.ID)
	if err != nil {
		return o, fmt.Errorf("pods of %s: %w", r.row.ID, err)
	}
	ask := s.doubtful(r, jobs, pods)
	if ask && len(jobs)+len(pods) == 0 {
		if ask, err = s.begun(ctx, r); err != nil {
			return o, err
		}
	}
	if ask {
		if jobs, pods, err = s.ask(ctx, ns, sel.String()); err != nil {
			return o, err
		}
	}
	for _, j := range jobs {
		o.Left[j.Labels[manifest.LabelAttemptID]] = true
	}
	for _, p := range pods {
		o.Left[p.Labels[manifest.LabelAttemptID]] = true
	}
	a := r.last()
	if a == nil {
		return o, nil
	}
	for _, j := range jobs {
		if j.Labels[manifest.LabelAttemptID] == a.ID {
			o.Job = j
		}
	}
	o.Pod = pick(pods, a)
	if !ended(a.State) {
		s.witness(ctx, r, a, &o)
	}
	return o, nil
}

// doubtful reports that an absence in the cache would mean something.
func (s *Service) doubtful(r *loaded, jobs []*batchv1.Job, pods []*corev1.Pod) bool {
	a := r.last()
	if a == nil {
		return false
	}
	if ended(a.State) {
		// The end of the stop, and of the clean-up, is that nothing is left.
		return len(jobs) == 0 && len(pods) == 0 && r.state.Desired != "run"
	}
	job := slices.ContainsFunc(jobs, func(j *batchv1.Job) bool { return j.Labels[manifest.LabelAttemptID] == a.ID })
	return !job || a.PodUID != "" && pick(pods, a) == nil
}

// begun reports whether the Job of an attempt may be there. Where nobody has
// begun to make it and it is due, nobody needs to be asked: to apply one that is
// there after all gives it back and changes nothing (P68). Who makes a Job keeps
// its token before; another process that does so at this moment is asked after.
func (s *Service) begun(ctx context.Context, r *loaded) (bool, error) {
	a := r.last()
	if a.launched() || !Decide(r.state, r.attempts, Observed{Left: map[string]bool{}}, time.Now().UTC()).Create {
		return true, nil
	}
	if s.Tokens == nil {
		return false, nil
	}
	return s.Tokens.KnowsInside(ctx, a.ID, 0)
}

func (s *Service) ask(ctx context.Context, namespace, selector string) ([]*batchv1.Job, []*corev1.Pod, error) {
	opts := metav1.ListOptions{LabelSelector: selector}
	jl, err := s.Kube.BatchV1().Jobs(namespace).List(ctx, opts)
	if err != nil {
		return nil, nil, fmt.Errorf("ask for jobs: %w", err)
	}
	pl, err := s.Kube.CoreV1().Pods(namespace).List(ctx, opts)
	if err != nil {
		return nil, nil, fmt.Errorf("ask for pods: %w", err)
	}
	jobs, pods := make([]*batchv1.Job, len(jl.Items)), make([]*corev1.Pod, len(pl.Items))
	for i := range jl.Items {
		jobs[i] = &jl.Items[i]
	}
	for i := range pl.Items {
		pods[i] = &pl.Items[i]
	}
	return jobs, pods, nil
}

// pick is the attempt's pod: the one that was seen first. A Job makes one pod,
// but does not promise it.
func pick(pods []*corev1.Pod, a *AttemptState) *corev1.Pod {
	var out *corev1.Pod
	for _, p := range pods {
		switch {
		case p.Labels[manifest.LabelAttemptID] != a.ID:
		case a.PodUID != "" && string(p.UID) == a.PodUID:
			return p
		case a.PodUID == "" && (out == nil || p.CreationTimestamp.Before(&out.CreationTimestamp)):
			out = p
		}
	}
	return out
}

// witness adds what reasons need: events, claims, nodes.
func (s *Service) witness(ctx context.Context, r *loaded, a *AttemptState, o *Observed) {
	ns := r.team.Namespace
	task := r.task.Spec
	add := func(kind, name string) {
		for _, e := range s.Cache.Events(ns, kind, name) {
			o.Events = append(o.Events, told(e))
		}
	}
	add("Job", a.JobName)
	if o.Pod != nil {
		add("Pod", o.Pod.Name)
		for _, v := range o.Pod.Spec.Volumes {
			if v.PersistentVolumeClaim == nil {
				continue
			}
			name := v.PersistentVolumeClaim.ClaimName
			if c, err := s.Cache.Claims.PersistentVolumeClaims(ns).Get(name); err == nil {
				o.Evidence.Claims = append(o.Evidence.Claims, *c)
			}
			add("PersistentVolumeClaim", name)
		}
		if t := terminated(o.Pod); t != nil {
			o.Evidence.Log = s.words(ctx, r, a, t.Message)
			o.Outputs = s.outputs(ctx, r, a, t)
		}
		o.Evidence.Peaks = s.Cache.Peaks(o.Pod.UID)
		if o.Pod.Spec.NodeName != "" {
			node, err := s.Cache.Nodes.Get(o.Pod.Spec.NodeName)
			o.NodeDown = apierrors.IsNotFound(err) || err == nil && down(node)
		}
	}
	o.Evidence.Requests = manifest.Requests(task.Resources, r.team.Overcommit.For(task.Class))
	o.Evidence.Placement = preflight.Placement{Class: task.Class}
	if r.image.SizeBytes != nil {
		o.Evidence.ImageBytes = map[string]int64{r.image.Reference: *r.image.SizeBytes}
	}
	if a.StartedAt == nil && s.Cluster != nil {
		if nodes, err := s.Cluster.Shapes(ctx); err == nil { // without them the reason is less exact
			o.Evidence.Nodes = nodes
		}
	}
}

func down(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status != corev1.ConditionTrue
		}
	}
	return false // a node that has just come
}

func told(e *corev1.Event) reason.Event {
	last := e.LastTimestamp.Time
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	if e.EventTime.After(last) {
		last = e.EventTime.Time
	}
	if last.IsZero() {
		last = e.CreationTimestamp.Time
	}
	count := int(e.Count)
	if e.Series != nil {
		count = max(count, int(e.Series.Count))
	}
	return reason.Event{Kind: e.InvolvedObject.Kind, Name: e.InvolvedObject.Name, Type: e.Type, Reason: e.Reason, Message: e.Message, Count: max(count, 1), Last: last}
}
