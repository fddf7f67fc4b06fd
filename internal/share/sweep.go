package share

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/team"
)

// settle ends a share that is due, and gives it as it is by then.
func (s *Service) settle(ctx context.Context, row *ent.Share) (*ent.Share, error) {
	if !Open(row) {
		return row, nil
	}
	f, err := s.facts(ctx, s.DB.Client, row)
	if err != nil || due(row, f, s.now()) == nil {
		return row, err
	}
	ended := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if row, err = s.lock(ctx, tx, row.ID); err != nil {
			return err
		}
		if f, err = s.facts(ctx, tx.Client(), row); err != nil {
			return err
		}
		why := due(row, f, s.now())
		if why == nil {
			return nil
		}
		ended = true
		row, err = s.over(ctx, tx, row, entshare.StateEnded, why, "")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("end share %s: %w", row.ID, err)
	}
	row = row.Unwrap()
	if ended {
		s.published(ctx, row)
	}
	return row, nil
}

// facts are what a share hangs on now.
func (s *Service) facts(ctx context.Context, c *ent.Client, sh *ent.Share) (facts, error) {
	var f facts
	vol, err := s.behind(ctx, c, sh)
	if err != nil {
		return f, err
	}
	f.VolumeGone = !present(vol)
	if f.TeamClosed, err = closed(ctx, c, sh.FromTeamID); err != nil {
		return f, err
	}
	if sh.State != entshare.StateAccepted {
		return f, nil
	}
	if f.GranteeClosed, err = closed(ctx, c, sh.TeamID); err != nil {
		return f, err
	}
	if sh.GranteeKind == entshare.GranteeKindUser {
		member, err := c.Membership.Query().Where(membership.TeamID(sh.TeamID), membership.UserID(sh.UserID)).Exist(authz.AsSystem(ctx))
		if err != nil {
			return f, fmt.Errorf("membership of a grantee: %w", err)
		}
		f.GranteeLeft = !member
	}
	return f, nil
}

// closed reports whether a team is archived or gone.
func closed(ctx context.Context, c *ent.Client, id string) (bool, error) {
	open, err := c.Team.Query().Where(entteam.ID(id), entteam.ArchivedAtIsNil(), entteam.DesiredEQ(entteam.DesiredPresent)).Exist(authz.AsSystem(ctx))
	if err != nil {
		return false, fmt.Errorf("team %s: %w", id, err)
	}
	return !open, nil
}

// Sweep ends what is due, wakes what is not at rest or was changed by somebody
// else, finds the people of offers, deletes objects whose share is gone (P74),
// and forgets what was over long ago.
func (s *Service) Sweep(ctx context.Context) error {
	ctx = authz.AsSystem(ctx)
	if err := s.introduce(ctx); err != nil {
		return err
	}
	rows, err := s.DB.Client.Share.Query().Where(entshare.Or(
		entshare.StateIn(entshare.StateOffered, entshare.StateAccepted), entshare.Ready(true),
		entshare.And(entshare.AcceptedAtNotNil(), entshare.OverAtGT(s.now().Add(-kept))),
	)).All(ctx)
	if err != nil {
		return fmt.Errorf("shares: %w", err)
	}
	known, byTeam := map[string]*ent.Share{}, map[string][]team.Consumer{}
	for _, r := range rows {
		known[r.ID] = r
		if r.ObservedGeneration != r.Generation {
			s.Kicker.Kick(outbox.Share, r.ID)
			continue
		}
		if !Open(r) {
			continue
		}
		f, err := s.facts(ctx, s.DB.Client, r)
		if err != nil {
			return err
		}
		strange, err := s.strangers(ctx, r, byTeam)
		if err != nil {
			return err
		}
		if strange || due(r, f, s.now()) != nil {
			s.Kicker.Kick(outbox.Share, r.ID)
		}
	}
	_, err = s.DB.Client.Share.Delete().Where(entshare.OverAtLT(s.now().Add(-kept)), entshare.Ready(false)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("forget shares: %w", err)
	}
	return s.compare(ctx, known)
}

