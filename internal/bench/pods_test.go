//go:build bench

package bench

import (
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

type eventMessage = event.Message

func kubeconfig(t testing.TB) string {
	t.Helper()
	p := os.Getenv(testkit.EnvKubeconfig)
	if p == "" {
		t.Fatalf("%s is not set: run `make bench`", testkit.EnvKubeconfig)
	}
	return p
}

// ready waits for a watched pod's readiness.
func (s *starter) ready(ch <-chan watch.Event, start time.Time) time.Duration {
	s.t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case e := <-ch:
			p, ok := e.Object.(*corev1.Pod)
			if !ok {
				continue
			}
			for _, c := range p.Status.Conditions {
				if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
					return time.Since(start)
				}
			}
		case <-limit:
			s.t.Fatal("a pod made by hand is not ready after a minute")
		}
	}
}

// remove deletes what direct made and waits until its pod is gone.
func (s *starter) remove(name string) {
	s.t.Helper()
	ctx, zero := s.t.Context(), int64(1)
	o := metav1.DeleteOptions{}
	_ = s.kube.AppsV1().StatefulSets(s.ns).Delete(ctx, name, o)
	_ = s.kube.CoreV1().Pods(s.ns).Delete(ctx, name+"-0", metav1.DeleteOptions{GracePeriodSeconds: &zero})
	_ = s.kube.CoreV1().Services(s.ns).Delete(ctx, name, o)
	_ = s.kube.CoreV1().Secrets(s.ns).Delete(ctx, name, o)
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		l, err := s.kube.CoreV1().Pods(s.ns).List(ctx, metav1.ListOptions{LabelSelector: "bench=" + name})
		if err == nil && len(l.Items) == 0 {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("%s does not go: %v", name, err)
		}
	}
}
