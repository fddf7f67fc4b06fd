package secret_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/outbox"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const hush = "s3cret-s3cret-s3cret"

type bundle struct {
	testkit.Cast
	t      *testing.T
	db     *db.DB
	broker *event.Local
	kicks  *testkit.Kicks
	sys    context.Context
	*secret.Service
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{t: t, db: testkit.DB(t), broker: event.NewLocal(), kicks: &testkit.Kicks{}, sys: testkit.System(t)}
	b.Cast = testkit.NewCast(t, b.db)
	b.Service = secrettest.New(t, b.db, b.broker, b.kicks)
	return b
}

func (b *bundle) as(u *ent.User) context.Context {
	b.t.Helper()
	return testkit.As(b.t, b.db, u)
}

func (b *bundle) mine(u *ent.User, name string) *ent.Secret {
	b.t.Helper()
	return secrettest.Make(b.as(u), b.t, b.Service, nil, name, map[string]string{"KEY": hush})
}

func (b *bundle) teams(name string) *ent.Secret {
	b.t.Helper()
	return secrettest.Make(b.as(b.Maintainer), b.t, b.Service, &b.Team.ID, name, map[string]string{"KEY": hush})
}

// uses makes a stopped instance of somebody's that uses secrets, started or not.
func (b *bundle) uses(u *ent.User, started bool, secrets ...*ent.Secret) *ent.Instance {
	b.t.Helper()
	img := b.db.Client.Image.Create().SetName("i").SetReference("i").SaveX(b.sys)
	sp := spec.Instance{ImageID: img.ID}
	for _, s := range secrets {
		sp.Secrets = append(sp.Secrets, spec.SecretUse{SecretID: s.ID, As: spec.SecretAsAuto})
	}
	c := b.db.Client.Instance.Create().SetTeamID(b.Team.ID).SetOwnerID(u.ID).SetName("lab of " + u.DisplayName).SetObjectName("x" + img.ID).SetImageID(img.ID).SetSpec(sp)
	if started {
		c.SetDesired(entinstance.DesiredRunning).SetState(entinstance.StateRunning).SetStartedSpec(&sp)
	}
	return c.SaveX(b.sys)
}

func content(key, value string) secret.Content {
	return secret.Content{Values: []secret.Value{{Key: key, Text: &value}}}
}

func fields(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return fmt.Sprint(err)
	}
	var out []string
	for _, field := range f.Fields {
		out = append(out, field.Path+" "+field.ID)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// TestNothingOfASecretIsLeftInTheOpen looks for the value in everything that the database keeps.
func TestNothingOfASecretIsLeftInTheOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := b.mine(b.Member, "wandb")
	if _, err := b.Replace(b.as(b.Member), secret.ReplaceInput{ID: row.ID, Content: content("OTHER", hush+"2")}); err != nil {
		t.Fatal(err)
	}
	row = b.db.Client.Secret.GetX(b.sys, row.ID)
	dump := fmt.Sprintf("%+v %q %q", row, row.Sealed, row.Wrapped)
	for _, a := range b.db.Client.Audit.Query().AllX(b.sys) {
		dump += fmt.Sprintf("%+v %v %v", a, a.Before, a.After)
	}
	if strings.Contains(dump, hush) {
		t.Errorf("the value is in %s", dump)
	}
	if !strings.Contains(dump, "secret.create") || !strings.Contains(dump, "secret.replace") || !strings.Contains(dump, "OTHER") {
		t.Errorf("the audit log says too little: %s", dump)
	}
	d, err := b.Deliver(t.Context(), secret.Consumer{TeamID: b.Team.ID, OwnerID: b.Member.ID}, []spec.SecretUse{{SecretID: row.ID, As: spec.SecretAsAuto}})
	if err != nil || string(d.Objects[0].Data["OTHER"]) != hush+"2" || d.Objects[0].Data["KEY"] != nil {
		t.Errorf("delivered %d values, %v", len(d.Objects[0].Data), err)
	}
	list, err := b.List(b.as(b.Member), nil)
	if err != nil || len(list) != 1 || list[0].Sealed != nil || list[0].Wrapped != nil {
		t.Errorf("a list reads what is sealed: %v, %v", list, err)
	}
}

func TestWhoSeesAndChangesSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, teams := b.mine(b.Member, "of meng"), b.teams("of the team")
	everybody := map[string]*ent.User{"owner": b.Owner, "maintainer": b.Maintainer, "member": b.Member, "viewer": b.Viewer, "other": b.Other, "admin": b.Admin, "auditor": b.Auditor}
	for who, u := range everybody {
		ctx := b.as(u)
		var seen []string
		list, err := b.List(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			seen = append(seen, s.Name)
		}
		want := map[string]string{"owner": "of the team", "maintainer": "of the team", "member": "of meng,of the team"}[who]
		if got := strings.Join(seen, ","); got != want {
			t.Errorf("%s sees %q, want %q", who, got, want)
		}
	}
	for who, u := range everybody {
		ctx := b.as(u)
		_, err := b.List(ctx, &b.Team.ID)
		if got := fault.KindOf(err); err != nil != (who == "viewer" || who == "other" || who == "auditor") || err != nil && got != fault.Forbidden && got != fault.NotFound {
			t.Errorf("the team's list for %s: %v", who, err)
		}
		for name, c := range map[string]struct {
			id string
			ok bool
		}{
			"a person's": {mine.ID, who == "member"},
			"a team's":   {teams.ID, who == "owner" || who == "maintainer" || who == "admin"},
		} {
			_, err := b.Replace(ctx, secret.ReplaceInput{ID: c.id, Content: content("KEY", hush)})
			if kind := fault.KindOf(err); err == nil != c.ok || err != nil && kind != fault.NotFound && kind != fault.Forbidden {
				t.Errorf("%s replaces %s: %v", who, name, err)
			}
			if !c.ok {
				if err := b.Delete(ctx, c.id, true); err == nil {
					t.Errorf("%s deletes %s", who, name)
				}
			}
		}
		_, err = b.Create(ctx, secret.CreateInput{TeamID: &b.Team.ID, Name: "new of " + who, Content: content("K", "v")})
		if (err == nil) != (who == "owner" || who == "maintainer" || who == "admin") {
			t.Errorf("%s makes one of the team: %v", who, err)
		}
		if _, err = b.Create(ctx, secret.CreateInput{Name: "own", Content: content("K", "v")}); err != nil {
			t.Errorf("%s makes one of their own: %v", who, err)
		}
	}
	if _, err := b.Create(t.Context(), secret.CreateInput{Name: "x", Content: content("K", "v")}); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("nobody makes one: %v", err)
	}
}

func TestProgramsAndSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.mine(b.Member, "own")
	person := authz.From(b.as(b.Member))
	for scope, c := range map[authz.TokenScope]struct{ reads, writes bool }{
		authz.ScopeRead: {true, false}, authz.ScopeWrite: {true, true}, authz.ScopeInside: {false, false},
	} {
		ctx := authz.With(t.Context(), person.Within(scope))
		if _, err := b.List(ctx, nil); (err == nil) != c.reads {
			t.Errorf("%s reads: %v", scope, err)
		}
		if _, err := b.Create(ctx, secret.CreateInput{Name: "by " + string(scope), Content: content("K", "v")}); (err == nil) != c.writes {
			t.Errorf("%s writes: %v", scope, err)
		}
	}
}

