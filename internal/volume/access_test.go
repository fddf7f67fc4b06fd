package volume

import (
	"context"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestWhoGetsAtTheFilesOfAVolume(t *testing.T) {
	t.Parallel()
	b := setup(t)
	colleague, auditor := testkit.User(t, b.db, "cora", authz.PlatformUser), testkit.User(t, b.db, "aude", authz.PlatformAuditor)
	testkit.Join(t, b.db, b.Team, colleague, authz.RoleMember)
	scoped := func(u *ent.User, s authz.TokenScope) context.Context {
		ctx := b.as(u)
		return authz.With(ctx, authz.From(ctx).Within(s))
	}
	people := map[string]context.Context{"admin": b.as(b.Admin), "auditor": b.as(auditor), "owner": b.as(b.Owner), "maintainer": b.as(b.Maintainer),
		"member": b.as(b.Member), "colleague": b.as(colleague), "viewer": b.as(b.Viewer), "other team": b.as(b.Other), "anonymous": t.Context(),
		"member, reading": scoped(b.Member, authz.ScopeRead), "member, writing": scoped(b.Member, authz.ScopeWrite), "member, inside": scoped(b.Member, authz.ScopeInside),
		"auditor, reading": scoped(auditor, authz.ScopeRead), "colleague, reading": scoped(colleague, authz.ScopeRead)}
	data, err := b.Create(b.as(b.Member), b.input())
	if err != nil {
		t.Fatal(err)
	}
	var home *ent.Volume
	err = b.db.Tx(t.Context(), func(tx *ent.Tx) (err error) {
		home, err = b.EnsureHome(b.as(b.Member), tx, b.Team, b.Member.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	type want struct {
		mode Mode
		kind fault.Kind
	}
	rw, ro := want{mode: ReadWrite}, want{mode: ReadOnly}
	no, none, sign := want{kind: fault.Forbidden}, want{kind: fault.NotFound}, want{kind: fault.Unauthenticated}
	for id, table := range map[string]map[string]want{
		data.ID: {"admin": rw, "auditor": no, "owner": rw, "maintainer": rw, "member": rw, "colleague": ro, "viewer": no, "other team": none, "anonymous": sign,
			"member, reading": ro, "member, writing": rw, "member, inside": no, "auditor, reading": none, "colleague, reading": ro},
		home.ID: {"admin": no, "auditor": no, "owner": no, "maintainer": no, "member": rw, "colleague": no, "viewer": no, "other team": none, "anonymous": sign,
			"member, reading": ro, "member, writing": rw, "member, inside": no, "auditor, reading": none, "colleague, reading": no},
	} {
		for who, w := range table {
			a, err := b.Access(people[who], id)
			if a.Mode != w.mode || kind(err) != w.kind {
				t.Errorf("%s at %s: %q, %v, want %+v", who, id, a.Mode, err, w)
			}
			if err == nil && (a.Writable(people[who]) == nil) != (w.mode == ReadWrite) {
				t.Errorf("%s at %s: writable is %v", who, id, a.Writable(people[who]))
			}
		}
	}
	b.db.Client.Volume.UpdateOne(data).SetPhase(entvolume.PhaseLost).ExecX(authz.AsSystem(t.Context()))
	if _, err := b.Access(b.as(b.Member), data.ID); kind(err) != fault.FailedPrecondition {
		t.Errorf("a lost volume: %v", err)
	}
	if err := b.Delete(b.as(b.Member), data.ID, data.Name); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Access(b.as(b.Member), data.ID); kind(err) != fault.FailedPrecondition {
		t.Errorf("a volume on its way out: %v", err)
	}
}
