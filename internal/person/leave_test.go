package person

import (
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestWhoLeavesATeamLeavesNothingBehindThatNobodyOwns(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.give(l.Team, l.Member)
	if _, err := l.Leave(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID}); err != nil {
		t.Fatal(err)
	}
	if got := l.whose(th); got != l.Owner.ID {
		t.Errorf("it belongs to %s", got)
	}
	c := l.db.Client
	if l.role(l.Team, l.Member) != "" {
		t.Error("still a member")
	}
	// What runs goes on, as the owner's, without its pod being started anew.
	i := c.Instance.GetX(l.sys, th.running.ID)
	if i.Desired != entinstance.DesiredRunning || i.StartNumber != 3 || !instance.Handed(i) || i.Inherited.OwnerID != l.Member.ID || i.Inherited.HomeID != th.home.ID {
		t.Errorf("the instance: %+v, %+v", i, i.Inherited)
	}
	if r := c.Run.GetX(l.sys, th.run.ID); r.Desired != entrun.DesiredRun || r.Inherited.Home() != th.home.ID {
		t.Errorf("the run: %+v", r)
	}
	// What is over stays whose it was: history.
	if r := c.Run.GetX(l.sys, th.over.ID); r.OwnerID != l.Member.ID {
		t.Error("history was rewritten")
	}
	// The home is data now, under a name that says whose it was; the owner keeps a home of their own.
	h := c.Volume.GetX(l.sys, th.home.ID)
	if h.Kind != entvolume.KindData || h.HomeKey != nil || h.Name != "home of meng" {
		t.Errorf("the home: %+v", h)
	}
	for _, action := range []string{"user.hand-over", "team.member", "run.hand-over"} {
		if l.audits(action) != 1 {
			t.Errorf("%d entries of %s", l.audits(action), action)
		}
	}
	if l.audits("volume.hand-over") != 2 || l.audits("instance.hand-over") != 2 {
		t.Errorf("%d volumes and %d instances are written down", l.audits("volume.hand-over"), l.audits("instance.hand-over"))
	}
}

func TestALeaverCanNameWhoGetsItAndWhatStops(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.give(l.Team, l.Member)
	in := LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID, HeirID: l.Maintainer.ID, Instances: spec.FateStop, Runs: spec.FateStop}
	if _, err := l.Leave(l.as(l.Member), in); err != nil { // on their own
		t.Fatal(err)
	}
	if got := l.whose(th); got != l.Maintainer.ID {
		t.Errorf("it belongs to %s", got)
	}
	c := l.db.Client
	if i := c.Instance.GetX(l.sys, th.running.ID); i.Desired != entinstance.DesiredStopped || i.State != entinstance.StateStopping {
		t.Errorf("the instance is %s, %s", i.Desired, i.State)
	}
	if r := c.Run.GetX(l.sys, th.run.ID); r.Desired != entrun.DesiredStopped || r.State != entrun.StateStopping || *r.StoppedBy != l.Member.ID {
		t.Errorf("the run is %s, %s", r.Desired, r.State)
	}
	th = l.give(l.Team, l.Maintainer)
	if _, err := l.Leave(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Maintainer.ID, Instances: spec.FateDelete}); err != nil {
		t.Fatal(err)
	}
	if i := c.Instance.GetX(l.sys, th.stopped.ID); i.Desired != entinstance.DesiredDeleted {
		t.Errorf("the stopped one is %s", i.Desired)
	}
	if v := c.Volume.GetX(l.sys, th.data.ID); v.Desired != entvolume.DesiredPresent || v.OwnerID != l.Owner.ID {
		t.Error("a volume went with the instances")
	}
}

func TestAnInheritedInstanceKeepsItsHomeAndGetsANewPassword(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.give(l.Team, l.Member)
	if _, err := l.Leave(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID, Instances: spec.FateStop}); err != nil {
		t.Fatal(err)
	}
	_, err := l.Instances.Reveal(l.as(l.Owner), th.running.ID)
	wants(t, err, "instance.handed-over")
	_, err = l.Instances.Reveal(l.as(l.Member), th.running.ID)
	wants(t, err, "not-found")
	row, err := l.Instances.Start(l.as(l.Owner), th.running.ID)
	if err != nil {
		t.Fatal(err)
	}
	if row.StartNumber != 4 || instance.Handed(row) || row.Inherited.HomeID != th.home.ID || row.Inherited.OwnerEmail != "" {
		t.Errorf("started %+v", row.Inherited)
	}
	if n := l.db.Client.Volume.Query().Where(entvolume.KindEQ(entvolume.KindHome)).CountX(l.sys); n != 0 {
		t.Errorf("%d homes were made though it has one", n)
	}
	// The volume is in use by it, and cannot be deleted below it.
	wants(t, l.Volumes.Delete(l.as(l.Owner), th.home.ID, "home of meng"), "volume.in-use")
}

