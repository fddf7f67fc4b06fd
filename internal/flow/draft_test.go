package flow_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/carry"
	"github.com/goblinlab/goblinlab/internal/executor/container"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func (b bundle) volume(u *ent.User) *ent.Volume {
	id := ident.New(ident.Volume)
	return b.db.Client.Volume.Create().SetID(id).SetTeamID(b.cast.Team.ID).SetOwnerID(u.ID).SetName("data").SetKind(entvolume.KindData).
		SetObjectName(ident.ObjectName("data", id)).SetSizeBytes(1 << 30).SetAccessMode(entvolume.AccessModeReadWriteMany).SaveX(b.sys)
}

// instance is one of the member's.
func (b bundle) instance(name string, s spec.Instance) *ent.Instance {
	s.ImageID = b.image.ID
	return b.db.Client.Instance.Create().SetTeamID(b.cast.Team.ID).SetOwnerID(b.cast.Member.ID).SetName(name).
		SetObjectName(ident.New(ident.Instance)).SetImageID(b.image.ID).SetSpec(s).SaveX(b.sys)
}

// ran is a run of the member's by itself.
func (b bundle) ran(task spec.Task) *ent.Run {
	task.ImageID = b.image.ID
	row := b.db.Client.Task.Create().SetTeamID(b.cast.Team.ID).SetOwnerID(b.cast.Member.ID).SetName("train").SetImageID(b.image.ID).SetSpec(task).SaveX(b.sys)
	return b.db.Client.Run.Create().SetTeamID(b.cast.Team.ID).SetOwnerID(b.cast.Member.ID).SetTaskID(row.ID).SetName("train").SaveX(b.sys)
}

