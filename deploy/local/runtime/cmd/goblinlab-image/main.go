// Command goblinlab-image looks after the images in a containerd. It is a program of its own because containerd's client
// and Kubernetes need different versions of their libraries.
//
//	goblinlab-image import --address SOCKET [--keep] FILE...
//	goblinlab-image ls --address SOCKET
//	goblinlab-image pull --address SOCKET [--user NAME] REF        the password is read from standard input
//	goblinlab-image pulling --address SOCKET
//	goblinlab-image rm --address SOCKET [--used POD=REF]... REF...
//	goblinlab-image prune --address SOCKET [--used POD=REF]...
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/errdefs"
	"github.com/containerd/platforms"
)

// namespace is where the kubelet's runtime looks for images.
const namespace = "k8s.io"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// command is one word of the command line with its flags.
type command struct {
	keep  bool
	user  string
	used  map[string]string // pods by the image in their description
	files []string
}

var commands = map[string]func(context.Context, *client.Client, command) error{
	"import": importFiles,
	"ls":     func(ctx context.Context, c *client.Client, _ command) error { return list(ctx, c) },
	"pull": func(ctx context.Context, c *client.Client, o command) error {
		auth, err := credentials(o.user, os.Stdin)
		if err != nil {
			return err
		}
		if len(o.files) != 1 {
			return errors.New("pull takes one image")
		}
		return pull(ctx, c, o.files[0], auth)
	},
	"pulling": func(ctx context.Context, c *client.Client, _ command) error {
		all, err := pulling(ctx, c)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(all)
	},
	"rm":    func(ctx context.Context, c *client.Client, o command) error { return remove(ctx, c, o.files, o.used) },
	"prune": func(ctx context.Context, c *client.Client, o command) error { return prune(ctx, c, o.used) },
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 || commands[args[0]] == nil {
		return errors.New("usage: goblinlab-image import|ls|pull|pulling|rm|prune --address SOCKET [FILE or REF...]")
	}
	o := command{used: map[string]string{}}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	address := fs.String("address", "", "socket of containerd")
	fs.BoolVar(&o.keep, "keep", false, "import: keep the images when unused ones are removed")
	fs.StringVar(&o.user, "user", "", "pull: user name at the registry")
	fs.Func("used", "rm, prune: a pod and an image that it uses, as POD=REF", func(s string) error {
		pod, image, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("must be POD=REF")
		}
		o.used[image] = pod
		return nil
	})
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	o.files = fs.Args()
	c, err := client.New(*address, client.WithDefaultNamespace(namespace), client.WithTimeout(10*time.Second))
	if err != nil {
		return fmt.Errorf("reach containerd: %w", err)
	}
	defer c.Close()
	return commands[args[0]](ctx, c, o)
}

func importFiles(ctx context.Context, c *client.Client, o command) error {
	labels := map[string]string{pinLabel: pinned}
	if o.keep {
		labels[keepLabel] = "start"
	}
	for _, path := range o.files {
		if err := importFile(ctx, c, path, labels); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// importFile imports one archive unless all of its images are there, unpacked, with the same digest.
func importFile(ctx context.Context, c *client.Client, path string, labels map[string]string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	images, err := contents(f)
	if err != nil {
		return err
	}
	missing := false
	for _, i := range images {
		there, err := present(ctx, c, i)
		if err != nil {
			return fmt.Errorf("image %s: %w", i.name, err)
		}
		if there {
			if err := mark(ctx, c, i.name, labels); err != nil {
				return err
			}
			fmt.Printf("image %s is there\n", i.name)
		}
		missing = missing || !there
	}
	if !missing {
		return nil
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	start := time.Now()
	imported, err := c.Import(ctx, f, client.WithImportPlatform(platforms.Default()))
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	for _, i := range imported {
		if err := client.NewImage(c, i).Unpack(ctx, ""); err != nil {
			return fmt.Errorf("unpack %s: %w", i.Name, err)
		}
		if err := mark(ctx, c, i.Name, labels); err != nil { // one that was there, or came at once, kept its labels
			return err
		}
		fmt.Printf("image %s imported from %s in %.1f s\n", i.Name, filepath.Base(path), time.Since(start).Seconds())
	}
	return nil
}

// mark adds labels to an image, those that it lacks.
func mark(ctx context.Context, c *client.Client, name string, labels map[string]string) error {
	image, err := c.ImageService().Get(ctx, name)
	if err != nil {
		return fmt.Errorf("image %s: %w", name, err)
	}
	var paths []string
	for key, value := range labels {
		if image.Labels[key] != value {
			paths = append(paths, "labels."+key)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	image.Labels = labels
	if _, err := c.ImageService().Update(ctx, image, paths...); err != nil {
		return fmt.Errorf("mark image %s: %w", name, err)
	}
	return nil
}

// present says whether the image is there as the archive has it.
func present(ctx context.Context, c *client.Client, want named) (bool, error) {
	image, err := c.GetImage(ctx, want.name)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	same := image.Target().Digest == want.target
	if want.config != "" {
		config, err := image.Config(ctx)
		if err != nil {
			return false, nil //nolint:nilerr // content that is incomplete is imported again
		}
		same = config.Digest == want.config
	}
	if !same {
		return false, nil
	}
	unpacked, err := image.IsUnpacked(ctx, "")
	return unpacked && err == nil, nil
}

// list prints the images as JSON.
func list(ctx context.Context, c *client.Client) error {
	images, err := c.ListImages(ctx)
	if err != nil {
		return err
	}
	type row struct {
		Name   string `json:"name"`
		Digest string `json:"digest"`
		Size   int64  `json:"size"`
		Kept   bool   `json:"kept"`
	}
	rows := []row{}
	for _, i := range images {
		size, err := i.Size(ctx)
		if err != nil {
			size = 0 // incomplete content has no size
		}
		rows = append(rows, row{Name: i.Name(), Digest: i.Target().Digest.String(), Size: size, Kept: i.Labels()[keepLabel] != ""})
	}
	return json.NewEncoder(os.Stdout).Encode(rows)
}
