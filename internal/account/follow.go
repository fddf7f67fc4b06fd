package account

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/ident"
)

// followers are what goes on while a session or a token lasts, in this process.
type followers struct {
	mu   sync.Mutex
	stop map[string]map[*func()]struct{}
}

func newFollowers() *followers { return &followers{stop: map[string]map[*func()]struct{}{}} }

func (f *followers) add(id string, stop func()) (forget func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop[id] == nil {
		f.stop[id] = map[*func()]struct{}{}
	}
	f.stop[id][&stop] = struct{}{}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if delete(f.stop[id], &stop); len(f.stop[id]) == 0 {
			delete(f.stop, id)
		}
	}
}

func (f *followers) ids() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]string, 0, len(f.stop))
	for id := range f.stop {
		out = append(out, id)
	}
	return out
}

func (f *followers) end(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for stop := range f.stop[id] {
		(*stop)()
	}
}

const lookedForAtOnce = 400 // ids in one query

// EndLapsed ends what follows sessions and tokens that are no more, for which
// no message came: one may be lost on its way between processes.
func (s *Service) EndLapsed(ctx context.Context) error {
	ctx = authz.AsSystem(ctx)
	now := time.Now().UTC()
	for ids := range slices.Chunk(s.followers.ids(), lookedForAtOnce) {
		there := map[string]bool{}
		found, err := s.DB.Client.Session.Query().Where(session.IDIn(ids...), session.ExpiresAtGT(now)).IDs(ctx)
		if err != nil {
			return fmt.Errorf("sessions: %w", err)
		}
		tokens := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !ident.Is(ident.Token, id) })
		if len(tokens) > 0 {
			more, err := s.DB.Client.AccessToken.Query().Where(accesstoken.IDIn(tokens...), accesstoken.ExpiresAtGT(now)).IDs(ctx)
			if err != nil {
				return fmt.Errorf("access tokens: %w", err)
			}
			found = append(found, more...)
		}
		for _, id := range found {
			there[id] = true
		}
		for _, id := range ids {
			if !there[id] {
				s.followers.end(id)
			}
		}
	}
	return nil
}

// SomebodyDisabled reports whether somebody was disabled since a moment.
func (s *Service) SomebodyDisabled(ctx context.Context, since time.Time) (bool, error) {
	return s.DB.Client.User.Query().Where(user.DisabledAtGT(since)).Exist(authz.AsSystem(ctx))
}
