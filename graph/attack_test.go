package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

// This suite puts ids of another team's things into every argument that takes
// an id, in whatever input it is nested. The schema says which those are: a new
// field is attacked without a line here. The answer must be that to an id of
// which there is nothing – byte for byte, and after as many questions to the
// database – so that it tells nobody what there is.

func TestP93AnotherTeamsIDsAreAsUnknownAsAnyOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := newAttacker(t, w)
	victims := w.victims(t)
	all := spots(a.s)
	if len(all) < 25 {
		t.Fatalf("%d places for ids: the walk misses some", len(all))
	}
	tried, alive := 0, 0
	for _, x := range all {
		if x.root == a.s.Subscription {
			continue
		}
		// What is one's own is answered otherwise: the operation reaches what it is about.
		op, vars := a.operation(x, a.ownID(x, x.path[strings.LastIndexAny(x.path, ".]")+1:]))
		mine, _ := w.raw(b, op, vars)
		_, vars = a.operation(x, unknown(w.Cast.Team.ID))
		if nobodys, _ := w.raw(b, op, vars); mine != nobodys {
			alive++
		}
		if _, ok := told[x.name()]; ok {
			continue
		}
		for kind, id := range victims {
			t.Run(x.name()+" "+kind, func(t *testing.T) {
				tried++
				var last string
				for range 3 { // sweeps ask the database, too
					op, vars := a.operation(x, id)
					theirs, asked := w.raw(b, op, vars)
					_, vars = a.operation(x, unknown(id))
					nobodys, asked2 := w.raw(b, op, vars)
					if theirs == nobodys && asked == asked2 {
						return
					}
					last = fmt.Sprintf("%s\ntheirs (%d questions): %s\nnobody's (%d): %s", op, asked, theirs, asked2, nobodys)
				}
				t.Error(last)
			})
		}
	}
	if tried < 200 || alive < 15 {
		t.Errorf("%d tries; at %d of %d places one's own is answered otherwise than nobody's", tried, alive, len(all))
	}
	t.Logf("%d tries; %d of %d places tell one's own from nobody's", tried, alive, len(all))
}

func TestP93SubscriptionsTellNothingOfAnotherTeam(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := newAttacker(t, w)
	victims := w.victims(t)
	for _, x := range spots(a.s) {
		if x.root != a.s.Subscription {
			continue
		}
		for _, kind := range []string{"team", "instance", "run", "attempt"} {
			t.Run(x.name()+" "+kind, func(t *testing.T) {
				listen := func(id string) string {
					s := b.Socket()
					defer func() { _ = s.Close() }()
					op, vars := a.operation(x, id)
					s.Subscribe("1", op, vars)
					i := must[*ent.Instance](w)(w.DB.Client.Instance.Get(w.sys, victims["instance"]))
					time.Sleep(20 * time.Millisecond)
					w.touch(i, instance.StateRunning)
					f, ok := s.Within(300 * time.Millisecond)
					if !ok {
						return "silence"
					}
					return f.Type + " " + plain(string(f.Payload))
				}
				if theirs, nobodys := listen(victims[kind]), listen(unknown(victims[kind])); theirs != nobodys {
					t.Errorf("theirs: %s\nnobody's: %s", theirs, nobodys)
				}
			})
		}
	}
}

