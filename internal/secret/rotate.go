package secret

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entsecret "github.com/goblinlab/goblinlab/ent/secret"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
)

// Rotated is what came of a rotation.
type Rotated struct {
	Key    string // the newest key, under which all secrets are now
	Moved  int    // secrets that were under another one
	Failed []string
}

const rotateBatch = 100

// Rotate wraps the data key of every secret under the newest master key. It may
// be killed at any moment and repeated, and several may run at once, beside
// servers: a row is moved whole, only from what was read, and one that somebody
// replaced meanwhile is looked at again. Rows that cannot be opened are left, and told.
func (s *Service) Rotate(ctx context.Context) (Rotated, error) {
	ctx = authz.AsSystem(ctx)
	ring := s.Keys.Ring()
	out := Rotated{Key: ring.Newest()}
	if ring.Empty() {
		return out, noKeys(envelope.ErrNoKeys)
	}
	after := ""
	for again := true; ; {
		rows, err := s.DB.Client.Secret.Query().Where(entsecret.MasterKeyNEQ(out.Key), entsecret.IDGT(after)).
			Order(ent.Asc(entsecret.FieldID)).Limit(rotateBatch).All(ctx)
		if err != nil {
			return out, fmt.Errorf("secrets under other keys: %w", err)
		}
		if len(rows) == 0 {
			if after == "" || !again {
				return out, s.noteRotation(ctx, out)
			}
			after, again, out.Failed = "", false, nil // once more, for those that were replaced under an old key meanwhile
			continue
		}
		for _, row := range rows {
			after = row.ID
			moved, err := s.rewrap(ctx, ring, row)
			if err != nil {
				return out, err
			}
			switch {
			case moved == 1:
				out.Moved++
			case moved < 0:
				out.Failed = append(out.Failed, fmt.Sprintf("%s (%s, key %s)", row.ID, row.Name, row.MasterKey))
			}
		}
	}
}

// rewrap moves a row to the newest key: 1 when it did, 0 when somebody else
// changed the row, -1 when it cannot be opened.
func (s *Service) rewrap(ctx context.Context, ring envelope.Ring, row *ent.Secret) (int, error) {
	box, err := ring.Rewrap(place(row), sealed(row))
	if err != nil {
		return -1, nil
	}
	n, err := s.DB.Client.Secret.Update().Where(entsecret.ID(row.ID), entsecret.Version(row.Version), entsecret.MasterKey(row.MasterKey)).
		SetMasterKey(box.KeyID).SetWrapped(box.Wrapped).Save(ctx)
	if err != nil {
		return 0, fmt.Errorf("move secret %s: %w", row.ID, err)
	}
	return n, nil
}

func (s *Service) noteRotation(ctx context.Context, r Rotated) error {
	if r.Moved == 0 {
		return nil
	}
	return s.DB.Tx(ctx, func(tx *ent.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{Action: "secret.rotate", ObjectID: r.Key, After: map[string]any{"key": r.Key, "moved": r.Moved}})
	})
}
