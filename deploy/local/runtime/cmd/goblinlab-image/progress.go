package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/core/content"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// sourceLabel is how containerd notes where a blob came from: the label of the registry's host holds its repositories.
const sourceLabel = "containerd.io/distribution.source."

// underway is an image whose layers are on their way.
type underway struct {
	Repository string `json:"repository"` // the image's name without tag and port
	Done       int64  `json:"done"`       // bytes that are there
	Total      int64  `json:"total"`      // bytes of all layers
}

// pulling lists the images that a node pulls just now. The manifest of each is there already and says how big the layers
// are; what is being written is asked of the content store, so nothing is read but the manifests.
func pulling(ctx context.Context, c *client.Client) ([]underway, error) {
	store := c.ContentStore()
	active, err := store.ListStatuses(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what is being written: %w", err)
	}
	written := map[digest.Digest]int64{}
	for _, s := range active {
		if _, name, ok := strings.Cut(s.Ref, "layer-"); ok {
			written[digest.Digest(name)] = s.Offset
		}
	}
	if len(written) == 0 {
		return nil, nil
	}
	var out []underway
	sizes := map[digest.Digest]int64{}
	var manifests []content.Info
	err = store.Walk(ctx, func(i content.Info) error {
		sizes[i.Digest] = i.Size
		if i.Size <= maxManifest && len(sources(i.Labels)) > 0 {
			manifests = append(manifests, i)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the contents: %w", err)
	}
	for _, i := range manifests {
		b, err := content.ReadBlob(ctx, store, ocispec.Descriptor{Digest: i.Digest, Size: i.Size})
		if err != nil {
			continue // it was removed meanwhile
		}
		if done, total, ok := progressOf(b, sizes, written); ok {
			for _, s := range sources(i.Labels) {
				out = append(out, underway{Repository: s, Done: done, Total: total})
			}
		}
	}
	return out, nil
}

// maxManifest is far more than a manifest has.
const maxManifest = 1 << 20

// progressOf adds up a manifest's layers; false when it is no manifest, or none of its layers is on its way.
func progressOf(manifest []byte, there, written map[digest.Digest]int64) (done, total int64, ok bool) {
	var m ocispec.Manifest
	if json.Unmarshal(manifest, &m) != nil {
		return 0, 0, false
	}
	for _, l := range m.Layers {
		total += l.Size
		offset, active := written[l.Digest]
		ok = ok || active
		if size, has := there[l.Digest]; has {
			done += size
		} else {
			done += offset
		}
	}
	return done, total, ok
}

// sources are the repositories that a blob came from, as image names have them.
func sources(labels map[string]string) []string {
	var out []string
	for key, value := range labels {
		host, ok := strings.CutPrefix(key, sourceLabel)
		if !ok {
			continue
		}
		for repo := range strings.SplitSeq(value, ",") {
			out = append(out, host+"/"+repo)
		}
	}
	return out
}
