package graph_test

import (
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent/codesnapshot"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestVersionsAndRunsTellOfTheirCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, at, sha := w.flow(), time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), strings.Repeat("ab", 32)
	ready := w.DB.Client.CodeSnapshot.Create().SetTeamID(f.TeamID).SetFlowID(f.ID).SetNumber(1).SetVolumeID(w.volume().ID).SetSubPath("jobs").
		SetDiskID("vol-1").SetState(codesnapshot.StateReady).SetFiles(34).SetBytes(2048).SetSha256(sha).SetFrozenAt(at).SaveX(w.sys)
	w.DB.Client.CodeSnapshot.Create().SetTeamID(f.TeamID).SetFlowID(f.ID).SetNumber(1).SetVolumeID(w.volume().ID).SetDiskID("vol-1").
		SetState(codesnapshot.StateFailed).SetReason(&spec.Reason{Code: "snapshot-failed", Args: map[string]any{"detail": "full"}}).SaveX(w.sys)
	type code struct {
		ID, VolumeID, SubPath, State, Sha256 string
		Files, Bytes                         int64
		FrozenAt                             *time.Time
		Reason                               *struct{ Text, Advice string }
	}
	var got struct {
		Flow *struct{ Version struct{ Code []code } }
	}
	const q = `query($id: ID!) { flow(id: $id) { version { code { id volumeId subPath state files bytes sha256 frozenAt reason { text advice } } } } }`
	w.SignIn(t, w.Cast.Member).Get(q, map[string]any{"id": f.ID}, &got)
	if c := got.Flow.Version.Code; len(c) != 2 || c[0].ID != ready.ID || c[0].State != "READY" || c[0].Files != 34 || c[0].Bytes != 2048 || c[0].Sha256 != sha ||
		c[0].SubPath != "jobs" || c[0].FrozenAt == nil || !c[0].FrozenAt.Equal(at) || c[1].State != "FAILED" || !strings.Contains(c[1].Reason.Text, "full") || c[1].FrozenAt != nil {
		t.Errorf("version 1 tells %+v", c)
	}
	got.Flow = nil
	if w.SignIn(t, w.Cast.Other).Get(q, map[string]any{"id": f.ID}, &got); got.Flow != nil {
		t.Errorf("another team sees %+v", got.Flow)
	}

	a := w.attempt()
	r := w.DB.Client.Run.GetX(w.sys, a.RunID)
	task := w.DB.Client.Task.GetX(w.sys, r.TaskID)
	task.Spec.Code = &spec.Code{VolumeID: "vol-1", SubPath: "jobs", Freeze: true}
	task.Spec.Frozen = &spec.FrozenCode{SnapshotID: ready.ID, Path: ".goblinlab-frozen/x", SHA256: sha, Files: 34, Bytes: 2048, FrozenAt: at}
	second := w.DB.Client.Task.Create().SetID(ident.New(ident.Task)).SetTeamID(task.TeamID).SetOwnerID(task.OwnerID).SetName(task.Name).SetImageID(task.ImageID).SetSpec(task.Spec).SaveX(w.sys)
	frozen := w.DB.Client.Run.Create().SetTeamID(r.TeamID).SetOwnerID(r.OwnerID).SetTaskID(second.ID).SetName("frozen").SaveX(w.sys)
	w.DB.Client.Attempt.Create().SetTeamID(r.TeamID).SetRunID(frozen.ID).SetNumber(1).SetJobName("frozen-1").SetImageDigest("sha256:" + sha).SaveX(w.sys)
	var ran struct {
		Run struct {
			Task struct {
				Code   struct{ Freeze bool }
				Frozen *struct {
					SnapshotID, Sha256 string
					Files, Bytes       int64
					FrozenAt           time.Time
				}
			}
			CurrentAttempt struct{ ImageDigest string }
		}
	}
	const runQ = `query($id: ID!) { run(id: $id) { task { code { freeze } frozen { snapshotId sha256 files bytes frozenAt } } currentAttempt { imageDigest } } }`
	b := w.SignIn(t, w.Cast.Member)
	b.Get(runQ, map[string]any{"id": frozen.ID}, &ran)
	if z := ran.Run.Task.Frozen; !ran.Run.Task.Code.Freeze || z == nil || z.SnapshotID != ready.ID || z.Sha256 != sha || z.Files != 34 || !z.FrozenAt.Equal(at) {
		t.Errorf("the run tells %+v", ran.Run)
	}
	if ran.Run.CurrentAttempt.ImageDigest != "sha256:"+sha {
		t.Errorf("the attempt tells %+v", ran.Run.CurrentAttempt)
	}
	ran.Run.Task.Frozen = nil
	if b.Get(runQ, map[string]any{"id": r.ID}, &ran); ran.Run.Task.Frozen != nil {
		t.Errorf("a run of the folder itself tells %+v", ran.Run.Task.Frozen)
	}
}
