package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

func TestProgressOf(t *testing.T) {
	t.Parallel()
	a, b, c := digest.FromString("a"), digest.FromString("b"), digest.FromString("c")
	manifest, err := json.Marshal(ocispec.Manifest{Layers: []ocispec.Descriptor{{Digest: a, Size: 100}, {Digest: b, Size: 50}, {Digest: c, Size: 7}}})
	if err != nil {
		t.Fatal(err)
	}
	there := map[digest.Digest]int64{a: 100}
	done, total, ok := progressOf(manifest, there, map[digest.Digest]int64{b: 20})
	if done != 120 || total != 157 || !ok {
		t.Errorf("%d of %d, %v; want 120 of 157", done, total, ok)
	}
	if _, _, ok := progressOf(manifest, there, map[digest.Digest]int64{digest.FromString("another"): 20}); ok {
		t.Error("a manifest of whose layers none is on its way counts")
	}
	if _, _, ok := progressOf([]byte("no manifest"), there, map[digest.Digest]int64{b: 20}); ok {
		t.Error("what is no manifest counts")
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	got := sources(map[string]string{"containerd.io/distribution.source.reg.example": "a,team/b", "containerd.io/gc.ref": "x"})
	if want := []string{"reg.example/a", "reg.example/team/b"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for name, want := range map[string]string{"docker.io/library/busybox:latest": "docker.io/library/busybox", "127.0.0.1:5000/team/b:1": "127.0.0.1/team/b"} {
		if got := repository(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
