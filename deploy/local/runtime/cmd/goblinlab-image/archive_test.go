package main

import (
	"archive/tar"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
)

// write makes an archive of files and opens it.
func write(t *testing.T, files map[string]string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "image.tar"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	w := tar.NewWriter(f)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestContents(t *testing.T) {
	t.Parallel()
	layer := strings.Repeat("x", 2<<20) // is skipped over
	target := digest.FromString("manifest")
	config := `{"os":"linux"}`
	tests := map[string]struct {
		files map[string]string
		want  named
	}{
		"an OCI archive": {
			map[string]string{"blobs/sha256/a": layer, "index.json": `{"manifests":[{"digest":"` + target.String() + `","annotations":{"io.containerd.image.name":"goblinlab.local/dev:1"}}]}`},
			named{name: "goblinlab.local/dev:1", target: target},
		},
		"a Docker archive": {
			map[string]string{"layer.tar": layer, "config.json": config, "manifest.json": `[{"Config":"config.json","RepoTags":["goblinlab.local/dev:1"]}]`},
			named{name: "goblinlab.local/dev:1", config: digest.FromString(config)},
		},
		"a Docker archive with a short name": {
			map[string]string{"c.json": config, "manifest.json": `[{"Config":"c.json","RepoTags":["busybox:1"]}]`},
			named{name: "docker.io/library/busybox:1", config: digest.FromString(config)},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := contents(write(t, tc.files))
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 || got[0] != tc.want {
				t.Errorf("contents() = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestContentsRefuses(t *testing.T) {
	t.Parallel()
	if _, err := contents(write(t, map[string]string{"index.json": `{"manifests":[{"digest":"sha256:1"}]}`})); !errors.Is(err, errNoNames) {
		t.Errorf("an archive without names: %v", err)
	}
	if _, err := contents(write(t, map[string]string{"readme": "hello"})); err == nil || !strings.Contains(err.Error(), "neither") {
		t.Errorf("another archive: %v", err)
	}
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Repeat("this is no archive ", 100)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := contents(f); err == nil {
		t.Error("a file that is no archive was accepted")
	}
}
