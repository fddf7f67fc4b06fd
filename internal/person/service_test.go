package person

import (
	"context"
	"sync"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestSomebodyAlwaysAdministersThePlatform(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	last := "person.last-administrator"
	_, err := l.SetPlatformRole(l.as(l.Admin), l.Admin.ID, authz.PlatformUser)
	wants(t, err, last)
	second := testkit.User(t, l.db, "sue", authz.PlatformAdministrator)
	if _, err = l.SetPlatformRole(l.as(l.Admin), l.Admin.ID, authz.PlatformAuditor); err != nil {
		t.Fatal(err)
	}
	_, err = l.SetPlatformRole(l.as(second), second.ID, authz.PlatformUser)
	wants(t, err, last)
	_, err = l.Disable(l.as(second), second.ID)
	wants(t, err, "person.self")
	_, err = l.Depart(l.as(second), DepartInput{UserID: second.ID})
	wants(t, err, "person.self")
	// The platform's own hand does not do it either.
	_, err = l.Disable(l.sys, second.ID)
	wants(t, err, last)
	_, err = l.SetPlatformRole(l.as(second), second.ID, "king")
	wants(t, err, "role account.role")
	_, err = l.SetPlatformRole(l.as(second), "usr-nobody", authz.PlatformUser)
	wants(t, err, "not-found")
}

func TestTwoAdministratorsCannotBothTakeTheOthersRole(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	second := testkit.User(t, l.db, "sue", authz.PlatformAdministrator)
	acts := []func(ctx context.Context, id string) error{
		func(ctx context.Context, id string) error {
			_, err := l.SetPlatformRole(ctx, id, authz.PlatformUser)
			return err
		},
		func(ctx context.Context, id string) error { _, err := l.Disable(ctx, id); return err },
	}
	for _, act := range acts {
		a, b := l.as(l.Admin), l.as(second)
		var wg sync.WaitGroup
		wg.Go(func() { _ = act(a, second.ID) })
		wg.Go(func() { _ = act(b, l.Admin.ID) })
		wg.Wait()
		n := l.db.Client.User.Query().Where(user.PlatformRoleEQ(authz.PlatformAdministrator), user.DisabledAtIsNil()).CountX(l.sys)
		if n != 1 {
			t.Errorf("%d administrators are left", n)
		}
		for _, u := range []*ent.User{l.Admin, second} {
			u.Update().SetPlatformRole(authz.PlatformAdministrator).ClearDisabledAt().ExecX(l.sys)
		}
	}
}

func TestDisablingEndsEverythingAndEnablingRevivesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := l.db.Client
	c.Session.Create().SetID("s1").SetUserID(l.Member.ID).SetData([]byte("x")).SetExpiresAt(soon()).ExecX(l.sys)
	c.AccessToken.Create().SetUserID(l.Member.ID).SetName("t").SetScope(authz.ScopeRead).SetTokenHash("h").SetExpiresAt(soon()).ExecX(l.sys)
	if _, _, err := l.Account.NewSignInLink(l.sys, l.Member.ID); err != nil {
		t.Fatal(err)
	}
	heard := l.broker.Subscribe(t.Context(), account.Topic, "")
	row, err := l.Disable(l.as(l.Admin), l.Member.ID)
	if err != nil || StateOf(row) != Disabled {
		t.Fatalf("%+v, %v", row, err)
	}
	if c.Session.Query().CountX(l.sys) != 0 || c.AccessToken.Query().CountX(l.sys) != 0 || c.LoginLink.Query().CountX(l.sys) != 0 {
		t.Error("a way in is left")
	}
	told := map[string]bool{}
	for len(told) < 3 {
		told[(<-heard).ID] = true
	}
	if !told["s1"] || !told[l.Member.ID] {
		t.Errorf("told of %v", told)
	}
	if _, err := l.Account.Viewer(t.Context(), l.Member.ID, ""); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("still a viewer: %v", err)
	}
	if _, err := l.Disable(l.as(l.Admin), l.Member.ID); err != nil || l.audits("user.disable") != 1 {
		t.Errorf("again: %v, %d entries", err, l.audits("user.disable"))
	}
	if row, err = l.Enable(l.as(l.Admin), l.Member.ID); err != nil || StateOf(row) != Active {
		t.Fatalf("%+v, %v", row, err)
	}
	if c.Session.Query().CountX(l.sys) != 0 || c.AccessToken.Query().CountX(l.sys) != 0 {
		t.Error("what had ended is there again")
	}
}

func TestPeopleAreListedForAdministratorsAndAuditors(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	c := l.db.Client
	c.Session.Create().SetID("s1").SetUserID(l.Member.ID).SetData([]byte("x")).SetExpiresAt(soon()).ExecX(l.sys)
	c.Password.Create().SetUserID(l.Member.ID).SetHash("h").SetChangedAt(now()).ExecX(l.sys)
	for who, u := range map[string]*ent.User{"owner": l.Owner, "member": l.Member} {
		if _, err := l.List(l.as(u), Filter{}, nil, 10); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("%s: %v", who, err)
		}
	}
	all, err := l.List(l.as(l.Auditor), Filter{}, nil, 100)
	if err != nil || len(all) != 7 {
		t.Fatalf("%d people, %v", len(all), err)
	}
	first, err := l.List(l.as(l.Admin), Filter{}, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := l.List(l.as(l.Admin), Filter{}, []string{first[2].DisplayName, first[2].ID}, 100)
	if err != nil || len(rest) != 4 || rest[0].ID != all[3].ID {
		t.Errorf("the second page: %d, %v", len(rest), err)
	}
	got, err := l.List(l.as(l.Admin), Filter{Search: "MENG"}, nil, 10)
	if err != nil || len(got) != 1 || got[0].Sessions != 1 || got[0].Tokens != 0 || len(got[0].Ways) != 1 || got[0].Memberships[0].Role != authz.RoleMember {
		t.Errorf("found %+v, %v", got, err)
	}
	if got, _ = l.List(l.as(l.Admin), Filter{Search: "%"}, nil, 10); len(got) != 0 {
		t.Errorf("a wildcard finds %d", len(got))
	}
	if got, _ = l.List(l.as(l.Admin), Filter{Role: authz.PlatformAuditor}, nil, 10); len(got) != 1 {
		t.Errorf("%d auditors", len(got))
	}
	if _, err := l.Disable(l.as(l.Admin), l.Viewer.ID); err != nil {
		t.Fatal(err)
	}
	if got, _ = l.List(l.as(l.Admin), Filter{State: Disabled}, nil, 10); len(got) != 1 || got[0].ID != l.Viewer.ID {
		t.Errorf("%d are disabled", len(got))
	}
	if got, _ = l.List(l.as(l.Admin), Filter{State: Active}, nil, 10); len(got) != 6 {
		t.Errorf("%d are active", len(got))
	}
}
