package account

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/knownbrowser"
	"github.com/goblinlab/goblinlab/ent/password"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Lengths of passwords, in characters after normalisation.
const (
	minPassword = 12
	maxPassword = 256
)

// freshLink is how long a session that came by a link counts as proof of who is there.
const freshLink = 10 * time.Minute

const fewest = 5 // different characters

//go:embed commonest.txt
var commonestText string

var commonest = func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(commonestText) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out[line] = true
		}
	}
	return out
}()

// normal is a password as it is hashed: keyboards write one text in several ways.
func normal(password string) string { return norm.NFC.String(password) }

// CheckPassword notes at path what is wrong with a new password, and never says
// it again.
func CheckPassword(f *fault.Fields, path, password string, about ...string) {
	p := normal(password)
	n := utf8.RuneCountInString(p)
	low := strings.ToLower(p)
	switch {
	case !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl):
		f.Add(path, "account.password.control", nil)
	case n < minPassword || n > maxPassword:
		f.Add(path, "account.password.length", fault.Args{"value": n, "min": minPassword, "limit": maxPassword})
	case isAbout(low, about):
		f.Add(path, "account.password.about", nil)
	case commonest[low] || repeats(low) || runs(low):
		f.Add(path, "account.password.common", nil)
	}
}

// isAbout reports whether a password is the person's address or name.
func isAbout(low string, about []string) bool {
	for _, a := range about {
		a = strings.ToLower(strings.TrimSpace(a))
		local, _, _ := strings.Cut(a, "@")
		if a != "" && (low == a || low == local || strings.Trim(low, "0123456789!.?*#-_ ") == a) {
			return true
		}
	}
	return false
}

// repeats reports whether a password has few characters, or is one word again and again.
func repeats(p string) bool {
	different := map[rune]bool{}
	for _, r := range p {
		different[r] = true
	}
	if len(different) < fewest {
		return true
	}
	for n := 1; n <= len(p)/2; n++ {
		if len(p)%n == 0 && strings.Repeat(p[:n], len(p)/n) == p && n < minPassword/2 {
			return true
		}
	}
	return false
}

// runs reports whether a password counts up or down, or goes along a row of keys.
func runs(p string) bool {
	rows := "qwertyuiop[]asdfghjkl;'zxcvbnm,./|1234567890-=|abcdefghijklmnopqrstuvwxyz|01234567890123456789"
	if strings.Contains(rows, p) {
		return true
	}
	back := []rune(p)
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return strings.Contains(rows, string(back))
}

// SignInWithPassword lets a person in by address and password. Whatever is
// wrong, the answer is the same, and takes as long.
func (s *Service) SignInWithPassword(ctx context.Context, email, pass, address string) error {
	st, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return errors.New("account: sign-in outside of a request")
	}
	email, pass = strings.ToLower(strings.TrimSpace(email)), normal(pass)
	wrong := fault.New(fault.Unauthenticated, "account.password.wrong", nil)
	if email == "" || len(email) > maxEmail || len(pass) > 4*maxPassword {
		return wrong
	}
	sys := authz.AsSystem(ctx)
	u, err := s.DB.Client.User.Query().Where(user.Email(email)).Only(sys)
	if ent.IsNotFound(err) {
		u, err = &ent.User{}, nil
	}
	if err != nil {
		return fmt.Errorf("look for a person: %w", err)
	}
	row, err := s.password(sys, u.ID)
	if err != nil {
		return err
	}
	known, err := s.known(ctx, st, u.ID)
	if err != nil {
		return err
	}
	budgets := []budget{accountBudget(email), addressBudget(address)}
	if known != "" {
		budgets = []budget{browserBudget(known)}
	}
	as := authz.With(ctx, &authz.Viewer{UserID: "", Address: address})
	if err := s.spend(as, u.ID, budgets...); err != nil {
		return err
	}
	same, old, err := s.hasher.compare(ctx, pass, row.Hash)
	if err != nil {
		return err
	}
	if !same || u.DisabledAt != nil {
		return wrong
	}
	if err := s.refund(ctx, budgets...); err != nil {
		return err
	}
	if old {
		if err := s.rehash(ctx, u.ID, row.Hash, pass); err != nil {
			return err
		}
	}
	as = authz.With(ctx, &authz.Viewer{UserID: u.ID, Address: address})
	err = s.DB.Tx(as, func(tx *ent.Tx) error {
		return audit.Record(as, tx, audit.Entry{Action: "user.sign-in", ObjectID: u.ID, After: map[string]any{"way": WayPassword}})
	})
	if err != nil {
		return err
	}
	return s.enter(ctx, st, u.ID, WayPassword, nil)
}

