package account

import (
	"context"
	"fmt"
	"time"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/openid"
)

// What a session of somebody who came through the provider also holds.
const (
	keyHint = "hint" // what the provider wants to see at a sign-out
	keyEnd  = "end"  // when they have to come again, in Unix seconds
)

const maxHint = 8 << 10 // bytes; what is longer is not kept

// enter starts a session of a person's under a new token, so that one planted
// before is worth nothing, and makes the browser known. who is nil for other
// ways in than the provider.
func (s *Service) enter(ctx context.Context, st *request, userID string, way Way, who *openid.Person) error {
	if st.program() {
		return fault.New(fault.Forbidden, "token.browser", nil)
	}
	st.userID, st.way = userID, way
	m := s.sessions.scs
	if err := m.RenewToken(ctx); err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	m.Put(ctx, keyUser, userID)
	m.Remove(ctx, keyHint)
	m.Remove(ctx, keyEnd)
	now := time.Now().UTC()
	if who != nil {
		m.Put(ctx, keyEnd, now.Add(s.Config.OIDC.Session).Unix())
		if len(who.IDToken) <= maxHint {
			m.Put(ctx, keyHint, who.IDToken)
		}
	}
	m.SetDeadline(ctx, s.sessionEnd(ctx, now))
	fresh, expires, err := m.Commit(ctx)
	if err != nil {
		return fmt.Errorf("store session: %w", err)
	}
	m.WriteSessionCookie(ctx, st.w, fresh, expires)
	s.seen(ctx, userID, now)
	return s.remember(ctx, st, userID)
}

// sessionEnd is when a session that is used now lapses. Who came through the
// provider comes again now and then, so that it is heard what they are by now.
func (s *Service) sessionEnd(ctx context.Context, now time.Time) time.Time {
	end := now.Add(sessionLife)
	if unix := s.sessions.scs.GetInt64(ctx, keyEnd); unix != 0 && time.Unix(unix, 0).Before(end) {
		return time.Unix(unix, 0).UTC()
	}
	return end
}
