package hostruntime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/box"
)

// initTarget is where a container finds the start-up program.
const initTarget = "/opt/goblinlab/bin/goblin-init"

// CreateContainer implements the interface.
func (r *Runtime) CreateContainer(_ context.Context, podID string, config *cri.ContainerConfig, _ *cri.PodSandboxConfig) (string, error) {
	if config.GetLinux().GetSecurityContext().GetPrivileged() {
		return "", errors.New("without root there are no privileged containers")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pods[podID] == nil {
		return "", notFound("pod", podID)
	}
	if len(config.Command) == 0 && r.Init == "" {
		return "", errors.New("the image " + Image + " has no program of its own: the container must name its command")
	}
	c := &container{ID: newID(), Pod: podID, Config: config, Created: time.Now().UnixNano(), gone: make(chan struct{})}
	for _, m := range config.Mounts {
		c.Mounts = append(c.Mounts, r.mount(m))
	}
	r.containers[c.ID] = c
	return c.ID, save(r.containerDir(c.ID), c)
}

// mount is a mount of the kubelet. A part of a volume is looked up within the volume when the container starts.
func (r *Runtime) mount(m *cri.Mount) box.Mount {
	out := box.Mount{Root: "/", Source: m.HostPath, Target: m.ContainerPath, ReadOnly: m.Readonly}
	if volume, part, ok := r.Subpaths.find(m.HostPath); ok {
		out.Root, out.Source = volume, part
	}
	return out
}

// files are where the container's box is found.
func (r *Runtime) files(c *container) box.Files {
	return box.Files{Socket: filepath.Join(r.Sockets, c.ID), Result: filepath.Join(r.containerDir(c.ID), "result"), Log: r.logPath(c)}
}

func (r *Runtime) logPath(c *container) string {
	p := r.pods[c.Pod]
	if p == nil || c.Config.LogPath == "" {
		return ""
	}
	return filepath.Join(p.Config.LogDirectory, c.Config.LogPath)
}

// StartContainer implements the interface.
func (r *Runtime) StartContainer(_ context.Context, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[id]
	if c == nil {
		return notFound("container", id)
	}
	f := r.files(c)
	if f.Log != "" {
		if err := os.MkdirAll(filepath.Dir(f.Log), 0o755); err != nil {
			return err
		}
	}
	// Written before: a kill between the two must not leave a box that nobody knows.
	c.Started = time.Now().UnixNano()
	if err := save(r.containerDir(id), c); err != nil {
		return err
	}
	b, err := box.Start(r.spec(c), f)
	if err != nil {
		r.recordEnd(c, box.Result{Code: 128, Error: err.Error(), At: time.Now()})
		close(c.gone)
		return err
	}
	c.box = b
	go r.follow(c)
	return nil
}

// spec is the box of a container.
func (r *Runtime) spec(c *container) box.Spec {
	p := r.pods[c.Pod]
	s := box.Spec{
		Scratch: filepath.Join(r.containerDir(c.ID), "root"), Hide: r.Hide, Mounts: slices.Clone(c.Mounts),
		Args: slices.Concat(c.Config.Command, c.Config.Args), Dir: c.Config.WorkingDir, Hostname: p.Config.Hostname,
		Stdin: c.Config.Stdin, StdinOnce: c.Config.StdinOnce, TTY: c.Config.Tty,
	}
	if s.Hostname == "" {
		s.Hostname, _ = os.Hostname() // as pods on the machine's network have it
	}
	s.Mounts = append(s.Mounts, box.Mount{Root: "/", Source: r.resolver(p.ID), Target: "/etc/resolv.conf", ReadOnly: true})
	if r.Init != "" {
		s.Mounts = append(s.Mounts, box.Mount{Root: "/", Source: r.Init, Target: initTarget, ReadOnly: true})
		if len(c.Config.Command) == 0 {
			s.Args = append([]string{initTarget}, c.Config.Args...)
		}
	}
	s.User, s.Group = c.identity()
	s.Env = append([]string{"PATH=" + box.DefaultPath, "HOME=/root", "HOSTNAME=" + s.Hostname}, r.environment(c)...)
	return s
}

// identity is the user and the group that the container has inside; without a wish our own.
func (c *container) identity() (user, group int) {
	user, group = os.Getuid(), os.Getgid()
	security := c.Config.GetLinux().GetSecurityContext()
	if u := security.GetRunAsUser(); u != nil {
		user, group = int(u.Value), int(u.Value)
	}
	if g := security.GetRunAsGroup(); g != nil {
		group = int(g.Value)
	}
	return user, group
}

// environment is what the pod sets, and what this runtime knows better.
func (r *Runtime) environment(c *container) []string {
	var out []string
	for _, e := range c.Config.Envs {
		value := string(e.Value)
		if v, ok := r.Env[e.Key]; ok {
			value = v
		}
		out = append(out, e.Key+"="+value)
	}
	return out
}

// follow records the end of a running container.
func (r *Runtime) follow(c *container) {
	<-c.box.Done()
	result := c.box.Result()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recordEnd(c, result)
	close(c.gone)
}

// recordEnd notes how a container ended.
func (r *Runtime) recordEnd(c *container, result box.Result) {
	c.Finished, c.ExitCode, c.Message, c.Reason = result.At.UnixNano(), int32(result.Code), result.Error, "Completed"
	switch {
	case result.Error != "" && result.Code == box.Lost:
		c.Reason = "Unknown"
	case result.Error != "":
		c.Reason = "StartError"
	case result.Code != 0:
		c.Reason = "Error"
	}
	note(save(r.containerDir(c.ID), c), "record the end of a container", c.ID)
	note(os.RemoveAll(filepath.Join(r.containerDir(c.ID), "root")), "remove the root of a container", c.ID)
}

// running gives a container that runs.
func (r *Runtime) running(id string) (*container, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[id]
	if c == nil {
		return nil, notFound("container", id)
	}
	if c.state() != cri.ContainerState_CONTAINER_RUNNING {
		return nil, fmt.Errorf("container %s does not run", id)
	}
	return c, nil
}

// StopContainer implements the interface.
func (r *Runtime) StopContainer(_ context.Context, id string, timeout int64) error {
	c, err := r.running(id)
	if err != nil {
		return nil // as it should be
	}
	if err := c.box.Stop(time.Duration(timeout) * time.Second); err != nil {
		return err
	}
	<-c.gone
	return nil
}

// RemoveContainer implements the interface.
func (r *Runtime) RemoveContainer(ctx context.Context, id string) error {
	if err := r.StopContainer(ctx, id, 0); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[id]
	if c == nil {
		return nil
	}
	f := r.files(c)
	delete(r.containers, id)
	return errors.Join(remove(f.Log), remove(f.Socket), os.RemoveAll(r.containerDir(id)))
}

// remove removes a file that may be gone, or have no name.
func remove(path string) error {
	if err := os.Remove(path); path != "" && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (c *container) state() cri.ContainerState {
	switch {
	case c.Finished != 0:
		return cri.ContainerState_CONTAINER_EXITED
	case c.Started != 0:
		return cri.ContainerState_CONTAINER_RUNNING
	}
	return cri.ContainerState_CONTAINER_CREATED
}

// ListContainers implements the interface.
func (r *Runtime) ListContainers(_ context.Context, f *cri.ContainerFilter) ([]*cri.Container, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*cri.Container
	for _, c := range r.containers {
		if f.GetId() != "" && f.GetId() != c.ID || f.GetPodSandboxId() != "" && f.GetPodSandboxId() != c.Pod ||
			f.GetState() != nil && f.State.State != c.state() || !matches(f.GetLabelSelector(), c.Config.Labels) {
			continue
		}
		out = append(out, &cri.Container{
			Id: c.ID, PodSandboxId: c.Pod, Metadata: c.Config.Metadata, Image: c.Config.Image, ImageRef: Image, ImageId: Image, State: c.state(),
			CreatedAt: c.Created, Labels: c.Config.Labels, Annotations: c.Config.Annotations,
		})
	}
	return out, nil
}

// ContainerStatus implements the interface.
func (r *Runtime) ContainerStatus(_ context.Context, id string, _ bool) (*cri.ContainerStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[id]
	if c == nil {
		return nil, notFound("container", id)
	}
	return &cri.ContainerStatusResponse{Status: &cri.ContainerStatus{
		Id: id, Metadata: c.Config.Metadata, State: c.state(), CreatedAt: c.Created, StartedAt: c.Started, FinishedAt: c.Finished,
		ExitCode: c.ExitCode, Reason: c.Reason, Message: c.Message, Image: c.Config.Image, ImageRef: Image, ImageId: Image,
		Labels: c.Config.Labels, Annotations: c.Config.Annotations, Mounts: c.Config.Mounts, LogPath: r.logPath(c),
	}}, nil
}

// ReopenContainerLog implements the interface.
func (r *Runtime) ReopenContainerLog(_ context.Context, id string) error {
	c, err := r.running(id)
	if err != nil {
		return err
	}
	return c.box.Reopen()
}

// UpdateContainerResources implements the interface: there are no limits to change.
func (r *Runtime) UpdateContainerResources(context.Context, string, *cri.ContainerResources) error {
	return nil
}
