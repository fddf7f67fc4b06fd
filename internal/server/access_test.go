package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// routeCase says who may use a route. A refusal is a status of 401, 403 or 404;
// of a socket, a first word that is an error.
type routeCase struct {
	// path is what the pattern stands for; empty for the pattern itself.
	path  func(s *servertest.Site, t *testing.T) string
	body  string
	allow []string
	// everybody may, and why.
	open string
	// within says where who may do what is decided: the route lets in whoever is
	// somebody, and other tables say more.
	within string
	socket bool
	// ends says that it ends what a caller shows: they show something new then.
	ends bool
}

var (
	readers = []string{servertest.Owner, servertest.Maintainer, servertest.Member, servertest.Viewer, servertest.Admin, servertest.Auditor,
		servertest.WriteToken, servertest.ReadToken}
)

// routes is the account of every route: a new one without a row fails the build.
var routes = map[string]routeCase{
	"POST /graphql": {body: `{"query":"{ __typename }"}`, within: "graph/access_test.go, by root field"},
	"GET /graphql": {path: func(*servertest.Site, *testing.T) string { return "/graphql?query={__typename}" },
		within: "graph/access_test.go, by root field"},
	"GET /api/logs/{attemptId}": {path: func(s *servertest.Site, t *testing.T) string { return "/api/logs/" + attemptWithLog(s, t) }, allow: readers},
	"GET /api/audit": {path: func(*servertest.Site, *testing.T) string { return "/api/audit?format=csv" },
		allow: []string{servertest.Owner, servertest.Admin, servertest.Auditor, servertest.Other}}, // each what is theirs to read
	"GET /terminal/{instanceId}": {path: func(*servertest.Site, *testing.T) string { return "/terminal/ins-" + xid.New().String() }, socket: true,
		within: "internal/gateway/access_test.go, by entry"},
	"POST /auth/link":         {body: `{"token":"nonsense"}`, open: "a link is what a stranger signs in with; each try that fails is told as a stranger's"},
	"POST /sign-in":           {body: `{"token":`, open: "what a stranger signs in with, a link or a password; each try that fails is told as a stranger's"},
	"POST /auth/revoke":       {allow: []string{servertest.WriteToken, servertest.ReadToken, servertest.AdminWrite}, ends: true},
	"GET /auth/ways":          {open: "the sign-in page asks before anybody is signed in; it tells the provider's name"},
	"GET /auth/oidc/start":    {open: "begins the sign-in of a stranger"},
	"GET /auth/oidc/callback": {open: "ends the sign-in of a stranger, against what the browser was given at its beginning"},
	"POST /device/code":       {open: "a program asks before it has a token; a signed-in person has to approve"},
	"POST /device/token":      {open: "a program asks whether it was approved, by a code of its own"},
	"GET /healthz":            {open: "a probe has no account; it tells nothing but that the process answers"},
	"GET /readyz":             {open: "a probe has no account; it tells whether the database and the cluster answer"},
	"GET /metrics":            {allow: []string{servertest.Admin, servertest.Auditor}},
}

func attemptWithLog(s *servertest.Site, t *testing.T) string {
	t.Helper()
	sys := authz.AsSystem(t.Context())
	c := s.DB.Client
	img := c.Image.Create().SetName("i" + xid.New().String()).SetReference("r").SaveX(sys)
	task := c.Task.Create().SetTeamID(s.Cast.Team.ID).SetOwnerID(s.Cast.Member.ID).SetName("t").SetImageID(img.ID).SetSpec(spec.Task{}).SaveX(sys)
	run := c.Run.Create().SetTeamID(s.Cast.Team.ID).SetOwnerID(s.Cast.Member.ID).SetTaskID(task.ID).SetName("t").SaveX(sys)
	a := must[*ent.Attempt](t)(c.Attempt.Create().SetTeamID(s.Cast.Team.ID).SetRunID(run.ID).SetNumber(1).SetJobName("j" + xid.New().String()).SetState(attempt.StateRunning).Save(sys))
	if err := s.Logs.Append(sys, a.ID, []logstore.Line{{Source: logstore.Output, Text: "a secret of the team"}}); err != nil {
		t.Fatal(err)
	}
	return a.ID
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestEveryRouteIsAccountedFor(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	seen := map[string]bool{}
	for _, r := range s.Routes {
		name := r.Method + " " + r.Pattern
		seen[name] = true
		c, ok := routes[name]
		switch {
		case !ok:
			t.Errorf("%s has no row", name)
		case (len(c.allow) > 0) == (c.open != "" || c.within != ""):
			t.Errorf("%s needs who may, or why everybody may, or where that is decided", name)
		case len(c.allow) == len(servertest.Callers):
			t.Errorf("%s needs somebody who may not", name)
		}
	}
	for name := range routes {
		if !seen[name] {
			t.Errorf("%s is no route", name)
		}
	}
}

// TestAccessToRoutes tries every route as everybody.
func TestAccessToRoutes(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	people := s.People(t)
	for name, c := range routes {
		method, path, _ := strings.Cut(name, " ")
		if c.path != nil {
			path = c.path(s, t)
		}
		s, people := s, people
		if c.ends {
			s = servertest.Start(t, servertest.Options{})
			people = s.People(t)
		}
		for _, who := range servertest.Callers {
			t.Run(name+" as "+who, func(t *testing.T) {
				if c.socket {
					if conn, status, err := people[who].Dial(path, ""); err == nil {
						var first struct{ Type string }
						_ = conn.ReadJSON(&first)
						_ = conn.Close()
						if first.Type != "error" { // there is no such instance
							t.Errorf("first word %q", first.Type)
						}
					} else if status != http.StatusUnauthorized {
						t.Errorf("%d %v", status, err)
					}
					return
				}
				b := people[who]
				req := request(t, method, s.URL+path, c.body, "Content-Type", "application/json")
				if b.Token != "" {
					req.Header.Set("Authorization", "Bearer "+b.Token)
				}
				res, body := fetch(t, b.HTTP, req)
				refused := res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden || res.StatusCode == http.StatusNotFound ||
					c.ends && res.StatusCode == http.StatusBadRequest // a browser has nothing of the kind
				switch {
				case who == servertest.ExpiredToken:
					if c.open == "" && res.StatusCode != http.StatusUnauthorized {
						t.Errorf("a lapsed token: %s %s", res.Status, body)
					}
				case c.open != "" || c.within != "":
					if name != "POST /auth/link" && refused && res.StatusCode != http.StatusNotFound {
						t.Errorf("%s %s", res.Status, body)
					}
				case slices.Contains(c.allow, who) == refused:
					t.Errorf("%s %s", res.Status, body)
				case refused && strings.Contains(body, "a secret of the team"):
					t.Errorf("refused, and told all the same: %s", body)
				}
			})
		}
	}
}
