package flow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/codesnapshot"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Reasons of steps whose code is not there.
const (
	codeFreezing  = "step-code-freezing" // folder
	codeStuck     = "step-code-stuck"    // folder, detail: it is not frozen yet
	codeUnfrozen  = "step-code-failed"   // folder, detail
	codeNotFrozen = "step-code-missing"  // folder
)

// codeKey is a folder of code as tasks name it.
type codeKey struct{ volumeID, subPath string }

func keyOf(c spec.Code) codeKey { return codeKey{c.VolumeID, c.SubPath} }

// folder is how people are told of it.
func (k codeKey) folder() string { return "/" + k.subPath }

// codeOf is the version whose snapshots a version runs.
func codeOf(v *ent.FlowVersion) int {
	if v.CodeOf > 0 {
		return v.CodeOf
	}
	return v.Number
}

// mayFreeze keeps those who freeze nothing from being looked at closely.
func mayFreeze(with json.RawMessage) bool { return bytes.Contains(with, []byte("freeze")) }

// frozenCode are the folders that a definition freezes, each once.
func (s *Service) frozenCode(def spec.Flow) []codeKey {
	var out []codeKey
	for i := range def.Tasks {
		task := &def.Tasks[i]
		if !mayFreeze(task.With) {
			continue
		}
		e, ok := s.Executors.Get(task.Executor)
		if !ok {
			continue
		}
		with, _, err := macro.Sample(task.With)
		if err != nil {
			continue
		}
		if c := s.codeTask(e, with); c != nil && !slices.Contains(out, keyOf(*c)) {
			out = append(out, keyOf(*c))
		}
	}
	return out
}

func (s *Service) freezes(def spec.Flow) bool { return len(s.frozenCode(def)) > 0 }

// codeTask is the code that a task of these settings freezes; nil for none. What
// else may be wrong with them does not matter.
func (s *Service) codeTask(e executor.Executor, with json.RawMessage) *spec.Code {
	l, ok := e.(executor.Launcher)
	if !ok || !mayFreeze(with) || executor.Polls(e, with) {
		return nil
	}
	t, _ := l.Task(with, executor.Launch{Limits: s.limits()}) //nolint:errcheck // as far as it can be read
	if t.Code == nil || !t.Code.Freeze {
		return nil
	}
	return t.Code
}

// checkFreeze notes why code cannot be frozen: its folder must be known when the
// version is saved, and the copy is kept on the same volume, which the viewer
// must be able to write. told are the paths that were noted.
func (s *Service) checkFreeze(ctx context.Context, f *fault.Fields, teamID string, c *spec.Code, open map[string]bool, path string, told map[string]bool) error {
	if c == nil || !c.Freeze {
		return nil
	}
	add := func(field, id string, args fault.Args) {
		f.Add(path+field, id, args)
		told[field] = true
	}
	if s.Code == nil {
		add("code.freeze", "flow.freeze-nowhere", nil)
		return nil
	}
	for _, field := range []string{"code.volumeId", "code.subPath"} {
		if covered(open, field) {
			add(field, "flow.freeze-macro", nil)
		}
	}
	if len(told) > 0 || c.VolumeID == "" {
		return nil
	}
	var own fault.Fields
	if _, err := volume.CheckMounts(ctx, s.DB.Client, &own, "", teamID, []spec.Mount{{VolumeID: c.VolumeID}}); err != nil {
		return err
	}
	if found := fault.Of(own.Err()); found != nil {
		for _, p := range found.Fields {
			if p.ID == "share.read-only" || p.ID == "volume.read-only" {
				p.ID = "flow.freeze-read-only"
			}
			add("code.volumeId", p.ID, p.Args)
		}
	}
	return nil
}

// freeze makes the rows of a version's snapshots, in the transaction that makes it.
func (s *Service) freeze(ctx context.Context, tx *ent.Tx, v *authz.Viewer, row *ent.Flow, number int, def spec.Flow) error {
	codes := s.frozenCode(def)
	if len(codes) == 0 {
		return nil
	}
	mounts := make([]spec.Mount, len(codes))
	for i, c := range codes {
		mounts[i].VolumeID = c.volumeID
	}
	sources, err := volume.Mounted(ctx, tx.Client(), row.TeamID, v.UserID, mounts)
	if err != nil {
		return err
	}
	for _, c := range codes {
		source := sources[c.volumeID]
		if source == nil { // it went since it was checked
			return fault.Missing("volume", c.volumeID)
		}
		id := ident.New(ident.CodeSnapshot)
		err := tx.CodeSnapshot.Create().SetID(id).SetTeamID(row.TeamID).SetFlowID(row.ID).SetNumber(number).
			SetVolumeID(c.volumeID).SetSubPath(c.subPath).SetDiskID(source.ID).Exec(ctx)
		if err != nil {
			return fmt.Errorf("snapshot of version %d: %w", number, err)
		}
		if err := outbox.Add(ctx, tx, outbox.CodeSnapshot, id); err != nil {
			return err
		}
	}
	return nil
}

