package share

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/instance"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Consumer is a live instance or run that mounts a share.
type Consumer struct {
	ID, Name, OwnerID string
	Instance          bool // else a run
	Writes            bool
	Stranger          bool // it was handed over: the share is for somebody else's things
	Ending            bool
}

// live are the consumers of a share, in the team where it is mounted.
func (s *Service) live(ctx context.Context, c *ent.Client, sh *ent.Share) ([]Consumer, error) {
	if sh.TeamID == "" || sh.AcceptedAt == nil {
		return nil, nil
	}
	all, err := team.Consumers(authz.AsSystem(ctx), c, sh.TeamID)
	if err != nil {
		return nil, err
	}
	return through(all, sh), nil
}

// through are those of a team's consumers that mount a share.
func through(all []team.Consumer, sh *ent.Share) []Consumer {
	var out []Consumer
	for _, t := range all {
		mounted, writes := mounts(t.Mounts, sh.ID)
		if mounted {
			out = append(out, Consumer{ID: t.ID, Name: t.Name, OwnerID: t.OwnerID, Instance: t.Kind == "instance", Writes: writes,
				Stranger: sh.UserID != "" && sh.UserID != t.OwnerID, Ending: t.Ending})
		}
	}
	return out
}

func mounts(list []spec.Mount, id string) (mounted, writes bool) {
	for _, m := range list {
		if m.VolumeID == id {
			mounted, writes = true, writes || !m.ReadOnly
		}
	}
	return mounted, writes
}

func writers(in []Consumer) []Consumer {
	return slices.DeleteFunc(slices.Clone(in), func(c Consumer) bool { return !c.Writes })
}

// inUse refuses what would end something that runs, and names it.
func inUse(sh *ent.Share, live []Consumer) error {
	var names []string
	for _, c := range live {
		if !c.Ending {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fault.New(fault.FailedPrecondition, "share.in-use", fault.Args{"name": sh.VolumeName, "holders": names})
}

// asking are the instances of the share's team that ask for it at their next start.
func (s *Service) asking(ctx context.Context, c *ent.Client, sh *ent.Share) ([]string, error) {
	if sh.TeamID == "" {
		return nil, nil
	}
	rows, err := c.Instance.Query().Where(instance.TeamID(sh.TeamID), instance.DesiredNEQ(instance.DesiredDeleted)).
		Select(instance.FieldID, instance.FieldSpec).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("instances of team %s: %w", sh.TeamID, err)
	}
	var out []string
	for _, r := range rows {
		if mounted, _ := mounts(r.Spec.Mounts, sh.ID); mounted {
			out = append(out, r.ID)
		}
	}
	return out, nil
}

// Use is a consumer as the two parties of a share see it.
type Use struct {
	Consumer
	OwnerName string
}

// UsedBy are the live consumers of shares by share id. The viewer must be a party of each.
func (s *Service) UsedBy(ctx context.Context, shares []*ent.Share) (map[string][]Use, error) {
	out, people := map[string][]Use{}, []string{}
	byTeam := map[string][]team.Consumer{}
	for _, sh := range shares {
		if sh.TeamID == "" || sh.AcceptedAt == nil {
			continue
		}
		all, ok := byTeam[sh.TeamID]
		if !ok {
			var err error
			if all, err = team.Consumers(authz.AsSystem(ctx), s.DB.Client, sh.TeamID); err != nil {
				return nil, err
			}
			byTeam[sh.TeamID] = all
		}
		for _, c := range through(all, sh) {
			out[sh.ID] = append(out[sh.ID], Use{Consumer: c})
			people = append(people, c.OwnerID)
		}
	}
	names, err := s.Names(ctx, people)
	if err != nil {
		return nil, err
	}
	for _, list := range out {
		for i := range list {
			list[i].OwnerName = names[list[i].OwnerID]
		}
	}
	return out, nil
}

// Names are how people are called, by id: those of a share's other party are
// not colleagues, and are told by name alone.
func (s *Service) Names(ctx context.Context, ids []string) (map[string]string, error) {
	rows, err := s.DB.Client.User.Query().Where(user.IDIn(ids...)).Select(user.FieldID, user.FieldDisplayName).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("names of people: %w", err)
	}
	out := map[string]string{}
	for _, r := range rows {
		out[r.ID] = r.DisplayName
	}
	return out, nil
}

// EndPreview is what the end of a share would touch.
type EndPreview struct {
	Share   *ent.Share
	UsedBy  []Use
	Stopped int // instances that do not run and mount it
}

// PreviewEnd tells both parties of a share what its end would touch.
func (s *Service) PreviewEnd(ctx context.Context, id string) (*EndPreview, error) {
	v, row, vol, err := s.party(ctx, id)
	if err != nil {
		return nil, err
	}
	if !manages(person(v), row, vol) && !answers(person(v), row) && !v.ReadsAll() {
		return nil, s.refusal(v, row)
	}
	uses, err := s.UsedBy(ctx, []*ent.Share{row})
	if err != nil {
		return nil, err
	}
	asking, err := s.asking(ctx, s.DB.Client, row)
	if err != nil {
		return nil, err
	}
	p := &EndPreview{Share: row, UsedBy: uses[id], Stopped: len(asking)}
	for _, u := range p.UsedBy {
		if slices.Contains(asking, u.ID) {
			p.Stopped--
		}
	}
	return p, nil
}

// end asks consumers to end, or to go on without the share, or to read only.
func (s *Service) end(ctx context.Context, sh *ent.Share, list []Consumer, dormant []string) error {
	var errs []error
	narrow, restart := Open(sh), sh.After == entshare.AfterRestart || Open(sh)
	for _, c := range list {
		if c.Instance {
			errs = append(errs, s.Instances.Remount(ctx, c.ID, sh.ID, narrow && !c.Stranger, restart))
			continue
		}
		if _, err := s.Runs.Stop(ctx, c.ID); err != nil && fault.KindOf(err) != fault.NotFound {
			errs = append(errs, fmt.Errorf("stop run %s: %w", c.ID, err))
		}
	}
	for _, id := range dormant {
		errs = append(errs, s.Instances.Remount(ctx, id, sh.ID, narrow, false))
	}
	return errors.Join(errs...)
}
