package volume

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Use is a live instance or run that mounts a volume.
type Use struct {
	ID, Name string
	Kind     string // instance or run
	ReadOnly bool
	Ending   bool   // it was asked to end
	Node     string // where its pod is; empty while it has none, and for another team's
}

// holder names a use with its node (P20).
func (u Use) holder() string {
	if u.Node == "" {
		return u.Name
	}
	return u.Name + " (" + u.Node + ")"
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
	ids := make([]string, len(volumes))
	for i, v := range volumes {
		ids[i] = v.ID
	}
	shares, err := grants(ctx, s.DB.Client, ids...)
	if err != nil {
		return nil, err
	}
	byTeam, out := map[string][]team.Consumer{}, map[string][]Use{}
	for _, v := range volumes {
		consumers, ok := byTeam[v.TeamID]
		if !ok {
			if consumers, err = team.Consumers(ctx, s.DB.Client, v.TeamID); err != nil {
				return nil, err
			}
			byTeam[v.TeamID] = consumers
		}
		others, err := elsewhere(ctx, s.DB.Client, v, shares[v.ID], v.TeamID)
		if err != nil {
			return nil, err
		}
		out[v.ID] = append(uses(consumers, v, aliases(shares[v.ID])), others...)
	}
	return out, nil
}

func usedBy(ctx context.Context, c *ent.Client, v *ent.Volume) ([]Use, error) {
	shares, err := grants(ctx, c, v.ID)
	if err != nil {
		return nil, err
	}
	consumers, err := team.Consumers(ctx, c, v.TeamID)
	if err != nil {
		return nil, err
	}
	others, err := elsewhere(ctx, c, v, shares[v.ID], v.TeamID)
	if err != nil {
		return nil, err
	}
	return append(uses(consumers, v, aliases(shares[v.ID])), others...), nil
}

// uses finds a volume, or one of the shares that stand for it, among what
// consumers mount; it is read-only for one that mounts it read-only everywhere.
func uses(consumers []team.Consumer, v *ent.Volume, shares []string) []Use {
	var out []Use
	for _, c := range consumers {
		mounted, readOnly := false, true
		if v.Kind == entvolume.KindHome && c.Home && c.OwnerID == v.OwnerID || c.HomeID == v.ID {
			mounted, readOnly = true, false
		}
		for _, m := range c.Mounts {
			if m.VolumeID == v.ID || slices.Contains(shares, m.VolumeID) {
				mounted, readOnly = true, readOnly && m.ReadOnly
			}
		}
		if mounted {
			out = append(out, Use{ID: c.ID, Name: c.Name, Kind: c.Kind, ReadOnly: readOnly, Ending: c.Ending, Node: c.Node})
		}
	}
	return out
}

// CheckMounts notes at prefix+"mounts[i].volumeId" what the viewer may not
// mount, and gives the sources by id. A home is its owner's alone; another
// person's volume of the team can be read, and written by those who manage it; a
// share is for whom it was granted to, in the team where it was accepted, and
// written only if it was granted so.
func CheckMounts(ctx context.Context, c *ent.Client, f *fault.Fields, prefix, teamID string, mounts []spec.Mount) (map[string]*Source, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	found, err := Mounted(ctx, c, teamID, v.UserID, mounts)
	if err != nil {
		return nil, err
	}
	trashed, err := inTrash(ctx, c, teamID, mounts, found)
	if err != nil {
		return nil, err
	}
	claims := map[string]string{} // of each disk, by volume id
	for i, m := range mounts {
		at := prefix + "mounts[" + strconv.Itoa(i) + "].volumeId"
		vol, ok := found[m.VolumeID]
		if !ok {
			switch {
			case m.VolumeID == "": // preflight says so
			case trashed[m.VolumeID]:
				f.Add(at, "volume.mount-trashed", fault.Args{"id": clip(m.VolumeID)})
			default:
				f.Add(at, MissingID(m.VolumeID), fault.Args{"id": clip(m.VolumeID)})
			}
			continue
		}
		if claim, twice := claims[vol.ID]; twice && claim != vol.Claim() {
			f.Add(at, "share.twice", fault.Args{"name": vol.Name})
		}
		claims[vol.ID] = vol.Claim()
		switch {
		case vol.Share != nil:
			if vol.ReadsOnly() && !m.ReadOnly {
				f.Add(at, "share.read-only", fault.Args{"name": vol.Name})
			}
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
func inTrash(ctx context.Context, c *ent.Client, teamID string, mounts []spec.Mount, found map[string]*Source) (map[string]bool, error) {
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

// MissingID is the message for a mount of which there is nothing.
func MissingID(id string) string {
	if ident.Is(ident.Share, id) {
		return "share.missing"
	}
	return "volume.missing"
}

// Mounting is what one consumer is about to mount.
type Mounting struct {
	Self     string // its id, which holds nothing against itself
	Home     *ent.Volume
	Mounts   []spec.Mount
	Sources  map[string]*Source // of the mounts, by id
	SameNode bool               // the cluster has one node only

	shares map[string][]*ent.Share // of the volumes, by volume id
	others map[string][]string     // who holds a volume in other teams, by volume id
}

// Held refuses a second consumer of a volume that one node takes, and names the
// first, in whichever team it is (P21).
func Held(ctx context.Context, c *ent.Client, teamID string, m Mounting) error {
	consumers, err := team.Consumers(authz.AsSystem(ctx), c, teamID)
	if err != nil {
		return err
	}
	disks := map[string]*ent.Volume{}
	if m.Home != nil {
		disks[m.Home.ID] = m.Home
	}
	for _, s := range m.Sources {
		disks[s.ID] = s.Volume
	}
	if m.shares, err = grants(ctx, c, slices.Collect(maps.Keys(disks))...); err != nil {
		return err
	}
	m.others = map[string][]string{}
	for id, v := range disks {
		others, err := elsewhere(ctx, c, v, m.shares[id], teamID)
		if err != nil {
			return err
		}
		for _, u := range others {
			m.others[id] = append(m.others[id], u.Name)
		}
	}
	return CheckAccess(consumers, m)
}

// CheckAccess is Held for what was read already.
func CheckAccess(consumers []team.Consumer, m Mounting) error {
	var list []preflight.Use
	add := func(path string, v *ent.Volume, readOnly bool) {
		var holders []string
		for _, u := range uses(consumers, v, aliases(m.shares[v.ID])) {
			if u.ID != m.Self {
				holders = append(holders, u.holder())
			}
		}
		list = append(list, preflight.Use{Path: path, Volume: v.Name, AccessMode: string(v.AccessMode),
			ReadOnly: readOnly, Holders: append(holders, m.others[v.ID]...), SameNode: m.SameNode})
	}
	if m.Home != nil {
		add("mounts", m.Home, false)
	}
	for i, mount := range m.Mounts {
		if s, ok := m.Sources[mount.VolumeID]; ok && (m.Home == nil || s.ID != m.Home.ID) {
			add("mounts["+strconv.Itoa(i)+"].volumeId", s.Volume, mount.ReadOnly || s.ReadsOnly())
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