func TestWhoGetsThingsMustBeAbleToUseThem(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.give(l.Team, l.Member)
	ask := func(heir string) error {
		_, err := l.Leave(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID, HeirID: heir})
		return err
	}
	for _, heir := range []string{l.Viewer.ID, l.Other.ID, l.Member.ID, "usr-nobody"} {
		wants(t, ask(heir), "toUserId person.heir")
	}
	_, err := l.Leave(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID, Instances: "burn", Runs: spec.FateDelete})
	wants(t, err, "instances person.fate")
	l.Maintainer.Update().SetDisabledAt(now()).ExecX(l.sys)
	wants(t, ask(l.Maintainer.ID), "toUserId person.heir")
	if l.whose(th) != l.Member.ID || l.role(l.Team, l.Member) != authz.RoleMember {
		t.Error("something happened all the same")
	}
}

func TestTheLastOwnerWithThingsNeedsAnHeir(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.give(l.Team, l.Owner)
	_, err := l.Leave(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Owner.ID, HeirID: l.Member.ID})
	wants(t, err, "team.last-owner")
	_, err = l.Leave(l.as(l.Admin), LeaveInput{TeamID: l.Team.ID, UserID: l.Owner.ID})
	wants(t, err, "person.no-heir")
	if l.whose(th) != l.Owner.ID {
		t.Error("something happened all the same")
	}
	if _, err = l.Leave(l.as(l.Admin), LeaveInput{TeamID: l.Team.ID, UserID: l.Owner.ID, HeirID: l.Member.ID}); err != nil {
		t.Fatal(err)
	}
	if got := l.whose(th); got != l.Member.ID {
		t.Errorf("it belongs to %s", got)
	}
}

func TestWhoMayEndAMembershipAndSeeWhatIsOwned(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for who, c := range map[string]struct {
		u    *ent.User
		want fault.Kind
	}{
		"owner": {l.Owner, ""}, "administrator": {l.Admin, ""}, "themselves": {l.Member, ""}, "auditor": {l.Auditor, fault.Forbidden},
		"maintainer": {l.Maintainer, fault.Forbidden}, "viewer": {l.Viewer, fault.Forbidden}, "another team's owner": {l.Other, fault.NotFound},
	} {
		_, err := l.Preview(l.as(c.u), l.Member.ID, l.Team.ID)
		_, leave := l.Leave(l.as(c.u), LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID})
		for what, err := range map[string]error{"preview": err, "leave": leave} {
			if got := kind(err); got != c.want {
				t.Errorf("%s as %s: %v", what, who, err)
			}
		}
		l.setRole(l.Member, "")
		testkit.Join(t, l.db, l.Team, l.Member, authz.RoleMember)
	}
	if _, err := l.Preview(l.as(l.Owner), l.Member.ID, ""); kind(err) != fault.Forbidden {
		t.Errorf("an owner sees all teams: %v", err)
	}
	if _, err := l.Preview(l.as(l.Admin), "usr-nobody", ""); kind(err) != fault.NotFound {
		t.Errorf("nobody: %v", err)
	}
}

func kind(err error) fault.Kind {
	if err == nil {
		return ""
	}
	return fault.KindOf(err)
}

func TestThePreviewNamesEverythingByTeam(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	testkit.Join(t, l.db, l.OtherTeam, l.Member, authz.RoleMember)
	th := l.give(l.Team, l.Member)
	l.give(l.OtherTeam, l.Member)
	gone := testkit.Team(t, l.db, "zoo")
	l.give(gone, l.Member) // left by the gap of before: no member, things all the same
	l.db.Client.AccessToken.Create().SetUserID(l.Member.ID).SetName("t").SetScope(authz.ScopeRead).SetTokenHash("h").SetExpiresAt(soon()).ExecX(l.sys)
	p, err := l.Preview(l.as(l.Admin), l.Member.ID, "")
	if err != nil || len(p.Estates) != 3 || p.Tokens != 1 || p.Sessions != 0 || p.Last || p.Began {
		t.Fatalf("%+v, %v", p, err)
	}
	var e *Estate
	for _, x := range p.Estates {
		if x.Team.ID == l.Team.ID {
			e = x
		}
		if x.Team.ID == gone.ID && (x.Role != nil || x.Empty() || x.Heir() != nil) {
			t.Errorf("of the team that they left: %+v", x)
		}
	}
	if len(e.Instances) != 2 || len(e.Runs) != 1 || e.Runs[0].ID != th.run.ID || e.Tasks != 1 || len(e.Volumes) != 2 || *e.Role != authz.RoleMember {
		t.Errorf("%+v", e)
	}
	if e.Heir().ID != l.Owner.ID || len(e.Heirs) != 2 || e.Heirs[1].ID != l.Maintainer.ID {
		t.Errorf("heirs %+v", e.Heirs)
	}
	if p, err = l.Preview(l.as(l.Admin), l.Admin.ID, ""); err != nil || !p.Last {
		t.Errorf("the last administrator: %+v, %v", p, err)
	}
	if !strings.HasPrefix(e.Team.Name, "vision") {
		t.Error(e.Team.Name)
	}
}

