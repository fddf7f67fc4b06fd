package instance

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// shortRun is how long a program runs at most for its end to count as a crash
// of its start: after that the kubelet forgets its back-off, too.
const shortRun = 10 * time.Minute

// sight is what was seen of an instance.
type sight struct {
	Observed
	apps  []spec.App
	pod   string // UID of the pod of the current start
	kills []kill
}

func selectInstance(id string) metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: labels.SelectorFromSet(manifest.SelectInstance(id)).String()}
}

// look reads the instance's objects: from the cache, or from the API server
// itself when something hangs on what is not there (P8).
func (s *Service) look(ctx context.Context, i *ent.Instance, live bool, now time.Time) (sight, error) {
	ns := i.Edges.Team.Namespace
	set, pods, err := s.seen(ctx, i, ns, live)
	if err != nil {
		return sight{}, err
	}
	out := sight{Observed: Observed{Live: live, Set: setOf(set)}}
	var current, other *corev1.Pod
	for _, p := range pods {
		one := podOf(p)
		one.Lost = s.Cluster.Down(one.Node)
		out.Pods = append(out.Pods, one)
		switch {
		case one.Start == i.StartNumber && !one.Terminating && !one.Ended:
			current = p
		case one.Terminating || one.Start == i.StartNumber:
			other = p
		}
	}
	if live && string(i.Desired) == WantDeleted {
		if out.Leftovers, err = s.leftovers(ctx, ns, i); err != nil {
			return sight{}, err
		}
	}
	subject := current
	if current == nil {
		subject = other
	}
	if current != nil {
		told := s.Cache.Events(ns, "Pod", current.Name)
		out.pod = string(current.UID)
		out.apps, out.kills = s.apps(ctx, i.ID, current, lastOutOfMemory(told, current), now)
		out.Phases = phases(current, told, now)
	}
	if string(i.Desired) == WantRunning || subject != nil {
		out.Reason = reason.Instance(s.evidence(ctx, i, set, subject, out.apps, now))
	}
	return out, nil
}

func (s *Service) seen(ctx context.Context, i *ent.Instance, ns string, live bool) (*appsv1.StatefulSet, []*corev1.Pod, error) {
	if !live {
		set, err := s.Cache.StatefulSets.StatefulSets(ns).Get(i.ObjectName)
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, nil, fmt.Errorf("cached set of %s: %w", i.ID, err)
		}
		if apierrors.IsNotFound(err) {
			set = nil
		}
		all, err := s.Cache.PodsOf(ns, manifest.LabelInstanceID, i.ID)
		if err != nil {
			return nil, nil, fmt.Errorf("cached pods of %s: %w", i.ID, err)
		}
		all = slices.DeleteFunc(all, func(p *corev1.Pod) bool {
			return p.Labels[manifest.LabelComponent] != manifest.ComponentInstance
		})
		return set, all, nil
	}
	set, err := s.Kube.AppsV1().StatefulSets(ns).Get(ctx, i.ObjectName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		set = nil
	case err != nil:
		return nil, nil, fmt.Errorf("read set of %s: %w", i.ID, err)
	}
	list, err := s.Kube.CoreV1().Pods(ns).List(ctx, selectInstance(i.ID))
	if err != nil {
		return nil, nil, fmt.Errorf("list pods of %s: %w", i.ID, err)
	}
	var pods []*corev1.Pod
	for n := range list.Items {
		pods = append(pods, &list.Items[n])
	}
	return set, pods, nil
}

func (s *Service) leftovers(ctx context.Context, ns string, i *ent.Instance) (bool, error) {
	_, err := s.Kube.CoreV1().Services(ns).Get(ctx, i.ObjectName, metav1.GetOptions{})
	if err == nil {
		return true, nil
	}
	if !apierrors.IsNotFound(err) {
		return false, fmt.Errorf("read service of %s: %w", i.ID, err)
	}
	secrets, err := s.secrets(ctx, ns, i.ID)
	return len(secrets) > 0, err
}

func setOf(set *appsv1.StatefulSet) *Set {
	if set == nil {
		return nil
	}
	out := &Set{Start: startOf(set.Annotations), Replicas: 1, Title: set.Annotations[manifest.AnnotationName], Deleting: set.DeletionTimestamp != nil}
	if set.Spec.Replicas != nil {
		out.Replicas = *set.Spec.Replicas
	}
	return out
}

