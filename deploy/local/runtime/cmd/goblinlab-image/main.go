// Command goblinlab-image imports image archives into a containerd and lists its images. It is a program of its own
// because containerd's client and Kubernetes need different versions of their libraries.
//
//	goblinlab-image import --address SOCKET FILE...
//	goblinlab-image ls --address SOCKET
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

func run(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "import" && args[0] != "ls" {
		return errors.New("usage: goblinlab-image import|ls --address SOCKET [FILE...]")
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	address := fs.String("address", "", "socket of containerd")
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	c, err := client.New(*address, client.WithDefaultNamespace(namespace), client.WithTimeout(10*time.Second))
	if err != nil {
		return fmt.Errorf("reach containerd: %w", err)
	}
	defer c.Close()
	if args[0] == "ls" {
		return list(ctx, c)
	}
	for _, path := range fs.Args() {
		if err := importFile(ctx, c, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// importFile imports one archive unless all of its images are there, unpacked, with the same digest.
func importFile(ctx context.Context, c *client.Client, path string) error {
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
		fmt.Printf("image %s imported from %s in %.1f s\n", i.Name, filepath.Base(path), time.Since(start).Seconds())
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
	}
	rows := []row{}
	for _, i := range images {
		size, err := i.Size(ctx)
		if err != nil {
			size = 0 // incomplete content has no size
		}
		rows = append(rows, row{Name: i.Name(), Digest: i.Target().Digest.String(), Size: size})
	}
	return json.NewEncoder(os.Stdout).Encode(rows)
}
