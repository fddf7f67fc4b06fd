package person

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	entaudit "github.com/goblinlab/goblinlab/ent/audit"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/membership"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// lab is the service with the real services below it, on a real database.
type lab struct {
	testkit.Cast
	*Service
	t      *testing.T
	db     *db.DB
	broker *event.Local
	sys    context.Context
}

func newLab(t *testing.T) *lab {
	t.Helper()
	d := testkit.DB(t)
	return labOn(t, d, testkit.NewCast(t, d))
}

func labOn(t *testing.T, d *db.DB, cast testkit.Cast) *lab {
	t.Helper()
	b := event.NewLocal()
	return &lab{cast, serviceOn(d, b), t, d, b, testkit.System(t)}
}

func serviceOn(d *db.DB, b *event.Local) *Service {
	c := config.Default()
	c.URL = "http://localhost"
	kicks := &testkit.Kicks{}
	volumes := volume.New(volume.Deps{DB: d, Broker: b, Kicker: kicks, Config: c})
	s := New(Deps{DB: d, Broker: b, Config: c, Account: account.New(account.Deps{DB: d, Broker: b, Config: c}),
		Teams:     team.New(team.Deps{DB: d, Broker: b, Kicker: kicks, Config: c}),
		Instances: instance.New(instance.Deps{DB: d, Broker: b, Kicker: kicks, Config: c, Volumes: volumes}),
		Runs:      run.New(run.Deps{DB: d, Broker: b, Kicker: kicks, Config: c, Volumes: volumes}), Volumes: volumes})
	s.Teams.Estates, s.Account.Members = s, s.Teams
	return s
}

func (l *lab) as(u *ent.User) context.Context {
	return testkit.As(l.t, l.db, l.db.Client.User.GetX(l.sys, u.ID))
}

func (l *lab) user(u *ent.User) *ent.User { return l.db.Client.User.GetX(l.sys, u.ID) }

func (l *lab) role(t *ent.Team, u *ent.User) authz.Role {
	m, err := l.db.Client.Membership.Query().Where(membership.TeamID(t.ID), membership.UserID(u.ID)).Only(l.sys)
	if err != nil {
		return ""
	}
	return m.Role
}

// things are what a person owns in a team: an instance that runs and one that
// does not, a run that goes on and one that is over, a home and a data volume.
type things struct {
	running, stopped *ent.Instance
	run, over        *ent.Run
	home, data       *ent.Volume
}

func (l *lab) give(t *ent.Team, u *ent.User) things {
	l.t.Helper()
	c, x := l.db.Client, xid.New().String()
	img := c.Image.Create().SetName("dev " + x).SetReference("dev:1").SetDevelopment(true).SaveX(l.sys)
	sp := spec.Instance{ImageID: img.ID, Resources: spec.Resources{CPUMilli: 100, MemoryBytes: 64 << 20}}
	ins := func(name string) *ent.InstanceCreate {
		return c.Instance.Create().SetTeamID(t.ID).SetOwnerID(u.ID).SetName(name).SetObjectName(name + "-" + x).SetImageID(img.ID).SetSpec(sp)
	}
	task := c.Task.Create().SetTeamID(t.ID).SetOwnerID(u.ID).SetName("train").SetImageID(img.ID).SetSpec(spec.Task{ImageID: img.ID}).SaveX(l.sys)
	rn := func(s entrun.State) *ent.Run {
		return c.Run.Create().SetTeamID(t.ID).SetOwnerID(u.ID).SetTaskID(task.ID).SetName("train").SetState(s).SaveX(l.sys)
	}
	vol := func(name string, k entvolume.Kind) *ent.VolumeCreate {
		return c.Volume.Create().SetTeamID(t.ID).SetOwnerID(u.ID).SetName(name).SetKind(k).SetObjectName(name + "-" + x).
			SetSizeBytes(1 << 30).SetAccessMode(entvolume.AccessModeReadWriteMany)
	}
	return things{
		running: ins("lab").SetDesired(entinstance.DesiredRunning).SetState(entinstance.StateRunning).SetStartNumber(3).SetStartedSpec(&sp).SaveX(l.sys),
		stopped: ins("old").SaveX(l.sys),
		run:     rn(entrun.StateRunning), over: rn(entrun.StateSucceeded),
		home: vol("home", entvolume.KindHome).SetHomeKey(volume.HomeKey(t.ID, u.ID)).SaveX(l.sys),
		data: vol("data", entvolume.KindData).SaveX(l.sys),
	}
}

// whose gives the owner of everything that was given, and fails when they differ.
func (l *lab) whose(th things) string {
	l.t.Helper()
	c := l.db.Client
	got := map[string]string{
		"running": c.Instance.GetX(l.sys, th.running.ID).OwnerID, "stopped": c.Instance.GetX(l.sys, th.stopped.ID).OwnerID,
		"run": c.Run.GetX(l.sys, th.run.ID).OwnerID, "home": c.Volume.GetX(l.sys, th.home.ID).OwnerID, "data": c.Volume.GetX(l.sys, th.data.ID).OwnerID,
		"task": c.Task.GetX(l.sys, th.run.TaskID).OwnerID,
	}
	first := got["data"]
	for what, id := range got {
		if id != first {
			l.t.Errorf("%s belongs to %s, the data to %s", what, id, first)
		}
	}
	return first
}

func (l *lab) audits(action string) int {
	return l.db.Client.Audit.Query().Where(entaudit.Action(action)).CountX(l.sys)
}

// id is the message of a fault, or of its only field.
func id(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		if err != nil {
			return err.Error()
		}
		return ""
	}
	if f.ID == "" && len(f.Fields) > 0 {
		return f.Fields[0].Path + " " + f.Fields[0].ID
	}
	return f.ID
}

func wants(t *testing.T, err error, want string) {
	t.Helper()
	if got := id(err); got != want {
		t.Errorf("%q (%v), want %q", got, err, want)
	}
}

func soon() time.Time { return time.Now().UTC().Add(time.Hour) }