func startOf(annotations map[string]string) int64 {
	n, err := strconv.ParseInt(annotations[manifest.AnnotationStart], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func podOf(p *corev1.Pod) Pod {
	_, scheduled := conditionTrue(p, corev1.PodScheduled)
	_, ready := conditionTrue(p, corev1.PodReady)
	out := Pod{
		Name: p.Name, UID: string(p.UID), Start: startOf(p.Annotations), Node: p.Spec.NodeName, IP: p.Status.PodIP,
		Created: p.CreationTimestamp.UTC(), Scheduled: scheduled || p.Spec.NodeName != "", Ready: ready,
		Terminating: p.DeletionTimestamp != nil,
		Ended:       p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded,
	}
	if m := mainStatus(p); m != nil {
		out.Restarts = int(m.RestartCount)
		last := m.State.Terminated
		if last == nil && m.State.Waiting != nil {
			last = m.LastTerminationState.Terminated
		}
		out.Crashing = last != nil && m.RestartCount > 0 && last.FinishedAt.Sub(last.StartedAt.Time) < shortRun
	}
	return out
}

// evidence is everything from which the reason is read (P1).
func (s *Service) evidence(ctx context.Context, i *ent.Instance, set *appsv1.StatefulSet, p *corev1.Pod, apps []spec.App, now time.Time) reason.Evidence {
	ns, want := i.Edges.Team.Namespace, i.Spec
	if i.StartedSpec != nil {
		want = *i.StartedSpec
	}
	e := reason.Evidence{Now: now, Since: since(i), Pod: p, StatefulSet: set,
		Requests:   manifest.Requests(want.Resources, i.Edges.Team.Overcommit.For(spec.ClassTest)),
		Placement:  preflight.Placement{Class: spec.ClassTest},
		WaitingFor: waitingFor(apps)}
	e.Events = append(e.Events, events(s.Cache.Events(ns, "StatefulSet", i.ObjectName), "")...)
	if p == nil {
		return e
	}
	e.NodeDown = s.Cluster.Down(p.Spec.NodeName)
	if m := mainStatus(p); m == nil || m.State.Waiting != nil { // it may be pulled
		e.ImageBytes = s.imageBytes(ctx, want.ImageID)
	}
	e.Log = s.words(ctx, i, want, p)
	e.Peaks = s.Cache.Peaks(p.UID)
	e.Events = append(e.Events, events(s.Cache.Events(ns, "Pod", p.Name), string(p.UID))...)
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		name := v.PersistentVolumeClaim.ClaimName
		if c, err := s.Cache.Claims.PersistentVolumeClaims(ns).Get(name); err == nil {
			e.Claims = append(e.Claims, *c)
		}
		e.Events = append(e.Events, events(s.Cache.Events(ns, "PersistentVolumeClaim", name), "")...)
	}
	if p.Spec.NodeName == "" { // only placing looks at all nodes
		e.Nodes, _ = s.Cluster.Shapes(ctx)
	}
	return e
}

// imageBytes is the size of an image by its name, nothing while unknown.
func (s *Service) imageBytes(ctx context.Context, id string) map[string]int64 {
	row, err := s.DB.Client.Image.Get(ctx, id)
	if err != nil || row.SizeBytes == nil { // without it the reason is less exact
		return nil
	}
	return map[string]int64{row.Reference: *row.SizeBytes}
}

// since is when the current start, or its latest queueing, began. The
// cluster's times are whole seconds.
func since(i *ent.Instance) time.Time {
	switch {
	case len(i.Timeline) > 0:
		return i.Timeline[0].Since.Truncate(time.Second)
	case i.StartedAt != nil:
		return i.StartedAt.Truncate(time.Second)
	}
	return time.Time{}
}

// events keeps those of one object; a new pod has its predecessor's name.
func events(list []*corev1.Event, uid string) []reason.Event {
	var out []reason.Event
	for _, e := range list {
		if uid != "" && string(e.InvolvedObject.UID) != uid {
			continue
		}
		out = append(out, reason.Event{Kind: e.InvolvedObject.Kind, Name: e.InvolvedObject.Name, Type: e.Type,
			Reason: e.Reason, Message: e.Message, Count: history.Count(e), Last: history.LastTime(e)})
	}
	return out
}

// lastWords are the last lines of a program that ended, as the kubelet kept them.
func lastWords(p *corev1.Pod) []string {
	m := mainStatus(p)
	if m == nil {
		return nil
	}
	last := m.State.Terminated
	if last == nil {
		last = m.LastTerminationState.Terminated
	}
	if last == nil || last.Message == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(last.Message, "\n"), "\n")
}
