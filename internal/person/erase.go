package person

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/invitation"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// FormerMember is the name of who was erased; the page says it in its language.
const FormerMember = "Former member"

// erase takes what is personal out of a person's row and out of what names
// them. The audit log keeps what was done, as it was.
func erase(sys context.Context, tx *ent.Tx, u *ent.User, up *ent.UserUpdateOne) error {
	if _, err := tx.Invitation.Delete().Where(invitation.Or(invitation.Email(u.Email), invitation.AcceptedBy(u.ID))).Exec(sys); err != nil {
		return fmt.Errorf("invitations of %s: %w", u.ID, err)
	}
	err := tx.Volume.Update().Where(entvolume.Name(volume.HomeName(u.DisplayName)), entvolume.KindEQ(entvolume.KindData)).
		SetName(volume.HomeName(FormerMember)).Exec(sys)
	if err != nil {
		return fmt.Errorf("homes of %s: %w", u.ID, err)
	}
	if err := eraseShares(sys, tx, u); err != nil {
		return err
	}
	// A pod that goes on carries the address; its next start leaves it out.
	rows, err := tx.Instance.Query().Where(entinstance.InheritedNotNil(), entinstance.DesiredNEQ(entinstance.DesiredRunning)).
		Select(entinstance.FieldID, entinstance.FieldInherited).All(sys)
	if err != nil {
		return fmt.Errorf("instances that %s had: %w", u.ID, err)
	}
	for _, i := range rows {
		if i.Inherited.OwnerID != u.ID {
			continue
		}
		kept := *i.Inherited
		kept.OwnerEmail = ""
		if err := tx.Instance.UpdateOneID(i.ID).SetInherited(&kept).Exec(sys); err != nil {
			return fmt.Errorf("instances that %s had: %w", u.ID, err)
		}
	}
	up.SetEmail(u.ID + "@erased.invalid").SetDisplayName(FormerMember).SetErasedAt(now()).ClearSeenAt()
	return nil
}

// eraseShares takes a person's address out of what was granted to them; offers
// that they did not accept are for nobody any more.
func eraseShares(sys context.Context, tx *ent.Tx, u *ent.User) error {
	theirs := entshare.Or(entshare.UserID(u.ID), entshare.And(entshare.GranteeKindEQ(entshare.GranteeKindUser), entshare.Grantee(u.Email)))
	if _, err := tx.Share.Delete().Where(theirs, entshare.AcceptedAtIsNil()).Exec(sys); err != nil {
		return fmt.Errorf("offers to %s: %w", u.ID, err)
	}
	if err := tx.Share.Update().Where(theirs).SetGrantee(FormerMember).ClearOpenKey().AddVersion(1).Exec(sys); err != nil {
		return fmt.Errorf("shares of %s: %w", u.ID, err)
	}
	return nil
}

// forgetInvitations deletes invitations that lapsed long ago.
func (s *Service) forgetInvitations(sys context.Context) error {
	if _, err := s.DB.Client.Invitation.Delete().Where(invitation.ExpiresAtLT(now().Add(-inviteKept))).Exec(sys); err != nil {
		return fmt.Errorf("forget invitations: %w", err)
	}
	return nil
}
