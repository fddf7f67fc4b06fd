package openid

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
)

// Try is one way of one browser to the provider and back. Its secret lives in
// the browser alone; what the provider sees is derived from it, so that a
// state, nonce or verifier that somebody else made does not fit this browser.
type Try struct{ secret string }

// NewTry begins one.
func NewTry() Try { return Try{rand.Text() + rand.Text()} }

// OpenTry is the try of a secret that a browser brought back.
func OpenTry(secret string) Try { return Try{secret} }

// Secret is for the browser.
func (t Try) Secret() string { return t.secret }

// State comes back with the browser.
func (t Try) State() string { return t.derive("state") }

// Is reports whether a state that came back is this try's.
func (t Try) Is(state string) bool {
	return t.secret != "" && subtle.ConstantTimeCompare([]byte(state), []byte(t.State())) == 1
}

func (t Try) nonce() string    { return t.derive("nonce") }
func (t Try) verifier() string { return t.derive("verifier") } // 43 characters, as RFC 7636 wants

func (t Try) derive(what string) string {
	m := hmac.New(sha256.New, []byte(t.secret))
	_, _ = m.Write([]byte("goblinlab sign-in " + what)) // never fails
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}
