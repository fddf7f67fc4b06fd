package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
)

// A session lives this long after it was last used. Its end and its last use
// are written anew once the slack is spent, not with each request.
const (
	sessionLife  = 14 * 24 * time.Hour
	sessionSlack = 5 * time.Minute
)

const maxAgent = 400 // bytes

const keyUser = "user"

// CookieName is the session cookie's name for a platform at that address. With
// https the browser itself refuses one that another host planted.
func CookieName(address string) string {
	if strings.HasPrefix(address, "https://") {
		return "__Host-goblinlab"
	}
	return "goblinlab"
}

type sessions struct {
	scs   *scs.SessionManager
	store *store
}

func newSessions(d Deps) *sessions {
	st := &store{db: d.DB}
	// Not scs.New: it starts a goroutine for a store in memory that nothing ends.
	m := &scs.SessionManager{Store: st, HashTokenInStore: true, Lifetime: sessionLife, Codec: scs.GobCodec{}, Cookie: scs.SessionCookie{
		Name: CookieName(d.Config.URL), HttpOnly: true, Path: "/", SameSite: http.SameSiteLaxMode, Persist: true,
		Secure: strings.HasPrefix(d.Config.URL, "https://")}}
	return &sessions{scs: m, store: st}
}

// request is what one request's context knows of what it shows to be let in: a
// session's cookie or an access token.
type request struct {
	w       http.ResponseWriter
	id      string // of the session, which is the hash of its token, or of the access token; empty without either
	expires time.Time
	used    time.Time // the session, within minutes
	userID  string    // whom a new session is for
	way     Way       // and how they came in
	address string
	agent   string
	browser string // the cookie by which the browser is known, whoever is signed in
}

// program reports whether the request came with an access token.
func (r *request) program() bool { return ident.Is(ident.Token, r.id) }

type requestKey struct{}

// Load gives the request's context its session or its access token, and its
// viewer if there is one who may still sign in. A token that is not good is a
// fault; it counts before a cookie. address is where the request came from.
func (s *Service) Load(w http.ResponseWriter, r *http.Request, address string) (context.Context, error) {
	st := &request{w: w, address: address, agent: clip(r.UserAgent(), maxAgent)}
	ctx := context.WithValue(r.Context(), requestKey{}, st)
	if h := r.Header.Get("Authorization"); h != "" {
		return s.loadToken(ctx, st, h)
	}
	token := ""
	if c, err := r.Cookie(s.sessions.scs.Cookie.Name); err == nil {
		token = c.Value
	}
	if c, err := r.Cookie(BrowserCookieName(s.Config.URL)); err == nil && len(c.Value) == tokenText {
		st.browser = c.Value
	}
	ctx, err := s.sessions.scs.Load(ctx, token)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	userID := s.sessions.scs.GetString(ctx, keyUser)
	if userID == "" {
		return ctx, nil
	}
	st.id = sessionID(s.sessions.scs.Token(ctx))
	v, err := s.Viewer(ctx, userID, address)
	switch {
	case err == nil:
		s.slide(ctx, st, token)
		return authz.With(ctx, v), nil
	case fault.KindOf(err) == fault.Unauthenticated: // disabled meanwhile: nobody is signed in
		return ctx, nil
	default:
		return nil, err
	}
}

// slide moves a used session's end. It only ever moves a row that is there: a
// session that was ended meanwhile stays ended.
func (s *Service) slide(ctx context.Context, st *request, token string) {
	now := time.Now().UTC()
	expires := s.sessionEnd(ctx, now)
	if st.expires.IsZero() || expires.Sub(st.expires) < sessionSlack && now.Sub(st.used) < sessionSlack {
		return
	}
	n, err := s.DB.Client.Session.Update().Where(session.ID(st.id), session.ExpiresAtGT(now)).
		SetExpiresAt(expires).SetUsedAt(now).SetAddress(st.address).Save(authz.AsSystem(ctx))
	if err == nil && n == 1 {
		st.expires = expires
		s.sessions.scs.WriteSessionCookie(ctx, st.w, token, expires)
		s.seen(ctx, s.sessions.scs.GetString(ctx, keyUser), now)
	}
}

// seen keeps when a person was last there; that it could not is no reason to fail.
func (s *Service) seen(ctx context.Context, userID string, now time.Time) {
	_ = s.DB.Client.User.Update().Where(user.ID(userID)).SetSeenAt(now).Exec(authz.AsSystem(ctx))
}

// SignIn redeems a link and starts a session under a new token. The context
// must come from Load.
func (s *Service) SignIn(ctx context.Context, token, address string) error {
	st, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return errors.New("account: sign-in outside of a request")
	}
	userID, err := s.Redeem(ctx, token, address)
	if err != nil {
		return err
	}
	return s.enter(ctx, st, userID, WayLink, nil)
}

// Begin signs a person in who has shown in some way who they are. The context
// must come from Load; whoever calls it writes the entry of the audit log.
func (s *Service) Begin(ctx context.Context, userID string, way Way) error {
	st, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return errors.New("account: sign-in outside of a request")
	}
	return s.enter(ctx, st, userID, way, nil)
}