// freezeNow wakes who copies, after the commit; the sweep does otherwise.
func (s *Service) freezeNow(ctx context.Context, row *ent.Flow, def spec.Flow) {
	if !s.freezes(def) {
		return
	}
	ids, err := s.DB.Client.CodeSnapshot.Query().Where(codesnapshot.FlowID(row.ID), codesnapshot.Number(row.Latest)).IDs(ctx)
	if err != nil {
		return
	}
	for _, id := range ids {
		s.Kicker.Kick(outbox.CodeSnapshot, id)
	}
}

// thaw has a flow's snapshots removed, in the transaction that removes the flow.
func (s *Service) thaw(ctx context.Context, tx *ent.Tx, flowID string) ([]string, error) {
	ids, err := tx.CodeSnapshot.Query().Where(codesnapshot.FlowID(flowID)).IDs(ctx)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	err = tx.CodeSnapshot.Update().Where(codesnapshot.FlowID(flowID)).SetState(codesnapshot.StateRemoving).AddVersion(1).Exec(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := outbox.Add(ctx, tx, outbox.CodeSnapshot, id); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// snapshots are those that a version runs.
func (s *Service) snapshots(ctx context.Context, tx *ent.Tx, v *ent.FlowVersion) (map[codeKey]*ent.CodeSnapshot, error) {
	if !slices.ContainsFunc(v.Spec.Tasks, func(t spec.FlowTask) bool { return mayFreeze(t.With) }) {
		return nil, nil
	}
	rows, err := tx.CodeSnapshot.Query().Where(codesnapshot.FlowID(v.FlowID), codesnapshot.Number(codeOf(v))).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("snapshots of version %d of flow %s: %w", v.Number, v.FlowID, err)
	}
	out := make(map[codeKey]*ent.CodeSnapshot, len(rows))
	for _, r := range rows {
		out[codeKey{r.VolumeID, r.SubPath}] = r
	}
	return out, nil
}

// awaitCode says what keeps a task from its frozen code: it is held while that is
// on its way, and not started at all when it will not come.
func (s *Service) awaitCode(l *loaded, e executor.Executor, with json.RawMessage) (held, never *spec.Reason) {
	c := s.codeTask(e, with)
	if c == nil {
		return nil, nil
	}
	key := keyOf(*c)
	say := func(code string, why *spec.Reason) *spec.Reason {
		r := &spec.Reason{Code: code, Args: map[string]any{"folder": key.folder()}}
		if why != nil {
			r.Args["detail"] = why.Args["detail"]
		}
		return r
	}
	snap := l.frozen[key]
	switch {
	case snap == nil, snap.State == codesnapshot.StateRemoving:
		return nil, say(codeNotFrozen, nil)
	case snap.State == codesnapshot.StateFailed:
		return nil, say(codeUnfrozen, snap.Reason)
	case snap.State == codesnapshot.StatePending && snap.Reason != nil:
		return say(codeStuck, snap.Reason), nil
	case snap.State == codesnapshot.StatePending:
		return say(codeFreezing, nil), nil
	}
	return nil, nil
}

// frozenOf is what a run keeps of a snapshot; nil of one that is not ready.
func frozenOf(r *ent.CodeSnapshot) *spec.FrozenCode {
	if r == nil || r.State != codesnapshot.StateReady || r.FrozenAt == nil {
		return nil
	}
	return &spec.FrozenCode{SnapshotID: r.ID, Path: files.FrozenPath(r.Folder), SHA256: r.Sha256, Files: r.Files, Bytes: r.Bytes, FrozenAt: *r.FrozenAt}
}

// Snapshots are those of versions that the viewer may see, by flow and version:
// each is given those whose code it runs.
func (s *Service) Snapshots(ctx context.Context, versions []*ent.FlowVersion) (map[string][]*ent.CodeSnapshot, error) {
	ids := make([]string, 0, len(versions))
	for _, v := range versions {
		if !slices.Contains(ids, v.FlowID) {
			ids = append(ids, v.FlowID)
		}
	}
	rows, err := s.DB.Client.CodeSnapshot.Query().Where(codesnapshot.FlowIDIn(ids...)).Order(ent.Asc(codesnapshot.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("snapshots of flows: %w", err)
	}
	out := make(map[string][]*ent.CodeSnapshot, len(versions))
	for _, v := range versions {
		for _, r := range rows {
			if r.FlowID == v.FlowID && r.Number == codeOf(v) {
				out[v.ID] = append(out[v.ID], r)
			}
		}
	}
	return out, nil
}
