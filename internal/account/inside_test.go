package account

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestTheTokenOfAnInstance is of use in its team while the instance is wanted, its owner in the team and not disabled.
func TestTheTokenOfAnInstance(t *testing.T) {
	t.Parallel()
	d, broker := testkit.DB(t), event.NewLocal()
	s := New(Deps{DB: d, Broker: broker, Config: config.Default()})
	c, sys := testkit.NewCast(t, d), testkit.System(t)
	testkit.Join(t, d, c.OtherTeam, c.Member, authz.RoleOwner)
	img := d.Client.Image.Create().SetName("i").SetReference("i").SaveX(sys)
	i := d.Client.Instance.Create().SetID(ident.New(ident.Instance)).SetTeamID(c.Team.ID).SetOwnerID(c.Member.ID).SetName("lab").SetObjectName("lab").SetImageID(img.ID).
		SetSpec(spec.Instance{ImageID: img.ID}).SetDesired(entinstance.DesiredRunning).SetStartNumber(2).SaveX(sys)
	issue := func(start int64) string {
		text := s.NewInsideText()
		if err := s.KeepInside(t.Context(), Inside{UserID: c.Member.ID, TeamID: c.Team.ID, SubjectID: i.ID, Start: start, Name: i.Name}, text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	load := func(text string) (*authz.Viewer, error) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", nil)
		r.Header.Set("Authorization", "Bearer "+text)
		ctx, err := s.Load(httptest.NewRecorder(), r, "192.0.2.1")
		if err != nil {
			return nil, err
		}
		return authz.From(ctx), nil
	}
	first, second := issue(1), issue(2)
	v, err := load(second)
	if err != nil || v.UserID != c.Member.ID || !v.Inside() || len(v.Teams) != 1 || v.Teams[c.Team.ID] != authz.RoleMember || v.OnlyTeam != c.Team.ID {
		t.Fatalf("%+v, %v", v, err)
	}
	if !v.May(authz.Read, c.Team.ID) || !v.May(authz.Run, c.Team.ID) || v.May(authz.Read, c.OtherTeam.ID) {
		t.Error("it may not do what it is for, or more")
	}
	for _, a := range []authz.Action{authz.Create, authz.ManageOwn, authz.ManageAny, authz.Images, authz.Members, authz.Platform, authz.Secrets, authz.UseSecrets} {
		if v.May(a, c.Team.ID) {
			t.Errorf("it may %s", a)
		}
	}
	if v.MayConnect(c.Team.ID, c.Member.ID) || v.CheckOwn() == nil || v.SeesSecrets(c.Team.ID) {
		t.Error("it reaches into instances, or secrets")
	}
	ended := func(what, text string) {
		t.Helper()
		if v, err := load(text); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%s: %+v, %v", what, v, err)
		}
	}
	works := func(what, text string) {
		t.Helper()
		if _, err := load(text); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	tokens, err := s.Tokens(testkit.As(t, d, c.Member))
	if err != nil || len(tokens) != 2 || tokens[0].Name != "lab" || tokens[0].SubjectID != i.ID {
		t.Errorf("listed are %v, %v", tokens, err)
	}
	works("both starts", first)
	listening := broker.Subscribe(t.Context(), Topic, tokens[1].ID)
	if err := s.EndInside(t.Context(), i.ID, 2); err != nil {
		t.Fatal(err)
	}
	<-listening
	ended("an older start", first)
	works("the current start", second)
	third := issue(2)
	ended("replaced", second)

	state := func(want entinstance.Desired) { d.Client.Instance.UpdateOneID(i.ID).SetDesired(want).ExecX(sys) }
	state(entinstance.DesiredStopped)
	ended("stopped", third)
	state(entinstance.DesiredDeleted)
	ended("deleted", third)
	state(entinstance.DesiredRunning)
	works("wanted again", third)
	d.Client.User.UpdateOneID(c.Member.ID).SetDisabledAt(i.CreatedAt).ExecX(sys)
	ended("disabled", third)
	d.Client.User.UpdateOneID(c.Member.ID).ClearDisabledAt().ExecX(sys)
	works("enabled", third)
	for _, m := range d.Client.User.QueryMemberships(c.Member).AllX(sys) {
		if m.TeamID == c.Team.ID {
			d.Client.Membership.DeleteOneID(m.ID).ExecX(sys)
		}
	}
	ended("left the team", third)
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Client.Instance.DeleteOneID(i.ID).ExecX(sys)
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := d.Client.AccessToken.Query().CountX(sys); n != 0 {
		t.Errorf("%d tokens are left of what is gone", n)
	}
}

func TestTheTokenOfARunEndsWithItsAttempt(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	s := New(Deps{DB: d, Broker: event.NewLocal(), Config: config.Default()})
	c, sys := testkit.NewCast(t, d), testkit.System(t)
	img := d.Client.Image.Create().SetName("i").SetReference("i").SaveX(sys)
	task := d.Client.Task.Create().SetTeamID(c.Team.ID).SetOwnerID(c.Admin.ID).SetName("t").SetImageID(img.ID).SetSpec(spec.Task{}).SaveX(sys)
	r := d.Client.Run.Create().SetTeamID(c.Team.ID).SetOwnerID(c.Admin.ID).SetTaskID(task.ID).SetName("t").SaveX(sys)
	a := d.Client.Attempt.Create().SetTeamID(c.Team.ID).SetRunID(r.ID).SetNumber(1).SetJobName("j").SetState(attempt.StateRunning).SaveX(sys)
	text := s.NewInsideText()
	if err := s.KeepInside(t.Context(), Inside{UserID: c.Admin.ID, TeamID: c.Team.ID, SubjectID: a.ID, Name: r.Name}, text); err != nil {
		t.Fatal(err)
	}
	load := func() (*ent.User, error) {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", nil)
		req.Header.Set("Authorization", "Bearer "+text)
		ctx, err := s.Load(httptest.NewRecorder(), req, "")
		if err == nil && (authz.From(ctx).Administrator() || authz.From(ctx).Teams[c.Team.ID] != authz.RoleMember) {
			t.Errorf("an administrator's run is %+v", authz.From(ctx))
		}
		return nil, err
	}
	if _, err := load(); err != nil {
		t.Errorf("while it runs: %v", err)
	}
	d.Client.Attempt.UpdateOneID(a.ID).SetState(attempt.StateSucceeded).ExecX(sys)
	if _, err := load(); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("after its end: %v", err)
	}
}
