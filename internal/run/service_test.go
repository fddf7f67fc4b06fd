package run_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

type shapes []preflight.Node

func (s shapes) Shapes(context.Context) ([]preflight.Node, error) { return s, nil }

type bundle struct {
	db    *db.DB
	cast  testkit.Cast
	kicks *testkit.Kicks
	image *ent.Image
	runs  *run.Service
	sys   context.Context
}

// setup has two nodes of 8 CPUs and 16 GiB.
func setup(t *testing.T) bundle {
	t.Helper()
	return setupWith(t, 0)
}

func setupWith(t *testing.T, gpu int64) bundle {
	t.Helper()
	b := bundle{db: testkit.DB(t), kicks: &testkit.Kicks{}, sys: testkit.System(t)}
	b.cast = testkit.NewCast(t, b.db)
	b.image = logtest.Image(t, b.db, "img:1")
	broker := event.NewLocal()
	bucket, _ := logtest.Bucket(t)
	volumes := volume.New(volume.Deps{DB: b.db, Broker: broker, Kicker: b.kicks, Config: config.Default()})
	node := preflight.Node{Name: "a", CPUMilli: 8000, MemoryBytes: 16 << 30, GPU: gpu}
	other := node
	other.Name = "b"
	b.runs = run.New(run.Deps{DB: b.db, Broker: broker, Kicker: b.kicks, Config: config.Default(),
		Logs: logstore.New(b.db, bucket, broker, 0), Volumes: volumes, Cluster: shapes{node, other},
		Secrets: secrettest.New(t, b.db, broker, b.kicks)})
	return b
}

func (b bundle) input() run.Input {
	return run.Input{TeamID: b.cast.Team.ID, Name: "train", ImageID: b.image.ID, Command: []string{"python", "train.py"},
		Resources: run.Resources{CPU: "500m", Memory: "1Gi"}}
}

