package volume

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/predicate"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Source is what a mount names: a volume of the team, or a share that is
// mounted in the team, with the volume behind it.
type Source struct {
	*ent.Volume
	Share *ent.Share // nil for a volume of the team's own
}

// Claim is the name of the claim in the namespace of the team that mounts it.
func (s *Source) Claim() string {
	switch {
	case s.Share == nil || s.Share.FromTeamID == s.Share.TeamID:
		return s.ObjectName
	case s.Share.Mode == entshare.ModeReadWrite:
		return s.Share.ReadWriteName
	}
	return s.Share.ReadOnlyName
}

// ReadsOnly reports whether nobody can write through it, whatever a mount asks for.
func (s *Source) ReadsOnly() bool {
	return s.Share != nil && s.Share.Mode == entshare.ModeReadOnly
}

// InForce keeps the shares that count at a moment.
func InForce(now time.Time) predicate.Share {
	return entshare.And(entshare.StateEQ(entshare.StateAccepted), entshare.Or(entshare.EndsAtIsNil(), entshare.EndsAtGT(now)))
}

// Mounted are the sources of mounts by id, as far as they are the team's, are
// meant to stay, and may be mounted by things of the owner: a share to a person
// is for what is theirs. Volumes are read as the viewer.
func Mounted(ctx context.Context, c *ent.Client, teamID, ownerID string, mounts []spec.Mount) (map[string]*Source, error) {
	found := map[string]*Source{}
	var volumes, shares []string
	for _, m := range mounts {
		if ident.Is(ident.Share, m.VolumeID) {
			shares = append(shares, m.VolumeID)
		} else if m.VolumeID != "" {
			volumes = append(volumes, m.VolumeID)
		}
	}
	if len(volumes) > 0 {
		rows, err := c.Volume.Query().Where(entvolume.IDIn(volumes...), entvolume.TeamID(teamID), entvolume.DesiredEQ(entvolume.DesiredPresent)).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("volumes of mounts: %w", err)
		}
		for _, r := range rows {
			found[r.ID] = &Source{Volume: r}
		}
	}
	if len(shares) == 0 {
		return found, nil
	}
	sys := authz.AsSystem(ctx) // the volume behind a share is another team's
	rows, err := c.Share.Query().Where(entshare.IDIn(shares...), entshare.TeamID(teamID), entshare.UserIDIn("", ownerID), InForce(time.Now().UTC())).All(sys)
	if err != nil {
		return nil, fmt.Errorf("shares of mounts: %w", err)
	}
	behind := make([]string, len(rows))
	for i, r := range rows {
		behind[i] = r.VolumeID
	}
	disks, err := c.Volume.Query().Where(entvolume.IDIn(behind...), entvolume.DesiredEQ(entvolume.DesiredPresent)).All(sys)
	if err != nil {
		return nil, fmt.Errorf("volumes of shares: %w", err)
	}
	for _, r := range rows {
		for _, v := range disks {
			if v.ID == r.VolumeID {
				found[r.ID] = &Source{Volume: v, Share: r}
			}
		}
	}
	return found, nil
}

// grants are the shares of volumes that may be mounted somewhere, by volume:
// those in force, and those that are over and not out of the cluster yet.
func grants(ctx context.Context, c *ent.Client, volumeIDs ...string) (map[string][]*ent.Share, error) {
	out := map[string][]*ent.Share{}
	if len(volumeIDs) == 0 {
		return out, nil
	}
	rows, err := c.Share.Query().Where(entshare.VolumeIDIn(volumeIDs...), entshare.TeamIDNEQ(""), entshare.AcceptedAtNotNil(),
		entshare.Or(entshare.StateEQ(entshare.StateAccepted), entshare.ReadyEQ(true))).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("shares of volumes: %w", err)
	}
	for _, r := range rows {
		out[r.VolumeID] = append(out[r.VolumeID], r)
	}
	return out, nil
}

// elsewhere are the uses of a volume in other teams than one: one for each share
// through which something live mounts it, called by whom it is for, and one for
// the volume's own team where that is another. Others hear no more of a team's
// things than that.
func elsewhere(ctx context.Context, c *ent.Client, v *ent.Volume, shares []*ent.Share, teamID string) ([]Use, error) {
	sys := authz.AsSystem(ctx)
	byTeam := map[string][]team.Consumer{}
	live := func(id string) ([]team.Consumer, error) {
		if _, ok := byTeam[id]; !ok {
			list, err := team.Consumers(sys, c, id)
			if err != nil {
				return nil, err
			}
			byTeam[id] = list
		}
		return byTeam[id], nil
	}
	var out []Use
	for _, s := range shares {
		if s.TeamID == teamID {
			continue
		}
		list, err := live(s.TeamID)
		if err != nil {
			return nil, err
		}
		if u := Through(list, s.ID); len(u) > 0 {
			out = append(out, Use{ID: s.ID, Name: s.Grantee, Kind: "share", ReadOnly: readOnly(u), Ending: ending(u)})
		}
	}
	if v.TeamID == teamID {
		return out, nil
	}
	list, err := live(v.TeamID)
	if err != nil {
		return nil, err
	}
	if u := uses(list, v, nil); len(u) > 0 {
		t, err := c.Team.Query().Where(entteam.ID(v.TeamID)).Only(sys)
		if err != nil {
			return nil, fmt.Errorf("team %s: %w", v.TeamID, err)
		}
		out = append(out, Use{ID: v.TeamID, Name: t.Name, Kind: "team", ReadOnly: readOnly(u), Ending: ending(u)})
	}
	return out, nil
}

func readOnly(u []Use) bool {
	for i := range u {
		if !u[i].ReadOnly {
			return false
		}
	}
	return true
}

func ending(u []Use) bool {
	return !slices.ContainsFunc(u, func(u Use) bool { return !u.Ending })
}

// Through are the consumers that mount a share.
func Through(consumers []team.Consumer, shareID string) []Use {
	var out []Use
	for _, c := range consumers {
		mounted, ro := false, true
		for _, m := range c.Mounts {
			if m.VolumeID == shareID {
				mounted, ro = true, ro && m.ReadOnly
			}
		}
		if mounted {
			out = append(out, Use{ID: c.ID, Name: c.Name, Kind: c.Kind, ReadOnly: ro, Ending: c.Ending})
		}
	}
	return out
}

// names of shares that stand for a volume among what consumers mount.
func aliases(shares []*ent.Share) []string {
	out := make([]string, len(shares))
	for i, s := range shares {
		out[i] = s.ID
	}
	return out
}
