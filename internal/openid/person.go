package openid

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Person is who signed in, as the provider says it.
type Person struct {
	Issuer, Subject string
	Email           string
	EmailVerified   bool
	Name            string
	Groups          []string
	IDToken         string // what the provider wants back at a sign-out
}

// Redeem trades a code for the person who came with it.
func (p *Provider) Redeem(ctx context.Context, t Try, code string) (Person, error) {
	found, err := p.usable(ctx)
	if err != nil {
		return Person{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.oauth(found).Exchange(ctx, code, oauth2.VerifierOption(t.verifier()))
	if err != nil {
		return Person{}, exchangeError(err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Person{}, fmt.Errorf("%w: no ID token; is the scope openid asked for?", ErrUntrusted)
	}
	id, err := p.verify(ctx, found, t, raw, token.AccessToken)
	if err != nil {
		return Person{}, err
	}
	own := map[string]any{}
	if err := id.Claims(&own); err != nil {
		return Person{}, fmt.Errorf("%w: %w", ErrUntrusted, err)
	}
	said := []map[string]any{own}
	if more, err := p.userInfo(ctx, found, token, id.Subject, own); err != nil {
		return Person{}, err
	} else if more != nil {
		said = append(said, more)
	}
	who := Person{Issuer: id.Issuer, Subject: id.Subject, IDToken: raw, Name: text(first(said, p.c.NameClaim)), Groups: texts(first(said, p.c.GroupsClaim))}
	who.Email, who.EmailVerified = p.email(said)
	return who, nil
}

// email gives an address with its proof, which counts only from the same answer.
// The proof's claim is named after the address's, as email_verified after email.
func (p *Provider) email(said []map[string]any) (address string, verified bool) {
	for _, claims := range said {
		a, proof := text(lookup(claims, p.c.EmailClaim)), lookup(claims, p.c.EmailClaim+"_verified")
		if a != "" && proof != nil {
			return a, truth(proof)
		}
	}
	return text(first(said, p.c.EmailClaim)), false
}

// first is a claim of the first answer that has it.
func first(said []map[string]any, name string) any {
	for _, claims := range said {
		if v := lookup(claims, name); v != nil {
			return v
		}
	}
	return nil
}

// exchangeError keeps an answer's code alone: its body may hold what was sent.
func exchangeError(err error) error {
	var r *oauth2.RetrieveError
	switch {
	case !errors.As(err, &r):
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	case r.Response != nil && r.Response.StatusCode >= 500:
		return fmt.Errorf("%w: status %d", ErrUnreachable, r.Response.StatusCode)
	}
	return fmt.Errorf("%w: %.40q", ErrRefused, r.ErrorCode)
}

// verify proves that an ID token was made by the provider, for this platform,
// in this try, beside this access token, and has not lapsed.
func (p *Provider) verify(ctx context.Context, found *oidc.Provider, t Try, raw, access string) (*oidc.IDToken, error) {
	// A clock behind ours by the skew is forgiven; the library forgives nbf by itself.
	v := found.Verifier(&oidc.Config{ClientID: p.c.ClientID, Now: func() time.Time { return time.Now().Add(-skew) }})
	id, err := v.Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUntrusted, err)
	}
	var c struct {
		AuthorizedParty string `json:"azp"`
	}
	if err := id.Claims(&c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUntrusted, err)
	}
	switch {
	case id.Nonce != t.nonce():
		return nil, fmt.Errorf("%w: its nonce is of another sign-in", ErrUntrusted)
	case (len(id.Audience) > 1 || c.AuthorizedParty != "") && c.AuthorizedParty != p.c.ClientID:
		return nil, fmt.Errorf("%w: it was made for another party", ErrUntrusted)
	case id.Subject == "":
		return nil, ErrIncomplete
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(access); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUntrusted, err)
		}
	}
	return id, nil
}

// userInfo asks for what the ID token leaves out, nil when that is nothing. An
// answer about somebody else counts for nothing.
func (p *Provider) userInfo(ctx context.Context, found *oidc.Provider, token *oauth2.Token, subject string, own map[string]any) (map[string]any, error) {
	whole := true
	for _, name := range []string{p.c.EmailClaim, p.c.EmailClaim + "_verified", p.c.NameClaim, p.c.GroupsClaim} {
		whole = whole && lookup(own, name) != nil
	}
	if whole || found.UserInfoEndpoint() == "" {
		return nil, nil
	}
	info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, fmt.Errorf("%w: user info: %w", ErrUnreachable, err)
	}
	if info.Subject != subject {
		return nil, fmt.Errorf("%w: user info is about somebody else", ErrUntrusted)
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return nil, fmt.Errorf("%w: user info: %w", ErrUntrusted, err)
	}
	return more, nil
}

// lookup finds a claim by its name, or by a path of names through objects.
func lookup(claims map[string]any, name string) any {
	if v, ok := claims[name]; ok {
		return v
	}
	first, rest, more := strings.Cut(name, ".")
	inner, ok := claims[first].(map[string]any)
	if !more || !ok {
		return nil
	}
	return lookup(inner, rest)
}

func text(v any) string {
	s, _ := v.(string)
	return strings.TrimSpace(s)
}

// truth also reads what some providers write as text.
func truth(v any) bool { return v == true || v == "true" }

// texts also reads what is one text where one would expect a list.
func texts(v any) []string {
	switch x := v.(type) {
	case string:
		return []string{x}
	case []any:
		var out []string
		for _, e := range x {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}
