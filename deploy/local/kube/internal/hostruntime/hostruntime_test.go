package hostruntime

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/kubernetes/pkg/volume/util/subpath"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/box"
)

func TestOnlyTheMachineIsAnImage(t *testing.T) {
	t.Parallel()
	i := Images{Dir: t.TempDir()}
	for name, there := range map[string]bool{Image: true, "goblinlab.local/host:2": false, "busybox:1": false} {
		s, err := i.ImageStatus(t.Context(), &cri.ImageSpec{Image: name}, false)
		if err != nil || (s.Image != nil) != there {
			t.Errorf("%s is there: %v, %v", name, s.Image, err)
		}
		_, err = i.PullImage(t.Context(), &cri.ImageSpec{Image: name}, nil, nil)
		if there != (err == nil) || err != nil && !(strings.Contains(err.Error(), "this cluster runs without root") && strings.Contains(err.Error(), Image)) {
			t.Errorf("%s is pulled: %v", name, err)
		}
	}
}

func TestAPartOfAVolumeIsLookedUpWithinIt(t *testing.T) {
	t.Parallel()
	r, err := New(t.Context(), Config{Dir: t.TempDir(), Sockets: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	path, _, err := r.Subpaths.PrepareSafeSubpath(subpath.Subpath{Path: "/volumes/a/part/deep", VolumePath: "/volumes/a", PodDir: "/pods/1"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.mount(&cri.Mount{HostPath: path, ContainerPath: "/data", Readonly: true}), (box.Mount{Root: "/volumes/a", Source: "/part/deep", Target: "/data", ReadOnly: true}); got != want {
		t.Errorf("the part is mounted as %+v", got)
	}
	if got, want := r.mount(&cri.Mount{HostPath: "/volumes/b", ContainerPath: "/data"}), (box.Mount{Root: "/", Source: "/volumes/b", Target: "/data"}); got != want {
		t.Errorf("the whole volume is mounted as %+v", got)
	}
	if err := r.Subpaths.CleanSubPaths("/pods/1", "a"); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := r.Subpaths.find(path); ok {
		t.Error("the part is remembered after its pod")
	}
}

func TestAPartIsMadeWithinTheVolume(t *testing.T) {
	t.Parallel()
	volume, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(volume, "link")); err != nil {
		t.Fatal(err)
	}
	var s Subpaths
	if err := s.SafeMakeDir("a/b", volume, 0o755); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(volume, "a", "b")); err != nil {
		t.Error(err)
	}
	if err := s.SafeMakeDir("link/made", volume, 0o755); err == nil {
		t.Error("a link led out of the volume")
	}
	if _, err := os.Stat(filepath.Join(outside, "made")); err == nil {
		t.Error("a folder was made outside")
	}
}

func TestPodsThatNeedRootAreRefused(t *testing.T) {
	t.Parallel()
	r, err := New(t.Context(), Config{Dir: t.TempDir(), Sockets: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*cri.LinuxSandboxSecurityContext{
		"privileged":              {Privileged: true},
		"the machine's processes": {NamespaceOptions: &cri.NamespaceOption{Pid: cri.NamespaceMode_NODE}},
		"the machine's IPC":       {NamespaceOptions: &cri.NamespaceOption{Ipc: cri.NamespaceMode_NODE}},
	} {
		if _, err := r.RunPodSandbox(t.Context(), &cri.PodSandboxConfig{Linux: &cri.LinuxPodSandboxConfig{SecurityContext: s}}, ""); err == nil {
			t.Errorf("%s: the pod runs", name)
		}
	}
}

// TestRecordsOutliveTheProcess has a second runtime find what a first one left, as after a reboot: the containers are gone.
func TestRecordsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	c := Config{Dir: t.TempDir(), Sockets: t.TempDir()}
	first := runtimeOf(t, c)
	pod, err := first.RunPodSandbox(t.Context(), &cri.PodSandboxConfig{Metadata: &cri.PodSandboxMetadata{Name: "p"}, Labels: map[string]string{"a": "b"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for range 2 {
		id, err := first.CreateContainer(t.Context(), pod, &cri.ContainerConfig{Metadata: &cri.ContainerMetadata{Name: "c"}, Image: &cri.ImageSpec{Image: Image}, Command: []string{"true"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	started := first.containers[ids[0]]
	started.Started = 1
	if err := save(first.containerDir(started.ID), started); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(first.containerDir("half"), 0o700); err != nil { // as a kill during a removal leaves it
		t.Fatal(err)
	}

	second := runtimeOf(t, c)
	pods, err := second.ListPodSandbox(t.Context(), &cri.PodSandboxFilter{LabelSelector: map[string]string{"a": "b"}})
	if err != nil || len(pods) != 1 || pods[0].Id != pod || pods[0].Metadata.Name != "p" {
		t.Errorf("pods: %v, %v", pods, err)
	}
	for i, want := range []cri.ContainerState{cri.ContainerState_CONTAINER_EXITED, cri.ContainerState_CONTAINER_CREATED} {
		s, err := second.ContainerStatus(t.Context(), ids[i], false)
		if err != nil || s.Status.State != want {
			t.Fatalf("container %d: %v, %v", i, s, err)
		}
		if i == 0 && (s.Status.ExitCode != box.Lost || s.Status.Reason != "Unknown") {
			t.Errorf("the end that nobody saw is %d, %s", s.Status.ExitCode, s.Status.Reason)
		}
	}
	if err := second.RemovePodSandbox(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	third := runtimeOf(t, c)
	if len(third.pods) != 0 || len(third.containers) != 0 {
		t.Errorf("after the removal there are %d pods and %d containers", len(third.pods), len(third.containers))
	}
	if _, err := os.Stat(third.containerDir("half")); err == nil {
		t.Error("a folder without a record stays")
	}
}

func runtimeOf(t *testing.T, c Config) *Runtime {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := New(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
