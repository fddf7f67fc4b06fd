package volume

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// HomeName is what the home of a person is called once somebody else has it.
func HomeName(person string) string { return clip(homeName + " of " + person) }

// HandOver gives a volume to somebody else of its team, in the caller's
// transaction, which holds the team's row. A home becomes data: the new owner
// has a home of their own. After the commit, call done. What is handed over already stays as it is.
func (s *Service) HandOver(ctx context.Context, tx *ent.Tx, id, toID, homeName string) (done func(), err error) {
	sys := authz.AsSystem(ctx)
	q := tx.Volume.Query().Where(entvolume.ID(id))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	row, err := q.Only(sys)
	if ent.IsNotFound(err) || err == nil && row.OwnerID == toID {
		return func() {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock volume %s: %w", id, err)
	}
	before, after := map[string]any{"ownerId": row.OwnerID, "name": row.Name, "kind": row.Kind}, map[string]any{"ownerId": toID}
	u := tx.Volume.UpdateOneID(id).SetOwnerID(toID).AddGeneration(1).AddVersion(1)
	if row.Kind == entvolume.KindHome {
		u.SetKind(entvolume.KindData).ClearHomeKey().SetName(homeName)
		after["kind"], after["name"] = entvolume.KindData, homeName
	}
	if row, err = u.Save(sys); err != nil {
		return nil, fmt.Errorf("hand volume %s over: %w", id, err)
	}
	if err := note(ctx, tx, row, "volume.hand-over", "handed-over", before, after); err != nil {
		return nil, err
	}
	row = row.Unwrap()
	return func() { s.committed(ctx, row) }, nil
}

// Home gives the volume that a start mounts as home: the one that was inherited
// if it is still there, else the owner's, made if there is none.
func (s *Service) Home(ctx context.Context, tx *ent.Tx, t *ent.Team, ownerID, inherited string) (*ent.Volume, error) {
	if inherited == "" {
		return s.EnsureHome(ctx, tx, t, ownerID)
	}
	row, err := tx.Volume.Query().Where(entvolume.ID(inherited), entvolume.TeamID(t.ID), entvolume.DesiredNEQ(entvolume.DesiredDeleted)).Only(authz.AsSystem(ctx))
	switch {
	case ent.IsNotFound(err):
		return s.EnsureHome(ctx, tx, t, ownerID)
	case err != nil:
		return nil, fmt.Errorf("inherited home: %w", err)
	case row.Desired == entvolume.DesiredTrashed:
		return nil, fault.New(fault.FailedPrecondition, "volume.trashed", fault.Args{"name": row.Name})
	case row.Phase == entvolume.PhaseLost:
		return nil, fault.New(fault.FailedPrecondition, "volume.home-lost", nil)
	}
	return row, nil
}

// FindHome reads the volume that a thing of an owner's mounts as its home.
func FindHome(ctx context.Context, c *ent.Client, teamID, ownerID, inherited string) (*ent.Volume, error) {
	if inherited != "" {
		row, err := c.Volume.Query().Where(entvolume.ID(inherited), entvolume.TeamID(teamID)).Only(ctx)
		if !ent.IsNotFound(err) {
			return row, err
		}
	}
	return c.Volume.Query().Where(entvolume.HomeKey(HomeKey(teamID, ownerID))).Only(ctx)
}
