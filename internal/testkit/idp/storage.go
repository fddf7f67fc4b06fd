package idp

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

const keyID = "key-1"

var errNone = errors.New("there is none")

// storage is what the provider remembers.
type storage struct {
	p   *Provider
	key *rsa.PrivateKey

	mu     sync.Mutex
	asks   map[string]*ask
	codes  map[string]string // code to the id of what was asked
	tokens map[string]token  // access tokens
}

type token struct {
	subject string
	scopes  []string
	ends    time.Time
}

func newStorage(p *Provider, key *rsa.PrivateKey) *storage {
	return &storage{p: p, key: key, asks: map[string]*ask{}, codes: map[string]string{}, tokens: map[string]token{}}
}

var _ op.Storage = (*storage)(nil)

// ask is a browser that wants to sign in.
type ask struct {
	id      string
	subject string // once known
	in      oidc.AuthRequest
	at      time.Time
}

var _ op.AuthRequest = (*ask)(nil)

func (a *ask) GetID() string                      { return a.id }
func (a *ask) GetACR() string                     { return "" }
func (a *ask) GetAMR() []string                   { return []string{"pwd"} }
func (a *ask) GetAudience() []string              { return []string{a.in.ClientID} }
func (a *ask) GetAuthTime() time.Time             { return a.at }
func (a *ask) GetClientID() string                { return a.in.ClientID }
func (a *ask) GetNonce() string                   { return a.in.Nonce }
func (a *ask) GetRedirectURI() string             { return a.in.RedirectURI }
func (a *ask) GetResponseType() oidc.ResponseType { return a.in.ResponseType }
func (a *ask) GetResponseMode() oidc.ResponseMode { return a.in.ResponseMode }
func (a *ask) GetScopes() []string                { return a.in.Scopes }
func (a *ask) GetState() string                   { return a.in.State }
func (a *ask) GetSubject() string                 { return a.subject }
func (a *ask) Done() bool                         { return a.subject != "" }
func (a *ask) GetCodeChallenge() *oidc.CodeChallenge {
	if a.in.CodeChallenge == "" {
		return nil
	}
	return &oidc.CodeChallenge{Challenge: a.in.CodeChallenge, Method: a.in.CodeChallengeMethod}
}

func (s *storage) CreateAuthRequest(_ context.Context, in *oidc.AuthRequest, _ string) (op.AuthRequest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &ask{id: rand.Text(), in: *in, at: time.Now()}
	s.asks[a.id] = a
	return a, nil
}

// done notes who typed their password.
func (s *storage) done(id, subject string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.asks[id]
	if a == nil {
		return false
	}
	a.subject, a.at = subject, time.Now()
	return true
}

// cancelled is where a browser goes whose person changed their mind.
func (s *storage) cancelled(id string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.asks[id]
	if a == nil {
		return "", false
	}
	delete(s.asks, id)
	return a.in.RedirectURI + "?" + url.Values{"error": {"access_denied"}, "state": {a.in.State}}.Encode(), true
}

func (s *storage) AuthRequestByID(_ context.Context, id string) (op.AuthRequest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.asks[id]; a != nil {
		return a, nil
	}
	return nil, errNone
}

func (s *storage) AuthRequestByCode(ctx context.Context, code string) (op.AuthRequest, error) {
	s.mu.Lock()
	id := s.codes[code]
	s.mu.Unlock()
	return s.AuthRequestByID(ctx, id)
}

func (s *storage) SaveAuthCode(_ context.Context, id, code string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[code] = id
	return nil
}

func (s *storage) DeleteAuthRequest(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asks, id)
	return nil
}

func (s *storage) CreateAccessToken(_ context.Context, r op.TokenRequest) (string, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ends := rand.Text(), time.Now().Add(5*time.Minute)
	s.tokens[id] = token{r.GetSubject(), r.GetScopes(), ends}
	return id, ends, nil
}

func (s *storage) CreateAccessAndRefreshTokens(context.Context, op.TokenRequest, string) (id, refresh string, ends time.Time, err error) {
	return "", "", time.Time{}, errNone
}

func (s *storage) TokenRequestByRefreshToken(context.Context, string) (op.RefreshTokenRequest, error) {
	return nil, errNone
}
func (s *storage) TerminateSession(context.Context, string, string) error { return nil }
func (s *storage) RevokeToken(context.Context, string, string, string) *oidc.Error {
	return nil
}

