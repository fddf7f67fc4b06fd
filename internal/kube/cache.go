package kube

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	appslisters "k8s.io/client-go/listers/apps/v1"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/goblinlab/goblinlab/internal/manifest"
)

// Cache is what the cluster was seen to hold: our own objects, the nodes, and
// the events about our objects.
type Cache struct {
	ours, all informers.SharedInformerFactory
	events    cache.Indexer
	client    *Client
	peaks     peaks

	StatefulSets appslisters.StatefulSetLister
	Pods         corelisters.PodLister // ours
	Claims       corelisters.PersistentVolumeClaimLister
	Quotas       corelisters.ResourceQuotaLister
	Jobs         batchlisters.JobLister
	Nodes        corelisters.NodeLister
	AllPods      corelisters.PodLister // everybody's, narrowed to what capacity needs

	synced   []cache.InformerSynced
	lastSeen atomic.Int64 // unix nanoseconds of the last list or watch event
}

// Change tells which of our objects was added, changed or deleted.
type Change struct {
	Kind            string // Pod, StatefulSet, Job, PersistentVolumeClaim, Event, and what guards a team's namespace
	Namespace, Name string
	Labels          map[string]string
	Event           *corev1.Event // for Kind Event; the others are empty then
}

const byInvolved = "involved"

func involvedKey(namespace, kind, name string) string { return namespace + "/" + kind + "/" + name }

// NewCache makes the informers; onChange is called for each change once Run
// runs, from informers' goroutines: it must return at once.
func NewCache(c *Client, onChange func(Change)) (*Cache, error) {
	ours := informers.NewSharedInformerFactoryWithOptions(c, 0,
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = manifest.SelectManaged }),
		informers.WithTransform(strip))
	all := informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithTransform(strip))
	k := &Cache{ours: ours, all: all, client: c,
		StatefulSets: ours.Apps().V1().StatefulSets().Lister(),
		Pods:         ours.Core().V1().Pods().Lister(),
		Claims:       ours.Core().V1().PersistentVolumeClaims().Lister(),
		Quotas:       all.Core().V1().ResourceQuotas().Lister(),
		Jobs:         ours.Batch().V1().Jobs().Lister(),
		Nodes:        all.Core().V1().Nodes().Lister(),
		AllPods:      all.Core().V1().Pods().Lister(),
	}
	ev := all.Core().V1().Events().Informer()
	if err := ev.AddIndexers(cache.Indexers{byInvolved: func(obj any) ([]string, error) {
		e, ok := obj.(*corev1.Event)
		if !ok {
			return nil, nil
		}
		o := e.InvolvedObject
		return []string{involvedKey(o.Namespace, o.Kind, o.Name)}, nil
	}}); err != nil {
		return nil, fmt.Errorf("index of events: %w", err)
	}
	k.events = ev.GetIndexer()
	for kind, inf := range map[string]cache.SharedIndexInformer{
		"StatefulSet":           ours.Apps().V1().StatefulSets().Informer(),
		"Pod":                   ours.Core().V1().Pods().Informer(),
		"PersistentVolumeClaim": ours.Core().V1().PersistentVolumeClaims().Informer(),
		// What guards a team's namespace, whoever made it: what does not belong there is told.
		"Namespace":      all.Core().V1().Namespaces().Informer(),
		"ResourceQuota":  all.Core().V1().ResourceQuotas().Informer(),
		"LimitRange":     all.Core().V1().LimitRanges().Informer(),
		"RoleBinding":    all.Rbac().V1().RoleBindings().Informer(),
		"NetworkPolicy":  all.Networking().V1().NetworkPolicies().Informer(),
		"Role":           ours.Rbac().V1().Roles().Informer(),
		"ServiceAccount": ours.Core().V1().ServiceAccounts().Informer(),
		"Job":            ours.Batch().V1().Jobs().Informer(),
		"Event":          ev,
		"Node":           all.Core().V1().Nodes().Informer(),
		"":               all.Core().V1().Pods().Informer(),
	} {
		h, err := inf.AddEventHandler(k.handler(kind, onChange))
		if err != nil {
			return nil, fmt.Errorf("watch %s: %w", kind, err)
		}
		k.synced = append(k.synced, h.HasSynced)
	}
	return k, nil
}

