package preflight_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var nodes = []preflight.Node{
	{Name: "cpu-a", CPUMilli: 64_000, MemoryBytes: 128 << 30},
	{Name: "cpu-b", CPUMilli: 16_000, MemoryBytes: 256 << 30, Labels: map[string]string{"tenant": "vision"}},
	{Name: "gpu-a", CPUMilli: 32_000, MemoryBytes: 64 << 30, GPU: 4, GPUOnly: true},
	{Name: "online", CPUMilli: 96_000, MemoryBytes: 512 << 30, Online: true},
	{Name: "control-plane", CPUMilli: 128_000, MemoryBytes: 1 << 40, GPU: 16, Foreign: true},
}

func TestFit(t *testing.T) {
	t.Parallel()
	vision := map[string]string{"tenant": "vision"}
	for name, c := range map[string]struct {
		requests spec.Resources
		place    preflight.Placement
		nodes    []preflight.Node
		want     []string
		args     fault.Args
	}{
		"fits":                     {requests: spec.Resources{CPUMilli: 64_000, MemoryBytes: 128 << 30}, nodes: nodes},
		"nothing is known":         {requests: spec.Resources{CPUMilli: 1 << 40}},
		"P10 larger than any node": {requests: spec.Resources{CPUMilli: 65_000}, nodes: nodes, want: []string{"resources.cpu: fit.cpu"}, args: fault.Args{"requested": "65 CPU", "largest": "64 CPU", "node": "cpu-a"}},
		"P10 online work may use the online pool":    {requests: spec.Resources{CPUMilli: 65_000}, place: preflight.Placement{Class: spec.ClassOnline}, nodes: nodes},
		"P10 more memory than any node":              {requests: spec.Resources{MemoryBytes: 300 << 30}, nodes: nodes, want: []string{"resources.memory: fit.memory"}, args: fault.Args{"requested": "300 GiB", "largest": "256 GiB", "node": "cpu-b"}},
		"P10 more GPUs than any node":                {requests: spec.Resources{GPU: 5}, nodes: nodes, want: []string{"resources.gpu: fit.gpu"}, args: fault.Args{"requested": "5 GPU", "largest": "4 GPU", "node": "gpu-a"}},
		"P11 fits in total, on no single node":       {requests: spec.Resources{CPUMilli: 32_000, MemoryBytes: 192 << 30}, nodes: nodes, want: []string{"resources: fit.shape"}, args: fault.Args{"requested": "32 CPU, 192 GiB", "nodes": []string{"cpu-a (64 CPU, 128 GiB)", "cpu-b (16 CPU, 256 GiB)"}}},
		"P11 with a GPU the shape is the GPU node's": {requests: spec.Resources{CPUMilli: 33_000, MemoryBytes: 1 << 30, GPU: 1}, nodes: nodes, want: []string{"resources: fit.shape"}, args: fault.Args{"requested": "33 CPU, 1 GiB, 1 GPU", "nodes": []string{"gpu-a (32 CPU, 64 GiB, 4 GPU)", "cpu-a (64 CPU, 128 GiB)", "cpu-b (16 CPU, 256 GiB)"}}},
		"a tenant's nodes alone":                     {requests: spec.Resources{CPUMilli: 17_000}, place: preflight.Placement{NodeSelector: vision}, nodes: nodes, want: []string{"resources.cpu: fit.cpu"}, args: fault.Args{"requested": "17 CPU", "largest": "16 CPU", "node": "cpu-b"}},
		"no node of the tenant":                      {requests: spec.Resources{CPUMilli: 1}, place: preflight.Placement{NodeSelector: map[string]string{"tenant": "x"}}, nodes: nodes, want: []string{"resources: fit.no-node"}, args: fault.Args{"nodes": 5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := preflight.Fit(c.requests, c.place, c.nodes)
			if diff := cmp.Diff(c.want, found(t, err)); diff != "" {
				t.Fatal(diff)
			}
			var f *fault.Error
			if errors.As(err, &f) {
				if diff := cmp.Diff(c.args, f.Fields[0].Args); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestP3QuotaNamesItsNumbers(t *testing.T) {
	t.Parallel()
	limit := spec.Quota{CPUMilli: 10_000, MemoryBytes: 64 << 30, GPU: 2, StorageBytes: 1 << 40, Volumes: 3, Pods: 4}
	for name, c := range map[string]struct {
		requested, used, limit spec.Quota
		want                   []string
		args                   fault.Args
	}{
		"fits exactly": {preflight.Demand(spec.Resources{CPUMilli: 4000, MemoryBytes: 1 << 30, GPU: 2}), spec.Quota{CPUMilli: 6000, Pods: 3}, limit, nil, nil},
		"no limits":    {preflight.Demand(spec.Resources{CPUMilli: 1 << 40, GPU: 99}), spec.Quota{CPUMilli: 1 << 40}, spec.Quota{}, nil, nil},
		"CPU": {
			spec.Quota{CPUMilli: 4500}, spec.Quota{CPUMilli: 6000}, limit, []string{"resources.cpu: quota.cpu"},
			fault.Args{"requested": "4.5 CPU", "used": "6 CPU", "limit": "10 CPU", "free": "4 CPU"},
		},
		"each at once": {
			spec.Quota{CPUMilli: 1, MemoryBytes: 1, GPU: 1, StorageBytes: 1, Volumes: 1, Pods: 1}, limit, limit,
			[]string{"resources.cpu: quota.cpu", "resources.memory: quota.memory", "resources.gpu: quota.gpu", "size: quota.storage", "teamId: quota.volumes", "teamId: quota.pods"},
			fault.Args{"requested": "0.001 CPU", "used": "10 CPU", "limit": "10 CPU", "free": "0 CPU"},
		},
		"a quota that was lowered": {
			spec.Quota{GPU: 1}, spec.Quota{GPU: 5}, limit, []string{"resources.gpu: quota.gpu"},
			fault.Args{"requested": "1 GPU", "used": "5 GPU", "limit": "2 GPU", "free": "0 GPU"},
		},
		"none is allowed, also of what is used still": {
			preflight.Demand(spec.Resources{CPUMilli: 1, GPU: 2}), spec.Quota{GPU: 5}, spec.Quota{GPU: spec.None}, []string{"resources.gpu: none.gpu"},
			fault.Args{"requested": "2 GPU", "used": "5 GPU", "limit": "0 GPU", "free": "0 GPU"},
		},
		"nothing may be there": {
			spec.Quota{CPUMilli: 1, MemoryBytes: 1, GPU: 1, StorageBytes: 1, Volumes: 1, Pods: 1}, spec.Quota{},
			spec.Quota{CPUMilli: spec.None, MemoryBytes: spec.None, GPU: spec.None, StorageBytes: spec.None, Volumes: spec.None, Pods: spec.None},
			[]string{"resources.cpu: none.cpu", "resources.memory: none.memory", "resources.gpu: none.gpu", "size: none.storage", "teamId: none.volumes", "teamId: none.pods"},
			fault.Args{"requested": "0.001 CPU", "used": "0 CPU", "limit": "0 CPU", "free": "0 CPU"},
		},
		"none asked of what none is allowed of": {preflight.Demand(spec.Resources{CPUMilli: 1}), spec.Quota{}, spec.Quota{GPU: spec.None, Volumes: spec.None}, nil, nil},
		"nothing asked of what is full":         {spec.Quota{CPUMilli: 1}, spec.Quota{GPU: 5}, limit, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := preflight.Quota(c.requested, c.used, c.limit)
			if diff := cmp.Diff(c.want, found(t, err)); diff != "" {
				t.Fatal(diff)
			}
			var f *fault.Error
			if !errors.As(err, &f) {
				return
			}
			if diff := cmp.Diff(c.args, f.Fields[0].Args); diff != "" {
				t.Error(diff)
			}
			if f.Kind != fault.ResourceExhausted || !lang.Has("fault."+f.Fields[0].ID) {
				t.Errorf("the fault is %v", f)
			}
		})
	}
}

func TestP21AccessModes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		use  preflight.Use
		want []string
	}{
		"first consumer":                        {preflight.Use{AccessMode: "ReadWriteOnce"}, nil},
		"P21 second consumer elsewhere":         {preflight.Use{AccessMode: "ReadWriteOnce", Holders: []string{"resnet"}}, []string{"m: volume.one-node"}},
		"P21 second consumer that only reads":   {preflight.Use{AccessMode: "ReadWriteOnce", Holders: []string{"resnet"}, ReadOnly: true}, []string{"m: volume.one-node"}},
		"P19 second consumer on the same node":  {preflight.Use{AccessMode: "ReadWriteOnce", Holders: []string{"resnet"}, SameNode: true}, nil},
		"one pod alone":                         {preflight.Use{AccessMode: "ReadWriteOncePod", Holders: []string{"resnet"}, SameNode: true}, []string{"m: volume.one-pod"}},
		"shared volume":                         {preflight.Use{AccessMode: "ReadWriteMany", Holders: []string{"a", "b"}}, nil},
		"writer of a volume for readers":        {preflight.Use{AccessMode: "ReadOnlyMany"}, []string{"m: volume.read-only"}},
		"reader of a volume for readers":        {preflight.Use{AccessMode: "ReadOnlyMany", ReadOnly: true, Holders: []string{"a"}}, nil},
		"a holder's name cannot break the line": {preflight.Use{AccessMode: "ReadWriteOnce", Holders: []string{"a\nb"}}, []string{"m: volume.one-node"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.use.Path, c.use.Volume = "m", "home"
			err := preflight.Access([]preflight.Use{c.use})
			if diff := cmp.Diff(c.want, found(t, err)); diff != "" {
				t.Error(diff)
			}
			if err != nil && fault.KindOf(err) != fault.FailedPrecondition {
				t.Errorf("the kind is %s", fault.KindOf(err))
			}
		})
	}
}