func (b bundle) run(t *testing.T, as *ent.User) *ent.Run {
	t.Helper()
	r, err := b.runs.RunNow(testkit.As(t, b.db, as), b.input())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b bundle) volume(t *testing.T, team *ent.Team, owner *ent.User, mode entvolume.AccessMode) *ent.Volume {
	t.Helper()
	id := ident.New(ident.Volume)
	v, err := b.db.Client.Volume.Create().SetID(id).SetTeamID(team.ID).SetOwnerID(owner.ID).SetName("data").SetKind(entvolume.KindData).
		SetObjectName(ident.ObjectName("data", id)).SetSizeBytes(1 << 30).SetAccessMode(mode).Save(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (b bundle) state(t *testing.T, id string, s entrun.State) {
	t.Helper()
	if err := b.db.Client.Run.UpdateOneID(id).SetState(s).Exec(b.sys); err != nil {
		t.Fatal(err)
	}
}

func TestRunNowMakesEverythingAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.run(t, b.cast.Member)
	if r.State != entrun.StatePending || r.OwnerID != b.cast.Member.ID || !ident.Is(ident.Run, r.ID) {
		t.Errorf("the run is %+v", r)
	}
	task, err := r.QueryTask().Only(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	if task.Spec.Resources.CPUMilli != 500 || task.Spec.Class != spec.ClassTest || task.ImageID != b.image.ID {
		t.Errorf("the task is %+v", task.Spec)
	}
	home, err := b.db.Client.Volume.Query().Where(entvolume.HomeKey(volume.HomeKey(b.cast.Team.ID, b.cast.Member.ID))).Count(b.sys)
	if err != nil || home != 1 {
		t.Errorf("%d home volumes, %v", home, err)
	}
	if got := b.kicks.All(); !slices.Contains(got, "run/"+r.ID) {
		t.Errorf("woken: %v", got)
	}
	n, err := b.db.Client.Outbox.Query().Count(b.sys)
	if err != nil || n < 2 {
		t.Errorf("%d rows in the outbox, want those of the run and the home; %v", n, err)
	}
	b.wantTold(t, r.ID, "run.create", "run-created", b.cast.Member.ID)
}

// wantTold: the act stands in the audit log and in the history, with its actor.
func (b bundle) wantTold(t *testing.T, id, action, typ, actor string) {
	t.Helper()
	a, err := b.db.Client.Audit.Query().Where(audit.ObjectID(id), audit.Action(action)).All(b.sys)
	if err != nil || len(a) != 1 || a[0].ActorID != actor || a[0].Address != "192.0.2.1" {
		t.Errorf("audit of %s: %+v, %v", action, a, err)
	}
	e, err := b.db.Client.Event.Query().Where(entevent.SubjectID(id), entevent.Type(typ)).All(b.sys)
	if err != nil || len(e) != 1 || e[0].ActorID == nil || *e[0].ActorID != actor {
		t.Errorf("history of %s: %+v, %v", typ, e, err)
	}
}

func TestRunNowSaysEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := testkit.As(t, b.db, b.cast.Member)
	foreign := b.volume(t, b.cast.OtherTeam, b.cast.Other, entvolume.AccessModeReadWriteMany)
	theirs := b.volume(t, b.cast.Team, b.cast.Owner, entvolume.AccessModeReadWriteMany)
	hidden, err := b.db.Client.Image.Create().SetName("x").SetReference("x:1").SetTeamID(b.cast.OtherTeam.ID).Save(b.sys)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*run.Input)
		paths  []string
	}{
		"nothing at all": {func(in *run.Input) { *in = run.Input{TeamID: in.TeamID} }, []string{"command", "imageId", "name", "resources.cpu", "resources.memory"}},
		"several at once": {func(in *run.Input) {
			in.Resources.CPU, in.Retries, in.Env = "many", 999, []spec.EnvVar{{Name: "1"}}
		}, []string{"env[0].name", "resources.cpu", "retries"}},
		"image of another team":       {func(in *run.Input) { in.ImageID = hidden.ID }, []string{"imageId"}},
		"no such image":               {func(in *run.Input) { in.ImageID = "img-none" }, []string{"imageId"}},
		"volume of another team":      {func(in *run.Input) { in.Mounts = []spec.Mount{{VolumeID: foreign.ID, Path: "/d", ReadOnly: true}} }, []string{"mounts[0].volumeId"}},
		"colleague's volume to write": {func(in *run.Input) { in.Mounts = []spec.Mount{{VolumeID: theirs.ID, Path: "/d"}} }, []string{"mounts[0].volumeId"}},
		"code of another team":        {func(in *run.Input) { in.Code = &spec.Code{VolumeID: foreign.ID} }, []string{"code.volumeId"}},
		"larger than any node (P10)":  {func(in *run.Input) { in.Resources.CPU = "9" }, []string{"resources.cpu"}},
		"larger, and badly named":     {func(in *run.Input) { in.Resources.Memory, in.Name = "17Gi", "" }, []string{"name", "resources.memory"}},
		"path that leaves the volume": {func(in *run.Input) { in.Code = &spec.Code{VolumeID: theirs.ID, SubPath: "../x"} }, []string{"code.subPath"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := b.input()
			c.change(&in)
			_, err := b.runs.RunNow(ctx, in)
			var f *fault.Error
			if !errors.As(err, &f) {
				t.Fatalf("got %v", err)
			}
			var paths []string
			for _, field := range f.Fields {
				paths = append(paths, field.Path)
			}
			slices.Sort(paths)
			if paths = slices.Compact(paths); !slices.Equal(paths, c.paths) {
				t.Errorf("at fault: %v, want %v (%v)", paths, c.paths, err)
			}
		})
	}
	if n, err := b.db.Client.Run.Query().Count(b.sys); err != nil || n != 0 {
		t.Errorf("%d runs were made, %v", n, err)
	}
	if n, err := b.db.Client.Volume.Query().Where(entvolume.KindEQ(entvolume.KindHome)).Count(b.sys); err != nil || n != 0 {
		t.Errorf("%d homes were made, %v (P24)", n, err)
	}
}

