package run_test

import (
	"context"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestWhoMay: every operation as each kind of person, on a run of the member's.
func TestWhoMay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	people := map[string]*ent.User{"owner": b.cast.Owner, "maintainer": b.cast.Maintainer, "member": b.cast.Member, "viewer": b.cast.Viewer, "other": b.cast.Other, "administrator": b.cast.Admin}
	colleague := testkit.User(t, b.db, "cora", authz.PlatformUser)
	testkit.Join(t, b.db, b.cast.Team, colleague, authz.RoleMember)
	people["colleague"] = colleague
	none, forbidden, missing := fault.Kind(""), fault.Forbidden, fault.NotFound
	for op, c := range map[string]struct {
		do   func(ctx context.Context, id string) error
		want map[string]fault.Kind
	}{
		"runNow": {func(ctx context.Context, _ string) error { _, err := b.runs.RunNow(ctx, b.input()); return err },
			map[string]fault.Kind{"owner": none, "maintainer": none, "member": none, "colleague": none, "administrator": none, "viewer": forbidden, "other": missing}},
		"rerun": {func(ctx context.Context, id string) error { _, err := b.runs.Rerun(ctx, id); return err },
			map[string]fault.Kind{"owner": none, "maintainer": none, "member": none, "colleague": none, "administrator": none, "viewer": forbidden, "other": missing}},
		"stop": {func(ctx context.Context, id string) error { _, err := b.runs.Stop(ctx, id); return err },
			map[string]fault.Kind{"owner": none, "maintainer": none, "member": none, "colleague": forbidden, "administrator": none, "viewer": forbidden, "other": missing}},
		"delete": {func(ctx context.Context, id string) error { return b.runs.Delete(ctx, id) },
			map[string]fault.Kind{"owner": none, "maintainer": none, "member": none, "colleague": forbidden, "administrator": none, "viewer": forbidden, "other": missing}},
	} {
		for who, want := range c.want {
			t.Run(op+" as "+who, func(t *testing.T) {
				r := b.run(t, b.cast.Member)
				err := c.do(testkit.As(t, b.db, people[who]), r.ID)
				if want == none && err != nil || want != none && (err == nil || fault.KindOf(err) != want) {
					t.Errorf("got %v, want %q", err, want)
				}
				after, err := b.db.Client.Run.Get(b.sys, r.ID)
				if err != nil {
					t.Fatal(err)
				}
				if want != none && after.Version != r.Version {
					t.Error("what was refused changed something")
				}
			})
		}
		t.Run(op+" as nobody", func(t *testing.T) {
			if err := c.do(t.Context(), b.run(t, b.cast.Member).ID); fault.KindOf(err) != fault.Unauthenticated {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPermissionsSayWhatWouldWork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.run(t, b.cast.Member)
	for name, c := range map[string]struct {
		who     *ent.User
		state   entrun.State
		desired entrun.Desired
		want    run.Permissions
	}{
		"owner of a live run": {b.cast.Member, entrun.StateRunning, entrun.DesiredRun, run.Permissions{Stop: true, Rerun: true}},
		"owner of an ended":   {b.cast.Member, entrun.StateFailed, entrun.DesiredRun, run.Permissions{Rerun: true}},
		"stopping already":    {b.cast.Member, entrun.StateStopping, entrun.DesiredStopped, run.Permissions{Rerun: true}},
		"viewer":              {b.cast.Viewer, entrun.StateRunning, entrun.DesiredRun, run.Permissions{}},
		"other team":          {b.cast.Other, entrun.StateRunning, entrun.DesiredRun, run.Permissions{}},
		"owner of the team":   {b.cast.Owner, entrun.StateRunning, entrun.DesiredRun, run.Permissions{Stop: true, Rerun: true}},
	} {
		t.Run(name, func(t *testing.T) {
			row := *r
			row.State, row.Desired = c.state, c.desired
			if got := b.runs.Permissions(authz.From(testkit.As(t, b.db, c.who)), &row); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestStopIsLegalInEveryState(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member, owner := testkit.As(t, b.db, b.cast.Member), testkit.As(t, b.db, b.cast.Owner)
	for _, s := range []entrun.State{entrun.StatePending, entrun.StateRunning, entrun.StateRetrying, entrun.StateStopping,
		entrun.StateSucceeded, entrun.StateFailed, entrun.StateTimedOut, entrun.StateStopped} {
		t.Run(string(s), func(t *testing.T) {
			r := b.run(t, b.cast.Member)
			b.state(t, r.ID, s)
			first, err := b.runs.Stop(member, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			second, err := b.runs.Stop(owner, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if first.Version != second.Version {
				t.Error("asking twice changed something")
			}
			if run.Over(s) {
				if first.State != s || first.StoppedBy != nil {
					t.Errorf("an ended run became %s, stopped by %v", first.State, first.StoppedBy)
				}
				return
			}
			if first.State != entrun.StateStopping || first.Desired != entrun.DesiredStopped || *second.StoppedBy != b.cast.Member.ID || first.Generation != 2 {
				t.Errorf("it is %s, wanted %s, by %v", first.State, first.Desired, second.StoppedBy)
			}
			b.wantTold(t, r.ID, "run.stop", "run-stop-asked", b.cast.Member.ID)
		})
	}
}

func TestDeleteAfterStop(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := testkit.As(t, b.db, b.cast.Member)
	r := b.run(t, b.cast.Member)
	if _, err := b.runs.Stop(ctx, r.ID); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.runs.Delete(ctx, r.ID); err != nil {
			t.Fatal(err)
		}
	}
	got, err := b.runs.Stop(ctx, r.ID) // changes nothing any more
	if err != nil || got.Desired != entrun.DesiredDeleted || got.State != entrun.StateStopping {
		t.Errorf("%+v, %v", got, err)
	}
	if err := b.runs.Delete(ctx, "run-none"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a run that is not there: %v", err)
	}
}
