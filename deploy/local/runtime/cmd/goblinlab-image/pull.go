package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/containerd/containerd/v2/client"
	"github.com/distribution/reference"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// progressEvery is how often a pull says how far it is.
const progressEvery = 3 * time.Second

// pull fetches an image as the kubelet does: through the runtime's own service, and so with its mirrors, certificates and
// words for what went wrong.
func pull(ctx context.Context, c *client.Client, ref string, auth *runtimeapi.AuthConfig) error {
	name, err := canonical(ref)
	if err != nil {
		return err
	}
	conn, err := connection(c)
	if err != nil {
		return err
	}
	start := time.Now()
	done := make(chan error, 1)
	go func() {
		_, err := runtimeapi.NewImageServiceClient(conn).PullImage(ctx, &runtimeapi.PullImageRequest{
			Image: &runtimeapi.ImageSpec{Image: name}, Auth: auth,
		})
		done <- err
	}()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("image %s: %s", name, status.Convert(err).Message())
			}
			size := "unknown size"
			if image, err := c.GetImage(ctx, name); err == nil {
				if n, err := image.Size(ctx); err == nil {
					size = megabytes(n)
				}
			}
			fmt.Printf("image %s pulled in %.1f s, %s\n", name, time.Since(start).Seconds(), size)
			return nil
		case <-tick.C:
			all, err := pulling(ctx, c)
			if err != nil {
				continue // the pull itself tells what is wrong
			}
			for _, p := range all {
				if p.Repository == repository(name) {
					fmt.Printf("image %s: %s of %s\n", name, megabytes(p.Done), megabytes(p.Total))
				}
			}
		}
	}
}

// connection is containerd's, over which its Kubernetes services answer as well.
func connection(c *client.Client) (grpc.ClientConnInterface, error) {
	conn, ok := c.Conn().(grpc.ClientConnInterface)
	if !ok {
		return nil, fmt.Errorf("containerd's connection is a %T", c.Conn())
	}
	return conn, nil
}

// canonical completes a name as the kubelet does: busybox is docker.io/library/busybox:latest.
func canonical(ref string) (string, error) {
	named, err := reference.ParseDockerRef(ref)
	if err != nil {
		return "", fmt.Errorf("%q is not the name of an image (%w); write it as registry.example/team/image:tag", ref, err)
	}
	return named.String(), nil
}

// repository is a canonical name without tag and digest, and without the port of the registry, as the runtime notes it.
func repository(name string) string {
	named, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return name
	}
	host, _, _ := strings.Cut(reference.Domain(named), ":")
	return host + "/" + reference.Path(named)
}

// credentials reads a password from its first line of input, where no other process can see it.
func credentials(user string, in io.Reader) (*runtimeapi.AuthConfig, error) {
	if user == "" {
		return nil, nil
	}
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return nil, errors.New("no password on standard input; give it as: echo PASSWORD | … --user NAME")
	}
	return &runtimeapi.AuthConfig{Username: user, Password: password}, nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