// password is a person's; an empty row for who has none.
func (s *Service) password(ctx context.Context, userID string) (*ent.Password, error) {
	row, err := s.DB.Client.Password.Query().Where(password.UserID(userID)).Only(ctx)
	if ent.IsNotFound(err) {
		return &ent.Password{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("password: %w", err)
	}
	return row, nil
}

// rehash writes a hash anew with today's parameters, unless it was changed meanwhile.
func (s *Service) rehash(ctx context.Context, userID, before, pass string) error {
	after, err := s.hasher.hash(ctx, pass)
	if err != nil {
		return err
	}
	err = s.DB.Client.Password.Update().Where(password.UserID(userID), password.Hash(before)).SetHash(after).Exec(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("write a hash anew: %w", err)
	}
	return nil
}

// PasswordState is what a person is told of their own password.
type PasswordState struct {
	ChangedAt *time.Time // nil when there is none
	Proof     bool       // the current one must be given to change or remove it
	Removable bool       // there is another way in
}

// Password tells of the viewer's password.
func (s *Service) Password(ctx context.Context) (PasswordState, error) {
	v, err := s.outside(ctx)
	if err != nil {
		return PasswordState{}, err
	}
	row, err := s.password(authz.AsSystem(ctx), v.UserID)
	if err != nil || row.ID == "" {
		return PasswordState{}, err
	}
	fresh, err := s.freshlyByLink(ctx)
	if err != nil {
		return PasswordState{}, err
	}
	others, err := otherWays(authz.AsSystem(ctx), s.DB.Client, v.UserID)
	return PasswordState{ChangedAt: &row.ChangedAt, Proof: !fresh, Removable: others}, err
}

// freshlyByLink reports whether the viewer came by a link just now.
func (s *Service) freshlyByLink(ctx context.Context) (bool, error) {
	id := SessionID(ctx)
	if id == "" {
		return false, nil
	}
	ok, err := s.DB.Client.Session.Query().Where(session.ID(id), session.WayEQ(string(WayLink)),
		session.CreatedAtGT(time.Now().UTC().Add(-freshLink))).Exist(authz.AsSystem(ctx))
	if err != nil {
		return false, fmt.Errorf("session: %w", err)
	}
	return ok, nil
}

// SetPassword gives the viewer a new password, and signs them out everywhere
// but here. One that is there must be given, unless they came by a link just now.
func (s *Service) SetPassword(ctx context.Context, current, next string) error {
	v, err := s.inBrowser(ctx)
	if err != nil {
		return err
	}
	sys := authz.AsSystem(ctx)
	u, err := s.DB.Client.User.Get(sys, v.UserID)
	if err != nil {
		return fmt.Errorf("user %s: %w", v.UserID, err)
	}
	var f fault.Fields
	CheckPassword(&f, "password", next, u.Email, u.DisplayName)
	if err := f.Err(); err != nil {
		return err
	}
	if err := s.prove(ctx, v.UserID, current); err != nil {
		return err
	}
	text, err := s.hasher.hash(ctx, normal(next))
	if err != nil {
		return err
	}
	return s.changed(ctx, v.UserID, "password.set", func(tx *ent.Tx) error {
		now := time.Now().UTC()
		n, err := tx.Password.Update().Where(password.UserID(v.UserID)).SetHash(text).SetChangedAt(now).Save(sys)
		if err == nil && n == 0 {
			err = tx.Password.Create().SetUserID(v.UserID).SetHash(text).SetChangedAt(now).Exec(sys)
		}
		return err
	})
}

// AddPassword gives a new person their first password, in the transaction that makes them.
func (s *Service) AddPassword(ctx context.Context, tx *ent.Tx, userID, phc string) error {
	err := tx.Password.Create().SetUserID(userID).SetHash(phc).SetChangedAt(time.Now().UTC()).Exec(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("password of %s: %w", userID, err)
	}
	return nil
}

// HashPassword makes the PHC string of a password, outside of any transaction: it takes its time.
func (s *Service) HashPassword(ctx context.Context, pass string) (string, error) {
	return s.hasher.hash(ctx, normal(pass))
}

// RemovePassword takes the viewer's password away, if there is another way in.
func (s *Service) RemovePassword(ctx context.Context, current string) error {
	v, err := s.inBrowser(ctx)
	if err != nil {
		return err
	}
	if err := s.prove(ctx, v.UserID, current); err != nil {
		return err
	}
	return s.changed(ctx, v.UserID, "password.remove", func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		if err := s.hold(sys, tx, v.UserID); err != nil {
			return err
		}
		others, err := otherWays(sys, tx.Client(), v.UserID)
		if err != nil {
			return err
		}
		if !others {
			return fault.New(fault.FailedPrecondition, "account.password.only", nil)
		}
		n, err := tx.Password.Delete().Where(password.UserID(v.UserID)).Exec(sys)
		if err == nil && n == 0 {
			return fault.New(fault.FailedPrecondition, "account.password.none", nil)
		}
		return err
	})
}

