package admission

import (
	"context"
	"fmt"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/capacity"
	"github.com/goblinlab/goblinlab/ent/reservation"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// gpus are those of the cluster, as this process sees them or another noted.
func (s *Service) gpus(ctx context.Context, c *ent.Client) (GPUs, error) {
	if s.Capacity != nil {
		g, err := s.Capacity.GPUs(ctx)
		if err != nil || g.Known {
			return g, err
		}
	}
	noted, err := c.Capacity.Query().Where(capacity.ID(row)).Only(ctx)
	if err != nil {
		return GPUs{}, fmt.Errorf("capacity: %w", err)
	}
	return GPUs{Known: noted.ObservedAt != nil, Nodes: noted.Nodes}, nil
}

// refuseGPU holds a request against the GPUs that are left. Those who wait in
// front of it go first, even if what is free would do for it and not for them:
// else a large one would wait for ever.
func (s *Service) refuseGPU(ctx context.Context, c *ent.Client, teamID string, r Request, own *ent.Reservation) (*fault.Error, error) {
	g, err := s.gpus(ctx, c)
	if err != nil || !g.Known {
		return nil, err
	}
	rows, err := c.Reservation.Query().Where(reservation.GpuGT(0), reservation.ConsumerIDNEQ(r.Consumer)).
		Order(ent.Asc(reservation.FieldSince, reservation.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("reservations of GPUs: %w", err)
	}
	var held []*ent.Reservation
	var holds []hold
	for _, x := range rows {
		if x.State == reservation.StateHeld {
			held = append(held, x)
			holds = append(holds, hold{x.ConsumerID, x.Gpu})
		}
	}
	now := roomFor(g, holds, r.Consumer, r.Class)
	if !now.fits(r.GPU) {
		return taken(now, held, teamID, r), nil
	}
	ahead := 0
	for _, x := range rows {
		if x.State != reservation.StateWaiting || !goesFirst(x, own, r.GPU) {
			continue
		}
		could, err := s.couldGo(ctx, c, x, r.Consumer, roomFor(g, nil, "", x.Class))
		if err != nil {
			return nil, err
		}
		if could {
			ahead++
			holds = append(holds, hold{x.ConsumerID, x.Gpu})
		}
	}
	if roomFor(g, holds, r.Consumer, r.Class).fits(r.GPU) {
		return nil, nil
	}
	return refusal("waiting", now, r, fault.Args{"ahead": ahead}), nil
}

// goesFirst reports whether one that waits is in front of a request: of every
// new one, and of one that wants more than it holds.
func goesFirst(x, own *ent.Reservation, gpu int64) bool {
	switch {
	case own == nil:
		return true
	case own.State == reservation.StateHeld:
		return gpu > own.Gpu
	}
	return x.Since.Before(own.Since) || x.Since.Equal(own.Since) && x.ID < own.ID
}

// couldGo reports whether one that waits hangs on GPUs alone: what its team's
// quota holds back, or no node could ever hold, blocks nobody. Who asks behind
// it does not count: its row may be there already.
func (s *Service) couldGo(ctx context.Context, c *ent.Client, x *ent.Reservation, behind string, empty room) (bool, error) {
	if x.Gpu > empty.most {
		return false, nil
	}
	t, err := c.Team.Query().Where(entteam.ID(x.TeamID)).Only(ctx)
	if ent.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("team %s: %w", x.TeamID, err)
	}
	used, err := team.Used(ctx, c, t.ID, x.ConsumerID, behind)
	if err != nil {
		return false, err
	}
	return preflight.Quota(preflight.Demand(x.Resources), used, t.Quota) == nil, nil
}

const namesShown = 3

// taken says by whom: by name within the team, which others' names are not told.
func taken(now room, held []*ent.Reservation, teamID string, r Request) *fault.Error {
	var names, ids []string
	mine, others := 0, int64(0)
	for _, h := range held {
		if h.TeamID != teamID {
			others += h.Gpu
			continue
		}
		if mine++; mine <= namesShown {
			names, ids = append(names, h.Name), append(ids, h.ConsumerID)
		}
	}
	if mine > namesShown {
		names = append(names, fmt.Sprintf("+%d", mine-namesShown))
	}
	args := fault.Args{}
	if mine > 0 {
		args["holders"], args["holderIds"] = names, ids
	}
	if others > 0 {
		args["others"] = others
	}
	switch {
	case now.free >= r.GPU:
		args["largest"] = now.largest
		return refusal("scattered", now, r, args)
	case mine > 0 && others > 0:
		return refusal("both", now, r, args)
	case mine > 0:
		return refusal("team", now, r, args)
	case others > 0:
		return refusal("others", now, r, args)
	}
	return refusal("closed", now, r, args)
}

func refusal(kind string, now room, r Request, args fault.Args) *fault.Error {
	args["requested"], args["free"], args["total"] = preflight.GPUs(r.GPU), now.free, now.total
	return &fault.Error{Kind: fault.ResourceExhausted,
		Fields: []fault.Field{{Path: "resources.gpu", ID: "admission.gpu." + kind, Args: args}}}
}

// The prefix of the codes of what waits for its turn.
const waitsPrefix = "waits-"

// waits says in the words for what waits what a refusal says to who asks.
func waits(e *fault.Error) *spec.Reason {
	f := e.Fields[0]
	if kind, ok := strings.CutPrefix(f.ID, "admission.gpu."); ok {
		return &spec.Reason{Code: waitsPrefix + "gpu-" + kind, Args: f.Args}
	}
	code := "quota"
	if strings.HasPrefix(f.ID, preflight.NonePrefix) {
		code = "none"
	}
	args := map[string]any{"resource": "@resource." + f.ID[strings.LastIndexByte(f.ID, '.')+1:]}
	for k, v := range f.Args {
		args[k] = v
	}
	return &spec.Reason{Code: waitsPrefix + code, Args: args}
}

// Waits reports whether a reason is that of one who waits for its turn.
func Waits(r *spec.Reason) bool { return r != nil && strings.HasPrefix(r.Code, waitsPrefix) }

// ReasonOf is a refusal as a form shows it beforehand.
func ReasonOf(e *fault.Error) *spec.Reason { return waits(e) }
