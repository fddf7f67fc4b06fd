package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/core/images"
	"github.com/containerd/errdefs"
	"github.com/opencontainers/go-digest"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const (
	// keepLabel marks what came with the cluster's start and is kept when unused images go.
	keepLabel = "goblinlab.io/keep"
	// pinLabel keeps an image from the kubelet's own collection: an archive cannot be pulled again.
	pinLabel, pinned = "io.cri-containerd.pinned", "pinned"
)

// group is all names of one image: those that people gave it, and those by which the runtime finds it.
type group struct {
	names []string // tags
	inner []string // its id, and its names with a digest
	kept  bool
	user  string // a pod that uses it
}

// groups sorts a node's images by what they are. Users are pods by the name of the image in their description; what runs
// is asked of the runtime as well.
func groups(ctx context.Context, c *client.Client, users map[string]string) (map[digest.Digest]*group, error) {
	all, err := c.ImageService().List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the images: %w", err)
	}
	out := map[digest.Digest]*group{}
	byName := map[string]*group{}
	for _, i := range all {
		g := out[i.Target.Digest]
		if g == nil {
			g = &group{}
			out[i.Target.Digest] = g
		}
		byName[i.Name] = g
		if strings.HasPrefix(i.Name, "sha256:") || strings.Contains(i.Name, "@sha256:") {
			g.inner = append(g.inner, i.Name)
		} else {
			g.names = append(g.names, i.Name)
		}
		g.kept = g.kept || i.Labels[keepLabel] != ""
	}
	for name, pod := range users {
		if canon, err := canonical(name); err == nil {
			name = canon
		}
		if g := byName[name]; g != nil {
			g.user = pod
		}
	}
	conn, err := connection(c)
	if err != nil {
		return nil, err
	}
	list, err := runtimeapi.NewRuntimeServiceClient(conn).ListContainers(ctx, &runtimeapi.ListContainersRequest{})
	if err != nil {
		return nil, fmt.Errorf("list the containers: %w", err)
	}
	for _, k := range list.GetContainers() {
		if k.GetState() == runtimeapi.ContainerState_CONTAINER_EXITED {
			continue // a pod that starts it again is among the users
		}
		for _, name := range []string{k.GetImageId(), k.GetImage().GetImage()} {
			if g := byName[name]; g != nil {
				g.user = k.GetLabels()["io.kubernetes.pod.namespace"] + "/" + k.GetLabels()["io.kubernetes.pod.name"]
			}
		}
	}
	return out, nil
}

// remove takes names of images off the node; with the last of its names an image's content goes. A name that is not there
// is passed over, for another node may have it; one that a pod uses is refused.
func remove(ctx context.Context, c *client.Client, refs []string, users map[string]string) error {
	all, err := groups(ctx, c, users)
	if err != nil {
		return err
	}
	var problems []error
	for _, ref := range refs {
		name, err := canonical(ref)
		if err != nil {
			return err
		}
		for _, g := range all {
			if !slices.Contains(g.names, name) && !slices.Contains(g.inner, name) {
				continue
			}
			if g.user != "" {
				problems = append(problems, fmt.Errorf("image %s is used by the pod %s; delete the pod first", name, g.user))
				continue
			}
			if err := g.drop(ctx, c, name); err != nil {
				problems = append(problems, err)
			}
		}
	}
	return errors.Join(problems...)
}

// prune removes every image that no pod uses and that did not come with the cluster's start.
func prune(ctx context.Context, c *client.Client, users map[string]string) error {
	all, err := groups(ctx, c, users)
	if err != nil {
		return err
	}
	var problems []error
	for _, g := range all {
		if g.kept || g.user != "" {
			continue
		}
		if len(g.names) == 0 && len(g.inner) > 0 { // its last tag was taken by a newer image
			problems = append(problems, g.drop(ctx, c, g.inner[0]))
		}
		for _, name := range slices.Clone(g.names) {
			problems = append(problems, g.drop(ctx, c, name))
		}
	}
	return errors.Join(problems...)
}

// drop removes one name, and with the last one that people use the names of the runtime, and so the content.
func (g *group) drop(ctx context.Context, c *client.Client, name string) error {
	size := int64(0)
	if image, err := c.GetImage(ctx, name); err == nil {
		size, _ = image.Size(ctx) // incomplete content has no size
	}
	g.names = slices.DeleteFunc(g.names, func(n string) bool { return n == name })
	gone := []string{name}
	if len(g.names) == 0 {
		for _, n := range g.inner {
			if n != name {
				gone = append(gone, n)
			}
		}
	}
	for i, n := range gone {
		var o []images.DeleteOpt
		if i == len(gone)-1 {
			o = append(o, images.SynchronousDelete()) // its space is free when we say so
		}
		if err := c.ImageService().Delete(ctx, n, o...); err != nil && !errdefs.IsNotFound(err) {
			return fmt.Errorf("remove image %s: %w", n, err)
		}
	}
	if len(g.names) > 0 {
		fmt.Printf("image %s removed; it is still there as %s\n", name, g.names[0])
		return nil
	}
	fmt.Printf("image %s removed, %s\n", name, megabytes(size))
	return nil
}