func TestSecondConsumerOfAnExclusiveVolume(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := testkit.As(t, b.db, b.cast.Member)
	v := b.volume(t, b.cast.Team, b.cast.Member, entvolume.AccessModeReadWriteOnce)
	in := b.input()
	in.Code = &spec.Code{VolumeID: v.ID}
	first, err := b.runs.RunNow(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.runs.RunNow(ctx, in)
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.FailedPrecondition || f.Fields[0].Path != "code.volumeId" {
		t.Errorf("a second consumer: %v (P21)", err)
	}
	b.state(t, first.ID, entrun.StateSucceeded)
	if _, err := b.runs.RunNow(ctx, in); err != nil {
		t.Errorf("once the first has ended: %v", err)
	}
}

func TestRerunKeepsTheTaskAndChecksAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.run(t, b.cast.Member)
	again, err := b.runs.Rerun(testkit.As(t, b.db, b.cast.Owner), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if again.TaskID != r.TaskID || again.OwnerID != b.cast.Owner.ID || again.ID == r.ID {
		t.Errorf("the run again is %+v", again)
	}
	if err := b.db.Client.Image.UpdateOne(b.image).SetDeletedAt(time.Now()).Exec(b.sys); err != nil {
		t.Fatal(err)
	}
	if _, err := b.runs.Rerun(testkit.As(t, b.db, b.cast.Member), r.ID); fault.KindOf(err) != fault.InvalidArgument {
		t.Errorf("with an image that is gone: %v", err)
	}
}

func TestChangesOfTheClusterFindTheirRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	labels := map[string]string{manifest.LabelComponent: manifest.ComponentTask, manifest.LabelRunID: "run-1"}
	if id, ok := b.runs.OnChange(kube.Change{Kind: "Pod", Labels: labels}); !ok || id != "run-1" {
		t.Errorf("a pod: %q %v", id, ok)
	}
	if _, ok := b.runs.OnChange(kube.Change{Kind: "Pod", Labels: map[string]string{manifest.LabelComponent: manifest.ComponentInstance}}); ok {
		t.Error("an instance's pod was taken for a run's")
	}
	a := logtest.Attempt(t, b.db, b.cast.Team, b.cast.Member)
	e := &corev1.Event{ObjectMeta: metav1.ObjectMeta{UID: types.UID("e-1")}, Type: "Warning", Reason: "FailedScheduling", Message: "0/2 nodes",
		Count: 1, LastTimestamp: metav1.Now(), InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: a.JobName + "-abcde"}}
	for count := range 3 { // the same event again is the same event
		e.Count = int32(count + 1)
		if err := b.runs.Observe(b.sys, e); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.kicks.All(); !slices.Equal(got, slices.Repeat([]string{"run/" + a.RunID}, 3)) {
		t.Errorf("looked at: %v", got)
	}
	rows, err := b.db.Client.Event.Query().Where(entevent.SubjectID(a.RunID)).All(b.sys)
	if err != nil || len(rows) != 1 || rows[0].Count != 3 || rows[0].Severity != entevent.SeverityWarning || rows[0].Type != "FailedScheduling" {
		t.Errorf("kept: %+v, %v (P6)", rows, err)
	}
	for _, name := range []string{"something", "train-att-short-abcde", strings.Repeat("x", 80)} {
		e.InvolvedObject.Name = name
		if err := b.runs.Observe(b.sys, e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := b.kicks.All(); len(got) != 3 {
		t.Errorf("looked at for the events of others: %v", got)
	}
}

func TestSweepLooksAtWhatIsNotAtRest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	live, over, gone := b.run(t, b.cast.Member), b.run(t, b.cast.Member), b.run(t, b.cast.Member)
	b.state(t, over.ID, entrun.StateSucceeded)
	b.state(t, gone.ID, entrun.StateFailed)
	if err := b.runs.Delete(testkit.As(t, b.db, b.cast.Member), gone.ID); err != nil {
		t.Fatal(err)
	}
	before := len(b.kicks.All())
	if err := b.runs.Sweep(b.sys); err != nil {
		t.Fatal(err)
	}
	if got := b.kicks.All()[before:]; len(got) != 2 || !slices.Contains(got, "run/"+live.ID) || !slices.Contains(got, "run/"+gone.ID) {
		t.Errorf("%v", got)
	}
}
