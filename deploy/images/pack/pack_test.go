package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// layer writes a file that stands for a layer; pack does not look into it.
func layer(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// unpack reads an archive into memory and checks each blob against its name.
func unpack(t *testing.T, archive []byte) (names []string, files map[string][]byte) {
	t.Helper()
	files = map[string][]byte{}
	tr := tar.NewReader(bytes.NewReader(archive))
	for {
		hdr, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return names, files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		if hdr.Uid != 0 || hdr.Gid != 0 {
			t.Errorf("%s belongs to %d:%d", hdr.Name, hdr.Uid, hdr.Gid)
		}
		if digest, ok := strings.CutPrefix(hdr.Name, "blobs/sha256/"); ok && digest != "" {
			if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
				t.Errorf("%s holds other content", hdr.Name)
			}
		}
		if _, twice := files[hdr.Name]; twice {
			t.Errorf("%s is there twice", hdr.Name)
		}
		names = append(names, hdr.Name)
		files[hdr.Name] = data
	}
}

func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func blobOf(files map[string][]byte, d descriptor) []byte {
	return files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
}

func TestPackMakesAnImageThatLeadsToItsLayers(t *testing.T) {
	t.Parallel()
	at := time.Unix(1700000000, 0)
	req := request{
		Name: "goblinlab.local/mini:1", Arch: "arm64", Created: at,
		Layers: []string{layer(t, "base.tar", "base"), layer(t, "own.tar", "own")},
		Config: containerConfig{Entrypoint: []string{"/init"}, Env: []string{"A=b"}, WorkingDir: "/home"},
	}
	var b bytes.Buffer
	if err := pack(&b, req); err != nil {
		t.Fatal(err)
	}
	names, files := unpack(t, b.Bytes())
	if names[0] != "oci-layout" || names[1] != "index.json" {
		t.Errorf("the documents do not come first: %q", names)
	}
	ix := decode[index](t, files["index.json"])
	if len(ix.Manifests) != 1 {
		t.Fatalf("%d manifests", len(ix.Manifests))
	}
	d := ix.Manifests[0]
	want := map[string]string{annotationName: "goblinlab.local/mini:1", annotationRef: "1"}
	if !reflect.DeepEqual(d.Annotations, want) || *d.Platform != (platform{"arm64", "linux"}) {
		t.Errorf("annotations %v, platform %v", d.Annotations, d.Platform)
	}
	m := decode[manifest](t, blobOf(files, d))
	cfg := decode[imageConfig](t, blobOf(files, m.Config))
	if !reflect.DeepEqual(cfg.Config, req.Config) || cfg.Architecture != "arm64" || !cfg.Created.Equal(at) {
		t.Errorf("configuration %+v", cfg)
	}
	for i, content := range []string{"base", "own"} {
		l := m.Layers[i]
		if string(blobOf(files, l)) != content || l.Size != int64(len(content)) || cfg.RootFS.DiffIDs[i] != l.Digest {
			t.Errorf("layer %d is %+v", i, l)
		}
	}
	if len(cfg.History) != len(m.Layers) {
		t.Errorf("%d entries of history for %d layers", len(cfg.History), len(m.Layers))
	}
}

func TestPackTwiceGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	req := request{Name: "h/x:1", Arch: "amd64", Created: time.Unix(1, 0), Layers: []string{layer(t, "l.tar", "l")},
		Config: containerConfig{Labels: map[string]string{"b": "1", "a": "2", "c": "3"}}}
	var one, two bytes.Buffer
	if err := errors.Join(pack(&one, req), pack(&two, req)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the archives differ")
	}
}

func TestPackStoresEqualLayersOnce(t *testing.T) {
	t.Parallel()
	req := request{Name: "h/x:1", Layers: []string{layer(t, "a.tar", "same"), layer(t, "b.tar", "same")}}
	var b bytes.Buffer
	if err := pack(&b, req); err != nil {
		t.Fatal(err)
	}
	unpack(t, b.Bytes()) // reports what is there twice
}

func TestPackRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		image  string
		layers []string
		want   error
	}{
		"a name without host":       {"mini:1", []string{"x"}, errName},
		"a name without tag":        {"goblinlab.local/mini", []string{"x"}, errName},
		"a port is not a tag":       {"localhost:5000/mini", []string{"x"}, errName},
		"an empty tag":              {"goblinlab.local/mini:", []string{"x"}, errName},
		"an empty path":             {"goblinlab.local/:1", []string{"x"}, errName},
		"an image without layers":   {"goblinlab.local/mini:1", nil, errNoLayers},
		"a layer that is not there": {"goblinlab.local/mini:1", []string{"/nowhere/l.tar"}, os.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := pack(io.Discard, request{Name: tc.image, Layers: tc.layers}); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

func TestRunWritesTheWholeArchiveOrNothing(t *testing.T) {
	t.Parallel()
	noenv := func(string) string { return "" }
	out := filepath.Join(t.TempDir(), "mini.tar")
	good := []string{"-o", out, "-name", "h/x:1", "-layer", layer(t, "l.tar", "l"), "-port", "22/tcp", "-label", "a=b=c", "-user", "1234"}
	if err := run(good, noenv, io.Discard); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	_, files := unpack(t, before)
	ix := decode[index](t, files["index.json"])
	cfg := decode[imageConfig](t, blobOf(files, decode[manifest](t, blobOf(files, ix.Manifests[0])).Config))
	if _, ok := cfg.Config.ExposedPorts["22/tcp"]; !ok || cfg.Config.Labels["a"] != "b=c" || cfg.Config.User != "1234" {
		t.Errorf("configuration %+v", cfg.Config)
	}
	if err := run([]string{"-o", out, "-name", "h/x:1", "-layer", "/nowhere/l.tar"}, noenv, io.Discard); err == nil {
		t.Fatal("a missing layer was packed")
	}
	after, err := os.ReadFile(out)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the old archive was touched: %v", err)
	}
	if left, err := filepath.Glob(out + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args  []string
		epoch string
	}{
		"no output":               {[]string{"-name", "h/x:1"}, ""},
		"a word too many":         {[]string{"-o", "x", "y"}, ""},
		"an unknown flag":         {[]string{"-o", "x", "-what"}, ""},
		"a label without a value": {[]string{"-o", "x", "-label", "a"}, ""},
		"a time that is none":     {[]string{"-o", "x"}, "yesterday"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := parse(tc.args, func(string) string { return tc.epoch }, io.Discard); err == nil {
				t.Error("was accepted")
			}
		})
	}
}