func told(t *testing.T, d flow.Draft) container.With {
	t.Helper()
	var w container.With
	if len(d.Spec.Tasks) != 1 || d.Spec.Tasks[0].Executor != "container" {
		t.Fatalf("no single container: %+v", d.Spec)
	}
	if err := json.Unmarshal(d.Spec.Tasks[0].With, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

func draftNotes(d flow.Draft) []string {
	var out []string
	for _, n := range d.Notes {
		line := string(n.How) + " " + n.What
		if n.Why != nil {
			line += " " + n.Why.ID
		}
		out = append(out, line)
	}
	return out
}

func TestAnInstanceBecomesATaskWhoseCommandIsToBeFilledIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	data, code := b.volume(b.cast.Member), b.volume(b.cast.Member)
	i := b.instance("Mei's lab", spec.Instance{Resources: spec.Resources{CPUMilli: 1500, MemoryBytes: 3 << 30},
		Mounts: []spec.Mount{{VolumeID: code.ID, Path: "/code", SubPath: "jobs"}, {VolumeID: data.ID, Path: "/data", ReadOnly: true}},
		Ports:  []spec.Port{{Number: 9000}}, Env: []spec.EnvVar{{Name: "PRICE", Value: "5$ ${yyyy}"}, {Name: carry.EnvCommand, Value: "old"}}})
	d, err := b.flows.Draft(b.own, i.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	want := container.With{Command: []string{}, Code: &spec.Code{VolumeID: code.ID, SubPath: "jobs", Writable: true}, Place: container.Place{
		ImageID: b.image.ID, Resources: container.Resources{CPU: "1500m", Memory: "3Gi"},
		Env: []spec.EnvVar{{Name: "PRICE", Value: "5$$ $${yyyy}"}}, Mounts: []spec.Mount{{VolumeID: data.ID, Path: "/data", ReadOnly: true}}}}
	if diff := cmp.Diff(want, told(t, d)); diff != "" || d.Name != "Mei's lab" || d.Spec.Tasks[0].Name != "Mei-s-lab" || len(d.Notes) != 0 {
		t.Errorf("%+v (-want +got)\n%s", d, diff)
	}
	// Of its document nothing is wrong but the command that is missing.
	p, err := b.flows.Parse(flow.Definition{YAML: flow.Print(d.Name, d.Spec)})
	if err != nil || len(p.Problems) != 1 || !strings.HasSuffix(p.Problems[0].Path, "with.command") {
		t.Errorf("problems: %+v, %v", p.Problems, err)
	}
	// With it the flow can be saved as it is.
	said := strings.Replace(flow.Print(d.Name, d.Spec), "command: []", "command: [python, train.py]", 1)
	if _, err := b.flows.Create(b.own, flow.CreateInput{TeamID: d.TeamID, Definition: flow.Definition{YAML: said}, Paused: true}); err != nil {
		t.Errorf("it makes no flow: %v\n%s", err, said)
	}
}

func TestARunBecomesAFlowAsItRan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.ran(spec.Task{Command: []string{"sh", "-c", "echo $HOME ${x}"}, Args: []string{"a"}, WorkingDir: "/tmp", Class: spec.ClassOnline,
		Resources: spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30}, Timeout: time.Hour, Pending: time.Minute, Retries: 2, Backoff: time.Second})
	d, err := b.flows.Draft(b.own, "", r.ID)
	if err != nil {
		t.Fatal(err)
	}
	task := d.Spec.Tasks[0]
	if w := told(t, d); w.Command[2] != "echo $$HOME $${x}" || w.Args[0] != "a" || w.WorkingDir != "/tmp" {
		t.Errorf("told %+v", w)
	}
	if task.Name != "train" || task.Timeout.Std() != time.Hour || task.Pending.Std() != time.Minute || task.Retry.Count != 2 || task.Retry.Wait.Std() != time.Second || d.Spec.Class != spec.ClassOnline {
		t.Errorf("task %+v of class %q", task, d.Spec.Class)
	}
	f, err := b.flows.Create(b.own, flow.CreateInput{TeamID: d.TeamID, Definition: flow.Definition{YAML: flow.Print(d.Name, d.Spec)}, Paused: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := b.db.Client.Flow.Query().CountX(b.sys); n != 1 || f.Name != "train" {
		t.Errorf("%d flows: a draft makes none", n)
	}
}

// P94, P95: a flow that is made of another person's instance has only what its maker may use.
func TestP94AFlowOfAnothersInstanceHasOnesOwnRights(t *testing.T) {
	t.Parallel()
	b := setup(t)
	secrets := secrettest.New(t, b.db, b.deps.Broker, b.kicks)
	hers := secrettest.Make(b.own, t, secrets, nil, "token", map[string]string{"k": "v"})
	data, gone := b.volume(b.cast.Member), b.volume(b.cast.Member)
	i := b.instance("lab", spec.Instance{Resources: spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30, GPU: 8}, Secrets: []spec.SecretUse{{SecretID: hers.ID, As: spec.SecretAsAuto}},
		Mounts: []spec.Mount{{VolumeID: data.ID, Path: "/code"}, {VolumeID: gone.ID, Path: "/gone"}}})
	b.db.Client.Volume.DeleteOne(gone).ExecX(b.sys)
	b.db.Client.Team.UpdateOne(b.cast.Team).SetQuota(spec.Quota{GPU: 2}).ExecX(b.sys)
	colleague := testkit.User(t, b.db, "colleague", authz.PlatformUser)
	testkit.Join(t, b.db, b.cast.Team, colleague, authz.RoleMember)
	d, err := b.flows.Draft(testkit.As(t, b.db, colleague), i.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"read-only /code volume.read-only", "left-out /gone volume.missing", "lowered resources.gpu preflight.quota.gpu",
		"left-out " + hers.ID + " secret.missing", "own-home " + b.cast.Member.DisplayName}
	if diff := cmp.Diff(want, draftNotes(d)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if w := told(t, d); w.Code == nil || w.Code.Writable || len(w.Secrets) != 0 || len(w.Mounts) != 0 || w.Resources.GPU != 2 {
		t.Errorf("told %+v", w)
	}
}

func TestAStepThatIsMadeAFlowSaysThatItsTimesAreFixed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.ran(spec.Task{Command: []string{"true"}, Class: spec.ClassTest, Resources: spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30}, Flow: &spec.TaskFlow{FlowID: "flw-1"}})
	d, err := b.flows.Draft(b.own, "", r.ID)
	if err != nil || !cmp.Equal(draftNotes(d), []string{"expanded "}) {
		t.Errorf("%v, %v", draftNotes(d), err)
	}
}

func TestWhoMayMakeAFlowOfSomething(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := b.instance("实验", spec.Instance{Resources: spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30}})
	for who, want := range map[*ent.User]fault.Kind{b.cast.Member: "", b.cast.Owner: "", b.cast.Maintainer: "", b.cast.Admin: "",
		b.cast.Viewer: fault.Forbidden, b.cast.Auditor: fault.Forbidden, b.cast.Other: fault.NotFound} {
		d, err := b.flows.Draft(testkit.As(t, b.db, who), i.ID, "")
		if (err == nil) != (want == "") || err != nil && fault.KindOf(err) != want {
			t.Errorf("%s: %v, not %q", who.Email, err, want)
		}
		if err == nil && d.Spec.Tasks[0].Name != "main" {
			t.Errorf("the task is called %q", d.Spec.Tasks[0].Name)
		}
	}
	for _, both := range [][2]string{{"", ""}, {i.ID, "run-1"}} {
		if _, err := b.flows.Draft(b.own, both[0], both[1]); fault.KindOf(err) != fault.InvalidArgument {
			t.Errorf("%v: %v", both, err)
		}
	}
	b.db.Client.Team.UpdateOne(b.cast.Team).SetArchivedAt(b.clock.now()).ExecX(b.sys)
	if _, err := b.flows.Draft(b.own, i.ID, ""); fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("an archived team: %v", err)
	}
}
