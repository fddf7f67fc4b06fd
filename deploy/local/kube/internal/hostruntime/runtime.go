// Package hostruntime is a container runtime for the kubelet in the same process, without rights: its containers are boxes,
// its only image is the machine itself.
//
// Pods share the machine's network, and there are no limits. What runs goes on when the process ends, and the next one
// finds it by the records on the disk.
package hostruntime

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	internalapi "k8s.io/cri-api/pkg/apis"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
	"k8s.io/klog/v2"
)

// PodIP is the address of every pod: they share the machine's network.
const PodIP = "127.0.0.1"

// Config says where a runtime keeps its files.
type Config struct {
	Dir     string            // records, kept over starts
	Sockets string            // a short path
	Hide    []string          // folders of the machine that no container sees
	Init    string            // program that a container runs which names none; may be empty
	Env     map[string]string // of every container, instead of what the pod has
}

// Runtime implements the kubelet's interface to container runtimes.
type Runtime struct {
	Config
	Subpaths Subpaths // for the kubelet
	streams  streaming.Server

	mu         sync.Mutex // guards what follows, and the records in it
	pods       map[string]*pod
	containers map[string]*container
}

var _ internalapi.RuntimeService = &Runtime{}

// New makes a runtime with what an earlier one left. It serves until ctx ends.
func New(ctx context.Context, c Config) (*Runtime, error) {
	for _, d := range []string{c.Dir, c.Sockets} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	r := &Runtime{Config: c, pods: map[string]*pod{}, containers: map[string]*container{}}
	if err := r.load(); err != nil {
		return nil, fmt.Errorf("containers from before: %w", err)
	}
	return r, r.serveStreams(ctx)
}

// serveStreams serves what exec, attach and port-forward carry, to the kubelet alone: each address holds a secret and is
// good for one use.
func (r *Runtime) serveStreams(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c := streaming.DefaultConfig
	c.Addr = l.Addr().String()
	if r.streams, err = streaming.NewServer(c, streams{r}); err != nil {
		return err
	}
	server := &http.Server{Handler: r.streams, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }() // ends by Close
	context.AfterFunc(ctx, func() { server.Close() })
	return nil
}

// Version implements the interface.
func (r *Runtime) Version(context.Context, string) (*cri.VersionResponse, error) {
	return &cri.VersionResponse{Version: "0.1.0", RuntimeName: "goblinlab-host", RuntimeVersion: "1.0.0", RuntimeApiVersion: "v1"}, nil
}

// Status implements the interface.
func (r *Runtime) Status(context.Context, bool) (*cri.StatusResponse, error) {
	return &cri.StatusResponse{Status: &cri.RuntimeStatus{Conditions: []*cri.RuntimeCondition{
		{Type: cri.RuntimeReady, Status: true}, {Type: cri.NetworkReady, Status: true},
	}}}, nil
}

// RuntimeConfig implements the interface.
func (r *Runtime) RuntimeConfig(context.Context) (*cri.RuntimeConfigResponse, error) {
	return &cri.RuntimeConfigResponse{Linux: &cri.LinuxRuntimeConfiguration{CgroupDriver: cri.CgroupDriver_CGROUPFS}}, nil
}

// UpdateRuntimeConfig implements the interface: pods have no addresses of their own.
func (r *Runtime) UpdateRuntimeConfig(context.Context, *cri.RuntimeConfig) error { return nil }

// Close implements the interface.
func (r *Runtime) Close(context.Context) error { return nil }

// podDir and containerDir are the folders of records.
func (r *Runtime) podDir(id string) string       { return filepath.Join(r.Dir, "pods", id) }
func (r *Runtime) containerDir(id string) string { return filepath.Join(r.Dir, "containers", id) }

func notFound(what, id string) error { return status.Errorf(codes.NotFound, "no %s %s", what, id) }

func unsupported(what string) error {
	return status.Errorf(codes.Unimplemented, "the runtime for ordinary users has no %s", what)
}

// matches says whether labels are among those that a filter asks for.
func matches(want, have map[string]string) bool {
	for k, v := range want {
		if have[k] != v {
			return false
		}
	}
	return true
}

// note writes down what cannot be reported to anybody.
func note(err error, what, id string) {
	if err != nil {
		klog.Background().Error(err, what, "id", id)
	}
}
