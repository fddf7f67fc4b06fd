package graph_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

// TestEveryMutationIsAudited does what the access table allows, and looks for the trace of it.
func TestEveryMutationIsAudited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := w.people(t)
	for name, c := range access {
		if !strings.HasPrefix(name, "Mutation.") || len(c.passes) > 0 {
			continue // what passes with a refusal changed nothing
		}
		t.Run(name, func(t *testing.T) {
			who := c.allow[0]
			b := people[who]
			switch name {
			case "Mutation.signOut":
				b = w.SignIn(t, w.person(who))
			case "Mutation.endOtherSessions":
				w.SignIn(t, w.person(who))
			}
			vars := c.vars(w, who)
			before := w.DB.Client.Audit.Query().CountX(w.sys)
			b.Get(c.op, vars, nil)
			if w.DB.Client.Audit.Query().CountX(w.sys) == before {
				t.Error("left no entry in the audit log")
			}
		})
	}
}

func (w *world) record(e audit.Entry, as *authz.Viewer) {
	w.t.Helper()
	ctx := authz.With(w.sys, as)
	if err := w.DB.Tx(ctx, func(tx *ent.Tx) error { return audit.Record(ctx, tx, e) }); err != nil {
		w.t.Fatal(err)
	}
}

type auditAnswer struct {
	AuditLog struct {
		Nodes []struct {
			Action, ObjectID string
			Actor            *struct{ DisplayName string }
			Team             *struct{ Name string }
			After            map[string]any
		}
		PageInfo struct {
			HasNextPage bool
			EndCursor   string
		}
	}
}

const auditOp = `query($f: AuditFilter, $first: Int, $after: String) { auditLog(filter: $f, first: $first, after: $after) {
	nodes { action objectId actor { displayName } team { name } after } pageInfo { hasNextPage endCursor } } }`

// actions reads the log without the sign-ins, which the test makes itself.
func actions(b *servertest.Browser, f map[string]any) []string {
	var got auditAnswer
	b.Get(auditOp, map[string]any{"f": f}, &got)
	var out []string
	for _, n := range got.AuditLog.Nodes {
		if !strings.HasPrefix(n.Action, "user.sign-in") {
			out = append(out, n.Action)
		}
	}
	return out
}

func TestTheAuditLogIsReadByItsOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	meng := &authz.Viewer{UserID: w.Cast.Member.ID, Address: "192.0.2.1"}
	w.record(audit.Entry{Action: "instance.start", TeamID: w.Cast.Team.ID, ObjectID: "=1+1", After: map[string]any{"cpu": "1"}}, meng)
	w.record(audit.Entry{Action: "instance.stop", TeamID: w.Cast.OtherTeam.ID, ObjectID: "ins-2"}, meng)
	w.record(audit.Entry{Action: "user.create", ObjectID: "usr-1"}, meng)
	olga, ada := w.SignIn(t, w.Cast.Owner), w.SignIn(t, w.Cast.Admin)
	if got := actions(olga, nil); !slices.Equal(got, []string{"instance.start"}) {
		t.Errorf("a team's owner reads %v", got)
	}
	if got := actions(olga, map[string]any{"teamId": w.Cast.OtherTeam.ID}); len(got) != 0 {
		t.Errorf("another team's: %v", got)
	}
	past, soon := time.Now().UTC().Add(-time.Hour).Format(time.RFC3339), time.Now().UTC().Add(time.Hour).Format(time.RFC3339)
	all := []string{"user.create", "instance.stop", "instance.start"}
	for _, c := range []struct {
		filter map[string]any
		want   []string
	}{
		{nil, all},
		{map[string]any{"action": "instance"}, all[1:]},
		{map[string]any{"action": "instance.stop"}, all[1:2]},
		{map[string]any{"action": "inst"}, nil},
		{map[string]any{"objectId": "usr-1"}, all[:1]},
		{map[string]any{"actorId": w.Cast.Member.ID, "since": past, "until": soon}, all},
		{map[string]any{"since": soon}, nil},
		{map[string]any{"until": past}, nil},
	} {
		if got := actions(ada, c.filter); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.filter, got, c.want)
		}
	}
	if a := ada.Ask(auditOp, map[string]any{"f": map[string]any{"since": soon, "until": past, "objectId": strings.Repeat("x", 65)}}); len(a.Errors) != 1 || len(a.Errors[0].Extensions.Fields) != 2 {
		t.Errorf("a filter that cannot be: %+v", a.Errors)
	}
	var first, second auditAnswer
	ada.Get(auditOp, map[string]any{"first": 1, "f": map[string]any{"action": "instance"}}, &first)
	ada.Get(auditOp, map[string]any{"first": 1, "f": map[string]any{"action": "instance"}, "after": first.AuditLog.PageInfo.EndCursor}, &second)
	if n := second.AuditLog.Nodes; !first.AuditLog.PageInfo.HasNextPage || len(n) != 1 || n[0].Action != "instance.start" || n[0].Actor.DisplayName != w.Cast.Member.DisplayName || n[0].Team.Name != w.Cast.Team.Name {
		t.Errorf("pages: %+v, %+v", first, second)
	}
}