func TestRefusalsNameTheField(t *testing.T) {
	t.Parallel()
	b := setup(t)
	row := b.mine(b.Member, "taken")
	ctx := b.as(b.Member)
	wide := true
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a name twice":           {second(b.Create(ctx, secret.CreateInput{Name: " taken ", Content: content("K", "v")})), "name secret.name-taken"},
		"a name of another":      {second(b.Create(b.as(b.Owner), secret.CreateInput{Name: "taken", Content: content("K", "v")})), "<nil>"},
		"no name, nothing in it": {second(b.Create(ctx, secret.CreateInput{})), "name preflight.name.empty, values secret.content"},
		"one's own for a team":   {second(b.Create(ctx, secret.CreateInput{Name: "w", TeamWide: true, Content: content("K", "v")})), "teamWide secret.team-wide"},
		"another kind":           {second(b.Replace(ctx, secret.ReplaceInput{ID: row.ID, Content: secret.Content{Git: &secret.Git{Host: "github.com", Token: "t"}}})), "values secret.kind"},
		"made wide later":        {second(b.Replace(ctx, secret.ReplaceInput{ID: row.ID, TeamWide: &wide, Content: content("K", "v")})), "teamWide secret.team-wide"},
	} {
		if got := fields(c.err); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestReplacingAndDeletingSayWhoIsConcerned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, teams := b.mine(b.Member, "own"), b.teams("shared")
	running := b.uses(b.Member, true, mine, teams)
	stopped := b.uses(b.Member, false, mine)
	others := b.uses(b.Owner, true, teams)
	heard := b.broker.Subscribe(t.Context(), "instance", running.ID)
	if _, err := b.Replace(b.as(b.Member), secret.ReplaceInput{ID: mine.ID, Content: content("KEY", "new-value")}); err != nil {
		t.Fatal(err)
	}
	<-heard
	outdated := func(i *ent.Instance) bool { return b.db.Client.Instance.GetX(b.sys, i.ID).Outdated }
	if !outdated(running) || outdated(stopped) || outdated(others) {
		t.Errorf("outdated are %v, %v, %v", outdated(running), outdated(stopped), outdated(others))
	}
	for _, key := range []string{"PATH", "0KEY", "GOBLINLAB_URL"} { // the instances get it as variables, and would not start again
		_, err := b.Replace(b.as(b.Member), secret.ReplaceInput{ID: mine.ID, Content: content(key, "x")})
		if got := fields(err); got != "values secret.variable-used" {
			t.Errorf("new values named %s: %s", key, got)
		}
	}
	err := b.Delete(b.as(b.Maintainer), teams.ID, false)
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.FailedPrecondition || f.Args["users"] != "lab of meng, lab of olga" {
		t.Fatalf("deleting what is used: %v", err)
	}
	if outdated(others) {
		t.Error("a refused deletion marked an instance")
	}
	if err := b.Delete(b.as(b.Maintainer), teams.ID, true); err != nil {
		t.Fatal(err)
	}
	if !outdated(others) {
		t.Error("a deletion did not mark what runs with it")
	}
	if err := b.Delete(b.as(b.Maintainer), teams.ID, true); fault.KindOf(err) != fault.NotFound {
		t.Errorf("deleting twice: %v", err)
	}
}

