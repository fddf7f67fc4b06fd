package share

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/ent/user"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Target is a volume and whom it would be granted to, by exact address or name.
type Target struct {
	VolumeID string
	Kind     entshare.GranteeKind
	Grantee  string
	Mode     entshare.Mode
}

// OfferInput grants a volume.
type OfferInput struct {
	Target
	EndsAt  *time.Time
	Message string
}

// grantee is whom a target names, as far as there is somebody. The viewer hears
// of them only where they are of the volume's own team, which they know anyway.
type grantee struct {
	name           string
	userID, teamID string
	inside         bool // of the volume's own team
}

// Offer grants a volume to a person or a team: its owner, and those who manage
// what is the team's. It counts at once for who is of the volume's own team; all
// others must accept it. The answer is the same whether or not there is somebody
// of this address, or a team of this name.
func (s *Service) Offer(ctx context.Context, in OfferInput) (*ent.Share, error) {
	v, vol, err := s.manager(ctx, in.VolumeID)
	if err != nil {
		return nil, err
	}
	in.Message = strings.TrimSpace(in.Message)
	var f fault.Fields
	g, err := s.target(ctx, &f, in.Target, vol)
	if err != nil {
		return nil, err
	}
	s.checkEnd(&f, in.EndsAt)
	if n := utf8.RuneCountInString(in.Message); n > maxMessage || !utf8.ValidString(in.Message) {
		f.Add("message", "share.message", fault.Args{"value": n, "limit": maxMessage})
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if !g.inside {
		if why, err := s.storage(ctx, vol); err != nil {
			return nil, err
		} else if why != nil && why.Code != codeUnbound {
			f.Add("volumeId", why.Code, fault.Args(why.Args))
			return nil, &fault.Error{Kind: fault.FailedPrecondition, Fields: fault.Of(f.Err()).Fields}
		}
	}
	var row *ent.Share
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		row, err = s.offer(ctx, tx, v, vol, g, in)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("share volume %s: %w", vol.ID, err)
	}
	return s.committed(ctx, row), nil
}

// manager is the viewer with a volume that they may grant.
func (s *Service) manager(ctx context.Context, volumeID string) (*authz.Viewer, *ent.Volume, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, nil, err
	}
	vol, err := s.DB.Client.Volume.Query().Where(entvolume.ID(volumeID)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil, fault.Missing("volume", volumeID)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("load volume %s: %w", volumeID, err)
	}
	return v, vol, v.CheckManage(vol.TeamID, vol.OwnerID)
}

// target looks for whom a target names, and notes what can be said about it
// without telling whether there is anybody.
func (s *Service) target(ctx context.Context, f *fault.Fields, t Target, vol *ent.Volume) (grantee, error) {
	sys := authz.AsSystem(ctx)
	g := grantee{name: strings.TrimSpace(t.Grantee)}
	if vol.Kind == entvolume.KindHome {
		f.Add("volumeId", "share.home", nil)
	}
	if vol.Desired != entvolume.DesiredPresent || vol.Phase == entvolume.PhaseLost {
		f.Add("volumeId", "share.volume-gone", fault.Args{"name": vol.Name})
	}
	switch t.Kind {
	case entshare.GranteeKindUser:
		g.name = strings.ToLower(g.name)
		account.CheckEmail(f, "grantee", g.name)
		u, err := s.DB.Client.User.Query().Where(user.Email(g.name), user.DisabledAtIsNil()).Only(sys)
		if err != nil && !ent.IsNotFound(err) {
			return g, fmt.Errorf("look for a grantee: %w", err)
		}
		if u == nil {
			break
		}
		if g.userID = u.ID; u.ID == vol.OwnerID {
			f.Add("grantee", "share.owner", fault.Args{"value": g.name, "name": vol.Name})
		}
		if g.inside, err = s.DB.Client.Membership.Query().Where(membership.TeamID(vol.TeamID), membership.UserID(u.ID)).Exist(sys); err != nil {
			return g, fmt.Errorf("look for a member: %w", err)
		}
	case entshare.GranteeKindTeam:
		preflight.CheckName(f, "grantee", g.name)
		tm, err := s.DB.Client.Team.Query().Where(entteam.Name(g.name), entteam.DesiredEQ(entteam.DesiredPresent)).Only(sys)
		if err != nil && !ent.IsNotFound(err) {
			return g, fmt.Errorf("look for a grantee: %w", err)
		}
		if tm != nil {
			g.teamID, g.inside = tm.ID, tm.ID == vol.TeamID
		}
	default:
		f.Add("granteeKind", "share.grantee-kind", fault.Args{"value": string(t.Kind)})
	}
	if entshare.ModeValidator(t.Mode) != nil {
		f.Add("mode", "share.mode", fault.Args{"value": string(t.Mode)})
	}
	if g.inside && t.Mode == entshare.ModeReadOnly {
		f.Add("mode", "share.reads-already", fault.Args{"name": vol.Name})
	}
	return g, nil
}

