package account

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
)

// TokenLength is the length of a token's text, and TokenPrefix its beginning.
const (
	TokenPrefix = tokenPrefix
	TokenLength = len(tokenPrefix) + tokenRandom + tokenCheck
)

// insideLife is for ever, as the token ends with what it was made for: whether
// that is there still is asked with each use.
const insideLife = 10 // years

// Inside describes a token that the platform puts into an instance or a run.
type Inside struct {
	UserID, TeamID string
	SubjectID      string // the instance or the attempt
	Start          int64  // of an instance
	Name           string // of the instance or the run
}

// NewInsideText makes the text of such a token, which is of no use before it is kept.
func (*Service) NewInsideText() string { return newToken() }

// KeepInside makes a token's text good, in place of an earlier one of the same start.
func (s *Service) KeepInside(ctx context.Context, in Inside, text string) error {
	sys := authz.AsSystem(ctx)
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if _, err := tx.AccessToken.Delete().Where(accesstoken.SubjectID(in.SubjectID), accesstoken.SubjectStart(in.Start)).Exec(sys); err != nil {
			return err
		}
		return tx.AccessToken.Create().SetUserID(in.UserID).SetName(clip(in.Name, maxAgent)).SetScope(authz.ScopeInside).SetTokenHash(hash(text)).
			SetSubjectID(in.SubjectID).SetSubjectStart(in.Start).SetTeamID(in.TeamID).
			SetExpiresAt(time.Now().UTC().AddDate(insideLife, 0, 0).Truncate(time.Second)).Exec(sys)
	})
	if err != nil {
		return fmt.Errorf("keep token of %s: %w", in.SubjectID, err)
	}
	return nil
}

// KnowsInside reports whether a start has a token already.
func (s *Service) KnowsInside(ctx context.Context, subjectID string, start int64) (bool, error) {
	return s.DB.Client.AccessToken.Query().Where(accesstoken.SubjectID(subjectID), accesstoken.SubjectStart(start)).Exist(authz.AsSystem(ctx))
}

// EndInside ends the tokens of the starts of a subject before the given one; 0
// for all. What listens with one hears no more.
func (s *Service) EndInside(ctx context.Context, subjectID string, before int64) error {
	sys := authz.AsSystem(ctx)
	q := s.DB.Client.AccessToken.Query().Where(accesstoken.SubjectID(subjectID))
	if before > 0 {
		q.Where(accesstoken.SubjectStartLT(before))
	}
	ids, err := q.IDs(sys)
	if err != nil {
		return fmt.Errorf("tokens of %s: %w", subjectID, err)
	}
	for _, id := range ids {
		if _, err := s.DB.Client.AccessToken.Delete().Where(accesstoken.ID(id)).Exec(sys); err != nil {
			return fmt.Errorf("end token of %s: %w", subjectID, err)
		}
		s.Broker.Publish(ctx, event.Message{Topic: Topic, ID: id})
	}
	return nil
}

// narrow gives a token's viewer: a token of a container is of use only while its
// owner is in the team and the container is wanted.
func (s *Service) narrow(ctx context.Context, v *authz.Viewer, row *ent.AccessToken) (*authz.Viewer, error) {
	v = v.InTeam(row.TeamID).Within(row.Scope)
	if row.SubjectID == "" {
		return v, nil
	}
	alive, err := s.alive(ctx, row.SubjectID)
	if err != nil {
		return nil, err
	}
	if !alive || len(v.Teams) == 0 {
		return nil, fault.New(fault.Unauthenticated, "token.ended", fault.Args{"name": row.Name})
	}
	return v, nil
}

func (s *Service) alive(ctx context.Context, subjectID string) (bool, error) {
	var there bool
	var err error
	switch {
	case ident.Is(ident.Instance, subjectID):
		there, err = s.DB.Client.Instance.Query().Where(instance.ID(subjectID), instance.DesiredEQ(instance.DesiredRunning)).Exist(ctx)
	case ident.Is(ident.Attempt, subjectID):
		there, err = s.DB.Client.Attempt.Query().
			Where(attempt.ID(subjectID), attempt.StateIn(attempt.StatePending, attempt.StateRunning, attempt.StateStopping)).Exist(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("what %s is: %w", subjectID, err)
	}
	return there, nil
}

// outside is the viewer, who must not be a program inside of a container.
func (s *Service) outside(ctx context.Context) (*authz.Viewer, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	if v.Inside() {
		return nil, fault.New(fault.Forbidden, "token.inside", nil)
	}
	return v, nil
}

// sweepInside deletes the tokens of what is gone.
func (s *Service) sweepInside(ctx context.Context) error {
	rows, err := s.DB.Client.AccessToken.Query().Where(accesstoken.SubjectIDNEQ("")).
		Select(accesstoken.FieldID, accesstoken.FieldSubjectID).All(ctx)
	if err != nil {
		return fmt.Errorf("tokens of containers: %w", err)
	}
	for _, row := range rows {
		alive, err := s.alive(ctx, row.SubjectID)
		if err != nil {
			return err
		}
		if !alive {
			if err := s.EndInside(ctx, row.SubjectID, 0); err != nil {
				return err
			}
		}
	}
	return nil
}
