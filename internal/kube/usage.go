package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/goblinlab/goblinlab/internal/manifest"
)

const (
	usageEvery   = 15 * time.Second // as often as a metrics server looks
	usageSeldom  = 5 * time.Minute  // in a cluster that has none
	usageTimeout = 10 * time.Second
)

// peaks is the most memory that each container of ours was seen to use. Samples
// can only be too low: what is used between two of them is not seen, and what
// was used before this process began is not known.
type peaks struct {
	mu    sync.Mutex
	bytes map[types.UID]map[string]int64
}

// Peaks is the most memory that the containers of a pod were seen to use, by
// name, in bytes: a lower bound. Empty in a cluster without the metrics API.
func (k *Cache) Peaks(pod types.UID) map[string]int64 {
	k.peaks.mu.Lock()
	defer k.peaks.mu.Unlock()
	out := map[string]int64{}
	for name, n := range k.peaks.bytes[pod] {
		out[name] = n
	}
	return out
}

// podUsage is a PodMetrics of metrics.k8s.io.
type podUsage struct {
	Metadata struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Timestamp  time.Time `json:"timestamp"`
	Containers []struct {
		Name  string                       `json:"name"`
		Usage map[string]resource.Quantity `json:"usage"`
	} `json:"containers"`
}

// sample follows what our containers use until ctx ends.
func (k *Cache) sample(ctx context.Context) {
	var wait time.Duration
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = usageEvery
		list, err := k.usage(ctx)
		switch {
		case err == nil:
			k.raise(list)
		case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
			wait = usageSeldom
		case ctx.Err() == nil:
			slog.Debug("use of memory is not known", "error", err)
		}
	}
}

func (k *Cache) usage(ctx context.Context) ([]podUsage, error) {
	ctx, stop := context.WithTimeout(ctx, usageTimeout)
	defer stop()
	b, err := k.client.Discovery().RESTClient().Get().AbsPath("/apis/metrics.k8s.io/v1beta1/pods").
		Param("labelSelector", manifest.SelectManaged).SetHeader("Accept", "application/json").Do(ctx).Raw()
	if err != nil {
		return nil, fmt.Errorf("metrics of pods: %w", err)
	}
	var list struct {
		Items []podUsage `json:"items"`
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("metrics of pods: %w", err)
	}
	return list.Items, nil
}

// raise notes new peaks and forgets pods that are gone.
func (k *Cache) raise(list []podUsage) {
	k.peaks.mu.Lock()
	defer k.peaks.mu.Unlock()
	pods, err := k.Pods.List(labels.Everything())
	if err != nil {
		return
	}
	next := map[types.UID]map[string]int64{}
	byName := make(map[types.NamespacedName]*corev1.Pod, len(pods))
	for _, p := range pods {
		if old, ok := k.peaks.bytes[p.UID]; ok {
			next[p.UID] = old
		}
		byName[types.NamespacedName{Namespace: p.Namespace, Name: p.Name}] = p
	}
	for _, u := range list {
		p := byName[types.NamespacedName{Namespace: u.Metadata.Namespace, Name: u.Metadata.Name}]
		if p == nil || u.Timestamp.Before(p.CreationTimestamp.Time) { // of a predecessor of its name
			continue
		}
		if next[p.UID] == nil {
			next[p.UID] = map[string]int64{}
		}
		for _, c := range u.Containers {
			memory := c.Usage["memory"]
			next[p.UID][c.Name] = max(next[p.UID][c.Name], memory.Value())
		}
	}
	k.peaks.bytes = next
}
