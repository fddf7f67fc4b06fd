package instance

import (
	"context"
	"fmt"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entsecret "github.com/goblinlab/goblinlab/ent/secret"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// HandOver gives an instance to somebody else of its team, in the caller's
// transaction, and does with it as decided. It keeps its home, homeID. One that
// goes on is the new owner's at once; only by SSH nobody comes in before the
// next start, since the owner before knows this start's password. One that was
// given secrets of the person's own is stopped: they are nobody else's to read.
// After the commit, call done. What is handed over already stays as it is.
func (s *Service) HandOver(ctx context.Context, tx *ent.Tx, id, toID, homeID string, fate spec.Fate) (done func(), err error) {
	sys := authz.AsSystem(ctx)
	row, err := s.lock(sys, tx, id)
	if err != nil {
		return nil, err
	}
	if row.OwnerID == toID || row.Desired == entinstance.DesiredDeleted {
		return func() {}, nil
	}
	from, err := tx.User.Get(sys, row.OwnerID)
	if err != nil {
		return nil, fmt.Errorf("owner of instance %s: %w", id, err)
	}
	inherited := &spec.Inherited{HomeID: homeID}
	if row.Inherited.Home() != "" { // it was handed over before
		inherited.HomeID = row.Inherited.HomeID
	}
	if row.StartNumber > 0 {
		inherited.Start, inherited.OwnerID, inherited.OwnerEmail = row.StartNumber, from.ID, from.Email
		if row.Inherited.During(row.StartNumber) {
			inherited.OwnerID, inherited.OwnerEmail = row.Inherited.OwnerID, row.Inherited.OwnerEmail
		}
	}
	wanted, personal, err := withoutPersonal(sys, tx, row)
	if err != nil {
		return nil, err
	}
	if personal && fate == spec.FateKeep {
		fate = spec.FateStop
	}
	u := tx.Instance.UpdateOneID(id).SetSpec(wanted).SetOwnerID(toID).SetInherited(inherited).AddGeneration(1).AddVersion(1)
	switch {
	case fate == spec.FateDelete:
		u.SetDesired(entinstance.DesiredDeleted).SetState(entinstance.StateDeleting).ClearReason().ClearApps()
	case fate == spec.FateStop && row.Desired == entinstance.DesiredRunning:
		u.SetDesired(entinstance.DesiredStopped).SetState(entinstance.StateStopping).ClearReason().ClearApps()
	}
	before := map[string]any{"ownerId": row.OwnerID, "name": row.Name, "desired": row.Desired}
	if row, err = u.Save(sys); err != nil {
		return nil, fmt.Errorf("hand instance %s over: %w", id, err)
	}
	after := map[string]any{"ownerId": toID, "desired": row.Desired}
	if err := note(ctx, tx, row, act{action: "instance.hand-over", event: "handed-over", before: before, after: after}); err != nil {
		return nil, err
	}
	return func() { s.committed(ctx, row) }, nil
}

// withoutPersonal is what an instance wants without the secrets of a person's
// own, and whether it had such or runs with them.
func withoutPersonal(sys context.Context, tx *ent.Tx, i *ent.Instance) (spec.Instance, bool, error) {
	wanted := i.Spec
	uses := slices.Clone(wanted.Secrets)
	if i.StartedSpec != nil {
		uses = append(uses, i.StartedSpec.Secrets...)
	}
	if len(uses) == 0 {
		return wanted, false, nil
	}
	ids := make([]string, len(uses))
	for n, use := range uses {
		ids[n] = use.SecretID
	}
	// One that is gone by now may have been anybody's.
	teams, err := tx.Secret.Query().Where(entsecret.IDIn(ids...), entsecret.TeamIDNotNil()).IDs(sys)
	if err != nil {
		return wanted, false, fmt.Errorf("secrets of instance %s: %w", i.ID, err)
	}
	personal := slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(teams, id) })
	wanted.Secrets = slices.DeleteFunc(slices.Clone(wanted.Secrets), func(u spec.SecretUse) bool { return !slices.Contains(teams, u.SecretID) })
	return wanted, personal, nil
}

// Handed reports whether the owner before knows the password of the current start.
func Handed(i *ent.Instance) bool { return i.Inherited.During(i.StartNumber) }