func (s *storage) GetRefreshTokenInfo(context.Context, string, string) (userID, tokenID string, err error) {
	return "", "", errNone
}

func (s *storage) SigningKey(context.Context) (op.SigningKey, error) { return signingKey{s.key}, nil }
func (s *storage) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.RS256}, nil
}
func (s *storage) KeySet(context.Context) ([]op.Key, error) { return []op.Key{publicKey{s.key}}, nil }

type signingKey struct{ key *rsa.PrivateKey }

func (signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k signingKey) Key() any                                  { return k.key }
func (signingKey) ID() string                                  { return keyID }

type publicKey struct{ key *rsa.PrivateKey }

func (publicKey) ID() string                         { return keyID }
func (publicKey) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (publicKey) Use() string                        { return "sig" }
func (k publicKey) Key() any                         { return &k.key.PublicKey }

func (s *storage) GetClientByClientID(_ context.Context, id string) (op.Client, error) {
	if id != ClientID {
		return nil, errNone
	}
	return client{s.p}, nil
}

func (s *storage) AuthorizeClientIDSecret(_ context.Context, id, secret string) error {
	if id != ClientID || secret != Secret {
		return errNone
	}
	return nil
}

// SetUserinfoFromScopes fills ID tokens: with the subject alone, as many
// providers do; the rest is told by the user info.
func (s *storage) SetUserinfoFromScopes(_ context.Context, info *oidc.UserInfo, subject, _ string, _ []string) error {
	info.Subject = subject
	return nil
}

func (s *storage) SetUserinfoFromToken(_ context.Context, info *oidc.UserInfo, id, subject, _ string) error {
	s.mu.Lock()
	t, ok := s.tokens[id]
	s.mu.Unlock()
	if !ok || t.ends.Before(time.Now()) {
		return errNone
	}
	who, ok := s.p.person(subject)
	if !ok {
		return errNone
	}
	info.Subject = subject
	if slices.Contains(t.scopes, oidc.ScopeEmail) {
		info.Email, info.EmailVerified = who.Email, oidc.Bool(who.EmailVerified)
	}
	if slices.Contains(t.scopes, oidc.ScopeProfile) {
		info.Name = who.Name
	}
	if who.Groups != nil {
		info.AppendClaims("groups", who.Groups)
	}
	return nil
}

func (s *storage) SetIntrospectionFromToken(context.Context, *oidc.IntrospectionResponse, string, string, string) error {
	return errNone
}

func (s *storage) GetPrivateClaimsFromScopes(context.Context, string, string, []string) (map[string]any, error) {
	return nil, nil
}

func (s *storage) GetKeyByIDAndClientID(context.Context, string, string) (*jose.JSONWebKey, error) {
	return nil, errNone
}

func (s *storage) ValidateJWTProfileScopes(context.Context, string, []string) ([]string, error) {
	return nil, errNone
}
func (s *storage) Health(context.Context) error { return nil }

// client is the platform as the provider knows it.
type client struct{ p *Provider }

var _ op.Client = client{}

func (client) GetID() string                        { return ClientID }
func (c client) RedirectURIs() []string             { return c.p.uris(&c.p.redirects) }
func (c client) PostLogoutRedirectURIs() []string   { return c.p.uris(&c.p.leaves) }
func (client) ApplicationType() op.ApplicationType  { return op.ApplicationTypeWeb }
func (client) AuthMethod() oidc.AuthMethod          { return oidc.AuthMethodBasic }
func (client) ResponseTypes() []oidc.ResponseType   { return []oidc.ResponseType{oidc.ResponseTypeCode} }
func (client) GrantTypes() []oidc.GrantType         { return []oidc.GrantType{oidc.GrantTypeCode} }
func (c client) LoginURL(id string) string          { return c.p.Issuer + "/login?id=" + id }
func (client) AccessTokenType() op.AccessTokenType  { return op.AccessTokenTypeBearer }
func (client) IDTokenLifetime() time.Duration       { return time.Hour }
func (client) DevMode() bool                        { return true } // http
func (client) IsScopeAllowed(scope string) bool     { return scope == "groups" }
func (client) IDTokenUserinfoClaimsAssertion() bool { return false }
func (client) ClockSkew() time.Duration             { return 0 }
func (client) RestrictAdditionalIdTokenScopes() func([]string) []string {
	return func(s []string) []string { return s }
}

func (client) RestrictAdditionalAccessTokenScopes() func([]string) []string {
	return func(s []string) []string { return s }
}
