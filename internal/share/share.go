package share

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	offerLife  = 14 * 24 * time.Hour // of an offer that nobody accepts
	kept       = 90 * 24 * time.Hour // of a share that is over
	maxOpen    = 100                 // shares of one volume that are not over
	maxMessage = 500                 // characters
	soonest    = time.Minute         // from now to an end
)

// Instances are what the end of a share asks of instances; *instance.Service does it.
type Instances interface {
	// Remount takes the mounts of a share out of an instance, or makes them
	// read-only, and restarts or stops it where it runs with them.
	Remount(ctx context.Context, id, shareID string, narrow, restart bool) error
}

// Runs are what the end of a share asks of runs; *run.Service does it.
type Runs interface {
	Stop(ctx context.Context, id string) (*ent.Run, error)
}

// Deps are what the service works with. Kube and Cache may be nil where only
// rows are read and written.
type Deps struct {
	DB        *db.DB
	Broker    event.Publisher
	Kicker    outbox.Kicker
	Kube      *kube.Client
	Cache     *kube.Cache
	Instances Instances
	Runs      Runs
	Now       func() time.Time // nil for the clock
}

// Service grants volumes, and keeps what grants need in the cluster.
type Service struct{ Deps }

// New makes a Service.
func New(d Deps) *Service {
	if d.Now == nil {
		d.Now = time.Now
	}
	return &Service{d}
}

func (s *Service) now() time.Time { return s.Now().UTC() }

// Open reports whether a share is not over.
func Open(sh *ent.Share) bool {
	return sh.State == entshare.StateOffered || sh.State == entshare.StateAccepted
}

// LapsesAt is when an offer lapses that nobody accepts; nil for what is no offer.
func LapsesAt(sh *ent.Share) *time.Time {
	if sh.State != entshare.StateOffered {
		return nil
	}
	at := sh.CreatedAt.Add(offerLife)
	if sh.EndsAt != nil && sh.EndsAt.Before(at) {
		at = *sh.EndsAt
	}
	return &at
}

// across reports whether a share is mounted in another team than the volume's.
func across(sh *ent.Share) bool { return sh.TeamID != "" && sh.TeamID != sh.FromTeamID }

// person is the viewer without what narrows a program: what they see does not
// hang on the scope of a token, what they do does.
func person(v *authz.Viewer) *authz.Viewer {
	p := *v
	p.Scope = ""
	return &p
}

// manages reports whether a viewer may change a share; vol is nil once it is gone.
func manages(v *authz.Viewer, sh *ent.Share, vol *ent.Volume) bool {
	if vol == nil {
		return v.May(authz.ManageAny, sh.FromTeamID)
	}
	return v.MayManage(vol.TeamID, vol.OwnerID)
}

// answers reports whether a viewer may answer for the grantee of a share.
func answers(v *authz.Viewer, sh *ent.Share) bool {
	if sh.GranteeKind == entshare.GranteeKindTeam {
		return sh.TeamID != "" && v.May(authz.ManageAny, sh.TeamID)
	}
	return sh.UserID != "" && sh.UserID == v.UserID && v.CheckOwn() == nil
}

// Permissions are what a viewer may do with a share in its present state.
type Permissions struct{ Accept, Decline, Change, Revoke bool }

// PermissionsOf are what the viewer may do with the share now; vol is nil for
// who does not see it or when it is gone.
func PermissionsOf(v *authz.Viewer, sh *ent.Share, vol *ent.Volume) Permissions {
	if v == nil || !Open(sh) {
		return Permissions{}
	}
	grantee, granter := answers(v, sh), manages(v, sh, vol)
	return Permissions{Accept: grantee && sh.State == entshare.StateOffered, Decline: grantee, Change: granter, Revoke: granter}
}

// party is a share of which the viewer is one of the two parties, with its
// volume, nil once that is gone. To everybody else there is no such share.
func (s *Service) party(ctx context.Context, id string) (*authz.Viewer, *ent.Share, *ent.Volume, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	row, err := s.DB.Client.Share.Query().Where(entshare.ID(id)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil, nil, fault.Missing("share", id)
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("load share %s: %w", id, err)
	}
	vol, err := s.behind(ctx, s.DB.Client, row)
	if err != nil {
		return nil, nil, nil, err
	}
	if !Sees(v, row, vol) {
		return nil, nil, nil, fault.Missing("share", id)
	}
	return v, row, vol, nil
}

