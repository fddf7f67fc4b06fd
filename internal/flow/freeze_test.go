package flow_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/codesnapshot"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/run"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	"github.com/goblinlab/goblinlab/ent/step"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// disks are the files of volumes, as agents beside them serve them.
type disks struct {
	t    testing.TB
	base string

	mu      sync.Mutex
	trouble error                 // of who asks
	after   func(volumeID string) // called when a copy is there, and not yet told
}

func (d *disks) dir(volumeID string) string {
	dir := filepath.Join(d.base, volumeID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		d.t.Fatal(err)
	}
	return dir
}

func (d *disks) write(volumeID, p, text string) {
	d.t.Helper()
	full := filepath.Join(d.dir(volumeID), p)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// copies are the names of the frozen copies on a volume.
func (d *disks) copies(volumeID string) []string {
	var out []string
	entries, _ := os.ReadDir(filepath.Join(d.dir(volumeID), files.Frozen))
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func (d *disks) fails(err error) {
	d.mu.Lock()
	d.trouble = err
	d.mu.Unlock()
}

func (d *disks) open(volumeID string) (*files.Volume, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trouble != nil {
		return nil, d.trouble
	}
	return files.Open(d.dir(volumeID), false)
}

func (d *disks) Freeze(ctx context.Context, volumeID, path, name string, most files.Bounds) (files.FrozenCopy, error) {
	v, err := d.open(volumeID)
	if err != nil {
		return files.FrozenCopy{}, err
	}
	defer v.Close()
	p, err := files.Path(files.Ref(path))
	if err != nil {
		return files.FrozenCopy{}, err
	}
	c, err := v.Freeze(ctx, p, name, most, nil)
	if d.after != nil {
		d.after(volumeID)
	}
	return c, errors.Join(err, ctx.Err())
}

func (d *disks) Thaw(ctx context.Context, volumeID, name string) error {
	v, err := d.open(volumeID)
	if err != nil {
		return err
	}
	defer v.Close()
	return v.Thaw(ctx, name, nil)
}

type freezing struct {
	bundle
	disks *disks
	vol   *ent.Volume
}

func setupFreezing(t *testing.T) *freezing {
	t.Helper()
	f := &freezing{bundle: setup(t), disks: &disks{t: t, base: t.TempDir()}}
	f.deps.Code = f.disks
	f.flows = flow.New(f.deps)
	f.vol = f.volume(f.cast.Member)
	f.disks.write(f.vol.ID, "jobs/train.py", "print(1)")
	return f
}

// frozenTask is a flow of one task whose code is frozen.
func (f *freezing) frozenTask(code string) string {
	return "apiVersion: goblinlab.io/v1\nkind: Flow\nname: frozen\nspec:\n  concurrency: allow\n  parameters: [{name: p, default: x}]\n  tasks:\n  - name: train\n    executor: container\n    with: {imageId: " +
		f.image.ID + `, command: [python, train.py], resources: {cpu: "1", memory: 1Gi}, code: ` + code + "}\n"
}

func (f *freezing) yaml() string {
	return f.frozenTask("{volumeId: " + f.vol.ID + ", subPath: jobs, freeze: true}")
}

func (f *freezing) save(t *testing.T, id string, base int) *ent.Flow {
	t.Helper()
	row, err := f.flows.Save(f.own, flow.SaveInput{ID: id, Base: base, Definition: flow.Definition{YAML: f.yaml()}})
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// work does what the worker does with every snapshot that is not at rest.
func (f *freezing) work(t *testing.T) {
	t.Helper()
	rows, err := f.db.Client.CodeSnapshot.Query().Order(ent.Asc(codesnapshot.FieldID)).All(f.sys)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for range 2 {
			if _, err := (flow.Freezer{Service: f.flows}).Reconcile(f.sys, r.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (f *freezing) snapshot(t *testing.T, flowID string, number int) *ent.CodeSnapshot {
	t.Helper()
	s, err := f.db.Client.CodeSnapshot.Query().Where(codesnapshot.FlowID(flowID), codesnapshot.Number(number)).Only(f.sys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (f *freezing) step(t *testing.T, flowRunID string) *ent.Step {
	t.Helper()
	s, err := f.db.Client.Step.Query().Where(step.FlowRunID(flowRunID)).Only(f.sys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (f *freezing) start(t *testing.T, flowID string) *ent.FlowRun {
	t.Helper()
	r, err := f.flows.Run(f.own, flow.RunInput{FlowID: flowID})
	if err != nil {
		t.Fatal(err)
	}
	return f.drive(t, r.ID)
}

// launched is the task that a flow run's step was launched with.
func (f *freezing) launched(t *testing.T, flowRunID string) *ent.Task {
	t.Helper()
	r, err := f.db.Client.Run.Query().Where(run.FlowRunID(flowRunID)).WithTask().Only(f.sys)
	if err != nil {
		t.Fatal(err)
	}
	return r.Edges.Task
}

func TestAVersionRunsTheCodeThatItWasSavedWith(t *testing.T) {
	t.Parallel()
	f := setupFreezing(t)
	row := f.create(t, f.yaml())
	waiting := f.start(t, row.ID)
	if s := f.step(t, waiting.ID); s.State != step.StateWaiting || s.Reason == nil || s.Reason.Code != "step-code-freezing" || s.RunID != "" {
		t.Fatalf("before the copy it is %s %+v", s.State, s.Reason)
	}
	f.work(t)
	snap := f.snapshot(t, row.ID, 1)
	if snap.State != codesnapshot.StateReady || snap.Files != 1 || snap.Bytes != 8 || len(snap.Sha256) != 64 || snap.FrozenAt == nil {
		t.Fatalf("snapshot %+v", snap)
	}
	f.drive(t, waiting.ID)
	task := f.launched(t, waiting.ID)
	if z := task.Spec.Frozen; z == nil || z.SnapshotID != snap.ID || z.SHA256 != snap.Sha256 || z.Path != files.Frozen+"/"+snap.ID || z.Files != 1 {
		t.Fatalf("it runs %+v", z)
	}
	if s := f.step(t, waiting.ID); s.State != step.StateStarting || s.Reason != nil {
		t.Errorf("after the copy it is %s %+v", s.State, s.Reason)
	}
	f.replay(t, waiting.ID)

	// The folder goes on; what was saved does not.
	f.disks.write(f.vol.ID, "jobs/train.py", "print(2)")
	again := f.start(t, row.ID)
	if z := f.launched(t, again.ID).Spec.Frozen; z.SnapshotID != snap.ID {
		t.Errorf("a later run runs %+v", z)
	}
	if row = f.save(t, row.ID, 1); row.Latest != 2 { // the same words, and code that is frozen anew
		t.Fatalf("saving made version %d", row.Latest)
	}
	f.work(t)
	second := f.snapshot(t, row.ID, 2)
	if second.Sha256 == snap.Sha256 || second.Folder != second.ID {
		t.Errorf("version 2 has %+v", second)
	}
	text, err := os.ReadFile(filepath.Join(f.disks.dir(f.vol.ID), files.FrozenPath(second.Folder), "train.py"))
	if err != nil || string(text) != "print(2)" {
		t.Errorf("version 2 runs %q, %v", text, err)
	}

	// The way back is to the code, too.
	if row, err = f.flows.Restore(f.own, row.ID, 1, ""); err != nil || row.Latest != 3 {
		t.Fatalf("restored: %+v, %v", row, err)
	}
	third := f.start(t, row.ID)
	if z := f.launched(t, third.ID).Spec.Frozen; third.Number != 3 || z.SnapshotID != snap.ID {
		t.Errorf("version %d runs %+v", third.Number, z)
	}
	if row, err = f.flows.Restore(f.own, row.ID, 1, ""); err != nil || row.Latest != 3 {
		t.Errorf("restoring what counts made version %d, %v", row.Latest, err)
	}
	v, err := f.flows.Version(f.own, row.ID, 3)
	if err != nil {
		t.Fatal(err)
	}
	if shown, err := f.flows.Snapshots(f.own, []*ent.FlowVersion{v}); err != nil || len(shown[v.ID]) != 1 || shown[v.ID][0].ID != snap.ID {
		t.Errorf("version 3 shows %v, %v", shown, err)
	}
	if shown, err := f.flows.Snapshots(testkit.As(t, f.db, f.cast.Other), []*ent.FlowVersion{v}); err != nil || len(shown) != 0 {
		t.Errorf("another team sees %v, %v", shown, err)
	}
}

func TestEqualCodeIsKeptOnce(t *testing.T) {
	t.Parallel()
	f := setupFreezing(t)
	row := f.create(t, f.yaml())
	f.work(t)
	f.save(t, row.ID, 1)
	f.work(t)
	first, second := f.snapshot(t, row.ID, 1), f.snapshot(t, row.ID, 2)
	if second.State != codesnapshot.StateReady || second.Folder != first.ID || second.Untidy {
		t.Fatalf("the second is %+v", second)
	}
	if got := f.disks.copies(f.vol.ID); !slices.Equal(got, []string{first.ID}) {
		t.Errorf("there are the copies %v", got)
	}
	// The last that uses a copy removes it.
	if err := f.db.Client.CodeSnapshot.UpdateOneID(first.ID).SetState(codesnapshot.StateRemoving).Exec(f.sys); err != nil {
		t.Fatal(err)
	}
	f.work(t)
	if got := f.disks.copies(f.vol.ID); !slices.Equal(got, []string{first.ID}) {
		t.Errorf("after the first there are %v", got)
	}
	if err := f.db.Client.CodeSnapshot.UpdateOneID(second.ID).SetState(codesnapshot.StateRemoving).Exec(f.sys); err != nil {
		t.Fatal(err)
	}
	f.work(t)
	if got := f.disks.copies(f.vol.ID); len(got) != 0 {
		t.Errorf("after both there are %v", got)
	}
}

func TestCodeThatCannotBeFrozenFailsItsStep(t *testing.T) {
	t.Parallel()
	f := setupFreezing(t)
	row := f.create(t, f.frozenTask("{volumeId: "+f.vol.ID+", subPath: none, freeze: true}"))
	r := f.start(t, row.ID)
	f.disks.fails(fault.New(fault.Unavailable, "files.no-cluster", nil))
	f.work(t)
	f.drive(t, r.ID)
	if s := f.step(t, r.ID); s.State != step.StateWaiting || s.Reason.Code != "step-code-stuck" || s.Reason.Args["detail"] == "" {
		t.Fatalf("without an agent it is %s %+v", s.State, s.Reason)
	}
	if f.snapshot(t, row.ID, 1).State != codesnapshot.StatePending {
		t.Fatal("it was given up")
	}
	f.disks.fails(nil)
	f.work(t)
	if snap := f.snapshot(t, row.ID, 1); snap.State != codesnapshot.StateFailed || !strings.Contains(snap.Reason.Args["detail"].(string), "none") {
		t.Fatalf("the snapshot is %+v", snap)
	}
	if r = f.drive(t, r.ID); r.State != flowrun.StateFailed {
		t.Errorf("the run is %s", r.State)
	}
	if s := f.step(t, r.ID); s.State != step.StateFailed || s.Reason.Code != "step-code-failed" || s.Reason.Args["folder"] != "/none" {
		t.Errorf("the step is %s %+v", s.State, s.Reason)
	}
	f.replay(t, r.ID)
}

func TestWhatCannotBeFrozenIsRefusedAtSaving(t *testing.T) {
	t.Parallel()
	f := setupFreezing(t)
	others := f.volume(f.cast.Maintainer)
	foreign := f.foreign(t)
	for code, want := range map[string]string{
		"{volumeId: " + f.vol.ID + ", subPath: \"${param.p}\", freeze: true}":           "spec.tasks[0].with.code.subPath flow.freeze-macro",
		"{volumeId: \"${param.p}\", freeze: true}":                                      "spec.tasks[0].with.code.volumeId flow.freeze-macro",
		"{volumeId: " + f.vol.ID + ", subPath: jobs, freeze: true, writable: true}":     "spec.tasks[0].with.code.writable executor.freeze-writable",
		"{volumeId: " + others.ID + ", freeze: true}":                                   "spec.tasks[0].with.code.volumeId flow.freeze-read-only",
		"{volumeId: " + foreign(entshare.ModeReadOnly) + ", freeze: true}":              "spec.tasks[0].with.code.volumeId flow.freeze-read-only",
		"{volumeId: vol-00000000000000000000, subPath: jobs, freeze: true}":             "spec.tasks[0].with.code.volumeId volume.missing",
		"{volumeId: " + f.vol.ID + ", subPath: ../jobs, freeze: true}":                  "spec.tasks[0].with.code.subPath preflight.subpath.parent",
		"{volumeId: " + others.ID + ", subPath: jobs}":                                  "",
		"{volumeId: " + foreign(entshare.ModeReadWrite) + ", subPath: a, freeze: true}": "",
		"{volumeId: " + f.vol.ID + ", freeze: true}":                                    "",
	} {
		_, err := f.flows.Create(f.own, flow.CreateInput{TeamID: f.cast.Team.ID, Name: ident.New(ident.Flow), Definition: flow.Definition{YAML: f.frozenTask(code)}})
		var got []string
		if e := fault.Of(err); e != nil {
			for _, p := range e.Fields {
				got = append(got, p.Path+" "+p.ID)
			}
		}
		if want == "" && err != nil || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
			t.Errorf("%s: %v %v, not %s", code, err, got, want)
		}
	}
	// Without an agent there is nobody who could.
	f.deps.Code = nil
	_, err := flow.New(f.deps).Create(f.own, flow.CreateInput{TeamID: f.cast.Team.ID, Name: "x", Definition: flow.Definition{YAML: f.yaml()}})
	if e := fault.Of(err); e == nil || len(e.Fields) != 1 || e.Fields[0].ID != "flow.freeze-nowhere" {
		t.Errorf("without an agent: %v", err)
	}
}

// foreign are shares of a volume of another team with ours.
func (f *freezing) foreign(t *testing.T) func(entshare.Mode) string {
	t.Helper()
	id := ident.New(ident.Volume)
	vol := f.db.Client.Volume.Create().SetID(id).SetTeamID(f.cast.OtherTeam.ID).SetOwnerID(f.cast.Other.ID).SetName("theirs").SetKind(entvolume.KindData).
		SetObjectName(ident.ObjectName("theirs", id)).SetSizeBytes(1 << 30).SetAccessMode(entvolume.AccessModeReadWriteMany).SaveX(f.sys)
	return func(mode entshare.Mode) string {
		id := ident.New(ident.Share)
		f.db.Client.Share.Create().SetID(id).SetVolumeID(vol.ID).SetVolumeName("theirs").SetFromTeamID(vol.TeamID).SetGranteeKind(entshare.GranteeKindTeam).
			SetGrantee(f.cast.Team.Name).SetTeamID(f.cast.Team.ID).SetMode(mode).SetGrantedBy(f.cast.Other.ID).SetAcceptedAt(time.Now()).
			SetState(entshare.StateAccepted).SetReady(true).SetReadOnlyName("ro-" + id).SetReadWriteName("rw-" + id).SaveX(f.sys)
		return id
	}
}

// P69: whoever copies may end at any moment; so may who removes.
func TestP69FreezingSurvivesEnds(t *testing.T) {
	t.Parallel()
	f := setupFreezing(t)
	row := f.create(t, f.yaml())
	snap := f.snapshot(t, row.ID, 1)
	// Ended after the copy was renamed and before its row told of it; the folder has changed since.
	ctx, kill := context.WithCancel(f.sys)
	f.disks.after = func(string) { kill() }
	if _, err := (flow.Freezer{Service: f.flows}).Reconcile(ctx, snap.ID); err == nil {
		t.Error("it went on")
	}
	f.disks.after = nil
	if s := f.snapshot(t, row.ID, 1); s.State != codesnapshot.StatePending || len(f.disks.copies(f.vol.ID)) != 1 {
		t.Fatalf("after the end it is %s with %v", s.State, f.disks.copies(f.vol.ID))
	}
	f.disks.write(f.vol.ID, "jobs/train.py", "print(3), longer")
	f.work(t)
	if s := f.snapshot(t, row.ID, 1); s.State != codesnapshot.StateReady || s.Bytes != 8 {
		t.Errorf("it is %+v", s)
	}
	// Deleted while it is copied: who removes it removes the copy.
	f.save(t, row.ID, 1)
	second := f.snapshot(t, row.ID, 2)
	f.disks.after = func(string) {
		f.db.Client.CodeSnapshot.UpdateOneID(second.ID).SetState(codesnapshot.StateRemoving).ExecX(f.sys)
	}
	if _, err := (flow.Freezer{Service: f.flows}).Reconcile(f.sys, second.ID); err != nil {
		t.Fatal(err)
	}
	f.disks.after = nil
	if s := f.snapshot(t, row.ID, 2); s.State != codesnapshot.StateRemoving {
		t.Errorf("it is %s again", s.State)
	}
	f.work(t)
	if got := f.disks.copies(f.vol.ID); !slices.Equal(got, []string{snap.ID}) {
		t.Errorf("there are %v", got)
	}
}

// A copy that comes after its snapshot has gone, from another process, is no
// copy that stays.
func TestACopyThatComesLateGoes(t *testing.T) {
	t.Parallel()
	f := setupFreezing(t)
	row := f.create(t, f.yaml())
	snap := f.snapshot(t, row.ID, 1)
	f.disks.after = func(string) { f.db.Client.CodeSnapshot.DeleteOneID(snap.ID).ExecX(f.sys) }
	if _, err := (flow.Freezer{Service: f.flows}).Reconcile(f.sys, snap.ID); err != nil {
		t.Fatal(err)
	}
	if got := f.disks.copies(f.vol.ID); len(got) != 0 {
		t.Errorf("there are %v", got)
	}
}

func TestADeletedFlowLeavesNoCopies(t *testing.T) {
	t.Parallel()
	f := setupFreezing(t)
	row := f.create(t, f.yaml())
	f.work(t)
	f.disks.write(f.vol.ID, "jobs/train.py", "print(2)")
	f.save(t, row.ID, 1)
	f.work(t)
	if got := f.disks.copies(f.vol.ID); len(got) != 2 {
		t.Fatalf("there are %v", got)
	}
	if err := f.flows.Delete(f.own, row.ID, row.Name); err != nil {
		t.Fatal(err)
	}
	if _, err := f.flows.Reconcile(f.sys, row.ID); err != nil {
		t.Fatal(err)
	}
	if n := f.db.Client.Flow.Query().CountX(f.sys); n != 0 {
		t.Fatalf("%d flows are left", n)
	}
	// The volume is in the trash for a while: the copies wait for it.
	f.disks.fails(fault.New(fault.FailedPrecondition, "volume.trashed", fault.Args{"name": "data"}))
	f.work(t)
	if n := f.db.Client.CodeSnapshot.Query().Where(codesnapshot.StateEQ(codesnapshot.StateRemoving)).CountX(f.sys); n != 2 {
		t.Fatalf("%d wait", n)
	}
	f.disks.fails(nil)
	before := len(f.kicks.All())
	if err := (flow.Freezer{Service: f.flows}).Sweep(f.sys); err != nil || len(f.kicks.All()) != before+2 {
		t.Errorf("the sweep woke %d, %v", len(f.kicks.All())-before, err)
	}
	f.work(t)
	f.work(t) // once more is nothing more
	if n, got := f.db.Client.CodeSnapshot.Query().CountX(f.sys), f.disks.copies(f.vol.ID); n != 0 || len(got) != 0 {
		t.Errorf("%d rows and the copies %v are left", n, got)
	}
	if text, err := os.ReadFile(filepath.Join(f.disks.dir(f.vol.ID), "jobs/train.py")); err != nil || string(text) != "print(2)" {
		t.Errorf("the folder itself says %q, %v", text, err)
	}
}
