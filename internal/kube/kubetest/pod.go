package kubetest

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/internal/manifest"
)

const (
	nodeName  = "node-1"
	podSuffix = "-pod"
)

// Life is how long a pod runs and with which code it ends: it is asked once, when
// the pod begins, and the pod ends when the channel closes.
type Life func(job string) (end <-chan struct{}, code int)

// For is a Life of so long, with a code.
func For(d time.Duration, code int) (<-chan struct{}, int) {
	end := make(chan struct{})
	time.AfterFunc(d, func() { close(end) })
	return end, code
}

// Ran is a pod that really ran here, with what made it.
type Ran struct {
	Pod, Job, RunID, AttemptID string
	Began, Ended               time.Time // Ended is zero while it runs
}

// Pods is everything that ran, in order.
func (s *Server) Pods() []Ran {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Ran, 0, len(s.ran))
	for _, r := range s.ran {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Ran) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Pod, b.Pod)) })
	return out
}

// node is the one on which everything runs.
func (s *Server) node() {
	room := map[string]any{"cpu": "1000", "memory": "1000Gi", "pods": "100000"}
	s.store.put("nodes", "/"+nodeName, object{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": nodeName},
		"status": map[string]any{"capacity": room, "allocatable": room, "conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}})
}

// start makes the pod of a new Job, under the store's lock, and lets it run.
func (s *Server) start(job object) {
	spec, _ := job["spec"].(map[string]any)
	template, _ := spec["template"].(map[string]any)
	pod := object(maps.Clone(template)).copied()
	name := job.text("name") + podSuffix
	m := pod.meta()
	m["name"], m["namespace"] = name, job.text("namespace")
	m["ownerReferences"] = []any{map[string]any{"apiVersion": "batch/v1", "kind": "Job", "name": job.text("name"), "uid": job.text("uid"), "controller": true}}
	pod["apiVersion"], pod["kind"] = "v1", "Pod"
	pod["status"] = map[string]any{"phase": "Pending"}
	key := job.text("namespace") + "/" + name
	s.store.put("pods", key, pod.copied())
	pod["spec"].(map[string]any)["nodeName"] = nodeName
	s.pods.Go(func() { s.run(key, pod, job) })
}

// run is the kubelet: the pod begins, lives as long as Life says, and ends.
func (s *Server) run(key string, pod, job object) {
	l := pod.labels()
	r := &Ran{Pod: pod.text("name"), Job: job.text("name"), RunID: l[manifest.LabelRunID], AttemptID: l[manifest.LabelAttemptID], Began: time.Now()}
	if !s.show(key, pod, "Running", map[string]any{"running": map[string]any{"startedAt": stamp(r.Began)}}, func() {
		s.mu.Lock()
		s.ran[r.Pod] = r
		s.mu.Unlock()
	}) {
		return
	}
	end, code := s.life(r.Job)
	select {
	case <-end:
	case <-s.done:
		return
	}
	phase, condition, why := "Succeeded", "Complete", "Completed"
	if code != 0 {
		phase, condition, why = "Failed", "Failed", "Error"
	}
	now := time.Now()
	if !s.show(key, pod, phase, map[string]any{"terminated": map[string]any{"exitCode": code, "reason": why, "startedAt": stamp(r.Began), "finishedAt": stamp(now)}},
		func() { s.gone(r.Pod) }) {
		return
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	id := job.text("namespace") + "/" + job.text("name")
	if old, ok := s.store.kind("jobs").rows[id]; ok {
		o := old.copied()
		o["status"] = map[string]any{"conditions": []any{map[string]any{"type": condition, "status": "True"}}}
		s.store.put("jobs", id, o)
	}
}

// show writes what a pod does now; false when it was deleted meanwhile.
func (s *Server) show(key string, pod object, phase string, state map[string]any, note func()) bool {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	old, ok := s.store.kind("pods").rows[key]
	if !ok {
		return false
	}
	note()
	o := old.copied()
	o["spec"] = pod["spec"]
	o["status"] = map[string]any{"phase": phase, "startTime": pod.meta()["creationTimestamp"], "containerStatuses": []any{
		map[string]any{"name": manifest.ContainerTask, "containerID": "test://" + pod.text("name"), "image": "img:1", "imageID": "img:1", "restartCount": 0, "ready": phase == "Running", "state": state},
	}}
	s.store.put("pods", key, o)
	return true
}

// gone notes that a pod runs no more.
func (s *Server) gone(pod string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.ran[pod]; r != nil && r.Ended.IsZero() {
		r.Ended = time.Now()
	}
}
