package person

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func (l *lab) twoTeams() (a, b things) {
	testkit.Join(l.t, l.db, l.OtherTeam, l.Member, authz.RoleMember)
	return l.give(l.Team, l.Member), l.give(l.OtherTeam, l.Member)
}

func TestADepartureHandsOverInEveryTeamAndLeavesTheName(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	a, b := l.twoTeams()
	l.db.Client.Session.Create().SetID("s1").SetUserID(l.Member.ID).SetData([]byte("x")).SetExpiresAt(soon()).ExecX(l.sys)
	plan := spec.Departure{Heirs: []spec.Heir{{TeamID: l.Team.ID, UserID: l.Maintainer.ID}}, Instances: spec.FateStop}
	row, err := l.Depart(l.as(l.Admin), DepartInput{UserID: l.Member.ID, Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	if StateOf(row) != Departed || row.DisabledAt == nil || row.DisplayName != "meng" || row.Email != l.Member.Email {
		t.Errorf("departed as %+v", row)
	}
	if l.whose(a) != l.Maintainer.ID || l.whose(b) != l.Other.ID {
		t.Error("the wrong people have it")
	}
	if l.role(l.Team, l.Member) != "" || l.role(l.OtherTeam, l.Member) != "" || l.db.Client.Session.Query().CountX(l.sys) != 0 || l.db.Client.Departure.Query().CountX(l.sys) != 0 {
		t.Error("something is left of them")
	}
	if l.audits("user.depart") != 1 || l.audits("user.departed") != 1 || l.audits("user.disable") != 1 {
		t.Error("it is not written down")
	}
	// They can come back, with what they are given anew.
	if row, err = l.Enable(l.as(l.Admin), l.Member.ID); err != nil || StateOf(row) != Active {
		t.Errorf("%+v, %v", row, err)
	}
	if p, err := l.Preview(l.as(l.Admin), l.Member.ID, ""); err != nil || len(p.Estates) != 0 {
		t.Errorf("they still own %+v, %v", p, err)
	}
}

func TestADepartureThatCannotHandOverChangesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	a, b := l.twoTeams()
	l.db.Client.Membership.Delete().ExecX(l.sys)
	testkit.Join(t, l.db, l.Team, l.Maintainer, authz.RoleMaintainer)
	_, err := l.Depart(l.as(l.Admin), DepartInput{UserID: l.Member.ID})
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Fields) != 2 { // both teams are told at once
		t.Errorf("%v", err)
	}
	_, err = l.Depart(l.as(l.Admin), DepartInput{UserID: l.Member.ID, Plan: spec.Departure{Runs: spec.FateDelete}})
	wants(t, err, "runs person.fate")
	u := l.user(l.Member)
	if u.DisabledAt != nil || l.whose(a) != u.ID || l.whose(b) != u.ID {
		t.Error("something happened all the same")
	}
	_, err = l.Depart(l.as(l.Admin), DepartInput{UserID: l.Viewer.ID, Plan: spec.Departure{Heirs: []spec.Heir{{TeamID: l.OtherTeam.ID, UserID: l.Owner.ID}}}})
	wants(t, err, "handOver person.not-there")
}

func TestDeletingFreesTheAddressAndKeepsNoName(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	a, _ := l.twoTeams()
	l.db.Client.Password.Create().SetUserID(l.Member.ID).SetHash("h").SetChangedAt(now()).ExecX(l.sys)
	share := func(n string) *ent.ShareCreate {
		return l.db.Client.Share.Create().SetVolumeID("vol-1").SetVolumeName("v").SetFromTeamID(l.OtherTeam.ID).SetGranteeKind("user").SetGrantee(l.Member.Email).
			SetUserID(l.Member.ID).SetMode("read_only").SetGrantedBy(l.Other.ID).SetReadOnlyName("ro" + n).SetReadWriteName("rw" + n).SetOpenKey(n + l.Member.Email)
	}
	share("1").ExecX(l.sys)
	accepted := share("2").SetState("accepted").SetAcceptedAt(now()).SetTeamID(l.Team.ID).SaveX(l.sys)
	in := DepartInput{UserID: l.Member.ID, Plan: spec.Departure{Instances: spec.FateStop, Erase: true}}
	row, err := l.Depart(l.as(l.Admin), in)
	if err != nil {
		t.Fatal(err)
	}
	if left := l.db.Client.Share.Query().OnlyX(l.sys); left.ID != accepted.ID || left.Grantee != FormerMember || left.OpenKey != nil {
		t.Errorf("a share keeps %+v", left)
	}
	if StateOf(row) != Erased || row.DisplayName != FormerMember || strings.Contains(row.Email, "meng") || row.SeenAt != nil {
		t.Errorf("erased as %+v", row)
	}
	for _, v := range l.db.Client.Volume.Query().AllX(l.sys) {
		if strings.Contains(v.Name, "meng") {
			t.Errorf("a volume is called %q", v.Name)
		}
	}
	if i := l.db.Client.Instance.GetX(l.sys, a.stopped.ID); i.Inherited != nil && i.Inherited.OwnerEmail != "" {
		t.Errorf("an instance keeps %+v", i.Inherited)
	}
	if l.db.Client.Password.Query().CountX(l.sys) != 0 || l.audits("user.delete") != 1 {
		t.Error("a password is left, or it is not written down")
	}
	if n := l.db.Client.Audit.Query().CountX(l.sys); n < 8 {
		t.Errorf("%d entries of the audit log are kept", n)
	}
	// The address is free.
	l.db.Client.User.Create().SetEmail(l.Member.Email).SetDisplayName("meng").ExecX(l.sys)
	for _, act := range []func() error{
		func() error { _, err := l.Enable(l.as(l.Admin), l.Member.ID); return err },
		func() error {
			_, err := l.SetPlatformRole(l.as(l.Admin), l.Member.ID, authz.PlatformAuditor)
			return err
		},
		func() error { _, err := l.Depart(l.as(l.Admin), in); return err },
	} {
		wants(t, act(), "not-found")
	}
	if got, _ := l.List(l.as(l.Admin), Filter{}, nil, 100); len(got) != 7 {
		t.Errorf("%d are listed", len(got)) // the new one in place of who was erased
	}
}