func (s *Service) checkEnd(f *fault.Fields, at *time.Time) {
	if at != nil && at.Before(s.now().Add(soonest)) {
		f.Add("endsAt", "share.end", fault.Args{"value": at.UTC().Format(time.RFC3339)})
	}
}

func (s *Service) offer(ctx context.Context, tx *ent.Tx, v *authz.Viewer, vol *ent.Volume, g grantee, in OfferInput) (*ent.Share, error) {
	sys := authz.AsSystem(ctx)
	t, err := team.Lock(ctx, tx, s.DB, vol.TeamID)
	if err != nil {
		return nil, err
	}
	if err := team.Open(t); err != nil {
		return nil, err
	}
	open, err := tx.Share.Query().Where(entshare.VolumeID(vol.ID), entshare.StateIn(entshare.StateOffered, entshare.StateAccepted)).Count(sys)
	if err != nil {
		return nil, fmt.Errorf("shares of volume %s: %w", vol.ID, err)
	}
	if open >= maxOpen {
		return nil, fault.New(fault.ResourceExhausted, "share.many", fault.Args{"name": vol.Name, "limit": maxOpen})
	}
	var f fault.Fields
	key := vol.ID + "/" + string(in.Kind) + "/" + g.name
	taken, err := tx.Share.Query().Where(entshare.OpenKey(key)).Exist(sys)
	if err != nil {
		return nil, fmt.Errorf("look for a share: %w", err)
	}
	if taken {
		f.Add("grantee", "share.open", fault.Args{"value": g.name, "name": vol.Name})
		return nil, f.Err()
	}
	id := ident.New(ident.Share)
	c := tx.Share.Create().SetID(id).SetVolumeID(vol.ID).SetVolumeName(vol.Name).SetFromTeamID(vol.TeamID).
		SetGranteeKind(in.Kind).SetGrantee(g.name).SetUserID(g.userID).SetTeamID(g.teamID).SetOpenKey(key).SetMode(in.Mode).
		SetMessage(in.Message).SetGrantedBy(v.UserID).SetNillableEndsAt(in.EndsAt).
		SetReadOnlyName(ident.ObjectName(vol.Name+"-ro", id)).SetReadWriteName(ident.ObjectName(vol.Name+"-rw", id))
	if g.inside {
		c.SetState(entshare.StateAccepted).SetTeamID(vol.TeamID).SetAcceptedBy(v.UserID).SetAcceptedAt(s.now()).SetReady(true)
	}
	row, err := c.Save(sys)
	if err != nil {
		return nil, fmt.Errorf("create share: %w", err)
	}
	return row, note(ctx, tx, row, "share.create", "shared", nil)
}

// Preview is what a share would mean.
type Preview struct {
	AtOnce      bool         // nobody has to accept it
	AcrossTeams bool         // the storage can be mounted from other teams
	Reason      *spec.Reason // why it cannot, or why that is not known
	UsedBy      []volume.Use
	LapsesAt    *time.Time
}

// Preview tells what a share would mean, before it is made.
func (s *Service) Preview(ctx context.Context, in Target, uses func(ctx context.Context, volumeID string) ([]volume.Use, error)) (*Preview, error) {
	_, vol, err := s.manager(ctx, in.VolumeID)
	if err != nil {
		return nil, err
	}
	var f fault.Fields
	g, err := s.target(ctx, &f, in, vol)
	if err != nil {
		return nil, err
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	p := &Preview{AtOnce: g.inside}
	if p.Reason, err = s.storage(ctx, vol); err != nil {
		return nil, err
	}
	p.AcrossTeams = p.Reason == nil || p.Reason.Code == codeUnbound
	if !g.inside {
		at := s.now().Add(offerLife)
		p.LapsesAt = &at
	}
	p.UsedBy, err = uses(ctx, vol.ID)
	return p, err
}