func (k *Cache) handler(kind string, onChange func(Change)) cache.ResourceEventHandler {
	tell := func(obj any) {
		k.lastSeen.Store(time.Now().UnixNano())
		if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = d.Obj
		}
		if e, ok := obj.(*corev1.Event); ok {
			onChange(Change{Kind: kind, Event: e})
			return
		}
		if m, err := meta.Accessor(obj); err == nil && kind != "" && kind != "Node" {
			onChange(Change{Kind: kind, Namespace: m.GetNamespace(), Name: m.GetName(), Labels: m.GetLabels()})
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: tell,
		UpdateFunc: func(old, obj any) {
			if saysTheSame(old, obj) {
				k.lastSeen.Store(time.Now().UnixNano())
				return
			}
			tell(obj)
		},
		DeleteFunc: func(obj any) {
			if kind != "Event" {
				tell(obj)
			}
		},
	}
}

// Run fills the cache and follows the cluster until ctx ends. Lost watches are
// made anew by client-go.
func (k *Cache) Run(ctx context.Context) {
	k.ours.Start(ctx.Done())
	k.all.Start(ctx.Done())
	k.sample(ctx)
	k.ours.Shutdown()
	k.all.Shutdown()
}

// Wait returns when every list has arrived.
func (k *Cache) Wait(ctx context.Context) error {
	start := time.Now()
	if !cache.WaitForCacheSync(ctx.Done(), k.synced...) {
		return fmt.Errorf("the cluster's objects did not arrive: %w", context.Cause(ctx))
	}
	slog.Info("cluster observed", "seconds", time.Since(start).Seconds())
	return nil
}

// Synced reports whether every list has arrived.
func (k *Cache) Synced() bool {
	for _, s := range k.synced {
		if !s() {
			return false
		}
	}
	return true
}

// LastSeen is when the cluster last told us anything: a liveness measure of the watches (P8).
func (k *Cache) LastSeen() time.Time { return time.Unix(0, k.lastSeen.Load()) }

// Events are the cluster's events about an object.
func (k *Cache) Events(namespace, kind, name string) []*corev1.Event {
	objs, err := k.events.ByIndex(byInvolved, involvedKey(namespace, kind, name))
	if err != nil {
		return nil
	}
	out := make([]*corev1.Event, 0, len(objs))
	for _, o := range objs {
		if e, ok := o.(*corev1.Event); ok {
			out = append(out, e)
		}
	}
	return out
}

// PodsOf are our pods in a namespace with a label.
func (k *Cache) PodsOf(namespace, label, value string) ([]*corev1.Pod, error) {
	return k.Pods.Pods(namespace).List(labels.SelectorFromSet(labels.Set{label: value}))
}

// strip drops what nobody reads, so that ten thousand objects stay small.
func strip(obj any) (any, error) {
	if m, err := meta.Accessor(obj); err == nil {
		m.SetManagedFields(nil)
	}
	switch o := obj.(type) {
	case *corev1.Pod:
		if o.Labels[manifest.LabelManagedBy] != manifest.Manager {
			o.Annotations = nil
			o.Spec.Volumes = nil
			for i := range o.Spec.Containers {
				c := &o.Spec.Containers[i]
				c.Env, c.VolumeMounts, c.Command, c.Args = nil, nil, nil, nil
			}
		}
	case *corev1.Node:
		o.Status.Images = nil
	case *appsv1.StatefulSet:
		delete(o.Annotations, corev1.LastAppliedConfigAnnotation)
	case *batchv1.Job:
		delete(o.Annotations, corev1.LastAppliedConfigAnnotation)
	}
	return obj, nil
}