func TestADepartedPersonCanBeDeletedLater(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	a, _ := l.twoTeams()
	if _, err := l.Depart(l.as(l.Admin), DepartInput{UserID: l.Member.ID}); err != nil {
		t.Fatal(err)
	}
	row, err := l.Depart(l.as(l.Admin), DepartInput{UserID: l.Member.ID, Plan: spec.Departure{Erase: true}})
	if err != nil || StateOf(row) != Erased {
		t.Fatalf("%+v, %v", row, err)
	}
	if v := l.db.Client.Volume.GetX(l.sys, a.home.ID); v.Name != "home of "+FormerMember {
		t.Errorf("the home is called %q", v.Name)
	}
}

func TestWhoMayLetPeopleDepart(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for who, u := range map[string]*ent.User{"owner": l.Owner, "auditor": l.Auditor, "themselves": l.Member, "another team's owner": l.Other} {
		if _, err := l.Depart(l.as(u), DepartInput{UserID: l.Member.ID}); kind(err) != fault.Forbidden {
			t.Errorf("%s: %v", who, err)
		}
	}
	if _, err := l.Depart(t.Context(), DepartInput{UserID: l.Member.ID}); kind(err) != fault.Unauthenticated {
		t.Errorf("nobody: %v", err)
	}
}

const (
	killDatabase = "GOBLINLAB_TEST_KILL_DATABASE"
	killAfter    = "GOBLINLAB_TEST_KILL_AFTER"
	killAdmin    = "GOBLINLAB_TEST_KILL_ADMIN"
	killUser     = "GOBLINLAB_TEST_KILL_USER"
)

// TestMain is also the process that is killed in the midst of a departure.
func TestMain(m *testing.M) {
	address := os.Getenv(killDatabase)
	if address == "" {
		os.Exit(m.Run())
	}
	left, _ := strconv.Atoi(os.Getenv(killAfter))
	d, err := db.Open(context.Background(), address)
	if err != nil {
		panic(err)
	}
	s := serviceOn(d, event.NewLocal())
	s.step = func() {
		if left--; left < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	as := authz.With(context.Background(), &authz.Viewer{UserID: os.Getenv(killAdmin), Platform: authz.PlatformAdministrator})
	if _, err := s.Depart(as, DepartInput{UserID: os.Getenv(killUser), Plan: spec.Departure{Erase: true, Instances: spec.FateStop}}); err != nil {
		panic(err)
	}
	os.Exit(0)
}

func TestADepartureThatIsKilledInItsMidstGoesOn(t *testing.T) {
	t.Parallel()
	for after := range 3 { // after the plan, after one team, after both
		for _, how := range []string{"by the next sweep", "by asking again"} {
			t.Run(strconv.Itoa(after)+" "+how, func(t *testing.T) {
				t.Parallel()
				address := testkit.DatabaseURL(t)
				d, err := db.Open(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = d.Close() })
				if _, err := d.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				l := labOn(t, d, testkit.NewCast(t, d))
				a, b := l.twoTeams()
				killed(t, address, after, l.Admin.ID, l.Member.ID)
				u := l.user(l.Member)
				if u.DisabledAt == nil || u.DepartedAt != nil || l.db.Client.Departure.Query().CountX(l.sys) != 1 {
					t.Fatalf("after the kill: %+v", u)
				}
				_, err = l.Enable(l.as(l.Admin), u.ID)
				wants(t, err, "person.leaving")
				if how == "by the next sweep" {
					if err := l.Sweep(t.Context()); err != nil || l.user(u).DepartedAt != nil {
						t.Fatalf("a departure that goes on was taken over: %v", err)
					}
					err = l.sweep(t.Context(), time.Now().UTC().Add(time.Second))
				} else {
					_, err = l.Depart(l.as(l.Admin), DepartInput{UserID: u.ID, Plan: spec.Departure{Erase: true, Instances: spec.FateStop}})
				}
				if err != nil {
					t.Fatal(err)
				}
				if l.whose(a) != l.Owner.ID || l.whose(b) != l.Other.ID || StateOf(l.user(u)) != Erased {
					t.Errorf("handed to %s and %s, now %s", l.whose(a), l.whose(b), StateOf(l.user(u)))
				}
				if n := l.db.Client.Volume.Query().Where(entvolume.DesiredEQ(entvolume.DesiredPresent)).CountX(l.sys); n != 4 {
					t.Errorf("%d volumes are left of 4", n)
				}
				// Nothing was done twice.
				if l.audits("volume.hand-over") != 4 || l.audits("instance.hand-over") != 4 || l.audits("run.hand-over") != 2 || l.audits("user.departed") != 1 {
					t.Errorf("written down: %d, %d, %d", l.audits("volume.hand-over"), l.audits("instance.hand-over"), l.audits("run.hand-over"))
				}
			})
		}
	}
}

// killed runs a departure in a process that kills itself with SIGKILL after so many steps.
func killed(t *testing.T, address string, after int, adminID, userID string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), killDatabase+"="+address, killAfter+"="+strconv.Itoa(after), killAdmin+"="+adminID, killUser+"="+userID)
	out, err := cmd.CombinedOutput()
	var ee *exec.ExitError
	if !errors.As(err, &ee) || ee.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("it was not killed: %v\n%s", err, out)
	}
}
