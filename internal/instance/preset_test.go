package instance

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/carry"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// ran is a run of the member's with a task.
func (b *bundle) ran(task spec.Task) *ent.Run {
	b.t.Helper()
	sys, c := testkit.System(b.t), b.db.Client
	if task.ImageID == "" {
		task.ImageID = b.image.ID
	}
	if task.Command == nil {
		task.Command = []string{"python", "train.py"}
	}
	if task.Resources == (spec.Resources{}) {
		task.Resources = spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30}
	}
	if task.Class == "" {
		task.Class = spec.ClassTest
	}
	row := c.Task.Create().SetTeamID(b.Team.ID).SetOwnerID(b.Member.ID).SetName("nightly/train").SetImageID(task.ImageID).SetSpec(task).SaveX(sys)
	return c.Run.Create().SetTeamID(b.Team.ID).SetOwnerID(b.Member.ID).SetTaskID(row.ID).SetName(row.Name).SaveX(sys)
}

func (b *bundle) volumeOf(u *ent.User) *ent.Volume {
	id := ident.New(ident.Volume)
	return b.db.Client.Volume.Create().SetID(id).SetTeamID(b.Team.ID).SetOwnerID(u.ID).SetName("data").SetKind(entvolume.KindData).
		SetObjectName(ident.ObjectName("data", id)).SetSizeBytes(1 << 30).SetAccessMode(entvolume.AccessModeReadWriteMany).SaveX(testkit.System(b.t))
}

func (b *bundle) preset(u *ent.User, r *ent.Run) Preset {
	b.t.Helper()
	p, err := b.PresetOf(b.as(u), r.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// notes are "how what why".
func notes(p Preset) []string {
	var out []string
	for _, n := range p.Notes {
		line := string(n.How) + " " + n.What
		if n.Why != nil {
			line += " " + n.Why.ID
		}
		out = append(out, line)
	}
	return out
}

func TestAPresetHasWhatTheRunHad(t *testing.T) {
	t.Parallel()
	b := setup(t)
	data, code := b.volumeOf(b.Member), b.volumeOf(b.Member)
	mine := secrettest.Make(b.as(b.Member), t, b.Secrets, nil, "token", map[string]string{"k": "v"})
	task := spec.Task{Command: []string{"sh", "-c", "echo $DAY"}, Args: []string{"it's"}, Resources: spec.Resources{CPUMilli: 2000, MemoryBytes: 3 << 30},
		Env:     []spec.EnvVar{{Name: "DAY", Value: "2026-11-29"}},
		Secrets: []spec.SecretUse{{SecretID: mine.ID, As: spec.SecretAsEnv, At: "KEY"}},
		Mounts:  []spec.Mount{{VolumeID: data.ID, Path: "/data", ReadOnly: true, SubPath: "in"}},
		Code:    &spec.Code{VolumeID: code.ID, SubPath: "jobs"},
		Flow:    &spec.TaskFlow{FlowID: "flw-1", LogicalTime: time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)}}
	r := b.ran(task)
	p := b.preset(b.Member, r)
	line := "cd /code && GOBLINLAB_TASK_ID=" + r.TaskID + " GOBLINLAB_RUN_ID=" + r.ID + " GOBLINLAB_ATTEMPT=1 GOBLINLAB_FLOW_ID=flw-1 " +
		"GOBLINLAB_LOGICAL_TIME=2026-11-29T02:00:00Z GOBLINLAB_OUTPUTS=/tmp/goblinlab-outputs.json sh -c 'echo $DAY' 'it'\\''s'"
	want := Preset{TeamID: b.Team.ID, Name: "nightly/train-debug", Command: line, Spec: spec.Instance{ImageID: b.image.ID, Resources: task.Resources,
		Mounts:  []spec.Mount{{VolumeID: code.ID, Path: "/code", SubPath: "jobs", ReadOnly: true}, task.Mounts[0]},
		Env:     []spec.EnvVar{task.Env[0], {Name: "TASK_COMMAND", Value: line}},
		Secrets: task.Secrets}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// It is what a form sends: an instance can be made of it as it is.
	_, err := b.Create(b.as(b.Member), CreateInput{TeamID: p.TeamID, Name: p.Name, ImageID: p.Spec.ImageID, Resources: Resources{CPU: "2", Memory: "3Gi"},
		Mounts: p.Spec.Mounts, Env: p.Spec.Env, Secrets: p.Spec.Secrets})
	if err != nil {
		t.Errorf("it makes no instance: %v", err)
	}
	if n := b.db.Client.Instance.Query().CountX(testkit.System(t)); n != 1 {
		t.Errorf("%d instances: a preset makes none", n)
	}
}

func TestWhatAPresetLacksIsSaid(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *config.Config) { c.Limits.GPU = 4 })
	b.quota(spec.Quota{GPU: 2, CPUMilli: 500})
	sys := testkit.System(t)
	gone, trashed := b.volumeOf(b.Member), b.volumeOf(b.Member)
	b.db.Client.Volume.DeleteOne(gone).ExecX(sys)
	b.db.Client.Volume.UpdateOne(trashed).SetDesired(entvolume.DesiredTrashed).ExecX(sys)
	r := b.ran(spec.Task{ImageID: b.newImage(nil, false).ID, Class: spec.ClassOnline, Resources: spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30, GPU: 8},
		Env:    []spec.EnvVar{{Name: "TASK_COMMAND", Value: "mine"}, {Name: "A", Value: "1"}},
		Mounts: []spec.Mount{{VolumeID: gone.ID, Path: "/gone"}, {VolumeID: trashed.ID, Path: "/trashed"}, {VolumeID: ident.New(ident.Share), Path: "/shared"}}})
	p := b.preset(b.Member, r)
	want := []string{"left-out mini instance.image-not-development", "left-out /gone volume.missing", "left-out /trashed volume.mount-trashed", "left-out /shared share.missing",
		"lowered resources.cpu preflight.quota.cpu", "lowered resources.gpu preflight.gpu.too-large", "replaced TASK_COMMAND", "test-only "}
	if diff := cmp.Diff(want, notes(p)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s := p.Spec; s.ImageID != "" || len(s.Mounts) != 0 || s.Resources != (spec.Resources{CPUMilli: 500, MemoryBytes: 1 << 30, GPU: 2}) || len(s.Env) != 2 || s.Env[1].Value != p.Command {
		t.Errorf("what stays is %+v", s)
	}
	for _, n := range p.Notes {
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			if text := carry.Text(l, n); strings.HasPrefix(text, "carry.") || strings.Contains(text, "fault.") || strings.Contains(text, "{") {
				t.Errorf("%s says %q", l, text)
			}
		}
	}
}

