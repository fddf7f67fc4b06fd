package account

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/ent/devicerequest"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
)

// DeviceLife is how long a program waits for its person.
const DeviceLife = 10 * time.Minute

// DeviceInterval is how long it waits between two questions, at first.
const DeviceInterval = 5 * time.Second

const (
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ" // RFC 8628: no vowels, so that no word appears
	userCodeLen     = 8
	userCodeRounds  = 50_000 // of PBKDF2: 34 bits are found from a plain hash in a minute
)

const maxClientID = 64 // bytes

// DeviceInput is what a program says of itself when it asks.
type DeviceInput struct {
	ClientID string // which program
	Name     string // which of them, for the person; empty for the client's id
	Scope    authz.TokenScope
	Address  string // where it asks from
}

// DeviceCodes are what it gets: one to ask with, one for the person to compare.
type DeviceCodes struct{ Device, User string }

// BeginDevice notes that a program wants to act for somebody, whoever approves it.
func (s *Service) BeginDevice(ctx context.Context, in DeviceInput) (DeviceCodes, error) {
	in.Name = strings.TrimSpace(in.Name)
	if in.Name == "" {
		in.Name = in.ClientID
	}
	if err := in.check(); err != nil {
		return DeviceCodes{}, err
	}
	for {
		c := DeviceCodes{Device: Token(), User: newUserCode()}
		err := s.DB.Client.DeviceRequest.Create().SetDeviceHash(hash(c.Device)).SetUserHash(userHash(c.User)).
			SetClientID(in.ClientID).SetName(in.Name).SetScope(in.Scope).SetAddress(in.Address).
			SetInterval(int(DeviceInterval / time.Second)).SetExpiresAt(time.Now().UTC().Add(DeviceLife)).Exec(authz.AsSystem(ctx))
		switch {
		case ent.IsConstraintError(err): // somebody has this code just now
			continue
		case err != nil:
			return DeviceCodes{}, fmt.Errorf("begin a device request: %w", err)
		}
		return c, nil
	}
}

func (in DeviceInput) check() error {
	var f fault.Fields
	ok := in.ClientID != "" && len(in.ClientID) <= maxClientID
	for _, r := range in.ClientID {
		ok = ok && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.')
	}
	if !ok {
		f.Add("client_id", "device.client", fault.Args{"limit": maxClientID})
	}
	preflight.CheckName(&f, "client_name", in.Name)
	switch in.Scope {
	case authz.ScopeRead, authz.ScopeWrite, authz.ScopeAdmin:
	default:
		f.Add("scope", "token.scope", fault.Args{"value": clip(string(in.Scope), maxClientID)})
	}
	return f.Err()
}

// newUserCode makes a code as people read it, as WDJB-MJHT.
func newUserCode() string {
	var b strings.Builder
	for b.Len() < userCodeLen {
		var one [1]byte
		_, _ = rand.Read(one[:])                                // never fails since Go 1.24
		if n := int(one[0]); n < 256-256%len(userCodeLetters) { // every letter as often
			_ = b.WriteByte(userCodeLetters[n%len(userCodeLetters)])
		}
	}
	return b.String()[:userCodeLen/2] + "-" + b.String()[userCodeLen/2:]
}

// plainCode is a code without what people put between letters.
func plainCode(code string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(userCodeLetters, r) {
			return r
		}
		return -1
	}, strings.ToUpper(clip(code, maxClientID)))
}

// userHash is slow, since the codes are few; the same text always gives the
// same hash, since that is what a code is found by.
func userHash(code string) string {
	h, err := pbkdf2.Key(sha256.New, plainCode(code), []byte("goblinlab device code"), userCodeRounds, sha256.Size)
	if err != nil { // only with keys shorter than FIPS allows
		panic(err)
	}
	return hex.EncodeToString(h)
}

// DeviceRequest is what asks with a code, for the viewer to look at. It takes a browser.
func (s *Service) DeviceRequest(ctx context.Context, userCode string) (*ent.DeviceRequest, error) {
	v, err := s.inBrowser(ctx)
	if err != nil {
		return nil, err
	}
	return s.pending(ctx, v, userCode)
}

// pending finds an unanswered request. A code counts against who types it
// before it is looked up, so that many at once are no more tries; a right one
// is given back.
func (s *Service) pending(ctx context.Context, v *authz.Viewer, userCode string) (*ent.DeviceRequest, error) {
	now := time.Now().UTC()
	unknown := fault.New(fault.NotFound, "device.unknown", nil)
	if len(plainCode(userCode)) != userCodeLen {
		return nil, unknown // a slip of the hand, and no guess
	}
	if !s.guesses.take(v.UserID, now) {
		return nil, fault.New(fault.ResourceExhausted, "device.guesses", fault.Args{"limit": maxGuesses, "minutes": int(guessWindow / time.Minute)})
	}
	row, err := s.DB.Client.DeviceRequest.Query().Where(devicerequest.UserHash(userHash(userCode)), devicerequest.StateEQ(devicerequest.StatePending),
		devicerequest.ExpiresAtGT(now)).Only(authz.AsSystem(ctx))
	switch {
	case ent.IsNotFound(err):
		return nil, unknown
	case err != nil:
		return nil, fmt.Errorf("device request: %w", err)
	}
	s.guesses.giveBack(v.UserID)
	return row, nil
}

// ApproveDevice lets a program act as the viewer, within the scope that it
// asked for and for some days. It gets its token when it asks the next time.
func (s *Service) ApproveDevice(ctx context.Context, userCode string, days int) error {
	return s.answer(ctx, userCode, devicerequest.StateApproved, days)
}

// DenyDevice refuses a program.
func (s *Service) DenyDevice(ctx context.Context, userCode string) error {
	return s.answer(ctx, userCode, devicerequest.StateDenied, 0)
}

func (s *Service) answer(ctx context.Context, userCode string, state devicerequest.State, days int) error {
	v, err := s.inBrowser(ctx)
	if err != nil {
		return err
	}
	row, err := s.pending(ctx, v, userCode)
	if err != nil {
		return err
	}
	after := map[string]any{"name": row.Name, "client": row.ClientID, "scope": string(row.Scope), "address": row.Address}
	action := "device.deny"
	if state == devicerequest.StateApproved {
		if err := (CreateTokenInput{Name: row.Name, Scope: row.Scope, Days: days}).check(v); err != nil {
			return err
		}
		action, after["days"] = "device.approve", days
	}
	return s.DB.Tx(ctx, func(tx *ent.Tx) error {
		sys := authz.AsSystem(ctx)
		// The token is made later: better said now than to the program.
		if n, err := tx.AccessToken.Query().Where(accesstoken.UserID(v.UserID)).Count(sys); err != nil {
			return fmt.Errorf("count access tokens: %w", err)
		} else if n >= maxTokens && state == devicerequest.StateApproved {
			return fault.New(fault.ResourceExhausted, "token.many", fault.Args{"limit": maxTokens})
		}
		// Of several answers at once the first counts.
		n, err := tx.DeviceRequest.Update().Where(devicerequest.ID(row.ID), devicerequest.StateEQ(devicerequest.StatePending)).
			SetState(state).SetUserID(v.UserID).SetDays(days).Save(sys)
		if err != nil {
			return fmt.Errorf("answer device request %s: %w", row.ID, err)
		}
		if n != 1 {
			return fault.New(fault.NotFound, "device.unknown", nil)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: action, ObjectID: row.ID, After: after})
	})
}
