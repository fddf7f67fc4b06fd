package cluster

import (
	"context"

	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/kube"
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
}

// Service tells what the cluster can hold.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service { return &Service{d} }

// Node is a node with what is free on it.
type Node struct {
	preflight.Node
	Pool  string // value of the pool label; empty for ordinary nodes
	Ready bool
	Free  spec.Resources // allocatable minus the requests of the pods on it
}

// Status says whether the cluster answers.
type Status struct {
	Reachable bool
	Reason    *spec.Reason // nil when it does
	Version   string       // of Kubernetes
}

// Fit is how a request fits right now.
type Fit struct {
	Nodes  []string     // where it fits now
	Reason *spec.Reason // why not, or what it waits for; nil when it fits
}

// Nodes are the nodes as last seen, by name.
func (s *Service) Nodes(ctx context.Context) ([]Node, error) { panic("not yet") }

// Shapes are the nodes as preflight takes them.
func (s *Service) Shapes(ctx context.Context) ([]preflight.Node, error) { panic("not yet") }

// Fit tells how limits fit the team's quota and the nodes now.
func (s *Service) Fit(ctx context.Context, teamID string, limits spec.Resources, class spec.Class) (Fit, error) {
	panic("not yet")
}

// Status asks the cluster.
func (s *Service) Status(ctx context.Context) (Status, error) { panic("not yet") }

// EnsureObjects applies what the platform needs once in a cluster.
func (s *Service) EnsureObjects(ctx context.Context) error { panic("not yet") }
