package secret

import (
	"context"
	"errors"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	entsecret "github.com/goblinlab/goblinlab/ent/secret"
	entuser "github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// RefusedError is why a consumer does not get a secret; its reason is for people.
type RefusedError struct{ Reason spec.Reason }

func (e RefusedError) Error() string { return "secrets refused: " + e.Reason.Code }

// The reasons, as the catalogue has them.
const (
	ReasonMissing = "secret-missing"
	ReasonKey     = "secret-key"
	ReasonDamaged = "secret-damaged"
)

// Deliver opens the secrets of a consumer that is about to start. Who may have
// them was checked when they were asked for, and is checked here again: since
// then a secret may have been deleted, or the owner may have left the team.
func (s *Service) Deliver(ctx context.Context, to Consumer, uses []spec.SecretUse) (Delivery, error) {
	if len(uses) == 0 {
		return Delivery{}, nil
	}
	ctx = authz.AsSystem(ctx)
	entitled, err := s.entitled(ctx, to)
	if err != nil {
		return Delivery{}, err
	}
	rows, err := s.rows(ctx, s.DB.Client, uses)
	if err != nil {
		return Delivery{}, err
	}
	var list []Opened
	for _, use := range uses {
		row := rows[use.SecretID]
		if row == nil || !fits(row, to) || !entitled {
			return Delivery{}, RefusedError{spec.Reason{Code: ReasonMissing, Args: map[string]any{"secret": use.SecretID}}}
		}
		values, err := s.open(row)
		if err != nil {
			return Delivery{}, err
		}
		list = append(list, Opened{Kind: row.Kind, Use: use, Values: values})
	}
	return Prepare(list), nil
}

// entitled reports whether a consumer's owner may still have secrets in its team.
func (s *Service) entitled(ctx context.Context, to Consumer) (bool, error) {
	u, err := s.DB.Client.User.Query().Where(entuser.ID(to.OwnerID), entuser.DisabledAtIsNil()).Only(ctx)
	if ent.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("owner %s: %w", to.OwnerID, err)
	}
	v := authz.Viewer{UserID: u.ID, Platform: u.PlatformRole, Teams: map[string]authz.Role{}}
	m, err := s.DB.Client.Membership.Query().Where(membership.UserID(u.ID), membership.TeamID(to.TeamID)).Only(ctx)
	switch {
	case err == nil:
		v.Teams[to.TeamID] = m.Role
	case !ent.IsNotFound(err):
		return false, fmt.Errorf("membership of %s: %w", to.OwnerID, err)
	}
	return v.May(authz.UseSecrets, to.TeamID), nil
}

func (s *Service) open(row *ent.Secret) (values map[string][]byte, err error) {
	err = s.Keys.Again(func(r envelope.Ring) error {
		values, err = r.Open(place(row), sealed(row))
		return err
	})
	args := map[string]any{"secret": row.Name, "key": row.MasterKey}
	switch {
	case err == nil:
		return values, nil
	case errors.Is(err, envelope.ErrNoKeys), errors.As(err, new(envelope.MissingKeyError)):
		return nil, RefusedError{spec.Reason{Code: ReasonKey, Args: args}}
	}
	return nil, RefusedError{spec.Reason{Code: ReasonDamaged, Args: args}}
}

// Pulls are the registries of a team as its namespace holds them, for the images
// of its catalogue, and where they are marked so for all its pods. One that
// cannot be opened is left as it is there.
func (s *Service) Pulls(ctx context.Context, teamID string) (pulls []manifest.PullSecret, kept []string, err error) {
	ctx = authz.AsSystem(ctx)
	rows, err := s.DB.Client.Secret.Query().Where(entsecret.TeamID(teamID), entsecret.KindEQ(spec.SecretRegistry)).
		Order(ent.Asc(entsecret.FieldID)).All(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("registries of team %s: %w", teamID, err)
	}
	for _, row := range rows {
		values, err := s.open(row)
		if errors.As(err, new(RefusedError)) {
			kept = append(kept, row.ObjectName)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		pulls = append(pulls, manifest.PullSecret{Name: row.ObjectName, ID: row.ID, Wide: row.TeamWide, Config: dockerConfig(values)})
	}
	return pulls, kept, nil
}

// PullNames are the objects that an image is pulled with: what it names in the
// namespace, or a registry secret of its team; a RefusedError when that is gone.
// Without a service everything is in the namespace.
func (s *Service) PullNames(ctx context.Context, image *ent.Image) ([]string, error) {
	switch {
	case image.PullSecret == "":
		return nil, nil
	case s == nil || image.TeamID == nil || !ident.Is(ident.Secret, image.PullSecret):
		return []string{image.PullSecret}, nil
	}
	row, err := s.DB.Client.Secret.Query().
		Where(entsecret.ID(image.PullSecret), entsecret.TeamID(*image.TeamID), entsecret.KindEQ(spec.SecretRegistry)).
		Only(authz.AsSystem(ctx))
	if ent.IsNotFound(err) {
		return nil, RefusedError{spec.Reason{Code: ReasonMissing, Args: map[string]any{"secret": image.PullSecret}}}
	}
	if err != nil {
		return nil, fmt.Errorf("registry %s: %w", image.PullSecret, err)
	}
	return []string{row.ObjectName}, nil
}
