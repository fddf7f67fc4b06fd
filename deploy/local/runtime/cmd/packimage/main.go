// Command packimage makes an OCI image archive of one layer from a folder, without a container engine. The same folder
// gives the same archive.
//
//	packimage -name goblinlab.local/pause:1 -entrypoint /pause -o pause.tar FOLDER
package main

import (
	"archive/tar"
	"bytes"
	_ "crypto/sha256" // for digests
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

func main() {
	name := flag.String("name", "", "name of the image, with registry and tag")
	entrypoint := flag.String("entrypoint", "", "program to start, with its arguments separated by spaces")
	arch := flag.String("arch", runtime.GOARCH, "architecture of its programs, in Go's spelling")
	out := flag.String("o", "image.tar", "archive to write")
	flag.Parse()
	if *name == "" || flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := pack(*out, *name, *arch, strings.Fields(*entrypoint), flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "packimage:", err)
		os.Exit(1)
	}
}

// archive is an OCI image layout that is being written as a tar file.
type archive struct {
	w   *tar.Writer
	err error
}

// file adds a file; the first error stays.
func (a *archive) file(name string, b []byte) {
	if a.err == nil {
		a.err = a.w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(b))})
	}
	if a.err == nil {
		_, a.err = a.w.Write(b)
	}
}

// blob adds content under its digest.
func (a *archive) blob(mediaType string, b []byte) ocispec.Descriptor {
	d := digest.FromBytes(b)
	a.file(filepath.Join("blobs", d.Algorithm().String(), d.Encoded()), b)
	return ocispec.Descriptor{MediaType: mediaType, Digest: d, Size: int64(len(b))}
}

// object adds a value as JSON.
func (a *archive) object(mediaType string, v any) ocispec.Descriptor {
	b, err := json.Marshal(v)
	a.err = errors.Join(a.err, err)
	return a.blob(mediaType, b)
}

func pack(out, name, arch string, entrypoint []string, folder string) error {
	layer, err := layerOf(folder)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	a := &archive{w: tar.NewWriter(&buf)}
	l := a.blob(ocispec.MediaTypeImageLayer, layer)
	config := a.object(ocispec.MediaTypeImageConfig, ocispec.Image{
		Platform: ocispec.Platform{OS: "linux", Architecture: arch},
		Config:   ocispec.ImageConfig{Entrypoint: entrypoint, Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}},
		RootFS:   ocispec.RootFS{Type: "layers", DiffIDs: []digest.Digest{l.Digest}},
	})
	manifest := a.object(ocispec.MediaTypeImageManifest, ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, Config: config, Layers: []ocispec.Descriptor{l},
	})
	manifest.Annotations = map[string]string{"io.containerd.image.name": name}
	index, err := json.Marshal(ocispec.Index{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex, Manifests: []ocispec.Descriptor{manifest},
	})
	if err != nil {
		return err
	}
	a.file(ocispec.ImageIndexFile, index)
	a.file(ocispec.ImageLayoutFile, []byte(`{"imageLayoutVersion":"1.0.0"}`))
	if err := errors.Join(a.err, a.w.Close()); err != nil {
		return err
	}
	return os.WriteFile(out, buf.Bytes(), 0o644)
}

// layerOf packs a folder: everything belongs to root and has no time.
func layerOf(folder string) ([]byte, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		return addEntry(w, folder, path, d)
	})
	return buf.Bytes(), errors.Join(err, w.Close())
}

func addEntry(w *tar.Writer, folder, path string, d fs.DirEntry) error {
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	link := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if link, err = os.Readlink(path); err != nil {
			return err
		}
	}
	h, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	plain := &tar.Header{Typeflag: h.Typeflag, Name: rel, Linkname: h.Linkname, Size: h.Size, Mode: h.Mode, Format: tar.FormatPAX}
	if err := w.WriteHeader(plain); err != nil || !info.Mode().IsRegular() {
		return err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