// prove wants the current password of who has one, unless they came by a link just now.
func (s *Service) prove(ctx context.Context, userID, current string) error {
	row, err := s.password(authz.AsSystem(ctx), userID)
	if err != nil || row.ID == "" {
		return err
	}
	if current == "" {
		fresh, err := s.freshlyByLink(ctx)
		if err != nil || fresh {
			return err
		}
		var f fault.Fields
		f.Add("current", "account.password.current", nil)
		return f.Err()
	}
	if err := s.spend(ctx, userID, currentBudget(userID)); err != nil {
		return err
	}
	same, _, err := s.hasher.compare(ctx, normal(current), row.Hash)
	if err != nil {
		return err
	}
	if !same {
		var f fault.Fields
		f.Add("current", "account.password.not-current", nil)
		return f.Err()
	}
	return s.refund(ctx, currentBudget(userID))
}

// changed does a change of a person's password with what goes with it: other
// sessions end, other browsers are forgotten.
func (s *Service) changed(ctx context.Context, userID, action string, do func(tx *ent.Tx) error) error {
	here := SessionID(ctx)
	var ended []string
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		var err error
		if ended, err = endIn(ctx, tx, userID, func(row *ent.Session) bool { return row.ID != here }); err != nil {
			return err
		}
		forget := tx.KnownBrowser.Delete().Where(knownbrowser.UserID(userID))
		if st, ok := ctx.Value(requestKey{}).(*request); ok && st.browser != "" {
			forget.Where(knownbrowser.IDNEQ(knownID(st.browser, userID)))
		}
		if _, err := forget.Exec(authz.AsSystem(ctx)); err != nil {
			return fmt.Errorf("forget browsers: %w", err)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: action, ObjectID: userID, After: map[string]any{"sessionsEnded": len(ended)}})
	})
	if err != nil {
		return err
	}
	s.told(ctx, ended)
	return nil
}

// told lets every process know that sessions or tokens have ended.
func (s *Service) told(ctx context.Context, ids []string) {
	for _, id := range ids {
		s.Broker.Publish(ctx, event.Message{Topic: Topic, ID: id})
	}
}