// TestP94APersonsSecretGoesOnlyIntoWhatTheyOwn checks both gates: when it is asked for, and when it is delivered.
func TestP94APersonsSecretGoesOnlyIntoWhatTheyOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	testkit.Join(t, b.db, b.OtherTeam, b.Member, authz.RoleMember)
	mine, teams := b.mine(b.Member, "own"), b.teams("shared")
	gone := b.mine(b.Member, "gone")
	if err := b.Delete(b.as(b.Member), gone.ID, false); err != nil {
		t.Fatal(err)
	}
	here := func(u *ent.User) secret.Consumer { return secret.Consumer{TeamID: b.Team.ID, OwnerID: u.ID} }
	there := secret.Consumer{TeamID: b.OtherTeam.ID, OwnerID: b.Member.ID}
	for name, c := range map[string]struct {
		who        *ent.User
		to         secret.Consumer
		s          *ent.Secret
		had        bool
		ask, start bool
	}{
		"one's own, in one's own":                 {b.Member, here(b.Member), mine, false, true, true},
		"one's own, in another of one's teams":    {b.Member, there, mine, false, true, true},
		"one's own, in another's":                 {b.Member, here(b.Owner), mine, false, false, false},
		"another's, in one's own":                 {b.Owner, here(b.Owner), mine, false, false, false},
		"another's, in theirs":                    {b.Owner, here(b.Member), mine, false, false, true},
		"another's, in theirs, where it was":      {b.Owner, here(b.Member), mine, true, true, true},
		"another's, by an administrator":          {b.Admin, here(b.Admin), mine, false, false, false},
		"the team's, in one's own":                {b.Member, here(b.Member), teams, false, true, true},
		"the team's, in a colleague's":            {b.Owner, here(b.Member), teams, false, true, true},
		"the team's, by who only looks":           {b.Viewer, here(b.Viewer), teams, false, false, false},
		"the team's, in another team":             {b.Member, there, teams, false, false, false},
		"the team's, by who is in another":        {b.Other, secret.Consumer{TeamID: b.OtherTeam.ID, OwnerID: b.Other.ID}, teams, false, false, false},
		"one that is gone":                        {b.Member, here(b.Member), gone, true, false, false},
		"one's own, in a team that one is not of": {b.Other, here(b.Other), b.mine(b.Other, "otto's"), false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			use := []spec.SecretUse{{SecretID: c.s.ID, As: spec.SecretAsAuto}}
			var f fault.Fields
			var had []spec.SecretUse
			if c.had {
				had = use
			}
			if err := b.Check(t.Context(), &f, authz.From(b.as(c.who)), c.to, use, had, nil); err != nil {
				t.Fatal(err)
			}
			if got := fields(f.Err()); (f.Err() == nil) != c.ask || f.Err() != nil && got != "secrets[0].secretId secret.missing" {
				t.Errorf("asked for: %s", got)
			}
			d, err := b.Deliver(t.Context(), c.to, use)
			var refused secret.RefusedError
			switch {
			case c.start && (err != nil || string(d.Objects[0].Data["KEY"]) != hush):
				t.Errorf("not delivered: %v", err)
			case !c.start && (!errors.As(err, &refused) || refused.Reason.Code != secret.ReasonMissing || d.Objects != nil):
				t.Errorf("delivered %d objects, %v", len(d.Objects), err)
			}
		})
	}
}

func TestP94WhoLeftHasNoSecretsAnyMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, teams := b.mine(b.Member, "own"), b.teams("shared")
	to := secret.Consumer{TeamID: b.Team.ID, OwnerID: b.Member.ID}
	deliver := func(s *ent.Secret) error {
		return second(b.Deliver(t.Context(), to, []spec.SecretUse{{SecretID: s.ID, As: spec.SecretAsAuto}}))
	}
	for name, change := range map[string]struct{ away, back func() }{
		"only looks": {func() { b.role(authz.RoleViewer) }, func() { b.role(authz.RoleMember) }},
		"is disabled": {
			func() { b.db.Client.User.UpdateOneID(b.Member.ID).SetDisabledAt(b.Member.CreatedAt).ExecX(b.sys) },
			func() { b.db.Client.User.UpdateOneID(b.Member.ID).ClearDisabledAt().ExecX(b.sys) },
		},
		"left": {func() { b.db.Client.Membership.Delete().ExecX(b.sys) }, func() {}},
	} {
		if name == "left" {
			defer func() {
				change.away()
				for _, s := range []*ent.Secret{mine, teams} {
					if err := deliver(s); !errors.As(err, new(secret.RefusedError)) {
						t.Errorf("who left has %s: %v", s.Name, err)
					}
				}
			}()
			continue
		}
		change.away()
		for _, s := range []*ent.Secret{mine, teams} {
			if err := deliver(s); !errors.As(err, new(secret.RefusedError)) {
				t.Errorf("who %s has %s: %v", name, s.Name, err)
			}
		}
		change.back()
		if err := deliver(mine); err != nil {
			t.Errorf("again a member: %v", err)
		}
	}
}