func TestTheAuditLogIsExported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	meng := &authz.Viewer{UserID: w.Cast.Member.ID, Address: "192.0.2.1"}
	for range 501 { // more than are read at once
		w.record(audit.Entry{Action: "instance.start", TeamID: w.Cast.OtherTeam.ID, ObjectID: "ins-2"}, meng)
	}
	w.record(audit.Entry{Action: "instance.start", TeamID: w.Cast.Team.ID, ObjectID: "=1+1", After: map[string]any{"cpu": "1"}}, meng)
	get := func(b *servertest.Browser, path string) (servertest.Reply, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return servertest.Fetch(t, b.HTTP, req)
	}
	olga, ada := w.SignIn(t, w.Cast.Owner), w.SignIn(t, w.Cast.Admin)
	res, body := get(olga, "/api/audit?format=csv")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][4] != "instance.start" || rows[1][5] != "'=1+1" || rows[1][8] != `{"cpu":"1"}` {
		t.Errorf("csv: %v, %v\n%s", rows, err, body)
	}
	if d := res.Header.Get("Content-Disposition"); d != `attachment; filename="audit.csv"` {
		t.Errorf("disposition %q", d)
	}
	_, body = get(ada, "/api/audit?format=jsonl&action=instance")
	lines := strings.Split(strings.TrimSpace(body), "\n")
	var e struct{ Action, ActorID, Address string }
	if err := json.Unmarshal([]byte(lines[0]), &e); err != nil || len(lines) != 502 || e.Action != "instance.start" || e.Address != "192.0.2.1" {
		t.Errorf("json lines: %d, %v\n%.300s", len(lines), err, body)
	}
	for _, path := range []string{"/api/audit", "/api/audit?format=xml", "/api/audit?format=csv&since=yesterday"} {
		if res, body := get(ada, path); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s %s", path, res.Status, body)
		}
	}
	if res, _ := get(w.SignIn(t, w.Cast.Member), "/api/audit?format=csv"); res.StatusCode != http.StatusForbidden {
		t.Errorf("a member: %s", res.Status)
	}
	if res, _ := get(w.Stranger(t), "/api/audit?format=csv"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger: %s", res.Status)
	}
}

func TestOldEntriesGoAfterTheirTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for object, age := range map[string]time.Duration{"old": 25 * time.Hour, "new": 23 * time.Hour} {
		w.DB.Client.Audit.Create().SetAction("instance.start").SetObjectID(object).SetActorID("").SetAt(time.Now().UTC().Add(-age)).ExecX(w.sys)
	}
	if err := audit.New(audit.Deps{DB: w.DB}).Sweep(w.sys); err != nil {
		t.Fatal(err)
	}
	if n := w.DB.Client.Audit.Query().CountX(w.sys); n != 2 {
		t.Errorf("%d are left though they are kept for ever", n)
	}
	if err := audit.New(audit.Deps{DB: w.DB, Keep: func() time.Duration { return 24 * time.Hour }}).Sweep(w.sys); err != nil {
		t.Fatal(err)
	}
	if left := w.DB.Client.Audit.Query().OnlyX(w.sys); left.ObjectID != "new" {
		t.Errorf("left is %s", left.ObjectID)
	}
}
