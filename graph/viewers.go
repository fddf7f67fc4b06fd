package graph

import (
	"context"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
)

// viewers tells who a subscriber is by now. Roles are read again for each
// message, and shared: what was read after the message came is fresh enough for
// everybody whom the same message reached.
type viewers struct {
	account *account.Service

	mu   sync.Mutex
	byID map[string]*seen
}

type seen struct {
	mu  sync.Mutex
	at  time.Time // when reading began
	v   *authz.Viewer
	err error
}

func newViewers(a *account.Service) *viewers { return &viewers{account: a, byID: map[string]*seen{}} }

// fresh gives the context the viewer as they are since a moment; an error when
// they may not sign in any more.
func (vs *viewers) fresh(ctx context.Context, since time.Time) (context.Context, error) {
	old, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	vs.mu.Lock()
	s := vs.byID[old.UserID]
	if s == nil {
		s = &seen{}
		vs.byID[old.UserID] = s
	}
	vs.mu.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at.Before(since) {
		at := time.Now()
		v, err := vs.account.Viewer(ctx, old.UserID, old.Address)
		if ctx.Err() != nil {
			return nil, ctx.Err() // this subscriber left: the next one reads for itself
		}
		s.at, s.v, s.err = at, v, err
	}
	if s.err != nil {
		return nil, s.err
	}
	return authz.With(ctx, s.v.InTeam(old.OnlyTeam).Within(old.Scope)), nil
}