// strangers reports whether something mounts a share that was handed over to
// somebody else than the share is for.
func (s *Service) strangers(ctx context.Context, sh *ent.Share, byTeam map[string][]team.Consumer) (bool, error) {
	if sh.State != entshare.StateAccepted || sh.UserID == "" {
		return false, nil
	}
	all, ok := byTeam[sh.TeamID]
	if !ok {
		var err error
		if all, err = team.Consumers(ctx, s.DB.Client, sh.TeamID); err != nil {
			return false, err
		}
		byTeam[sh.TeamID] = all
	}
	return slices.ContainsFunc(through(all, sh), func(c Consumer) bool { return c.Stranger && !c.Ending }), nil
}

// introduce finds the people of offers that were made before there was somebody
// with the address.
func (s *Service) introduce(ctx context.Context) error {
	rows, err := s.DB.Client.Share.Query().Where(entshare.StateEQ(entshare.StateOffered), entshare.GranteeKindEQ(entshare.GranteeKindUser), entshare.UserID("")).All(ctx)
	if err != nil {
		return fmt.Errorf("offers to nobody: %w", err)
	}
	for _, r := range rows {
		u, err := s.DB.Client.User.Query().Where(user.Email(r.Grantee), user.DisabledAtIsNil()).Only(ctx)
		if ent.IsNotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look for a grantee: %w", err)
		}
		if err := s.DB.Client.Share.Update().Where(entshare.ID(r.ID), entshare.UserID("")).SetUserID(u.ID).AddVersion(1).Exec(ctx); err != nil {
			return fmt.Errorf("introduce the grantee of %s: %w", r.ID, err)
		}
	}
	return nil
}

// compare wakes the shares whose objects are not what they should be, and
// deletes the objects of shares that are gone.
func (s *Service) compare(ctx context.Context, known map[string]*ent.Share) error {
	if s.Cache == nil || !s.Cache.Synced() {
		return nil
	}
	ours := labels.SelectorFromSet(labels.Set{manifest.LabelManagedBy: manifest.Manager, manifest.LabelComponent: manifest.ComponentShare})
	volumes, err := s.Kube.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{LabelSelector: ours.String()})
	if err != nil {
		return fmt.Errorf("volumes of shares: %w", err)
	}
	healthy := map[string]bool{}
	for i := range volumes.Items {
		pv := &volumes.Items[i]
		id := pv.Labels[manifest.LabelShareID]
		sh := known[id]
		if sh == nil {
			if err := s.orphan(ctx, pv, id); err != nil {
				return err
			}
			continue
		}
		healthy[id] = healthy[id] || pv.Name == objectName(sh, sh.Mode) && pv.Status.Phase == corev1.VolumeBound && pv.DeletionTimestamp == nil &&
			pv.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain
		if !Open(sh) || pv.Name != objectName(sh, sh.Mode) {
			s.Kicker.Kick(outbox.Share, id)
		}
	}
	for id, sh := range known {
		if sh.State == entshare.StateAccepted && across(sh) && !healthy[id] {
			s.Kicker.Kick(outbox.Share, id)
		}
	}
	return nil
}

// orphan deletes the objects of a share that is gone, if they are of a team of
// ours: another GoblinLab may work in the same cluster.
func (s *Service) orphan(ctx context.Context, pv *corev1.PersistentVolume, id string) error {
	there, err := s.DB.Client.Share.Query().Where(entshare.ID(id)).Exist(ctx)
	if err != nil || there || pv.Spec.ClaimRef == nil {
		return err
	}
	ours, err := s.DB.Client.Team.Query().Where(entteam.Namespace(pv.Spec.ClaimRef.Namespace)).Exist(ctx)
	if err != nil || !ours {
		return err
	}
	slog.Warn("objects of a share that is gone are deleted; the data stays", "share_id", id, "volume", pv.Name)
	if pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
		return s.retain(ctx, pv.Name)
	}
	claim, err := s.claim(ctx, pv.Spec.ClaimRef.Namespace, pv.Name)
	if err != nil {
		return err
	}
	if claim != nil {
		return s.dropClaim(ctx, claim.Namespace, claim.Name, id)
	}
	return s.dropVolume(ctx, pv.Name, id)
}
