package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

var site = manifest.Scheduling{Online: manifest.Pool{Key: "node-pool", Value: "online"}}

func list(cpu, memory, gpu string) corev1.ResourceList {
	l := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	if gpu != "" {
		l[manifest.GPUResource] = resource.MustParse(gpu)
	}
	return l
}

func machine(name, cpu, memory, gpu string, more ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Allocatable: list(cpu, memory, gpu),
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
	for _, f := range more {
		f(n)
	}
	return n
}

func taint(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffectNoSchedule})
	}
}

func on(node, cpu, memory, gpu string, more ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: list(cpu, memory, gpu)}}}}}
	for _, f := range more {
		f(p)
	}
	return p
}

func TestShapes(t *testing.T) {
	t.Parallel()
	done := func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }
	daemon := func(p *corev1.Pod) { p.OwnerReferences = []metav1.OwnerReference{{Kind: "DaemonSet"}} }
	got := shapes([]*corev1.Node{
		machine("b", "8", "16Gi", "", func(n *corev1.Node) { n.Spec.Unschedulable = true }),
		machine("a", "4", "8Gi", "2", taint(manifest.GPUResource, "true")),
		machine("c", "2", "4Gi", "", taint("node-pool", "online"), func(n *corev1.Node) { n.Labels = map[string]string{"node-pool": "online"} }),
		machine("d", "2", "4Gi", "", taint("theirs", "yes"), taint(corev1.TaintNodeNotReady, ""), func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }),
	}, []*corev1.Pod{on("a", "1", "1Gi", "1"), on("a", "500m", "1Gi", "", daemon), on("a", "2", "2Gi", "", done), on("", "2", "2Gi", "")}, site)
	g := int64(1 << 30)
	want := []Node{
		{Node: preflight.Node{Name: "a", CPUMilli: 3500, MemoryBytes: 7 * g, GPU: 2, GPUOnly: true}, Ready: true, Free: spec.Resources{CPUMilli: 2500, MemoryBytes: 6 * g, GPU: 1}},
		{Node: preflight.Node{Name: "b", CPUMilli: 8000, MemoryBytes: 16 * g, Cordoned: true}, Ready: true},
		{Node: preflight.Node{Name: "c", CPUMilli: 2000, MemoryBytes: 4 * g, Online: true, Labels: map[string]string{"node-pool": "online"}}, Pool: "online", Ready: true, Free: spec.Resources{CPUMilli: 2000, MemoryBytes: 4 * g}},
		{Node: preflight.Node{Name: "d", CPUMilli: 2000, MemoryBytes: 4 * g, Foreign: true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRequestsAreCountedAsTheSchedulerDoes(t *testing.T) {
	t.Parallel()
	always := corev1.ContainerRestartPolicyAlways
	c := func(cpu string, policy *corev1.ContainerRestartPolicy) corev1.Container {
		return corev1.Container{RestartPolicy: policy, Resources: corev1.ResourceRequirements{Requests: list(cpu, "1", "")}}
	}
	for name, tc := range map[string]struct {
		spec corev1.PodSpec
		want int64
	}{
		"containers together":         {corev1.PodSpec{Containers: []corev1.Container{c("1", nil), c("2", nil)}}, 3000},
		"a larger step before them":   {corev1.PodSpec{InitContainers: []corev1.Container{c("5", nil)}, Containers: []corev1.Container{c("1", nil)}}, 5000},
		"sidecars beside them":        {corev1.PodSpec{InitContainers: []corev1.Container{c("1", &always)}, Containers: []corev1.Container{c("2", nil)}}, 3000},
		"a step beside a sidecar":     {corev1.PodSpec{InitContainers: []corev1.Container{c("1", &always), c("4", nil)}, Containers: []corev1.Container{c("2", nil)}}, 5000},
		"and what the runtime needs":  {corev1.PodSpec{Overhead: list("250m", "0", ""), Containers: []corev1.Container{c("1", nil)}}, 1250},
		"a container without request": {corev1.PodSpec{Containers: []corev1.Container{{}}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := requests(&corev1.Pod{Spec: tc.spec}).CPUMilli; got != tc.want {
				t.Errorf("%d, want %d", got, tc.want)
			}
		})
	}
}

func TestFitNamesNodesWithRoom(t *testing.T) {
	t.Parallel()
	nodes := shapes([]*corev1.Node{machine("full", "4", "8Gi", ""), machine("free", "4", "8Gi", ""), machine("gpu", "8", "8Gi", "1", taint(manifest.GPUResource, "true")),
		machine("online", "8", "8Gi", "", taint("node-pool", "online"))}, []*corev1.Pod{on("full", "3", "1Gi", "")}, site)
	r := spec.Resources{CPUMilli: 2000, MemoryBytes: 1 << 30}
	for name, c := range map[string]struct {
		r     spec.Resources
		class spec.Class
		want  []string
	}{
		"test work":          {r, spec.ClassTest, []string{"free"}},
		"online work":        {r, spec.ClassOnline, []string{"free", "online"}},
		"work with a GPU":    {spec.Resources{CPUMilli: 2000, MemoryBytes: 1 << 30, GPU: 1}, spec.ClassTest, []string{"gpu"}},
		"more than there is": {spec.Resources{CPUMilli: 5000}, spec.ClassTest, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, now(c.r, placement(c.class), nodes)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFitTellsTheQuota(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	c := testkit.NewCast(t, d)
	d.Client.Team.UpdateOneID(c.Team.ID).SetQuota(spec.Quota{CPUMilli: 1000}).ExecX(testkit.System(t))
	s := New(Deps{DB: d, Config: config.Default()})
	fit, err := s.Fit(testkit.As(t, d, c.Viewer), c.Team.ID, spec.Resources{CPUMilli: 2000, MemoryBytes: 1}, spec.ClassTest)
	if err != nil || fit.Reason == nil || fit.Reason.Code != "quota-exceeded" || fit.Reason.Args["requested"] != "2 CPU" || fit.Reason.Args["resource"] != "@resource.cpu" {
		t.Errorf("%+v, %v", fit, err)
	}
	if _, err := s.Fit(testkit.As(t, d, c.Other), c.Team.ID, spec.Resources{}, spec.ClassTest); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another team: %v", err)
	}
	if _, err := s.Fit(t.Context(), c.Team.ID, spec.Resources{}, spec.ClassTest); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("nobody: %v", err)
	}
	if _, err := s.Nodes(authz.AsSystem(t.Context())); err != nil {
		t.Errorf("nodes without a cluster: %v", err)
	}
	if _, err := s.Status(t.Context()); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("status for nobody: %v", err)
	}
}
