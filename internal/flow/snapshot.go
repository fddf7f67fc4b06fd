package flow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/codesnapshot"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/work"
)

// Code copies folders of volumes to where nobody changes them, as the platform.
type Code interface {
	// Freeze copies a folder of a volume under a name and tells what the copy
	// holds. It may be repeated: a copy that is there is told again.
	Freeze(ctx context.Context, volumeID, path, name string, most files.Bounds) (files.FrozenCopy, error)
	// Thaw removes the copy of a name; one that is gone is success.
	Thaw(ctx context.Context, volumeID, name string) error
}

// What may be frozen at once: code, not data.
const (
	MostFrozenFiles = 50_000
	MostFrozenBytes = 1 << 30
)

const (
	freezeLanes = 2 // copies at once in a process
	freezeTime  = 15 * time.Minute
	freezeAgain = 10 * time.Second
	thawAgain   = 5 * time.Minute // of a volume in the trash, or one that is going
)

const (
	codeWaits  = "snapshot-waits"  // detail
	codeFailed = "snapshot-failed" // detail
)

// Freezer makes and removes the snapshots of code; it is what the worker calls.
//
//	                 ┌─ a copy was made ─▶ ready ─┐
//	pending ─────────┤                            ├─ the flow is deleted ─▶ removing ─▶ (row and copy gone)
//	  ⇅ no agent yet └─ it cannot be ──▶ failed ──┘
//
// A copy is made under the snapshot's id before its row tells of it, and may be
// made again. One that holds what another ready one on the volume holds is given
// up for that one's copy: rows share it, and the last of them removes it.
type Freezer struct{ *Service }

// Reconcile looks at one snapshot.
func (f Freezer) Reconcile(ctx context.Context, id string) (time.Duration, error) {
	row, err := f.DB.Client.CodeSnapshot.Get(ctx, id)
	if ent.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("snapshot %s: %w", id, err)
	}
	if f.Code == nil {
		return 0, nil
	}
	switch {
	case row.State == codesnapshot.StatePending:
		return f.copy(ctx, row)
	case row.State == codesnapshot.StateRemoving:
		return f.remove(ctx, row)
	case row.Untidy:
		return f.tidy(ctx, row)
	}
	return 0, nil
}

// Sweep has every snapshot looked at that is not at rest.
func (f Freezer) Sweep(ctx context.Context) error {
	ids, err := f.DB.Client.CodeSnapshot.Query().Where(codesnapshot.Or(
		codesnapshot.StateIn(codesnapshot.StatePending, codesnapshot.StateRemoving), codesnapshot.Untidy(true))).IDs(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("snapshots not at rest: %w", err)
	}
	for _, id := range ids {
		f.Kicker.Kick(outbox.CodeSnapshot, id)
	}
	return nil
}

// copy has the copy of a snapshot made.
func (f Freezer) copy(ctx context.Context, row *ent.CodeSnapshot) (time.Duration, error) {
	select {
	case f.freezing <- struct{}{}:
		defer func() { <-f.freezing }()
	default:
		return time.Second, nil
	}
	long, stop := work.Longer(ctx, freezeTime)
	defer stop()
	made, err := f.Code.Freeze(long, row.DiskID, row.SubPath, row.ID, files.Bounds{Files: MostFrozenFiles, Bytes: MostFrozenBytes})
	ctx = context.WithoutCancel(ctx) // what is known by now is written down
	switch kind := fault.KindOf(err); {
	case err == nil:
		return 0, f.made(ctx, row, made)
	case errors.Is(long.Err(), context.Canceled): // the process ends
		return 0, err
	case long.Err() != nil:
		return 0, f.failed(ctx, row, fmt.Errorf("it took longer than %s", freezeTime))
	case kind == fault.Unavailable:
		return freezeAgain, f.waits(ctx, row, err)
	case fault.Of(err) == nil:
		return 0, fmt.Errorf("freeze %s: %w", row.ID, err)
	}
	return 0, f.failed(ctx, row, err)
}

// made writes down what a copy holds. Where another ready snapshot of the volume
// holds the same, that one's copy is used, under its lock: one that is being
// removed lends nothing.
func (f Freezer) made(ctx context.Context, row *ent.CodeSnapshot, c files.FrozenCopy) error {
	folder := row.ID
	n := 0
	err := f.DB.Tx(ctx, func(tx *ent.Tx) error {
		q := tx.CodeSnapshot.Query().Where(codesnapshot.DiskID(row.DiskID), codesnapshot.Sha256(c.SHA256),
			codesnapshot.StateEQ(codesnapshot.StateReady), codesnapshot.IDNEQ(row.ID)).Order(ent.Asc(codesnapshot.FieldID)).Limit(1)
		if f.DB.Dialect == dialect.Postgres {
			q.ForUpdate()
		}
		twins, err := q.All(ctx)
		if err != nil {
			return err
		}
		if len(twins) > 0 {
			folder = twins[0].Folder
		}
		n, err = tx.CodeSnapshot.Update().Where(codesnapshot.ID(row.ID), codesnapshot.StateEQ(codesnapshot.StatePending)).
			SetState(codesnapshot.StateReady).ClearReason().SetFolder(folder).SetUntidy(folder != row.ID).
			SetFiles(c.Files).SetBytes(c.Bytes).SetSha256(c.SHA256).SetFrozenAt(f.now()).AddVersion(1).Save(ctx)
		if err != nil || n == 0 { // it is to be removed by now, and who removes it removes the copy
			return err
		}
		return outbox.Add(ctx, tx, outbox.CodeSnapshot, row.ID)
	})
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", row.ID, err)
	}
	f.Kicker.Kick(outbox.CodeSnapshot, row.ID) // for what is left to do
	if n == 0 {
		return f.late(ctx, row)
	}
	slog.Info("code frozen", "snapshot_id", row.ID, "flow_id", row.FlowID, "number", row.Number, "files", c.Files, "bytes", c.Bytes, "sha256", c.SHA256, "folder", folder)
	return f.told(ctx, row)
}

