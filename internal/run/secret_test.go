package run_test

import (
	"errors"
	"testing"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestP94ARunOfAnothersIsNotRunAgainWithTheirSecrets has a colleague rerun.
func TestP94ARunOfAnothersIsNotRunAgainWithTheirSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member, owner := testkit.As(t, b.db, b.cast.Member), testkit.As(t, b.db, b.cast.Owner)
	own := secrettest.Make(member, t, b.runs.Secrets, nil, "own", map[string]string{"K": "v"})
	ours := secrettest.Make(owner, t, b.runs.Secrets, &b.cast.Team.ID, "ours", map[string]string{"O": "v"})
	in := b.input()
	in.Secrets = []spec.SecretUse{{SecretID: own.ID, As: spec.SecretAsAuto}, {SecretID: ours.ID, As: spec.SecretAsEnv, At: "P_"}}
	r, err := b.runs.RunNow(member, in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.runs.Rerun(member, r.ID); err != nil {
		t.Errorf("the owner runs it again: %v", err)
	}
	_, err = b.runs.Rerun(owner, r.ID)
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Path != "secrets[0].secretId" || f.Fields[0].ID != "secret.missing" {
		t.Errorf("a colleague runs it again: %v", err)
	}
	in.Secrets = in.Secrets[1:]
	if r, err = b.runs.RunNow(member, in); err != nil {
		t.Fatal(err)
	}
	if _, err := b.runs.Rerun(owner, r.ID); err != nil {
		t.Errorf("a colleague runs again what has the team's alone: %v", err)
	}
}

// TestP95ARunGetsNoSecretOfAnother is refused at once, and no run is made.
func TestP95ARunGetsNoSecretOfAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	olgas := secrettest.Make(testkit.As(t, b.db, b.cast.Owner), t, b.runs.Secrets, nil, "olga's", map[string]string{"K": "v"})
	in := b.input()
	in.Secrets = []spec.SecretUse{{SecretID: olgas.ID, As: spec.SecretAsAuto}}
	for name, u := range map[string]string{"the member": b.cast.Member.ID, "the administrator": b.cast.Admin.ID} {
		who := b.cast.Member
		if u == b.cast.Admin.ID {
			who = b.cast.Admin
		}
		if _, err := b.runs.RunNow(testkit.As(t, b.db, who), in); fault.KindOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := b.db.Client.Run.Query().CountX(b.sys); n != 0 {
		t.Errorf("%d runs were made", n)
	}
}
