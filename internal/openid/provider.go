// Package openid speaks OpenID Connect with one provider: discovery, the
// authorization code flow with PKCE, state and nonce, the ID token's proof, and
// what it says about a person. It keeps nothing and knows no people.
//
//	Try ──▶ AuthURL ──▶ the browser at the provider ──▶ code ──▶ Redeem ──▶ Person
//
// The provider is looked up when it is first needed and again when what is known
// of it is old, so that a platform starts and goes on without it.
package openid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Config says which provider, and what the platform is to it.
type Config struct {
	Issuer, ClientID, ClientSecret string
	Scopes                         []string
	RedirectURL                    string // where the browser comes back to
	AfterLogout                    string // where it comes back to after a sign-out
	EmailClaim                     string
	NameClaim                      string
	GroupsClaim                    string
}

// What may go wrong on the way.
var (
	ErrUnreachable = errors.New("openid: the provider does not answer")
	ErrRefused     = errors.New("openid: the provider refused")          // the code, or the platform itself
	ErrUntrusted   = errors.New("openid: the answer proves nothing")     // a token that is not for this sign-in
	ErrIncomplete  = errors.New("openid: the answer names nobody")       // no subject
	errBadMetadata = errors.New("openid: the provider describes no way") // no endpoints
)

const (
	answerTime = 10 * time.Second // for one question to the provider
	lookupTime = 3 * time.Second  // for what somebody who opens the page waits for
	freshFor   = time.Minute      // what is known of the provider
	failedFor  = 2 * time.Second  // that it did not answer
	maxAnswer  = 1 << 20          // bytes
	skew       = time.Minute      // between its clock and ours
)

// Provider is the provider. Its methods may be called at once.
type Provider struct {
	c      Config
	client *http.Client

	mu     sync.Mutex // one lookup at a time; the others wait for its result
	known  *oidc.Provider
	at     time.Time // of the last lookup
	failed error     // of the last lookup
}

// New makes one; it asks nothing yet.
func New(c Config) *Provider {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableKeepAlives = true // sign-ins are rare: no connection needs to be kept
	return &Provider{c: c, client: &http.Client{Transport: bounded{t}, Timeout: answerTime}}
}

// bounded reads no endless answers.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}
	}
	return res, err
}

// Ready is nil when the provider answered within the last minute.
func (p *Provider) Ready(ctx context.Context) error {
	_, err := p.lookup(ctx)
	return err
}

// lookup gives what is known of the provider, asked anew when it is old, with
// an error when it did not answer by now. What was known before stays good.
func (p *Provider) lookup(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	age := time.Since(p.at)
	if p.failed == nil && p.known != nil && age < freshFor || p.failed != nil && age < failedFor {
		return p.known, p.failed
	}
	// Not the caller's end: others wait for the same answer.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lookupTime)
	defer stop()
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.c.Issuer)
	if err == nil && (found.Endpoint().AuthURL == "" || found.Endpoint().TokenURL == "") {
		err = errBadMetadata
	}
	p.at, p.failed = time.Now(), nil
	if err != nil {
		p.failed = fmt.Errorf("%w: %w", ErrUnreachable, err)
		return p.known, p.failed
	}
	p.known = found
	return found, nil
}

// usable is lookup for who can do with what was known before.
func (p *Provider) usable(ctx context.Context) (*oidc.Provider, error) {
	found, err := p.lookup(ctx)
	if found != nil {
		return found, nil
	}
	return nil, err
}

func (p *Provider) oauth(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: p.c.ClientID, ClientSecret: p.c.ClientSecret, RedirectURL: p.c.RedirectURL,
		Scopes: p.c.Scopes, Endpoint: found.Endpoint()}
}

// AuthURL is where the browser goes to. The challenge is S256 whatever the
// provider says that it can: one that takes less is not worth less care.
func (p *Provider) AuthURL(ctx context.Context, t Try) (string, error) {
	found, err := p.lookup(ctx)
	if err != nil {
		return "", err
	}
	return p.oauth(found).AuthCodeURL(t.State(), oidc.Nonce(t.nonce()), oauth2.S256ChallengeOption(t.verifier())), nil
}

// LogoutURL is where a browser ends its session with the provider, empty where
// it has no such place. hint is the ID token of the sign-in.
func (p *Provider) LogoutURL(ctx context.Context, hint string) string {
	found, err := p.lookup(ctx)
	if err != nil {
		return ""
	}
	var m struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := found.Claims(&m); err != nil {
		return ""
	}
	u, err := url.Parse(m.EndSession)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	q := u.Query()
	q.Set("client_id", p.c.ClientID)
	q.Set("id_token_hint", hint)
	q.Set("post_logout_redirect_uri", p.c.AfterLogout)
	u.RawQuery = q.Encode()
	return u.String()
}
