package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/distribution/reference"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// named is an image in an archive. Of the two digests the archive's kind gives one.
type named struct {
	name string
	// target is the digest of the manifest or index, known in an OCI archive.
	target digest.Digest
	// config is the digest of the configuration, known in a Docker archive.
	config digest.Digest
}

// nameAnnotation is how an OCI archive names an image for containerd.
const nameAnnotation = "io.containerd.image.name"

// errNoNames says that an archive names no image: it would be imported and could not be used.
var errNoNames = errors.New("contains no image with a name; an OCI archive needs the annotation " + nameAnnotation + " in index.json")

// contents lists the images in an archive without reading its layers.
func contents(f *os.File) ([]named, error) {
	files, err := smallFiles(f)
	if err != nil {
		return nil, err
	}
	var out []named
	if index, ok := files[ocispec.ImageIndexFile]; ok {
		out, err = fromIndex(index)
	} else if manifest, ok := files["manifest.json"]; ok {
		out, err = fromDocker(manifest, files)
	} else {
		return nil, errors.New("is neither an OCI nor a Docker image archive")
	}
	if err == nil && len(out) == 0 {
		err = errNoNames
	}
	return out, err
}

// smallFiles reads the archive's files that can hold descriptions; layers are skipped over.
func smallFiles(f *os.File) (map[string][]byte, error) {
	const small = 1 << 20
	files := map[string][]byte{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the archive: %w", err)
		}
		if h.Typeflag != tar.TypeReg || h.Size > small {
			continue
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", h.Name, err)
		}
		files[path.Clean(h.Name)] = b
	}
}

func fromIndex(b []byte) ([]named, error) {
	var index ocispec.Index
	if err := json.Unmarshal(b, &index); err != nil {
		return nil, fmt.Errorf("index.json: %w", err)
	}
	var out []named
	for _, m := range index.Manifests {
		if name := m.Annotations[nameAnnotation]; name != "" {
			out = append(out, named{name: name, target: m.Digest})
		}
	}
	return out, nil
}

func fromDocker(b []byte, files map[string][]byte) ([]named, error) {
	var list []struct {
		Config   string
		RepoTags []string
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	var out []named
	for _, m := range list {
		for _, tag := range m.RepoTags {
			ref, err := reference.ParseDockerRef(tag)
			if err != nil {
				return nil, fmt.Errorf("manifest.json: name %q: %w", tag, err)
			}
			out = append(out, named{name: ref.String(), config: digest.FromBytes(files[path.Clean(m.Config)])})
		}
	}
	return out, nil
}
