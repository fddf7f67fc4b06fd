package graph_test

import (
	"context"
	"testing"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// world is a server with one thing of each kind in the team, all of Member's.
type world struct {
	*servertest.Site
	t     testing.TB
	sys   context.Context
	flows *flow.Service
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, sys: authz.AsSystem(t.Context())}
	w.Site = servertest.Start(t, servertest.Options{Config: func(c *config.Config) { c.Limits.InstancesPerUser = 10_000 }, Graph: func(d *graph.Deps) {
		w.flows = newFlows(t, *d)
		d.Flows = w.flows
	}})
	return w
}

func must[T any](w *world) func(T, error) T {
	w.t.Helper()
	return func(v T, err error) T {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
		return v
	}
}

var small = spec.Resources{CPUMilli: 100, MemoryBytes: 64 << 20}

func (w *world) image(teamID *string) *ent.Image {
	w.t.Helper()
	return must[*ent.Image](w)(w.DB.Client.Image.Create().SetNillableTeamID(teamID).SetName("dev " + xid.New().String()).
		SetReference("goblinlab.local/dev:1").SetDevelopment(true).SetApps([]string{"jupyterlab", "sshd"}).Save(w.sys))
}

func (w *world) volume() *ent.Volume {
	w.t.Helper()
	x := xid.New().String()
	return must[*ent.Volume](w)(w.DB.Client.Volume.Create().SetTeamID(w.Cast.Team.ID).SetOwnerID(w.Cast.Member.ID).SetName("data " + x).
		SetKind(volume.KindData).SetObjectName("data-" + x).SetSizeBytes(1 << 30).SetAccessMode(volume.AccessModeReadWriteMany).Save(w.sys))
}

// instance makes a stopped one; change it through edit.
func (w *world) instance(edit ...func(*ent.InstanceCreate)) *ent.Instance {
	w.t.Helper()
	img := w.image(nil)
	x := xid.New().String()
	c := w.DB.Client.Instance.Create().SetTeamID(w.Cast.Team.ID).SetOwnerID(w.Cast.Member.ID).SetName("lab " + x).
		SetObjectName("lab-" + x).SetImageID(img.ID).SetSpec(spec.Instance{ImageID: img.ID, Resources: small})
	for _, e := range edit {
		e(c)
	}
	return must[*ent.Instance](w)(c.Save(w.sys))
}

func runningInstance(c *ent.InstanceCreate) {
	s, _ := c.Mutation().Spec()
	c.SetDesired(instance.DesiredRunning).SetState(instance.StateRunning).SetStartNumber(1).SetStartedSpec(&s).
		SetApps([]spec.App{{Name: "jupyterlab", Port: 8888, State: "ready"}, {Name: "sshd", Port: 22, State: "ready"}})
}

// lostInstance is one whose node does not answer.
func lostInstance(c *ent.InstanceCreate) {
	runningInstance(c)
	c.SetState(instance.StateUnhealthy).SetReason(&spec.Reason{Code: reason.NodeLost, Args: map[string]any{"node": "n1", "detail": "–"}})
}

// teamOf is another team, which a person owns. Who is signed in already gets to
// know of the role with the next request.
func (w *world) teamOf(u *ent.User) *ent.Team {
	w.t.Helper()
	t := testkit.Team(w.t, w.DB, "more")
	testkit.Join(w.t, w.DB, t, u, authz.RoleOwner)
	return t
}

func (w *world) archived() *ent.Team {
	w.t.Helper()
	return must[*ent.Team](w)(w.teamOf(w.Cast.Owner).Update().SetArchivedAt(time.Now().UTC()).Save(w.sys))
}

// bereft is a team whose namespace was taken away.
func (w *world) bereft() *ent.Team {
	w.t.Helper()
	return must[*ent.Team](w)(w.teamOf(w.Cast.Owner).Update().SetLost(&spec.Reason{Code: "team-namespace-lost", Args: map[string]any{"count": 1}}).Save(w.sys))
}

func (w *world) run() *ent.Run {
	w.t.Helper()
	img := w.image(nil)
	task := must[*ent.Task](w)(w.DB.Client.Task.Create().SetTeamID(w.Cast.Team.ID).SetOwnerID(w.Cast.Member.ID).SetName("train").
		SetImageID(img.ID).SetSpec(spec.Task{ImageID: img.ID, Command: []string{"true"}, Resources: small, Class: spec.ClassTest}).Save(w.sys))
	return must[*ent.Run](w)(w.DB.Client.Run.Create().SetTeamID(w.Cast.Team.ID).SetOwnerID(w.Cast.Member.ID).SetTaskID(task.ID).
		SetName("train").SetState(run.StateRunning).SetStartedAt(time.Now().UTC()).Save(w.sys))
}

func (w *world) attempt() *ent.Attempt {
	w.t.Helper()
	r := w.run()
	return must[*ent.Attempt](w)(w.DB.Client.Attempt.Create().SetTeamID(r.TeamID).SetRunID(r.ID).SetNumber(1).
		SetJobName("job-" + xid.New().String()).SetState(attempt.StateRunning).Save(w.sys))
}

func (w *world) log(a *ent.Attempt, texts ...string) {
	w.t.Helper()
	var lines []logstore.Line
	for _, text := range texts {
		lines = append(lines, logstore.Line{Time: time.Now().UTC(), Source: logstore.Output, Text: text})
	}
	if err := w.Logs.Append(w.sys, a.ID, lines); err != nil {
		w.t.Fatal(err)
	}
}

// happened notes an event of an object and says so.
func (w *world) happened(teamID, subjectID, kind string) {
	w.t.Helper()
	e := must[*ent.Event](w)(history.Add(w.sys, w.DB.Client.Event, history.Entry{TeamID: teamID, SubjectID: subjectID,
		Source: entevent.SourceCluster, Type: kind, Message: kind + " happened", Severity: entevent.SeverityWarning}))
	w.Broker.Publish(w.sys, event.Message{Topic: "event", ID: subjectID, TeamID: teamID})
	_ = e
}

// touch changes an instance's row as a reconciler does.
func (w *world) touch(i *ent.Instance, state instance.State) {
	w.t.Helper()
	row := must[*ent.Instance](w)(w.DB.Client.Instance.UpdateOneID(i.ID).SetState(state).AddVersion(1).Save(w.sys))
	w.Broker.Publish(w.sys, event.Message{Topic: "instance", ID: i.ID, TeamID: i.TeamID, Version: row.Version})
}
