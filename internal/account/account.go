package account

import (
	"context"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/openid"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Topic carries the end of sessions; a message's id is the session's or the
// access token's, or a person's who may not sign in any more.
const Topic = "session"

// firstEmail is the address of the administrator that the first start makes.
const firstEmail = "admin@localhost"

const maxEmail = 254 // characters, RFC 5321

// Deps are what the service works with.
type Deps struct {
	DB     *db.DB
	Broker event.Broker
	Config config.Config
	// Members begins, changes and ends memberships; it is built upon this service
	// and set after it. Without it groups give no roles in teams.
	Members Members
}

// Members is the one way in which memberships change; *team.Service is it.
type Members interface {
	Put(ctx context.Context, tx *ent.Tx, c team.Change) (row *ent.Team, done func(), err error)
}

// Service keeps people, links and sessions.
type Service struct {
	Deps
	sessions  *sessions
	hasher    *hasher
	followers *followers
	provider  *openid.Provider // nil without one
	guesses   *guesses
}

// New makes a Service.
func New(d Deps) *Service {
	return &Service{Deps: d, sessions: newSessions(d), hasher: newHasher(), followers: newFollowers(),
		provider: newProvider(d.Config), guesses: newGuesses()}
}

// CreateUserInput describes a new person.
type CreateUserInput struct {
	Email, DisplayName string
	PlatformRole       authz.PlatformRole
}

// CreateUser makes a person and a link that signs them in once. Administrators only.
func (s *Service) CreateUser(ctx context.Context, in CreateUserInput) (*ent.User, string, time.Time, error) {
	none := func(err error) (*ent.User, string, time.Time, error) { return nil, "", time.Time{}, err }
	v, err := authz.Require(ctx)
	if err != nil {
		return none(err)
	}
	if err := v.Check(authz.Platform, ""); err != nil {
		return none(err)
	}
	in.Email = strings.ToLower(strings.TrimSpace(in.Email))
	in.DisplayName = strings.TrimSpace(in.DisplayName)
	if err := in.check(); err != nil {
		return none(err)
	}
	var u *ent.User
	var l newLink
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		var err error
		u, err = tx.User.Create().SetEmail(in.Email).SetDisplayName(in.DisplayName).SetPlatformRole(in.PlatformRole).Save(ctx)
		if ent.IsConstraintError(err) {
			var f fault.Fields
			f.Add("email", "account.email.taken", fault.Args{"value": in.Email})
			return f.Err()
		}
		if err != nil {
			return fmt.Errorf("create user: %w", err)
		}
		if l, err = s.addLink(ctx, tx, u.ID); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "user.create", ObjectID: u.ID, After: map[string]any{
			"email": u.Email, "displayName": u.DisplayName, "platformRole": string(u.PlatformRole)}})
	})
	if err != nil {
		return none(err)
	}
	return u.Unwrap(), l.url, l.expires, nil
}

func (in CreateUserInput) check() error {
	var f fault.Fields
	CheckEmail(&f, "email", in.Email)
	preflight.CheckName(&f, "displayName", in.DisplayName)
	switch in.PlatformRole {
	case authz.PlatformUser, authz.PlatformAuditor, authz.PlatformAdministrator:
	default:
		f.Add("platformRole", "account.role", nil)
	}
	return f.Err()
}

// CheckEmail notes at path what is no address of a person.
func CheckEmail(f *fault.Fields, path, email string) {
	a, err := mail.ParseAddress(email)
	if err != nil || a.Address != email || len(email) > maxEmail {
		f.Add(path, "account.email", fault.Args{"limit": maxEmail})
	}
}

// EnsureAdministrator gives an administrator, made when the platform has none
// that may sign in. It runs as the platform; several processes may call it at once.
func (s *Service) EnsureAdministrator(ctx context.Context) (u *ent.User, created bool, err error) {
	ctx = authz.AsSystem(ctx)
	find := func() (*ent.User, error) {
		return s.DB.Client.User.Query().
			Where(user.PlatformRoleEQ(authz.PlatformAdministrator), user.DisabledAtIsNil()).
			Order(ent.Asc(user.FieldID)).First(ctx)
	}
	if u, err = find(); err == nil || !ent.IsNotFound(err) {
		return u, false, err
	}
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		u, err = tx.User.Create().SetEmail(firstEmail).SetDisplayName("Administrator").
			SetPlatformRole(authz.PlatformAdministrator).Save(ctx)
		if err != nil {
			return fmt.Errorf("create administrator: %w", err)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "user.create", ObjectID: u.ID, After: map[string]any{
			"email": u.Email, "displayName": u.DisplayName, "platformRole": string(u.PlatformRole)}})
	})
	if ent.IsConstraintError(err) { // another process was first
		u, err = find()
		return u, false, err
	}
	if err != nil {
		return nil, false, err
	}
	return u.Unwrap(), true, nil
}

// Viewer loads who a person is now: nil and a fault when they may not sign in
// any more. Address is where they ask from.
func (s *Service) Viewer(ctx context.Context, userID, address string) (*authz.Viewer, error) {
	sys := authz.AsSystem(ctx)
	u, err := s.DB.Client.User.Query().Where(user.ID(userID), user.DisabledAtIsNil()).
		Select(user.FieldID, user.FieldPlatformRole).Only(sys)
	if ent.IsNotFound(err) {
		return nil, fault.New(fault.Unauthenticated, "sign-in", nil)
	}
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", userID, err)
	}
	ms, err := s.DB.Client.Membership.Query().Where(membership.UserID(userID)).
		Select(membership.FieldTeamID, membership.FieldRole).All(sys)
	if err != nil {
		return nil, fmt.Errorf("memberships of %s: %w", userID, err)
	}
	v := &authz.Viewer{UserID: userID, Platform: u.PlatformRole, Teams: make(map[string]authz.Role, len(ms)), Address: address}
	for _, m := range ms {
		v.Teams[m.TeamID] = m.Role
	}
	return v, nil
}
