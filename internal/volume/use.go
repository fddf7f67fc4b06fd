package volume

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Use is a live instance or run that mounts a volume.
type Use struct {
	ID, Name string
	Kind     string // instance or run
	ReadOnly bool
	Ending   bool // it was asked to end
}

// UsedBy are the live instances and runs that mount a volume, as far as the viewer sees them.
func (s *Service) UsedBy(ctx context.Context, volumeID string) ([]Use, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	row, err := s.visible(ctx, volumeID)
	if err != nil {
		return nil, err
	}
	return usedBy(ctx, s.DB.Client, row)
}

// UsedByAll is UsedBy for the volumes of a list, by volume id: one look at the
// live consumers per team.
func (s *Service) UsedByAll(ctx context.Context, volumes []*ent.Volume) (map[string][]Use, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	byTeam, out := map[string][]team.Consumer{}, map[string][]Use{}
	for _, v := range volumes {
		consumers, ok := byTeam[v.TeamID]
		if !ok {
			var err error
			if consumers, err = team.Consumers(ctx, s.DB.Client, v.TeamID); err != nil {
				return nil, err
			}
			byTeam[v.TeamID] = consumers
		}
		out[v.ID] = uses(consumers, v)
	}
	return out, nil
}

func usedBy(ctx context.Context, c *ent.Client, v *ent.Volume) ([]Use, error) {
	consumers, err := team.Consumers(ctx, c, v.TeamID)
	if err != nil {
		return nil, err
	}
	return uses(consumers, v), nil
}

// uses finds a volume among what consumers mount; it is read-only for one that
// mounts it read-only everywhere.
func uses(consumers []team.Consumer, v *ent.Volume) []Use {
	var out []Use
	for _, c := range consumers {
		mounted, readOnly := false, true
		if v.Kind == entvolume.KindHome && c.Home && c.OwnerID == v.OwnerID || c.HomeID == v.ID {
			mounted, readOnly = true, false
		}
		for _, m := range c.Mounts {
			if m.VolumeID == v.ID {
				mounted, readOnly = true, readOnly && m.ReadOnly
			}
		}
		if mounted {
			out = append(out, Use{ID: c.ID, Name: c.Name, Kind: c.Kind, ReadOnly: readOnly, Ending: c.Ending})
		}
	}
	return out
}

// CheckMounts notes at prefix+"mounts[i].volumeId" what the viewer may not
// mount, and gives the volumes by id. A home is its owner's alone; another
// person's volume of the team can be read, and written by those who manage it.
func CheckMounts(ctx context.Context, c *ent.Client, f *fault.Fields, prefix, teamID string, mounts []spec.Mount) (map[string]*ent.Volume, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	found, err := Mounted(ctx, c, teamID, mounts)
	if err != nil {
		return nil, err
	}
	trashed, err := inTrash(ctx, c, teamID, mounts, found)
	if err != nil {
		return nil, err
	}
	for i, m := range mounts {
		at := prefix + "mounts[" + strconv.Itoa(i) + "].volumeId"
		vol, ok := found[m.VolumeID]
		switch {
		case m.VolumeID == "": // preflight says so
		case !ok && trashed[m.VolumeID]:
			f.Add(at, "volume.mount-trashed", fault.Args{"id": clip(m.VolumeID)})
		case !ok:
			f.Add(at, "volume.missing", fault.Args{"id": clip(m.VolumeID)})
		case vol.OwnerID == v.UserID:
		case vol.Kind == entvolume.KindHome:
			f.Add(at, "volume.home-of-another", fault.Args{"name": vol.Name})
		case !m.ReadOnly && !v.MayManage(teamID, vol.OwnerID):
			f.Add(at, "volume.read-only", fault.Args{"name": vol.Name})
		}
	}
	return found, nil
}

// inTrash are those of the mounts that are not found for being in the trash.
func inTrash(ctx context.Context, c *ent.Client, teamID string, mounts []spec.Mount, found map[string]*ent.Volume) (map[string]bool, error) {
	out := map[string]bool{}
	if !slices.ContainsFunc(mounts, func(m spec.Mount) bool { return found[m.VolumeID] == nil }) {
		return out, nil
	}
	ids, err := c.Volume.Query().Where(entvolume.TeamID(teamID), entvolume.DesiredEQ(entvolume.DesiredTrashed)).IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("volumes in the trash: %w", err)
	}
	for _, id := range ids {
		out[id] = true
	}
	return out, nil
}

// Mounted are the volumes of mounts by id, as far as they are the team's, the
// viewer sees them and they are meant to stay.
func Mounted(ctx context.Context, c *ent.Client, teamID string, mounts []spec.Mount) (map[string]*ent.Volume, error) {
	found := map[string]*ent.Volume{}
	if len(mounts) == 0 {
		return found, nil
	}
	ids := make([]string, len(mounts))
	for i, m := range mounts {
		ids[i] = m.VolumeID
	}
	rows, err := c.Volume.Query().Where(entvolume.IDIn(ids...), entvolume.TeamID(teamID), entvolume.DesiredEQ(entvolume.DesiredPresent)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("volumes of mounts: %w", err)
	}
	for _, r := range rows {
		found[r.ID] = r
	}
	return found, nil
}

// Mounting is what one consumer is about to mount.
type Mounting struct {
	Self     string // its id, which holds nothing against itself
	Home     *ent.Volume
	Mounts   []spec.Mount
	Volumes  map[string]*ent.Volume // of the mounts, by id
	SameNode bool                   // the cluster has one node only
}

// CheckAccess refuses a second consumer of a volume that one node takes, and
// names the first (P21).
func CheckAccess(consumers []team.Consumer, m Mounting) error {
	var list []preflight.Use
	add := func(path string, v *ent.Volume, readOnly bool) {
		var holders []string
		for _, u := range uses(consumers, v) {
			if u.ID != m.Self {
				holders = append(holders, u.Name)
			}
		}
		list = append(list, preflight.Use{Path: path, Volume: v.Name, AccessMode: string(v.AccessMode),
			ReadOnly: readOnly, Holders: holders, SameNode: m.SameNode})
	}
	if m.Home != nil {
		add("mounts", m.Home, false)
	}
	for i, mount := range m.Mounts {
		if v, ok := m.Volumes[mount.VolumeID]; ok && (m.Home == nil || v.ID != m.Home.ID) {
			add("mounts["+strconv.Itoa(i)+"].volumeId", v, mount.ReadOnly)
		}
	}
	return preflight.Access(list)
}

var subdomainForm = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$`)

// subdomain reports whether a StorageClass can be named so.
func subdomain(text string) bool { return len(text) <= 253 && subdomainForm.MatchString(text) }

// clip makes what somebody typed fit into a message.
func clip(text string) string {
	const most = 80
	text = strings.ToValidUTF8(text, "\uFFFD")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