// Sees reports whether a viewer is a party of a share, or sees everything; rows
// come through the policy, which knows teams only.
func Sees(v *authz.Viewer, sh *ent.Share, vol *ent.Volume) bool {
	if v.ReadsAll() || sh.UserID == v.UserID && v.UserID != "" || sh.GrantedBy == v.UserID && v.UserID != "" {
		return true
	}
	if sh.GranteeKind == entshare.GranteeKindTeam && sh.TeamID != "" && v.May(authz.Read, sh.TeamID) {
		return true
	}
	return !v.Inside() && manages(person(v), sh, vol)
}

// behind is the volume of a share, nil once it is gone.
func (s *Service) behind(ctx context.Context, c *ent.Client, sh *ent.Share) (*ent.Volume, error) {
	vol, err := c.Volume.Query().Where(entvolume.ID(sh.VolumeID)).Only(authz.AsSystem(ctx))
	if ent.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("volume of share %s: %w", sh.ID, err)
	}
	return vol, nil
}

// lock reads a share again and holds it until the transaction ends.
func (s *Service) lock(ctx context.Context, tx *ent.Tx, id string) (*ent.Share, error) {
	q := tx.Share.Query().Where(entshare.ID(id))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	row, err := q.Only(authz.AsSystem(ctx))
	if ent.IsNotFound(err) {
		return nil, fault.Missing("share", id)
	}
	if err != nil {
		return nil, fmt.Errorf("lock share %s: %w", id, err)
	}
	return row, nil
}

// shown is what the audit log keeps of a share.
func shown(sh *ent.Share) map[string]any {
	m := map[string]any{"volumeId": sh.VolumeID, "volume": sh.VolumeName, "granteeKind": sh.GranteeKind, "grantee": sh.Grantee, "mode": sh.Mode, "state": sh.State}
	if sh.EndsAt != nil {
		m["endsAt"] = sh.EndsAt.UTC().Format(time.RFC3339)
	}
	if across(sh) {
		m["teamId"] = sh.TeamID
	}
	return m
}

// note writes what a change leaves behind, in its transaction: for both teams,
// where there are two.
func note(ctx context.Context, tx *ent.Tx, sh *ent.Share, action, typ string, before map[string]any) error {
	if err := outbox.Add(ctx, tx, outbox.Share, sh.ID); err != nil {
		return err
	}
	teams := []string{sh.FromTeamID}
	if across(sh) {
		teams = append(teams, sh.TeamID)
	}
	for _, t := range teams {
		if err := audit.Record(ctx, tx, audit.Entry{Action: action, TeamID: t, ObjectID: sh.ID, Before: before, After: shown(sh)}); err != nil {
			return err
		}
	}
	source := entevent.SourceUser
	if v := authz.From(ctx); v == nil || v.UserID == "" {
		source = entevent.SourcePlatform
	}
	_, err := history.Add(ctx, tx.Event, history.Entry{TeamID: sh.FromTeamID, SubjectID: sh.VolumeID, Source: source, Type: typ,
		Args: map[string]any{"grantee": sh.Grantee, "mode": "@share.mode." + string(sh.Mode)}})
	return err
}

// committed tells others after the commit.
func (s *Service) committed(ctx context.Context, sh *ent.Share) *ent.Share {
	sh = sh.Unwrap()
	s.Kicker.Kick(outbox.Share, sh.ID)
	s.published(ctx, sh)
	s.Broker.Publish(ctx, event.Message{Topic: "event", ID: sh.VolumeID, TeamID: sh.FromTeamID})
	return sh
}

func (s *Service) published(ctx context.Context, sh *ent.Share) {
	s.Broker.Publish(ctx, event.Message{Topic: "share", ID: sh.ID, TeamID: sh.FromTeamID, Version: sh.Version})
	s.Broker.Publish(ctx, event.Message{Topic: "volume", ID: sh.VolumeID, TeamID: sh.FromTeamID})
}

// over ends a share in the caller's transaction, which holds its row.
func (s *Service) over(ctx context.Context, tx *ent.Tx, sh *ent.Share, state entshare.State, why *spec.Reason, after entshare.After) (*ent.Share, error) {
	before := shown(sh)
	u := tx.Share.UpdateOneID(sh.ID).SetState(state).SetOverAt(s.now()).ClearOpenKey().SetReason(why).AddGeneration(1).AddVersion(1)
	if after != "" {
		u.SetAfter(after)
	}
	row, err := u.Save(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("end share %s: %w", sh.ID, err)
	}
	action, typ := "share."+map[entshare.State]string{entshare.StateRevoked: "revoke", entshare.StateDeclined: "decline", entshare.StateEnded: "end"}[state], "share-ended"
	return row, note(ctx, tx, row, action, typ, before)
}
