package cluster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/containerd"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

// ImportImages puts image archives on the nodes of a running cluster, on all of them at once.
func ImportImages(ctx context.Context, dir, bin string, nodes, files []string, say func(line string)) error {
	l, names, err := runningNodes(dir, nodes)
	if err != nil {
		return err
	}
	if err := importAll(ctx, l, names, bin, false, files, say); err != nil || len(nodes) > 0 {
		return err
	}
	return importedOnAll(ctx, l, names, bin, files, say)
}

// importAll imports archives on nodes; keep says that the images stay when unused ones are removed.
func importAll(ctx context.Context, l layout.Layout, nodes []string, bin string, keep bool, files []string, say func(line string)) error {
	if len(files) == 0 {
		return nil
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, n := range nodes {
		g.Go(func() error {
			args := append([]string{"import", "--address", l.Node(n).Containerd(), "--keep=" + strconv.FormatBool(keep)}, files...)
			return importer(ctx, bin, nil, args, func(line string) { say("node " + n + ": " + line) })
		})
	}
	return g.Wait()
}

// importer runs the program that speaks with containerd, gives it its input, and passes its lines on.
func importer(ctx context.Context, bin string, in io.Reader, args []string, line func(string)) error {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, containerd.Importer), args...)
	cmd.Stdin = in
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for s := bufio.NewScanner(out); s.Scan(); {
		line(s.Text())
	}
	if err := cmd.Wait(); err != nil {
		if text := strings.TrimSpace(problem.String()); text != "" {
			return errors.New(text)
		}
		return fmt.Errorf("%s: %w", containerd.Importer, err)
	}
	return nil
}

// Image is an image on the nodes.
type Image struct {
	Name   string   `json:"name"`
	Digest string   `json:"digest"`
	Size   int64    `json:"size"` // bytes, compressed
	Kept   bool     `json:"kept"` // came with the cluster's start: stays when unused ones are removed
	Nodes  []string `json:"nodes"`
}

// ListImages lists the images on the nodes of a running cluster.
func ListImages(ctx context.Context, dir, bin string) ([]Image, error) {
	l, names, err := runningNodes(dir, nil)
	if err != nil {
		return nil, err
	}
	var all []Image
	for _, n := range names {
		var text strings.Builder
		if err := importer(ctx, bin, nil, []string{"ls", "--address", l.Node(n).Containerd()}, func(s string) { text.WriteString(s) }); err != nil {
			return nil, fmt.Errorf("node %s: %w", n, err)
		}
		var images []Image
		if err := json.Unmarshal([]byte(text.String()), &images); err != nil {
			return nil, fmt.Errorf("node %s: %w", n, err)
		}
		all = merge(all, images, n)
	}
	all = withoutDigests(all)
	slices.SortFunc(all, func(a, b Image) int { return strings.Compare(a.Name+a.Digest, b.Name+b.Digest) })
	return all, nil
}

// withoutDigests leaves out the names with a digest of images that have a tag: the runtime makes them beside each other.
func withoutDigests(all []Image) []Image {
	tagged := map[string]bool{}
	for _, i := range all {
		tagged[i.Digest] = tagged[i.Digest] || !strings.Contains(i.Name, "@")
	}
	return slices.DeleteFunc(all, func(i Image) bool { return strings.Contains(i.Name, "@") && tagged[i.Digest] })
}

func merge(all, images []Image, node string) []Image {
	for _, image := range images {
		if strings.HasPrefix(image.Name, "sha256:") {
			continue // the same image again, under the name of its configuration
		}
		i := slices.IndexFunc(all, func(o Image) bool { return o.Name == image.Name && o.Digest == image.Digest })
		if i < 0 {
			all = append(all, image)
			i = len(all) - 1
		}
		all[i].Nodes = append(all[i].Nodes, node)
		all[i].Kept = all[i].Kept || image.Kept
	}
	return all
}

// runningNodes gives the nodes of a running cluster: the wanted ones, or all.
func runningNodes(dir string, want []string) (layout.Layout, []string, error) {
	l, err := layout.New(dir)
	if err != nil {
		return l, nil, err
	}
	if _, runs := running(l); !runs {
		return l, nil, errors.New("the cluster in " + l.Dir + " is not running")
	}
	s, err := loadSaved(l)
	if err == nil && s.Runtime == RuntimeHost {
		err = errHostImages
	}
	if err != nil || len(want) == 0 {
		return l, s.on().names(), err
	}
	for _, n := range want {
		known, err := s.node(n)
		if err != nil {
			return l, nil, err
		}
		if known.Stopped {
			return l, nil, fmt.Errorf("node %s is stopped; start it with: node start %s", n, n)
		}
	}
	return l, want, nil
}
