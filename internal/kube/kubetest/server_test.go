package kubetest_test

import (
	"context"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/kube/kubetest"
	"github.com/goblinlab/goblinlab/internal/manifest"
)

// A Job that is applied again and again is one pod, which a client with caches
// sees come and end.
func TestAJobIsOnePod(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	s := kubetest.New(t, func(string) (<-chan struct{}, int) { return end, 3 })
	k, err := kube.Connect(s.Kubeconfig(), 100, 100)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan struct{}, 1)
	cache, err := kube.NewCache(k, func(kube.Change) {
		select {
		case seen <- struct{}{}:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		cache.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-done })
	if err := cache.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	own := map[string]string{manifest.LabelManagedBy: manifest.Manager, manifest.LabelRunID: "run-1", manifest.LabelAttemptID: "att-1"}
	job := batchac.Job("j", "ns").WithLabels(own).WithSpec(batchac.JobSpec().WithTemplate(corev1ac.PodTemplateSpec().WithLabels(own).
		WithSpec(corev1ac.PodSpec().WithContainers(corev1ac.Container().WithName(manifest.ContainerTask).WithImage("img:1")))))
	for range 3 {
		if _, err := k.BatchV1().Jobs("ns").Apply(ctx, job, kube.Apply); err != nil {
			t.Fatal(err)
		}
	}
	phase := func(want corev1.PodPhase) {
		t.Helper()
		for limit := time.After(20 * time.Second); ; {
			pods, err := cache.PodsOf("ns", manifest.LabelRunID, "run-1")
			if err != nil {
				t.Fatal(err)
			}
			if len(pods) == 1 && pods[0].Status.Phase == want {
				return
			}
			select {
			case <-seen:
			case <-limit:
				t.Fatalf("%d pods, none %s", len(pods), want)
			}
		}
	}
	phase(corev1.PodRunning)
	close(end)
	phase(corev1.PodFailed)
	if ran := s.Pods(); len(ran) != 1 || ran[0].RunID != "run-1" || ran[0].AttemptID != "att-1" || !ran[0].Ended.After(ran[0].Began) {
		t.Errorf("the books say %+v", ran)
	}
	if err := k.BatchV1().Jobs("ns").Delete(ctx, "j", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := k.BatchV1().Jobs("ns").Get(ctx, "j", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Job is still there: %v", err)
	}
	if _, err := k.BatchV1().Jobs("ns").Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "by-create", Labels: own}}, metav1.CreateOptions{}); err != nil {
		t.Errorf("protobuf is not understood: %v", err)
	}
}
