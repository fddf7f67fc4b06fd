// Package containerd runs a private containerd for a node, as a supervised process. It goes on when the cluster's program
// ends, as a service of its own would: it reads the containers' output and sees their ends, which nobody can make up for.
package containerd

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/process"
)

// PauseImage holds the namespaces of a pod. It is imported from PauseArchive, never pulled.
const (
	PauseImage   = "goblinlab.local/pause:1"
	PauseArchive = "pause.tar"
)

// Programs are what the runtime's folder must contain.
var Programs = []string{"containerd", "containerd-shim-runc-v2", "runc", "ptp", "portmap", "host-local", PolicyPlugin, Importer, PauseArchive}

// PolicyPlugin is the CNI plug-in that holds a pod back until its network policies are in force.
const PolicyPlugin = "goblinlab-policy"

// Importer is the program that puts archives into a containerd.
const Importer = "goblinlab-image"

const startWait = 30 * time.Second

// Config describes the runtime of one node. It runs inside the node's mount namespace.
type Config struct {
	Node            string
	Bin             string // folder of Programs
	Socket          string
	Registry        string // folder of hosts.toml files
	Subnet, Gateway string
	PolicySocket    string // where PolicyPlugin asks
	Log             string
	PidFile         string
	Pause           string
}

// Start runs containerd and returns when it answers and has the pause image.
func Start(ctx context.Context, g *process.Group, c Config) error {
	c.Pause = PauseImage
	conf, err := c.toml()
	if err != nil {
		return err
	}
	cni, err := c.network()
	if err != nil {
		return err
	}
	confFile := "/var/lib/containerd/config.toml"
	anew := false
	for path, b := range map[string][]byte{confFile: conf, "/var/lib/containerd/cni/10-pods.conflist": cni} {
		before, err := os.ReadFile(path)
		anew = anew || err != nil || !bytes.Equal(before, b)
		if err := os.MkdirAll(filepath.Dir(path), 0o711); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return err
		}
	}
	if err := g.Start(ctx, process.Command{
		Name: "containerd of " + c.Node, Path: filepath.Join(c.Bin, "containerd"),
		Args: []string{"--config", confFile, "--log-level", "info"},
		Env:  []string{"PATH=" + c.Bin + ":" + os.Getenv("PATH")},
		Log:  c.Log, PidFile: c.PidFile,
		Stays: true, Anew: anew, Ended: c.keepOutput,
	}); err != nil {
		return err
	}
	if err := awaitSocket(ctx, c.Socket); err != nil {
		return fmt.Errorf("containerd of %s, see %s: %w", c.Node, c.Log, err)
	}
	return c.importPause(ctx)
}

func (c Config) importPause(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, filepath.Join(c.Bin, Importer), "import", "--keep", "--address", c.Socket, filepath.Join(c.Bin, PauseArchive))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("import the pause image on %s: %w: %s", c.Node, err, strings.TrimSpace(string(out)))
	}
	return nil
}

func awaitSocket(ctx context.Context, path string) error {
	deadline := time.After(startWait)
	for {
		conn, err := net.Dial("unix", path)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-deadline:
			return fmt.Errorf("does not answer after %s: %w", startWait, err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
