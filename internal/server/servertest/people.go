package servertest

import (
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/internal/authz"
)

// Everybody who calls, in tables of who may do what. Things belong to the
// member, unless a case says otherwise.
const (
	Owner, Maintainer, Member, Viewer = "owner", "maintainer", "member", "viewer"
	Other, Admin, Auditor             = "other team", "administrator", "auditor"
	WriteToken, ReadToken             = "write token of the member", "read token of the member"
	AdminWrite                        = "write token of the administrator"
	ExpiredToken, Anonymous           = "expired token of the administrator", "anonymous"
)

// Callers are everybody, browsers first, then programs, then strangers: one
// with a token of no use, and one with nothing.
var Callers = []string{Owner, Maintainer, Member, Viewer, Other, Admin, Auditor, WriteToken, ReadToken, AdminWrite, ExpiredToken, Anonymous}

// Person is who signs in as a caller; nil for programs and strangers.
func (s *Site) Person(who string) *ent.User {
	return map[string]*ent.User{Owner: s.Cast.Owner, Maintainer: s.Cast.Maintainer, Member: s.Cast.Member,
		Viewer: s.Cast.Viewer, Other: s.Cast.Other, Admin: s.Cast.Admin, Auditor: s.Cast.Auditor}[who]
}

// People are everybody's browsers.
func (s *Site) People(t testing.TB) map[string]*Browser {
	t.Helper()
	sys := authz.AsSystem(t.Context())
	out := map[string]*Browser{}
	for _, who := range Callers {
		if u := s.Person(who); u != nil {
			out[who] = s.SignIn(t, u)
		}
	}
	out[WriteToken] = s.Program(t, s.Cast.Member, authz.ScopeWrite)
	out[ReadToken] = s.Program(t, s.Cast.Member, authz.ScopeRead)
	out[AdminWrite] = s.Program(t, s.Cast.Admin, authz.ScopeWrite)
	out[ExpiredToken] = s.Program(t, s.Cast.Admin, authz.ScopeAdmin)
	if err := s.DB.Client.AccessToken.Update().Where(accesstoken.UserID(s.Cast.Admin.ID), accesstoken.ScopeEQ(authz.ScopeAdmin)).
		SetExpiresAt(time.Now().UTC()).Exec(sys); err != nil {
		t.Fatal(err)
	}
	out[Anonymous] = s.Stranger(t)
	return out
}
