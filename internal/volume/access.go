package volume

import (
	"context"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
)

// Mode is what somebody may do with the files of a volume.
type Mode string

// The modes.
const (
	ReadOnly  Mode = "read-only"
	ReadWrite Mode = "read-write"
)

// Access is a volume with what the viewer may do with its files.
type Access struct {
	Volume    *ent.Volume
	Mode      Mode
	TeamID    string
	Namespace string // of the claim
	Claim     string
}

// Access says how the viewer gets at the files of a volume, or of a share by its
// id, or why not. It is
// the rule of mounts: a home is its owner's alone; others' volumes of the team
// are read by those who could mount them, and written by those who manage them.
// Neither a program inside a container, which has what is mounted there, nor an
// auditor reads files by it. A token that only reads gives ReadOnly.
func (s *Service) Access(ctx context.Context, id string) (Access, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return Access{}, err
	}
	if ident.Is(ident.Share, id) {
		return s.accessShare(ctx, v, id)
	}
	row, err := s.DB.Client.Volume.Query().Where(entvolume.ID(id)).WithTeam().Only(ctx)
	if ent.IsNotFound(err) {
		return Access{}, fault.Missing("volume", id)
	}
	if err != nil {
		return Access{}, err
	}
	mode, err := access(v, row)
	if err != nil {
		return Access{}, err
	}
	if mode == ReadOnly && !v.ReadsOnly() {
		granted, err := s.grantedWrite(ctx, v, row)
		if err != nil {
			return Access{}, err
		}
		if granted {
			mode = ReadWrite
		}
	}
	if err := there(row); err != nil {
		return Access{}, err
	}
	return Access{Volume: row, Mode: mode, TeamID: row.TeamID, Namespace: row.Edges.Team.Namespace, Claim: row.ObjectName}, nil
}

func access(v *authz.Viewer, row *ent.Volume) (Mode, error) {
	if v.Inside() {
		return "", v.Check(authz.ManageOwn, row.TeamID)
	}
	person := *v
	person.Scope = "" // what a token narrows is said below, so that it can read
	own := v.UserID == row.OwnerID && person.May(authz.ManageOwn, row.TeamID)
	switch {
	case !own && row.Kind == entvolume.KindHome:
		return "", fault.New(fault.Forbidden, "volume.home-of-another", fault.Args{"name": row.Name})
	case !own && !person.May(authz.Create, row.TeamID):
		return "", person.Check(authz.Create, row.TeamID)
	case !v.ReadsOnly() && (own || person.MayManage(row.TeamID, row.OwnerID)):
		return ReadWrite, nil
	}
	return ReadOnly, nil
}

// Writable refuses who may only read, and says why.
func (a Access) Writable(ctx context.Context) error {
	if a.Mode == ReadWrite {
		return nil
	}
	if v := authz.From(ctx); v != nil && v.ReadsOnly() {
		return v.Check(authz.ManageOwn, a.TeamID)
	}
	return fault.New(fault.Forbidden, "volume.read-only-files", fault.Args{"name": a.Volume.Name})
}
