// Command registry hands out image archives as a registry does, to the tests that insist on a pull.
//
//	registry -listen 127.0.0.1:5000 ARCHIVE…
//
// An archive is a tar file of an OCI image layout. It is read where it is.
package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:5000", "address to listen on")
	flag.Parse()
	s := store{}
	for _, path := range flag.Args() {
		if err := s.add(path); err != nil {
			fmt.Fprintf(os.Stderr, "registry: %s: %v\n", path, err)
			os.Exit(1)
		}
	}
	server := &http.Server{Addr: *listen, Handler: s, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintln(os.Stderr, "registry:", server.ListenAndServe())
	os.Exit(1)
}

// content is a part of an archive.
type content struct {
	*io.SectionReader
	mediaType string
}

// store holds contents by what follows the repository in a request: manifests/<tag or digest>, blobs/<digest>. Tags have
// the repository before them.
type store map[string]content

func (s store) add(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	var index ocispec.Index
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		part := io.NewSectionReader(f, at, h.Size)
		if sum, ok := strings.CutPrefix(h.Name, "blobs/sha256/"); ok {
			s["blobs/sha256:"+sum] = content{part, "application/octet-stream"}
		}
		if h.Name == ocispec.ImageIndexFile {
			if err := json.NewDecoder(part).Decode(&index); err != nil {
				return err
			}
		}
	}
	return s.name(index)
}

// name makes the manifests known by their tags and digests.
func (s store) name(index ocispec.Index) error {
	for _, m := range index.Manifests {
		name := m.Annotations["io.containerd.image.name"]
		_, rest, _ := strings.Cut(name, "/")
		repository, tag, ok := strings.Cut(rest, ":")
		blob, there := s["blobs/"+m.Digest.String()]
		if !ok || !there {
			return fmt.Errorf("no image of the name %q", name)
		}
		manifest := content{blob.SectionReader, m.MediaType}
		s[repository+"/manifests/"+tag] = manifest
		s["manifests/"+m.Digest.String()] = manifest
	}
	return nil
}

func (s store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v2/")
	if path == "" {
		return
	}
	c, ok := s[path]
	for _, kind := range []string{"/manifests/sha256:", "/blobs/sha256:"} {
		if i := strings.Index(path, kind); i >= 0 {
			c, ok = s[path[i+1:]]
		}
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", c.mediaType)
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(c, 0, c.Size()))
}