// P94, P95: who looks into another person's run has neither that person's home nor secrets, and no more rights to volumes.
func TestP94ALookIntoAnothersRunHasOnesOwnRights(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hers := secrettest.Make(b.as(b.Member), t, b.Secrets, nil, "token", map[string]string{"k": "v"})
	teams := secrettest.Make(b.as(b.Maintainer), t, b.Secrets, &b.Team.ID, "shared", map[string]string{"other": "v"})
	data := b.volumeOf(b.Member)
	colleague := testkit.User(t, b.db, "colleague", "user")
	testkit.Join(t, b.db, b.Team, colleague, "member")
	r := b.ran(spec.Task{Secrets: []spec.SecretUse{{SecretID: hers.ID, As: spec.SecretAsAuto}, {SecretID: teams.ID, As: spec.SecretAsAuto}},
		Mounts: []spec.Mount{{VolumeID: data.ID, Path: "/data"}}})
	p := b.preset(colleague, r)
	want := []string{"read-only /data volume.read-only", "left-out " + hers.ID + " secret.missing", "own-home " + b.Member.DisplayName}
	if diff := cmp.Diff(want, notes(p)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(p.Spec.Secrets) != 1 || p.Spec.Secrets[0].SecretID != teams.ID || !p.Spec.Mounts[0].ReadOnly {
		t.Errorf("what stays is %+v", p.Spec)
	}
	own := b.preset(b.Member, r)
	if len(own.Notes) != 0 || len(own.Spec.Secrets) != 2 || own.Spec.Mounts[0].ReadOnly {
		t.Errorf("the owner has %+v", own)
	}
}

func TestWhoMayLookIntoARun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.ran(spec.Task{})
	for who, want := range map[*ent.User]fault.Kind{b.Member: "", b.Owner: "", b.Maintainer: "", b.Admin: "",
		b.Viewer: fault.Forbidden, b.Auditor: fault.Forbidden, b.Other: fault.NotFound} {
		_, err := b.PresetOf(b.as(who), r.ID)
		if (err == nil) != (want == "") || err != nil && fault.KindOf(err) != want {
			t.Errorf("%s: %v, not %q", who.Email, err, want)
		}
	}
	if _, err := b.PresetOf(context.Background(), r.ID); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("anonymous: %v", err)
	}
	b.db.Client.Team.UpdateOneID(b.Team.ID).SetArchivedAt(noon).ExecX(testkit.System(t))
	if _, err := b.PresetOf(b.as(b.Member), r.ID); fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("an archived team: %v", err)
	}
}

func TestPresetNamesFitTheForm(t *testing.T) {
	t.Parallel()
	long := presetName(strings.Repeat("名", 100))
	if n := len(slices.Collect(slices.Values([]rune(long)))); n > 63 || !strings.HasSuffix(long, "-debug") {
		t.Errorf("%d characters: %s", n, long)
	}
}