// late is for a copy that came after another process had written down one, or had
// removed the snapshot: no row tells of it, unless it is the same one.
func (f Freezer) late(ctx context.Context, row *ent.CodeSnapshot) error {
	now, err := f.DB.Client.CodeSnapshot.Get(ctx, row.ID)
	if err != nil && !ent.IsNotFound(err) {
		return fmt.Errorf("snapshot %s: %w", row.ID, err)
	}
	if err == nil && (now.State != codesnapshot.StateReady || now.Folder == row.ID) {
		return nil // who removes it removes the copy
	}
	_, err = f.gone(ctx, row, row.ID)
	return err
}

func (f Freezer) failed(ctx context.Context, row *ent.CodeSnapshot, why error) error {
	slog.Warn("code not frozen", "snapshot_id", row.ID, "flow_id", row.FlowID, "err", why)
	return f.write(ctx, row, codesnapshot.StateFailed, &spec.Reason{Code: codeFailed, Args: map[string]any{"detail": said(why)}})
}

func (f Freezer) waits(ctx context.Context, row *ent.CodeSnapshot, why error) error {
	return f.write(ctx, row, codesnapshot.StatePending, &spec.Reason{Code: codeWaits, Args: map[string]any{"detail": said(why)}})
}

// write writes a state with its reason, unless it is there already.
func (f Freezer) write(ctx context.Context, row *ent.CodeSnapshot, state codesnapshot.State, why *spec.Reason) error {
	if row.State == state && equal(row.Reason, why) {
		return nil
	}
	n, err := f.DB.Client.CodeSnapshot.Update().Where(codesnapshot.ID(row.ID), codesnapshot.StateEQ(codesnapshot.StatePending)).
		SetState(state).SetReason(why).AddVersion(1).Save(ctx)
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", row.ID, err)
	}
	if n == 0 {
		return nil
	}
	return f.told(ctx, row)
}

// told wakes the flow's runs that may wait for the snapshot, and whoever looks at
// the flow.
func (f Freezer) told(ctx context.Context, row *ent.CodeSnapshot) error {
	ids, err := f.DB.Client.FlowRun.Query().Where(flowrun.FlowID(row.FlowID), flowrun.StateIn(live...)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("runs of flow %s: %w", row.FlowID, err)
	}
	for _, id := range ids {
		f.Kicker.Kick(outbox.FlowRun, id)
	}
	fl, err := f.DB.Client.Flow.Get(ctx, row.FlowID)
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("flow %s: %w", row.FlowID, err)
	}
	f.Broker.Publish(ctx, event.Message{Topic: "flow", ID: fl.ID, TeamID: fl.TeamID, Version: fl.Version})
	return nil
}

// tidy removes a snapshot's own copy when another one's is used.
func (f Freezer) tidy(ctx context.Context, row *ent.CodeSnapshot) (time.Duration, error) {
	if after, err := f.gone(ctx, row, row.ID); after > 0 || err != nil {
		return after, err
	}
	_, err := f.DB.Client.CodeSnapshot.Update().Where(codesnapshot.ID(row.ID)).SetUntidy(false).Save(ctx)
	return 0, err
}

// remove removes a snapshot with its copy, which stays while a ready one uses it.
func (f Freezer) remove(ctx context.Context, row *ent.CodeSnapshot) (time.Duration, error) {
	names := map[string]bool{row.ID: true} // also one that no row tells of
	if row.Folder != "" {
		shared, err := f.DB.Client.CodeSnapshot.Query().Where(codesnapshot.Folder(row.Folder), codesnapshot.IDNEQ(row.ID),
			codesnapshot.StateEQ(codesnapshot.StateReady)).Exist(ctx)
		if err != nil {
			return 0, fmt.Errorf("snapshots that share %s: %w", row.Folder, err)
		}
		if names[row.Folder] = true; shared {
			delete(names, row.Folder)
		}
	}
	for name := range names {
		if after, err := f.gone(ctx, row, name); after > 0 || err != nil {
			return after, err
		}
	}
	return 0, ignoreMissing(f.DB.Client.CodeSnapshot.DeleteOneID(row.ID).Exec(ctx))
}

// gone sees to it that a copy is gone; a duration says when to look again.
func (f Freezer) gone(ctx context.Context, row *ent.CodeSnapshot, name string) (time.Duration, error) {
	long, stop := work.Longer(ctx, freezeTime)
	defer stop()
	err := f.Code.Thaw(long, row.DiskID, name)
	switch fault.KindOf(err) {
	case fault.NotFound: // with the volume
		return 0, nil
	case fault.Unavailable:
		return freezeAgain, nil
	case fault.FailedPrecondition: // it comes back from the trash, or goes with everything on it
		return thawAgain, nil
	}
	if err != nil {
		return 0, fmt.Errorf("remove the copy %s of snapshot %s: %w", name, row.ID, err)
	}
	return 0, nil
}
