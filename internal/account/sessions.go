package account

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

const maxSessions = 100 // that are listed

// Sessions lists the browsers in which the viewer is signed in, the one used last first.
func (s *Service) Sessions(ctx context.Context) ([]*ent.Session, error) {
	v, err := s.outside(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.DB.Client.Session.Query().Where(session.UserID(v.UserID), session.ExpiresAtGT(time.Now().UTC())).
		Order(ent.Desc(session.FieldUsedAt), ent.Asc(session.FieldID)).Limit(maxSessions).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	return rows, nil
}

// EndSession signs the viewer out in another browser, with the sockets, apps and terminals that are open there.
func (s *Service) EndSession(ctx context.Context, id string) error {
	v, err := s.inBrowser(ctx)
	if err != nil {
		return err
	}
	return s.end(ctx, v.UserID, func(row *ent.Session) bool { return row.ID == id }, fault.Missing("session", id))
}

// EndOtherSessions signs the viewer out everywhere but here.
func (s *Service) EndOtherSessions(ctx context.Context) error {
	v, err := s.inBrowser(ctx)
	if err != nil {
		return err
	}
	here := SessionID(ctx)
	return s.end(ctx, v.UserID, func(row *ent.Session) bool { return row.ID != here }, nil)
}

// end ends those of a person's sessions; with none to end it gives missing.
func (s *Service) end(ctx context.Context, userID string, which func(*ent.Session) bool, missing error) error {
	var ended []string
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		var err error
		if ended, err = endIn(ctx, tx, userID, which); err != nil {
			return err
		}
		if len(ended) == 0 {
			return missing
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "session.end", ObjectID: userID, After: map[string]any{"ended": len(ended)}})
	})
	if err != nil {
		return err
	}
	s.told(ctx, ended)
	return nil
}

// endIn ends those of a person's sessions in the caller's transaction, and names them.
func endIn(ctx context.Context, tx *ent.Tx, userID string, which func(*ent.Session) bool) ([]string, error) {
	sys := authz.AsSystem(ctx)
	var ended []string
	rows, err := tx.Session.Query().Where(session.UserID(userID)).All(sys)
	if err != nil {
		return nil, fmt.Errorf("sessions of %s: %w", userID, err)
	}
	for _, row := range rows {
		if which(row) {
			ended = append(ended, row.ID)
		}
	}
	if len(ended) == 0 {
		return nil, nil
	}
	if _, err := tx.Session.Delete().Where(session.IDIn(ended...)).Exec(sys); err != nil {
		return nil, fmt.Errorf("end sessions of %s: %w", userID, err)
	}
	return ended, nil
}
