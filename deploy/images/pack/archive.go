package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// request is one image to be packed.
type request struct {
	Name    string          // full reference, for example goblinlab.local/mini:1
	Arch    string          // Go's name of the processor
	Created time.Time       // stands in every document and entry
	Layers  []string        // tar files, lowest first
	Config  containerConfig // defaults of the container's process
}

// blob is content that goes into the archive under its digest: either bytes in
// memory or a file that is streamed.
type blob struct {
	digest string
	size   int64
	data   []byte
	path   string
}

var (
	errName     = errors.New("the image name needs the form host/path:tag")
	errNoLayers = errors.New("an image needs at least one layer")
)

// pack writes req as an OCI archive to w. Layers are read twice, once for the
// digest and once for the content, so that none is held in memory.
func pack(w io.Writer, req request) error {
	tag, err := tagOf(req.Name)
	if err != nil {
		return err
	}
	if len(req.Layers) == 0 {
		return errNoLayers
	}
	layers, err := layerBlobs(req.Layers)
	if err != nil {
		return err
	}
	documents, ix, err := describe(req, tag, layers)
	if err != nil {
		return err
	}
	return writeLayout(w, req.Created, ix, append(layers, documents...))
}

// tagOf returns the tag of a reference. A reference without registry host or
// tag is refused, since containerd would import it under a name that no pod
// could use.
func tagOf(name string) (string, error) {
	slash := strings.LastIndexByte(name, '/')
	colon := strings.LastIndexByte(name, ':')
	if slash <= 0 || colon < slash+2 || colon == len(name)-1 {
		return "", fmt.Errorf("%w: %q", errName, name)
	}
	return name[colon+1:], nil
}

// layerBlobs digests the layer files.
func layerBlobs(paths []string) ([]blob, error) {
	blobs := make([]blob, 0, len(paths))
	for _, path := range paths {
		b, err := fileBlob(path)
		if err != nil {
			return nil, fmt.Errorf("read layer %s: %w", path, err)
		}
		blobs = append(blobs, b)
	}
	return blobs, nil
}

func fileBlob(path string) (blob, error) {
	f, err := os.Open(path)
	if err != nil {
		return blob{}, err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return blob{}, err
	}
	return blob{digest: "sha256:" + hex.EncodeToString(sum.Sum(nil)), size: n, path: path}, nil
}

func jsonBlob(v any) (blob, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return blob{}, err
	}
	sum := sha256.Sum256(data)
	return blob{digest: "sha256:" + hex.EncodeToString(sum[:]), size: int64(len(data)), data: data}, nil
}

// describe makes configuration, manifest and index for the layers.
func describe(req request, tag string, layers []blob) ([]blob, index, error) {
	created := req.Created.UTC()
	cfg := imageConfig{
		Created: created, Architecture: req.Arch, OS: "linux", Config: req.Config,
		RootFS: rootFS{Type: "layers"},
	}
	m := manifest{SchemaVersion: 2, MediaType: typeManifest}
	for _, l := range layers {
		cfg.RootFS.DiffIDs = append(cfg.RootFS.DiffIDs, l.digest)
		cfg.History = append(cfg.History, history{
			Created: created, CreatedBy: "goblinlab pack " + filepath.Base(l.path),
		})
		m.Layers = append(m.Layers, descriptor{MediaType: typeLayer, Digest: l.digest, Size: l.size})
	}
	cfgBlob, err := jsonBlob(cfg)
	if err != nil {
		return nil, index{}, fmt.Errorf("encode configuration: %w", err)
	}
	m.Config = descriptor{MediaType: typeConfig, Digest: cfgBlob.digest, Size: cfgBlob.size}
	mBlob, err := jsonBlob(m)
	if err != nil {
		return nil, index{}, fmt.Errorf("encode manifest: %w", err)
	}
	ix := index{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{{
		MediaType: typeManifest, Digest: mBlob.digest, Size: mBlob.size,
		Platform:    &platform{Architecture: req.Arch, OS: "linux"},
		Annotations: map[string]string{annotationName: req.Name, annotationRef: tag},
	}}}
	return []blob{cfgBlob, mBlob}, ix, nil
}

// writeLayout writes the layout's files, small documents first, so that a
// reader learns what the archive is before it meets the layers.
func writeLayout(w io.Writer, at time.Time, ix index, blobs []blob) error {
	tw := tar.NewWriter(w)
	ixData, err := json.Marshal(ix)
	if err != nil {
		return fmt.Errorf("encode index: %w", err)
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", ixData}} {
		if err := writeEntry(tw, f.name, at, int64(len(f.data)), bytes.NewReader(f.data)); err != nil {
			return err
		}
	}
	for _, dir := range []string{"blobs/", "blobs/sha256/"} {
		hdr := &tar.Header{Typeflag: tar.TypeDir, Name: dir, Mode: 0o755, ModTime: at, Format: tar.FormatPAX}
		if err := tw.WriteHeader(hdr); err != nil {
			return fmt.Errorf("write %s: %w", dir, err)
		}
	}
	written := map[string]bool{}
	for _, b := range blobs {
		if written[b.digest] { // two equal layers are one blob
			continue
		}
		written[b.digest] = true
		if err := writeBlob(tw, at, b); err != nil {
			return err
		}
	}
	if err := tw.Close(); err != nil {
		return fmt.Errorf("end archive: %w", err)
	}
	return nil
}

func writeBlob(tw *tar.Writer, at time.Time, b blob) error {
	name := "blobs/" + strings.Replace(b.digest, ":", "/", 1)
	if b.path == "" {
		return writeEntry(tw, name, at, b.size, bytes.NewReader(b.data))
	}
	f, err := os.Open(b.path)
	if err != nil {
		return fmt.Errorf("open layer: %w", err)
	}
	defer f.Close()
	return writeEntry(tw, name, at, b.size, f)
}

func writeEntry(tw *tar.Writer, name string, at time.Time, size int64, r io.Reader) error {
	hdr := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: size, ModTime: at, Format: tar.FormatPAX,
	}
	if err := tw.WriteHeader(hdr); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	n, err := io.Copy(tw, r)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if n != size {
		return fmt.Errorf("write %s: it changed meanwhile, %d bytes instead of %d", name, n, size)
	}
	return nil
}