func (b *bundle) role(r authz.Role) {
	b.t.Helper()
	m := b.db.Client.User.QueryMemberships(b.Member).OnlyX(b.sys)
	b.db.Client.Membership.UpdateOneID(m.ID).SetRole(r).ExecX(b.sys)
}

func TestVariablesThatCannotBe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Member)
	many := secrettest.Make(ctx, t, b.Service, nil, "many", map[string]string{"A": "1", "B": "2", "0C": "3"})
	one := secrettest.Make(ctx, t, b.Service, nil, "one", map[string]string{"A": "x"})
	large := secrettest.Make(ctx, t, b.Service, nil, "large", map[string]string{"L": strings.Repeat("x", 100<<10)})
	path := secrettest.Make(ctx, t, b.Service, nil, "path", map[string]string{"PATH": "/x"})
	loader := secrettest.Make(ctx, t, b.Service, nil, "loader", map[string]string{"LD_PRELOAD": "/x", "NOTEBOOK_TAG": "x", "ok": "x"})
	alike := secrettest.Make(ctx, t, b.Service, nil, "alike", map[string]string{"a.b": "1", "a-b": "2"})
	git := secrettest.Make(ctx, t, b.Service, nil, "git", map[string]string{"GIT_CONFIG_COUNT": "0"})
	raw := "AP8="
	binary, err := b.Create(ctx, secret.CreateInput{Name: "binary", Content: secret.Content{Values: []secret.Value{{Key: "D", Base64: &raw}}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		uses []spec.SecretUse
		env  string
		want string
	}{
		"a name for one":            {[]spec.SecretUse{{SecretID: one.ID, As: spec.SecretAsEnv, At: "KEY"}}, "", "<nil>"},
		"a name for many":           {[]spec.SecretUse{{SecretID: many.ID, As: spec.SecretAsEnv, At: "KEY"}}, "", "secrets[0].at secret.variable-prefix"},
		"a prefix for many":         {[]spec.SecretUse{{SecretID: many.ID, As: spec.SecretAsEnv, At: "P_"}}, "", "<nil>"},
		"a name with a digit first": {[]spec.SecretUse{{SecretID: many.ID, As: spec.SecretAsAuto}}, "", "secrets[0].at preflight.env.name"},
		"what the user sets":        {[]spec.SecretUse{{SecretID: one.ID, As: spec.SecretAsEnv, At: "KEY"}}, "KEY", "secrets[0].at secret.variable-twice"},
		"the same twice":            {[]spec.SecretUse{{SecretID: one.ID, As: spec.SecretAsAuto}, {SecretID: one.ID, As: spec.SecretAsEnv, At: "A"}}, "", "secrets[1].at secret.variable-twice"},
		"the platform's own":        {[]spec.SecretUse{{SecretID: one.ID, As: spec.SecretAsEnv, At: "GOBLINLAB_URL"}}, "", "secrets[0].at preflight.env.reserved"},
		"the system's own":          {[]spec.SecretUse{{SecretID: path.ID, As: spec.SecretAsAuto}}, "", "secrets[0].at secret.variable-system"},
		"the system's, by its name": {[]spec.SecretUse{{SecretID: one.ID, As: spec.SecretAsEnv, At: "HOME"}}, "", "secrets[0].at secret.variable-system"},
		"the loader's":              {[]spec.SecretUse{{SecretID: loader.ID, As: spec.SecretAsAuto}}, "", "secrets[0].at secret.variable-system, secrets[0].at secret.variable-system"},
		"the system's, as a file":   {[]spec.SecretUse{{SecretID: path.ID, As: spec.SecretAsFile, At: "/s"}}, "", "<nil>"},
		"the system's, prefixed":    {[]spec.SecretUse{{SecretID: path.ID, As: spec.SecretAsEnv, At: "MY_"}}, "", "<nil>"},
		"two of one name":           {[]spec.SecretUse{{SecretID: alike.ID, As: spec.SecretAsAuto}}, "", "secrets[0].as secret.variable-same"},
		"two of one name, as files": {[]spec.SecretUse{{SecretID: alike.ID, As: spec.SecretAsFile, At: "/s"}}, "", "<nil>"},
		"git's, without git":        {[]spec.SecretUse{{SecretID: git.ID, As: spec.SecretAsAuto}}, "", "<nil>"},
		"too large":                 {[]spec.SecretUse{{SecretID: large.ID, As: spec.SecretAsAuto}}, "", "secrets[0].as secret.variable-large"},
		"too large, as a file":      {[]spec.SecretUse{{SecretID: large.ID, As: spec.SecretAsFile, At: "/s"}}, "", "<nil>"},
		"no text":                   {[]spec.SecretUse{{SecretID: binary.ID, As: spec.SecretAsAuto}}, "", "secrets[0].as secret.variable-binary"},
		"no text, as a file":        {[]spec.SecretUse{{SecretID: binary.ID, As: spec.SecretAsFile, At: "/s"}}, "", "<nil>"},
		"an id that is none at all": {[]spec.SecretUse{{SecretID: "'; drop", As: spec.SecretAsAuto}}, "", "secrets[0].secretId secret.missing"},
	} {
		var f fault.Fields
		var env []spec.EnvVar
		if c.env != "" {
			env = []spec.EnvVar{{Name: c.env}}
		}
		if err := b.Check(t.Context(), &f, authz.From(ctx), secret.Consumer{TeamID: b.Team.ID, OwnerID: b.Member.ID}, c.uses, nil, env); err != nil {
			t.Fatal(err)
		}
		if got := fields(f.Err()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestATeamsRegistries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	registry := func(ctx context.Context, teamID *string, name string, wide bool) *ent.Secret {
		row, err := b.Create(ctx, secret.CreateInput{TeamID: teamID, Name: name, TeamWide: wide,
			Content: secret.Content{Registry: &secret.Registry{Server: "registry.example.org", User: "ci", Password: hush}}})
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	wide, narrow := registry(b.as(b.Owner), &b.Team.ID, "wide", true), registry(b.as(b.Owner), &b.Team.ID, "narrow", false)
	own := registry(b.as(b.Member), nil, "own", false)
	b.teams("no registry")
	if n := b.db.Client.Outbox.Query().Where(outbox.Kind("team"), outbox.ObjectID(b.Team.ID)).CountX(b.sys); n != 2 || !slices.Contains(b.kicks.All(), "team/"+b.Team.ID) {
		t.Errorf("%d wake-ups of the team, %v", n, b.kicks.All())
	}
	pulls, kept, err := b.Pulls(t.Context(), b.Team.ID)
	if err != nil || len(pulls) != 2 || kept != nil {
		t.Fatalf("%v, %v, %v", pulls, kept, err)
	}
	if pulls[0].Name != wide.ObjectName || !pulls[0].Wide || pulls[1].Wide || !strings.Contains(string(pulls[0].Config), hush) || strings.Contains(fmt.Sprint(pulls), hush) {
		t.Errorf("%v", pulls)
	}
	for named, want := range map[string][]string{narrow.ID: {narrow.ObjectName}, "made-by-hand": {"made-by-hand"}, "": nil} {
		if names, err := b.PullNames(t.Context(), &ent.Image{TeamID: &b.Team.ID, PullSecret: named}); err != nil || !slices.Equal(names, want) {
			t.Errorf("%q: %q, %v", named, names, err)
		}
	}
	for _, c := range []struct{ team, id string }{{b.OtherTeam.ID, narrow.ID}, {b.Team.ID, own.ID}, {b.Team.ID, ident.New(ident.Secret)}} {
		if names, err := b.PullNames(t.Context(), &ent.Image{TeamID: &c.team, PullSecret: c.id}); !errors.As(err, new(secret.RefusedError)) {
			t.Errorf("%v: %q, %v", c, names, err)
		}
	}
}
