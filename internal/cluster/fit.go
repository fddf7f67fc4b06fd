package cluster

import (
	"context"
	"errors"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Fit is how a request fits right now.
type Fit struct {
	Nodes  []string     // where it fits now
	Reason *spec.Reason // why not, or what it waits for; nil when it fits
}

// Fit tells how limits fit the team's quota and the nodes now.
func (s *Service) Fit(ctx context.Context, teamID string, limits spec.Resources, class spec.Class) (Fit, error) {
	if _, err := authz.Require(ctx); err != nil {
		return Fit{}, err
	}
	t, err := team.Visible(ctx, s.DB.Client, teamID)
	if err != nil {
		return Fit{}, err
	}
	nodes, err := s.Nodes(ctx)
	if err != nil {
		return Fit{}, err
	}
	used, err := team.Used(ctx, s.DB.Client, teamID)
	if err != nil {
		return Fit{}, err
	}
	r := manifest.Requests(limits, t.Overcommit.For(class))
	fit := Fit{Nodes: now(r, placement(class), nodes)}
	var wrong *fault.Error
	switch {
	case errors.As(preflight.Fit(r, placement(class), Shapes(nodes)), &wrong):
		fit.Reason = never(wrong)
	case errors.As(preflight.Quota(preflight.Demand(limits), used, t.Quota), &wrong):
		fit.Reason = quota(wrong)
	case limits.GPU > 0 && errors.As(s.taken(ctx, t, limits, class), &wrong):
		fit.Reason = admission.ReasonOf(wrong)
	case len(fit.Nodes) == 0 && len(nodes) > 0:
		fit.Reason = &spec.Reason{Code: "no-room-now", Args: map[string]any{"requested": preflight.Shape(r)}}
	}
	return fit, nil
}

// taken says who holds the GPUs that are asked for; nil when they are free.
func (s *Service) taken(ctx context.Context, t *ent.Team, limits spec.Resources, class spec.Class) error {
	refused, err := s.Admission.Check(ctx, t, admission.Request{Resources: limits, Class: class})
	if err != nil || refused == nil {
		return err // a form's hint: what cannot be told is not shown
	}
	return refused
}

// now are the nodes that have room at the moment.
func now(r spec.Resources, p preflight.Placement, nodes []Node) []string {
	out := []string{}
	for _, n := range nodes {
		if p.Takes(n.Node, r.GPU > 0) && n.Ready && !n.Cordoned &&
			n.Free.CPUMilli >= r.CPUMilli && n.Free.MemoryBytes >= r.MemoryBytes && n.Free.GPU >= r.GPU {
			out = append(out, n.Name)
		}
	}
	return out
}

// never says in the words for what waits what preflight says to a form.
func never(wrong *fault.Error) *spec.Reason {
	f := wrong.Fields[0]
	switch f.ID {
	case "preflight.fit.no-node":
		return &spec.Reason{Code: reason.NoNodeTakesIt, Args: f.Args}
	case "preflight.fit.shape":
		return &spec.Reason{Code: reason.FitsNoNode, Args: f.Args}
	}
	return &spec.Reason{Code: reason.LargerThanAnyNode, Args: with(f.Args, "resource", "@resource."+kind(f.ID))}
}

func quota(wrong *fault.Error) *spec.Reason {
	f := wrong.Fields[0]
	return &spec.Reason{Code: reason.QuotaExceeded, Args: with(f.Args, "resource", "@resource."+kind(f.ID))}
}

// kind is the resource at the end of a message's id, as "cpu" of "preflight.quota.cpu".
func kind(id string) string {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == '.' {
			return id[i+1:]
		}
	}
	return id
}

func with(args fault.Args, key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range args {
		out[k] = v
	}
	return out
}
