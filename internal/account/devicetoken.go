package account

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/ent/devicerequest"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// What a program hears that asks for its token, in the words of RFC 8628.
var (
	ErrDevicePending = errors.New("authorization_pending")
	ErrDeviceSlower  = errors.New("slow_down")
	ErrDeviceExpired = errors.New("expired_token")
	ErrDeviceDenied  = errors.New("access_denied")
	ErrDeviceUnknown = errors.New("invalid_grant")
)

// slower is what a program that asks too often waits longer from then on, in seconds.
const slower = 5

// earlier is how much too early a question may come: clocks tick differently.
const earlier = 200 * time.Millisecond

// DeviceToken gives a program its token once it was approved, and one of the
// errors above before that. The request is gone with the token.
func (s *Service) DeviceToken(ctx context.Context, deviceCode, clientID, address string) (row *ent.AccessToken, text string, err error) {
	var verdict error // which is no failure of the transaction
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		r, err := tx.DeviceRequest.Query().Where(devicerequest.DeviceHash(hash(deviceCode)), devicerequest.ClientID(clientID)).Only(sys)
		if ent.IsNotFound(err) {
			verdict = ErrDeviceUnknown
			return nil
		}
		if err != nil {
			return fmt.Errorf("device request: %w", err)
		}
		if verdict, err = s.deviceVerdict(ctx, tx, r, time.Now().UTC()); verdict != nil || err != nil {
			return err
		}
		// The deletion counts, so that of two questions at once one gets the token.
		n, err := tx.DeviceRequest.Delete().Where(devicerequest.ID(r.ID)).Exec(sys)
		if err != nil {
			return fmt.Errorf("end device request %s: %w", r.ID, err)
		}
		if n != 1 {
			verdict = ErrDeviceUnknown
			return nil
		}
		row, text, err = s.deviceToken(ctx, tx, r, address)
		if fault.KindOf(err) == fault.Unauthenticated { // disabled meanwhile
			verdict, err = ErrDeviceDenied, nil
		}
		return err
	})
	switch {
	case err != nil:
		return nil, "", err
	case verdict != nil:
		return nil, "", verdict
	}
	return row.Unwrap(), text, nil
}

// deviceVerdict is nil for a request that was approved, and notes the question.
func (s *Service) deviceVerdict(ctx context.Context, tx *ent.Tx, r *ent.DeviceRequest, now time.Time) (verdict, err error) {
	switch {
	case !r.ExpiresAt.After(now):
		return ErrDeviceExpired, nil
	case r.State == devicerequest.StateDenied:
		return ErrDeviceDenied, nil
	case r.State == devicerequest.StateApproved:
		return nil, nil
	}
	verdict = ErrDevicePending
	u := tx.DeviceRequest.UpdateOne(r).SetPolledAt(now)
	if r.PolledAt != nil && now.Sub(*r.PolledAt) < time.Duration(r.Interval)*time.Second-earlier {
		u.AddInterval(slower)
		verdict = ErrDeviceSlower
	}
	if err := u.Exec(authz.AsSystem(ctx)); err != nil {
		return nil, fmt.Errorf("device request %s: %w", r.ID, err)
	}
	return verdict, nil
}

// deviceToken makes the token that was approved, as who approved it.
func (s *Service) deviceToken(ctx context.Context, tx *ent.Tx, r *ent.DeviceRequest, address string) (*ent.AccessToken, string, error) {
	sys := authz.AsSystem(ctx)
	v, err := s.Viewer(ctx, *r.UserID, address)
	if err != nil {
		return nil, "", err
	}
	rows, err := tx.AccessToken.Query().Where(accesstoken.UserID(v.UserID)).Select(accesstoken.FieldName).Strings(sys)
	if err != nil {
		return nil, "", fmt.Errorf("access tokens of %s: %w", v.UserID, err)
	}
	if len(rows) >= maxTokens {
		return nil, "", fault.New(fault.ResourceExhausted, "token.many", fault.Args{"limit": maxTokens})
	}
	text := newToken()
	row, err := tx.AccessToken.Create().SetUserID(v.UserID).SetName(freeName(r.Name, rows)).SetScope(r.Scope).SetTokenHash(hash(text)).
		SetExpiresAt(time.Now().UTC().AddDate(0, 0, r.Days).Truncate(time.Second)).Save(sys)
	if err != nil {
		return nil, "", fmt.Errorf("create access token: %w", err)
	}
	return row, text, audit.Record(authz.With(ctx, v), tx, audit.Entry{Action: "token.create", ObjectID: row.ID, After: map[string]any{
		"name": row.Name, "scope": string(row.Scope), "expiresAt": row.ExpiresAt.Format(time.RFC3339), "device": r.ID}})
}

// freeName is a name that none of the others is: one's tokens have different names.
func freeName(name string, others []string) string {
	taken := make(map[string]bool, len(others))
	for _, o := range others {
		taken[o] = true
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = name + " " + strconv.Itoa(n)
	}
	return free
}

// RevokeOwn ends the access token that the request came with: the one thing
// that a token may do to itself.
func (s *Service) RevokeOwn(ctx context.Context) error {
	v, err := authz.Require(ctx)
	if err != nil {
		return err
	}
	st, ok := ctx.Value(requestKey{}).(*request)
	if !ok || !st.program() {
		return fault.New(fault.InvalidArgument, "token.own", nil)
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		row, err := tx.AccessToken.Get(sys, st.id)
		if ent.IsNotFound(err) {
			return nil // somebody else was first
		}
		if err != nil {
			return fmt.Errorf("access token %s: %w", st.id, err)
		}
		if err := tx.AccessToken.DeleteOne(row).Exec(sys); err != nil {
			return fmt.Errorf("delete access token %s: %w", st.id, err)
		}
		return audit.Record(authz.With(ctx, v), tx, audit.Entry{Action: "token.revoke", ObjectID: st.id, Before: map[string]any{"name": row.Name, "scope": string(row.Scope)}})
	})
	if err != nil {
		return err
	}
	s.Broker.Publish(ctx, event.Message{Topic: Topic, ID: st.id})
	return nil
}

// How many wrong codes a person may type within a window.
const (
	maxGuesses  = 10
	guessWindow = 10 * time.Minute
)

// guesses counts wrong codes by person, in this process: with n processes n
// times as many are possible, of 20⁸.
type guesses struct {
	mu sync.Mutex
	by map[string]window
}

type window struct {
	n   int
	end time.Time
}

func newGuesses() *guesses { return &guesses{by: map[string]window{}} }

// take counts a code, unless there were too many already.
func (g *guesses) take(userID string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for id, w := range g.by {
		if !now.Before(w.end) {
			delete(g.by, id)
		}
	}
	w, ok := g.by[userID]
	if !ok {
		w.end = now.Add(guessWindow)
	}
	if w.n >= maxGuesses {
		return false
	}
	w.n++
	g.by[userID] = w
	return true
}

// giveBack is for a code that was right.
func (g *guesses) giveBack(userID string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w, ok := g.by[userID]; ok && w.n > 0 {
		w.n--
		g.by[userID] = w
	}
}
