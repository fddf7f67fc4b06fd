package hostruntime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// RunPodSandbox implements the interface.
func (r *Runtime) RunPodSandbox(_ context.Context, c *cri.PodSandboxConfig, _ string) (string, error) {
	security := c.GetLinux().GetSecurityContext()
	n := security.GetNamespaceOptions()
	if security.GetPrivileged() || n.GetPid() == cri.NamespaceMode_NODE || n.GetIpc() == cri.NamespaceMode_NODE {
		return "", errors.New("without root there are no privileged pods, and none with the machine's processes or IPC")
	}
	p := &pod{ID: newID(), Config: c, Created: time.Now().UnixNano()}
	if err := save(r.podDir(p.ID), p); err != nil {
		return "", err
	}
	if err := r.copyResolver(p.ID); err != nil {
		return "", err
	}
	if c.LogDirectory != "" {
		if err := os.MkdirAll(c.LogDirectory, 0o755); err != nil {
			return "", err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pods[p.ID] = p
	return p.ID, nil
}

// resolver is the file that the pod's containers have as /etc/resolv.conf: the machine's, since the cluster's own DNS hands
// out addresses that lead nowhere here.
func (r *Runtime) resolver(pod string) string { return filepath.Join(r.podDir(pod), "resolv.conf") }

func (r *Runtime) copyResolver(pod string) error {
	b, err := os.ReadFile("/etc/resolv.conf")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(r.resolver(pod), b, 0o644)
}

// StopPodSandbox implements the interface.
func (r *Runtime) StopPodSandbox(ctx context.Context, id string) error {
	var errs []error
	for _, c := range r.ofPod(id) {
		errs = append(errs, r.StopContainer(ctx, c, 0))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.pods[id]; p != nil && !p.Stopped {
		p.Stopped = true
		errs = append(errs, save(r.podDir(id), p))
	}
	return errors.Join(errs...)
}

// RemovePodSandbox implements the interface.
func (r *Runtime) RemovePodSandbox(ctx context.Context, id string) error {
	errs := []error{r.StopPodSandbox(ctx, id)}
	for _, c := range r.ofPod(id) {
		errs = append(errs, r.RemoveContainer(ctx, c))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	r.mu.Lock()
	delete(r.pods, id)
	r.mu.Unlock()
	return os.RemoveAll(r.podDir(id))
}

func (r *Runtime) ofPod(id string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, c := range r.containers {
		if c.Pod == id {
			out = append(out, c.ID)
		}
	}
	return out
}

func (p *pod) state() cri.PodSandboxState {
	if p.Stopped {
		return cri.PodSandboxState_SANDBOX_NOTREADY
	}
	return cri.PodSandboxState_SANDBOX_READY
}

// PodSandboxStatus implements the interface.
func (r *Runtime) PodSandboxStatus(_ context.Context, id string, _ bool) (*cri.PodSandboxStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.pods[id]
	if p == nil {
		return nil, notFound("pod", id)
	}
	return &cri.PodSandboxStatusResponse{Status: &cri.PodSandboxStatus{
		Id: id, Metadata: p.Config.Metadata, State: p.state(), CreatedAt: p.Created, Labels: p.Config.Labels, Annotations: p.Config.Annotations,
		Network: &cri.PodSandboxNetworkStatus{Ip: PodIP},
		Linux:   &cri.LinuxPodSandboxStatus{Namespaces: &cri.Namespace{Options: p.Config.GetLinux().GetSecurityContext().GetNamespaceOptions()}},
	}}, nil
}

// ListPodSandbox implements the interface.
func (r *Runtime) ListPodSandbox(_ context.Context, f *cri.PodSandboxFilter) ([]*cri.PodSandbox, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*cri.PodSandbox
	for _, p := range r.pods {
		if f.GetId() != "" && f.GetId() != p.ID || f.GetState() != nil && f.State.State != p.state() || !matches(f.GetLabelSelector(), p.Config.Labels) {
			continue
		}
		out = append(out, &cri.PodSandbox{
			Id: p.ID, Metadata: p.Config.Metadata, State: p.state(), CreatedAt: p.Created, Labels: p.Config.Labels, Annotations: p.Config.Annotations,
		})
	}
	return out, nil
}

// UpdatePodSandboxResources implements the interface: there are no limits to change.
func (r *Runtime) UpdatePodSandboxResources(context.Context, *cri.UpdatePodSandboxResourcesRequest) (*cri.UpdatePodSandboxResourcesResponse, error) {
	return &cri.UpdatePodSandboxResourcesResponse{}, nil
}
