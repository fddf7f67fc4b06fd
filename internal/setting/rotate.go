package setting

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entsetting "github.com/goblinlab/goblinlab/ent/setting"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
)

// Rotate wraps the data keys of the settings that are secret under the newest
// master key, and names those that cannot be opened. It may be killed, repeated
// and run beside servers: a row is moved only from what was read, and its
// version, which is of its value, stays.
func Rotate(ctx context.Context, d *db.DB, ring envelope.Ring) (moved int, failed []string, err error) {
	ctx = authz.AsSystem(ctx)
	for i := range registry {
		def := &registry[i]
		if def.Kind != Secret {
			continue
		}
		row, err := d.Client.Setting.Query().Where(entsetting.ID(def.Key), entsetting.IsDefault(false), entsetting.ValueNEQ("")).Only(ctx)
		if ent.IsNotFound(err) {
			continue
		}
		if err != nil {
			return moved, failed, fmt.Errorf("read %s: %w", def.Key, err)
		}
		n, keyID, err := rewrap(ctx, d, ring, row)
		if err != nil {
			return moved, failed, err
		}
		if n < 0 {
			failed = append(failed, fmt.Sprintf("%s (a setting, key %s)", row.ID, keyID))
			continue
		}
		moved += n
	}
	return moved, failed, nil
}

// rewrap moves a row to the newest key: 1 when it did, 0 when it is there or
// somebody else changed the row – under the newest key of theirs, which a
// repetition finds – and -1 when it cannot be opened.
func rewrap(ctx context.Context, d *db.DB, ring envelope.Ring, row *ent.Setting) (n int, keyID string, err error) {
	old, err := read(row.Value)
	if err != nil {
		return -1, "unknown", nil
	}
	if old.KeyID == ring.Newest() {
		return 0, old.KeyID, nil
	}
	box, err := ring.Rewrap(place(Topic+" "+row.ID), old)
	if err != nil {
		return -1, old.KeyID, nil
	}
	text, err := written(box)
	if err != nil {
		return 0, old.KeyID, err
	}
	err = d.Tx(ctx, func(tx *ent.Tx) error {
		if n, err = tx.Setting.Update().Where(entsetting.ID(row.ID), entsetting.Value(row.Value)).SetValue(text).Save(ctx); err != nil || n == 0 {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "secret.rotate", ObjectID: box.KeyID, After: map[string]any{"key": box.KeyID, "setting": row.ID}})
	})
	if err != nil {
		return 0, old.KeyID, fmt.Errorf("move %s: %w", row.ID, err)
	}
	return n, old.KeyID, nil
}