// SignOut ends the viewer's session, here and in every process.
func (s *Service) SignOut(ctx context.Context) error {
	st, err := browser(ctx)
	if err != nil {
		return err
	}
	if err := s.sessions.scs.Destroy(ctx); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	if v := authz.From(ctx); v != nil {
		err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
			return audit.Record(ctx, tx, audit.Entry{Action: "user.sign-out", ObjectID: v.UserID})
		})
		if err != nil {
			return err
		}
	}
	s.sessions.scs.WriteSessionCookie(ctx, st.w, "", time.Time{})
	s.Broker.Publish(ctx, event.Message{Topic: Topic, ID: st.id})
	return nil
}

// browser is the request's session; a fault without one, and for a program:
// what it guards is not to be had with an access token.
func browser(ctx context.Context) (*request, error) {
	st, ok := ctx.Value(requestKey{}).(*request)
	switch {
	case !ok || st.id == "":
		return nil, fault.New(fault.Unauthenticated, "sign-in", nil)
	case st.program():
		return nil, fault.New(fault.Forbidden, "token.browser", nil)
	}
	return st, nil
}

// Follow gives a context that also ends when the session or token does: for
// sockets, which outlive the request that opened them. A message tells of the
// end; EndLapsed finds what no message told of.
func (s *Service) Follow(ctx context.Context) (context.Context, context.CancelFunc) {
	st, ok := ctx.Value(requestKey{}).(*request)
	if !ok || st.id == "" {
		return context.WithCancel(ctx)
	}
	ctx, stop := context.WithDeadline(ctx, st.expires)
	ended := s.Broker.Subscribe(ctx, Topic, st.id)
	forget := s.followers.add(st.id, stop)
	// It may have ended before we listened.
	if err := s.CheckSession(ctx, st.id); err != nil {
		stop()
	}
	go func() {
		defer forget()
		if _, more := <-ended; more {
			stop()
		}
	}()
	return ctx, stop
}

// SessionID names the session or access token of a request, empty without one.
// It is no secret.
func SessionID(ctx context.Context) string {
	if st, ok := ctx.Value(requestKey{}).(*request); ok {
		return st.id
	}
	return ""
}

// Address is where a request came from, empty outside of one.
func Address(ctx context.Context) string {
	if st, ok := ctx.Value(requestKey{}).(*request); ok {
		return st.address
	}
	return ""
}

// CheckSession is a fault when a session or access token has ended. No session
// (of a program that shows its right in another way) has no end.
func (s *Service) CheckSession(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	there, err := s.lasts(authz.AsSystem(ctx), id, time.Now().UTC())
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	if !there {
		return fault.New(fault.Unauthenticated, "sign-in", nil)
	}
	return nil
}

func (s *Service) lasts(ctx context.Context, id string, now time.Time) (bool, error) {
	if ident.Is(ident.Token, id) {
		return s.DB.Client.AccessToken.Query().Where(accesstoken.ID(id), accesstoken.ExpiresAtGT(now)).Exist(ctx)
	}
	return s.DB.Client.Session.Query().Where(session.ID(id), session.ExpiresAtGT(now)).Exist(ctx)
}

// sessionID is the hash that scs keeps a token under.
func sessionID(token string) string {
	h := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(h[:])
}

// store keeps sessions as rows.
type store struct{ db *db.DB }

var _ scs.CtxStore = (*store)(nil)

// FindCtx reads the data of a session that has not lapsed.
func (s *store) FindCtx(ctx context.Context, id string) ([]byte, bool, error) {
	row, err := s.db.Client.Session.Query().Where(session.ID(id), session.ExpiresAtGT(time.Now().UTC())).Only(authz.AsSystem(ctx))
	if ent.IsNotFound(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("find session: %w", err)
	}
	if st, ok := ctx.Value(requestKey{}).(*request); ok {
		st.expires, st.used = row.ExpiresAt, row.UsedAt
	}
	return row.Data, true, nil
}

// CommitCtx writes the data of a session.
func (s *store) CommitCtx(ctx context.Context, id string, data []byte, expires time.Time) error {
	st, ok := ctx.Value(requestKey{}).(*request)
	if !ok || st.userID == "" {
		return errors.New("account: a session of nobody")
	}
	ctx = authz.AsSystem(ctx)
	return s.db.Tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.Session.Update().Where(session.ID(id)).SetData(data).SetExpiresAt(expires.UTC()).Save(ctx)
		if err == nil && n == 0 {
			err = tx.Session.Create().SetID(id).SetUserID(st.userID).SetData(data).SetExpiresAt(expires.UTC()).
				SetAddress(st.address).SetAgent(st.agent).SetWay(string(st.way)).Exec(ctx)
		}
		if err != nil {
			return fmt.Errorf("commit session: %w", err)
		}
		return nil
	})
}

// DeleteCtx forgets a session.
func (s *store) DeleteCtx(ctx context.Context, id string) error {
	if _, err := s.db.Client.Session.Delete().Where(session.ID(id)).Exec(authz.AsSystem(ctx)); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}

// Find is FindCtx; scs asks for both.
func (s *store) Find(id string) ([]byte, bool, error) { return s.FindCtx(context.Background(), id) }

// Commit is CommitCtx.
func (s *store) Commit(id string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), id, data, expires)
}

// Delete is DeleteCtx.
func (s *store) Delete(id string) error { return s.DeleteCtx(context.Background(), id) }