// TestP93ListsShowNothingOfAnotherTeam tries what narrows, orders and turns pages.
func TestP93ListsShowNothingOfAnotherTeam(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, b := newAttacker(t, w)
	victims := w.victims(t)
	i := w.DB.Client.Instance.GetX(w.sys, victims["instance"])
	victim := w.SignIn(t, w.Cast.Member)
	secrets := []string{i.Name, w.Cast.Member.Email, w.Cast.Team.Namespace}
	for _, id := range victims {
		secrets = append(secrets, id)
	}
	for name, op := range map[string]string{
		"instances": `query($after: String) { instances(first: 1, after: $after, filter: {search: %q}) { totalCount nodes { id name } pageInfo { hasNextPage startCursor endCursor } } }`,
		"runs":      `query($after: String) { runs(first: 1, after: $after, filter: {search: %q}) { totalCount nodes { id name } pageInfo { hasNextPage startCursor endCursor } } }`,
		"flows":     `query($after: String) { flows(first: 1, after: $after, filter: {search: %q}) { totalCount nodes { id name } pageInfo { hasNextPage startCursor endCursor } } }`,
		"tagged":    `query($after: String) { tagged: flows(first: 1, after: $after, filter: {tag: %q}) { totalCount nodes { id name } pageInfo { hasNextPage startCursor endCursor } } }`,
		"flowRuns":  `query($after: String) { flowRuns(first: 1, after: $after) { totalCount nodes { id flow { name } } pageInfo { hasNextPage startCursor endCursor } } }`,
		"volumes":   `query($after: String) { volumes(first: 1, after: $after) { totalCount nodes { id name } pageInfo { hasNextPage startCursor endCursor } } }`,
		"images":    `query($after: String) { images(first: 1, after: $after) { totalCount nodes { id name } pageInfo { hasNextPage startCursor endCursor } } }`,
		"users":     `query($after: String) { users(first: 1, after: $after) { totalCount nodes { id email } pageInfo { hasNextPage startCursor endCursor } } }`,
		"teams":     `query($after: String) { teams(first: 1, after: $after) { totalCount nodes { id name } pageInfo { hasNextPage startCursor endCursor } } }`,
		"auditLog":  `query($after: String) { auditLog(first: 1, after: $after) { nodes { id objectId } pageInfo { hasNextPage startCursor endCursor } } }`,
	} {
		for _, search := range []string{"", i.Name[:3], "%", "_", `\`, "'", `" OR 1=1 --`} {
			t.Run(name+" "+search, func(t *testing.T) {
				query := op
				if strings.Contains(op, "%q") {
					query = fmt.Sprintf(op, search)
				}
				var theirs map[string]struct {
					PageInfo struct{ EndCursor *string }
				}
				_ = json.Unmarshal(victim.Ask(query, nil).Data, &theirs)
				cursors := []any{nil}
				if c := theirs[name].PageInfo.EndCursor; c != nil {
					cursors = append(cursors, *c) // of somebody else's page
				}
				before := ""
				for _, c := range cursors {
					got := b.Ask(query, map[string]any{"after": c})
					for _, s := range secrets {
						if strings.Contains(string(got.Data), s) {
							t.Errorf("%s is told: %s", s, got.Data)
						}
					}
					// The count is of what one sees, wherever the page begins.
					var mine map[string]struct{ TotalCount int }
					_ = json.Unmarshal(got.Data, &mine)
					if n := fmt.Sprint(mine[name].TotalCount); before != "" && n != before {
						t.Errorf("the count is %s, and %s after somebody else's cursor", before, n)
					} else {
						before = n
					}
				}
			})
		}
	}
}

func TestAUserOfNoUseAnyMoreGetsNothing(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){
		"disabled": func(w *world) {
			w.Cast.Member.Update().SetDisabledAt(time.Now().UTC()).ExecX(w.sys)
		},
		"out of the team": func(w *world) {
			w.SignIn(w.t, w.Cast.Owner).Get(`mutation($t: ID!, $u: ID!) { setTeamMember(input: {teamId: $t, userId: $u}) { team { id } } }`,
				map[string]any{"t": w.Cast.Team.ID, "u": w.Cast.Member.ID}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			i := w.instance()
			program, browser := w.Program(t, w.Cast.Member, "write"), w.SignIn(t, w.Cast.Member)
			s := browser.Socket()
			s.Subscribe("1", watchInstance, map[string]any{"id": i.ID})
			w.next(s)
			end(w)
			// Whoever listens hears nothing of what happens from now on, for five seconds.
			w.touch(i, instance.StatePending)
			for until := time.Now().Add(5 * time.Second); time.Now().Before(until); {
				f, ok := s.Within(time.Until(until))
				if !ok {
					break
				}
				if f.Type == "next" {
					t.Errorf("heard %s", f.Payload)
				}
				if f.Type == "complete" {
					break
				}
			}
			for who, b := range map[string]*servertest.Browser{"a program": program, "a browser": browser} {
				for _, op := range []string{`query($id: ID!) { instance(id: $id) { id } }`, `mutation($id: ID!) { startInstance(id: $id) { instance { id } } }`} {
					got := b.Ask(op, map[string]any{"id": i.ID})
					if strings.Contains(string(got.Data), i.ID) {
						t.Errorf("%s still does %s: %s", who, op, got.Data)
					}
					if name == "disabled" && got.Code() != "UNAUTHENTICATED" {
						t.Errorf("%s: %+v", who, got.Errors)
					}
				}
			}
		})
	}
}

func TestOperationsThatWouldCostTooMuchAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	aliases := func(n int, field string) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, "a%d: %s ", i, field)
		}
		return s.String()
	}
	spread := "{ ...f0 }"
	for i := range 30 { // 2^30 fields if it were written out
		spread += fmt.Sprintf(" fragment f%d on Query { ...f%d ...f%d }", i, i+1, i+1)
	}
	spread += " fragment f30 on Query { viewer { user { id } } }"
	for name, c := range map[string]struct {
		op    string
		vars  map[string]any
		codes []string // empty for one that is answered
	}{
		"a thousand aliases":           {"{ " + aliases(1000, "__typename") + "}", nil, []string{"RESOURCE_EXHAUSTED"}},
		"a thousand in fragments":      {"{ ...f } fragment f on Query { " + aliases(1000, "__typename") + "}", nil, []string{"RESOURCE_EXHAUSTED"}},
		"a thousand changes":           {"mutation { " + aliases(1000, `signOut { ok }`) + "}", nil, []string{"RESOURCE_EXHAUSTED"}},
		"as many as are allowed":       {"{ " + aliases(50, "viewer { user { id } }") + "}", nil, nil},
		"fragments in a ring":          {"{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }", nil, []string{"INVALID_ARGUMENT"}},
		"fragments that double":        {spread, nil, []string{"RESOURCE_EXHAUSTED"}},
		"a fragment within itself":     {"{ viewer { ...a } } fragment a on Viewer { user { id } ...a }", nil, []string{"INVALID_ARGUMENT"}},
		"a very long text":             {"{ viewer { user { id } } } #" + strings.Repeat("x", 100_000), nil, []string{"RESOURCE_EXHAUSTED"}},
		"very many tokens":             {"{ " + strings.Repeat("viewer { user { id } } ", 3000) + "}", nil, []string{"RESOURCE_EXHAUSTED"}},
		"brackets without end":         {strings.Repeat("{ a ", 5000), nil, []string{"INVALID_ARGUMENT"}},
		"a list in a list in a list":   {`{ node(id: ` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `) { id } }`, nil, []string{"INVALID_ARGUMENT"}},
		"a very long variable":         {`query($id: ID!) { node(id: $id) { id } }`, map[string]any{"id": strings.Repeat("x", 900_000)}, nil},
		"very many variables":          {`query($id: ID!) { node(id: $id) { id } }`, manyVariables(20_000), nil},
		"nothing but mistakes":         {"{ " + aliases(1900, "nothing") + "}", nil, []string{"INVALID_ARGUMENT"}},
		"a page of a thousand million": {`{ instances(first: 1000000000) { nodes { id } } }`, nil, []string{"INVALID_ARGUMENT"}},
		"a negative page":              {`{ instances(first: -1) { nodes { id } } }`, nil, []string{"INVALID_ARGUMENT"}},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			got := b.Ask(c.op, c.vars)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if code := got.Code(); len(c.codes) == 0 && code != "" || len(c.codes) > 0 && !slices.Contains(c.codes, code) {
				t.Errorf("code %q, want one of %q: %.300s", code, c.codes, fmt.Sprint(got.Errors))
			}
			if len(got.Errors) > 100 {
				t.Errorf("%d errors for one request", len(got.Errors))
			}
		})
	}
}

func manyVariables(n int) map[string]any {
	out := map[string]any{"id": "x"}
	for i := range n {
		out[fmt.Sprint("v", i)] = i
	}
	return out
}

func TestIntrospectionIsForWhomTheSettingSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := w.people(t)
	const whole = `{ __schema { queryType { name } types { name fields { name type { name kind ofType { name kind ofType { name kind } } } } } } }`
	for who, may := range map[string][]string{
		"signed-in": signedIn(), "everybody": append(signedIn(), anonymous), "administrators": {admin}, "nobody": nil,
	} {
		c := w.DB.Client.Setting.Query().AllX(w.sys)
		version := int64(0)
		for _, r := range c {
			version = r.Version
		}
		people[admin].Get(`mutation($v: String, $n: Int64!) { updateSettings(input: {changes: [{key: "api.introspection", value: $v, version: $n}]}) { settings { key } } }`,
			map[string]any{"v": who, "n": version}, nil)
		for _, each := range append(signedIn(), anonymous) {
			for form, op := range map[string]string{"whole": whole, "hidden": `{ ...a } fragment a on Query { ... on Query { t: __type(name: "Team") { name } } }`} {
				got := people[each].Ask(op, nil)
				if let := len(got.Errors) == 0; let != slices.Contains(may, each) {
					t.Errorf("%s: %s (%s) %+v", who, each, form, got.Errors)
				}
				if len(got.Errors) > 0 && (got.Code() != "FORBIDDEN" && got.Code() != "UNAUTHENTICATED" || strings.Contains(string(got.Data), "Team")) {
					t.Errorf("%s: %s (%s) %+v %s", who, each, form, got.Errors, got.Data)
				}
			}
			// What a client needs for its cache is no question about the schema.
			if got := people[each].Ask(`{ __typename }`, nil); len(got.Errors) > 0 {
				t.Errorf("%s: %+v", each, got.Errors)
			}
		}
	}
}
