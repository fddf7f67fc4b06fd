// Package idp gives tests a real OpenID provider over HTTP, with people who type
// their passwords, and ways to make it lie: what a conforming provider never
// says has to be refused, too.
package idp

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// What the platform is to the provider.
const (
	ClientID = "goblinlab"
	Secret   = "the-client's-secret"
)

// Person is somebody with an account at the provider.
type Person struct {
	Subject       string
	Password      string
	Email         string
	EmailVerified bool
	Name          string
	Groups        []string // nil for no claim
}

// Provider is a running provider. Its fields are set before it is used, or
// under Change.
type Provider struct {
	Issuer string

	mu        sync.Mutex
	people    map[string]Person // by login name
	redirects []string
	leaves    []string
	down      bool
	discovery func(map[string]any)
	forge     func(map[string]any)
	asked     []string // queries of /authorize

	storage *storage
	op      http.Handler
}

// Start starts a provider that ends with the test.
func Start(t testing.TB) *Provider {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p, err := New("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(p)
	_ = srv.Listener.Close()
	srv.Listener = l
	srv.Start()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return p
}

// New makes a provider that calls itself issuer, for whoever serves it.
func New(issuer string) (*Provider, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	p := &Provider{Issuer: issuer, people: map[string]Person{}}
	p.storage = newStorage(p, key)
	c := &op.Config{CryptoKey: [32]byte{1}, CodeMethodS256: true, AuthMethodPost: true}
	p.op, err = op.NewProvider(c, p.storage, op.StaticIssuer(issuer), op.WithAllowInsecure(), op.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	return p, err
}

// Register tells it where the platform is.
func (p *Provider) Register(platform string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.redirects = append(p.redirects, platform+"/auth/oidc/callback")
	p.leaves = append(p.leaves, platform+"/sign-in")
}

// SetPerson makes or changes somebody's account.
func (p *Provider) SetPerson(login string, who Person) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.people[login] = who
}

// SetDown makes it break off every connection, or answer again.
func (p *Provider) SetDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// BadSignature is a claim that Forge sets to have the token signed by another key.
const BadSignature = "bad signature"

// Forge changes the claims of ID tokens before they are signed; nil for none.
func (p *Provider) Forge(f func(claims map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forge = f
}

// Discovery changes what it says of itself; nil for nothing.
func (p *Provider) Discovery(f func(metadata map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.discovery = f
}

// Asked are the queries that browsers came with, so far.
func (p *Provider) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.asked...)
}

// ServeHTTP is the provider, and its page where people type their passwords.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	down, forge, discovery := p.down, p.forge, p.discovery
	if r.URL.Path == "/authorize" {
		p.asked = append(p.asked, r.URL.RawQuery)
	}
	p.mu.Unlock()
	switch {
	case down:
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = c.Close()
		}
	case r.URL.Path == "/login":
		p.login(w, r)
	case r.URL.Path == "/oauth/token" && forge != nil:
		p.rewrite(w, r, func(answer map[string]any) {
			if raw, ok := answer["id_token"].(string); ok {
				answer["id_token"] = p.sign(raw, forge)
			}
		})
	case r.URL.Path == "/.well-known/openid-configuration" && discovery != nil:
		p.rewrite(w, r, discovery)
	default:
		p.op.ServeHTTP(w, r)
	}
}

// rewrite answers as the provider does, with its JSON changed.
func (p *Provider) rewrite(w http.ResponseWriter, r *http.Request, change func(map[string]any)) {
	rec := httptest.NewRecorder()
	p.op.ServeHTTP(rec, r)
	var answer map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err == nil {
		change(answer)
		b, _ := json.Marshal(answer)
		rec.Body = bytes.NewBuffer(b)
		rec.Header().Del("Content-Length")
	}
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// sign makes an ID token with other claims and a good signature.
func (p *Provider) sign(raw string, forge func(map[string]any)) string {
	t, err := jose.ParseSigned(raw, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return raw
	}
	claims := map[string]any{}
	if err := json.Unmarshal(t.UnsafePayloadWithoutVerification(), &claims); err != nil {
		return raw
	}
	forge(claims)
	key := p.storage.key
	if _, bad := claims[BadSignature]; bad {
		if key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			return raw
		}
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: keyID}}, nil)
	if err != nil {
		return raw
	}
	b, _ := json.Marshal(claims)
	signed, err := s.Sign(b)
	if err != nil {
		return raw
	}
	out, _ := signed.CompactSerialize()
	return out
}

var loginPage = template.Must(template.New("login").Parse(`<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Example ID</title><h1>Example ID</h1>
<form method="post"><input type="hidden" name="id" value="{{.ID}}">
{{if .Wrong}}<p role="alert">Wrong name or password.</p>{{end}}
<p><label>Name <input name="login" autofocus></label></p><p><label>Password <input name="password" type="password"></label></p>
<button>Sign in</button> <button name="cancel" value="1">Cancel</button></form>`))

func (p *Provider) login(w http.ResponseWriter, r *http.Request) {
	id, wrong := r.FormValue("id"), false
	if r.Method == http.MethodPost {
		p.mu.Lock()
		who, known := p.people[r.PostFormValue("login")]
		p.mu.Unlock()
		switch {
		case r.PostFormValue("cancel") != "":
			to, ok := p.storage.cancelled(id)
			if !ok {
				http.Error(w, "no such sign-in", http.StatusBadRequest)
				return
			}
			http.Redirect(w, r, to, http.StatusFound)
			return
		case known && who.Password == r.PostFormValue("password") && p.storage.done(id, who.Subject):
			http.Redirect(w, r, p.Issuer+"/authorize/callback?id="+id, http.StatusFound)
			return
		}
		wrong = true
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = loginPage.Execute(w, map[string]any{"ID": id, "Wrong": wrong})
}

// person finds somebody by their subject.
func (p *Provider) person(subject string) (Person, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, who := range p.people {
		if who.Subject == subject {
			return who, true
		}
	}
	return Person{}, false
}

func (p *Provider) uris(of *[]string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), (*of)...)
}

// LoginID is the sign-in that a page of the provider is about.
func LoginID(page string) string {
	_, rest, _ := strings.Cut(page, `name="id" value="`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}
