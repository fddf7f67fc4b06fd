package db_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/migrate"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestMigrationsAndSchemaAgree(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	var out bytes.Buffer
	if err := d.Client.Schema.WriteTo(t.Context(), &out, migrate.WithDropColumn(true), migrate.WithDropIndex(true)); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(out.String()) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "--") && l != "BEGIN;" && l != "COMMIT;" {
			t.Errorf("the schema asks for what no migration made: %s", l)
		}
	}
	if n, err := d.Migrate(t.Context()); err != nil || n != 0 {
		t.Errorf("migrating again applied %d, %v; want nothing", n, err)
	}
}

func TestTenancyFailsClosed(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	c := testkit.NewCast(t, d)
	if _, err := d.Client.Team.Query().All(t.Context()); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("query without a viewer: %v, want UNAUTHENTICATED", err)
	}
	ids, err := d.Client.Team.Query().IDs(testkit.As(t, d, c.Member))
	if err != nil || len(ids) != 1 || ids[0] != c.Team.ID {
		t.Errorf("a member sees teams %v, %v; want own team alone", ids, err)
	}
	people, err := d.Client.User.Query().Count(testkit.As(t, d, c.Other))
	if err != nil || people != 1 {
		t.Errorf("one alone in a team sees %d people, %v; want oneself", people, err)
	}
	if _, err := d.Client.AccessToken.Query().All(testkit.As(t, d, c.Admin)); err == nil {
		t.Error("the table of access tokens is open to queries of people")
	}
	d.Client.Audit.Create().SetTeamID(c.Team.ID).SetAction("x.y").SetObjectID("x").SetActorID("").SaveX(testkit.System(t))
	for who, want := range map[*ent.User]int{c.Owner: 1, c.Auditor: 1, c.Maintainer: 0, c.Other: 0} {
		if n, err := d.Client.Audit.Query().Count(testkit.As(t, d, who)); err != nil || n != want {
			t.Errorf("%s sees %d rows of the audit log, %v; want %d", who.DisplayName, n, err, want)
		}
	}
	if _, err := d.Client.Audit.Delete().Exec(testkit.As(t, d, c.Owner)); fault.KindOf(err) != fault.Forbidden {
		t.Errorf("a team's owner deletes from the audit log: %v, want FORBIDDEN", err)
	}
	err = d.Client.Team.UpdateOneID(c.Team.ID).SetName("taken").Exec(testkit.As(t, d, c.Owner))
	if fault.KindOf(err) != fault.Forbidden {
		t.Errorf("a team's owner renames it past the service: %v, want FORBIDDEN", err)
	}
	err = d.Client.Volume.Create().SetTeamID(c.Team.ID).SetOwnerID(c.Other.ID).SetName("x").SetKind("data").SetObjectName("x").
		SetSizeBytes(1).SetAccessMode("ReadWriteOnce").Exec(testkit.As(t, d, c.Other))
	if fault.KindOf(err) != fault.Forbidden {
		t.Errorf("a stranger makes a volume in a team: %v, want FORBIDDEN", err)
	}
}

// TestTheAuditLogGuardsItself: also against whoever has the database's own client.
func TestTheAuditLogGuardsItself(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	sys := testkit.System(t)
	row := d.Client.Audit.Create().SetAction("x.y").SetObjectID("x").SetActorID("").SaveX(sys)
	for _, stmt := range []string{"UPDATE audit SET action = 'nothing'", "DELETE FROM audit"} {
		if _, err := d.SQL.ExecContext(sys, stmt); err == nil || !strings.Contains(err.Error(), "the audit log is not changed") {
			t.Errorf("%s: %v", stmt, err)
		}
	}
	if _, err := d.Client.Audit.Delete().Exec(sys); err == nil {
		t.Error("the platform itself deletes what was just done")
	}
	if got := d.Client.Audit.GetX(sys, row.ID); got.Action != "x.y" {
		t.Errorf("the entry says %s", got.Action)
	}
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	ctx := testkit.System(t)
	tm := testkit.Team(t, d, "counting")
	boom := errors.New("boom")
	err := d.Tx(ctx, func(tx *ent.Tx) error {
		if err := tx.Team.UpdateOneID(tm.ID).AddVersion(100).Exec(ctx); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatalf("error of the function: %v, want boom", err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			err := d.Tx(ctx, func(tx *ent.Tx) error { return tx.Team.UpdateOneID(tm.ID).AddVersion(1).Exec(ctx) })
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := d.Client.Team.GetX(authz.AsSystem(ctx), tm.ID).Version; got != tm.Version+20 {
		t.Errorf("version %d after 20 writers and a rolled back one, want %d", got, tm.Version+20)
	}
}