func TestSecretsOfAPersonsOwnAreNobodysToInherit(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	th := l.give(l.Team, l.Member)
	secret := func(name string) *ent.SecretCreate {
		return l.db.Client.Secret.Create().SetName(name).SetKind("key-value").SetObjectName(name + l.Team.ID).SetKeys(nil).SetMasterKey("k").
			SetWrapped([]byte("x")).SetSealed(nil).SetFingerprint("f").SetCreatedBy(l.Member.ID).SetChangedBy(l.Member.ID)
	}
	own, teams := secret("own").SetUserID(l.Member.ID).SaveX(l.sys), secret("teams").SetTeamID(l.Team.ID).SaveX(l.sys)
	sp := th.running.Spec
	sp.Secrets = []spec.SecretUse{{SecretID: own.ID, As: "files", At: "/a"}, {SecretID: teams.ID, As: "files", At: "/b"}}
	th.running.Update().SetSpec(sp).SetStartedSpec(&sp).ExecX(l.sys)
	run := func(uses []spec.SecretUse) *ent.Run {
		task := l.db.Client.Task.Create().SetTeamID(l.Team.ID).SetOwnerID(l.Member.ID).SetName("t").SetImageID(th.running.ImageID).SetSpec(spec.Task{Secrets: uses}).SaveX(l.sys)
		return l.db.Client.Run.Create().SetTeamID(l.Team.ID).SetOwnerID(l.Member.ID).SetTaskID(task.ID).SetName("r").SetState(entrun.StateRunning).SaveX(l.sys)
	}
	personal, harmless := run(sp.Secrets), run(sp.Secrets[1:])
	if _, err := l.Depart(l.as(l.Admin), DepartInput{UserID: l.Member.ID, Plan: spec.Departure{Instances: spec.FateKeep, Runs: spec.FateKeep}}); err != nil {
		t.Fatal(err)
	}
	i := l.db.Client.Instance.GetX(l.sys, th.running.ID)
	if i.Desired != entinstance.DesiredStopped || len(i.Spec.Secrets) != 1 || i.Spec.Secrets[0].SecretID != teams.ID {
		t.Errorf("it is %s with %+v", i.Desired, i.Spec.Secrets)
	}
	if r := l.db.Client.Run.GetX(l.sys, personal.ID); r.Desired != entrun.DesiredStopped || r.State != entrun.StateStopping || !r.Inherited.Lost() {
		t.Errorf("a run with secrets of the person's own is %s, %s, %+v", r.Desired, r.State, r.Inherited)
	}
	if r := l.db.Client.Run.GetX(l.sys, harmless.ID); r.Desired != entrun.DesiredRun || r.Inherited.Lost() {
		t.Errorf("a run with the team's secrets is %s, %+v", r.Desired, r.Inherited)
	}
	if left := l.db.Client.Secret.Query().OnlyX(l.sys); left.ID != teams.ID {
		t.Errorf("left is %s", left.Name)
	}
}

// A flow alone is something to hand over.
func TestFlowsAreCountedAndGoToTheHeir(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	flow := func(name string) *ent.Flow {
		return l.db.Client.Flow.Create().SetTeamID(l.Team.ID).SetOwnerID(l.Member.ID).SetName(name).SetSchedule(spec.Schedule{}).SetCursor(soon()).SaveX(l.sys)
	}
	goes := flow("nightly")
	flow("deleted").Update().SetDeletedAt(soon()).ExecX(l.sys)
	p, err := l.Preview(l.as(l.Admin), l.Member.ID, l.Team.ID)
	if err != nil || len(p.Estates) != 1 || p.Estates[0].Flows != 1 || p.Estates[0].Empty() {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := l.Leave(l.as(l.Owner), LeaveInput{TeamID: l.Team.ID, UserID: l.Member.ID, HeirID: l.Maintainer.ID}); err != nil {
		t.Fatal(err)
	}
	if got := l.db.Client.Flow.GetX(l.sys, goes.ID).OwnerID; got != l.Maintainer.ID {
		t.Errorf("it belongs to %s", got)
	}
}
