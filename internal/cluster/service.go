package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Deps are what the service works with. Kube and Cache may be nil: then no
// node is known.
type Deps struct {
	DB     *db.DB
	Kube   *kube.Client
	Cache  *kube.Cache
	Config config.Config
	// Admission tells who holds the GPUs; made of the above when nil.
	Admission *admission.Service
}

// Service tells what the cluster can hold.
type Service struct {
	Deps

	mu    sync.Mutex
	nodes []Node
	gpus  admission.GPUs
	until time.Time // when nodes are counted anew
}

// New makes a Service.
func New(d Deps) *Service {
	s := &Service{Deps: d}
	if s.Admission == nil {
		s.Admission = admission.New(admission.Deps{DB: d.DB, Capacity: s})
	}
	return s
}

// Status says whether the cluster answers.
type Status struct {
	Reachable bool
	Reason    *spec.Reason // nil when it does
	Version   string       // of Kubernetes
}

// Status asks the cluster.
func (s *Service) Status(ctx context.Context) (Status, error) {
	if _, err := authz.Require(ctx); err != nil {
		return Status{}, err
	}
	if s.Kube == nil {
		return Status{Reason: &spec.Reason{Code: "cluster-unreachable"}}, nil
	}
	if err := s.Kube.Ping(ctx); err != nil {
		slog.Warn("the cluster does not answer", "err", err) // the error may name hosts: it is for operators
		return Status{Reason: &spec.Reason{Code: "cluster-unreachable"}}, nil
	}
	v, err := s.Kube.Discovery().ServerVersion()
	if err != nil {
		return Status{}, fmt.Errorf("version of the cluster: %w", err)
	}
	return Status{Reachable: true, Version: v.GitVersion}, nil
}

// EnsureObjects applies what the platform needs once in a cluster.
func (s *Service) EnsureObjects(ctx context.Context) error {
	for _, c := range manifest.PriorityClasses() {
		if _, err := s.Kube.SchedulingV1().PriorityClasses().Apply(ctx, c, kube.Apply); err != nil {
			return fmt.Errorf("apply priority class: %w", err)
		}
	}
	return nil
}

// Scheduling says where pods may run at this site.
func (s *Service) Scheduling() manifest.Scheduling {
	p := s.Config.Now().Pools
	return manifest.Scheduling{Online: manifest.Pool{Key: p.OnlineKey, Value: p.OnlineValue}}
}

// placement is where a pod of a class may go.
func placement(class spec.Class) preflight.Placement { return preflight.Placement{Class: class} }
