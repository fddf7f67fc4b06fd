// Package authz says who is asking and what they may do: the viewer in the
// context, the table of roles and actions, and the policy that keeps every
// query inside the viewer's teams. It fails closed: no viewer, no rows.
package authz

import (
	"context"
	"slices"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Role is a person's role in a team.
type Role string

// Roles of a team, each including those before it.
const (
	RoleViewer     Role = "viewer"
	RoleMember     Role = "member"
	RoleMaintainer Role = "maintainer"
	RoleOwner      Role = "owner"
)

// PlatformRole is a person's role on the whole platform.
type PlatformRole string

// Roles of the platform.
const (
	PlatformUser          PlatformRole = "user"
	PlatformAuditor       PlatformRole = "auditor"
	PlatformAdministrator PlatformRole = "administrator"
)

// Origin says where a role comes from. What people gave is theirs to take.
type Origin string

// Origins of roles.
const (
	Manual Origin = "manual" // a person gave it
	Mapped Origin = "mapped" // a group of the sign-in gave it, and takes it
)

// TokenScope narrows what a program may do as a person. The zero value is a signed-in browser's: everything that the person may.
type TokenScope string

// Scopes of access tokens, each including those before it. Only the last has the person's role on the platform.
const (
	ScopeRead  TokenScope = "read"  // what the person sees in their teams
	ScopeWrite TokenScope = "write" // what the person does in their teams
	ScopeAdmin TokenScope = "admin" // what the person does on the whole platform
)

// ScopeInside is that of tokens which the platform puts into instances and
// runs: within one team it reads, and starts and stops its owner's runs. It
// knows no other people, no secrets, no tokens and no audit log. It includes no
// other scope, and none includes it.
const ScopeInside TokenScope = "inside"

// Viewer is who asks.
type Viewer struct {
	UserID   string
	Platform PlatformRole
	Teams    map[string]Role // by team id
	Scope    TokenScope
	OnlyTeam string // the one team that the scope is about; empty for all
	Address  string // where the request came from, for the audit log
	system   bool
}

// Administrator reports whether the viewer administers the platform.
func (v *Viewer) Administrator() bool {
	return v.system || v.Platform == PlatformAdministrator
}

// ReadsAll reports whether the viewer sees every team's rows.
func (v *Viewer) ReadsAll() bool { return v.Administrator() || v.Platform == PlatformAuditor }

// System reports whether it is the platform itself.
func (v *Viewer) System() bool { return v.system }

// Within is the viewer narrowed to a scope; the zero scope narrows nothing.
func (v *Viewer) Within(s TokenScope) *Viewer {
	if s == "" {
		return v
	}
	n := *v
	n.Scope = s
	if s != ScopeAdmin {
		n.Platform = PlatformUser
	}
	return &n
}

// InTeam is the viewer narrowed to one team, empty for all. Without a role there
// they see nothing; an administrator counts as a member.
func (v *Viewer) InTeam(id string) *Viewer {
	if id == "" {
		return v
	}
	n := *v
	n.OnlyTeam, n.Platform, n.Teams = id, PlatformUser, map[string]Role{}
	switch role, ok := v.Teams[id]; {
	case ok:
		n.Teams[id] = role
	case v.Administrator():
		n.Teams[id] = RoleMember
	}
	return &n
}

// Inside reports whether a program asks with the token of the container that it runs in.
func (v *Viewer) Inside() bool { return v.Scope == ScopeInside }

// ReadsOnly reports whether the viewer may change nothing, whatever the roles.
func (v *Viewer) ReadsOnly() bool { return v.Scope == ScopeRead }

// TeamIDs are the viewer's teams in a stable order.
func (v *Viewer) TeamIDs() []string {
	ids := make([]string, 0, len(v.Teams))
	for id := range v.Teams {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// OwnTeamIDs are the teams that the viewer owns, in a stable order.
func (v *Viewer) OwnTeamIDs() []string {
	if v.Inside() {
		return nil
	}
	return slices.DeleteFunc(v.TeamIDs(), func(id string) bool { return v.Teams[id] != RoleOwner })
}

type key struct{}

// With puts the viewer into the context.
func With(ctx context.Context, v *Viewer) context.Context { return context.WithValue(ctx, key{}, v) }

// From is the viewer of the context, nil when nobody is signed in.
func From(ctx context.Context) *Viewer {
	v, _ := ctx.Value(key{}).(*Viewer)
	return v
}

// AsSystem is a context of the platform itself: workers, reconcilers, start-up.
func AsSystem(ctx context.Context) context.Context { return With(ctx, &Viewer{system: true}) }

// Require gives the viewer, or a fault that asks to sign in.
func Require(ctx context.Context) (*Viewer, error) {
	if v := From(ctx); v != nil {
		return v, nil
	}
	return nil, fault.New(fault.Unauthenticated, "sign-in", nil)
}
