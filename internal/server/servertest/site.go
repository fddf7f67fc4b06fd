// Package servertest gives tests the whole HTTP server on a real database with
// real services and no cluster: people who are signed in talk to it as browsers do.
package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/rs/xid"
	"gocloud.dev/blob/memblob"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/executor/builtin"
	"github.com/goblinlab/goblinlab/internal/files/courier"
	"github.com/goblinlab/goblinlab/internal/files/courier/couriertest"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/gateway"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/mail"
	"github.com/goblinlab/goblinlab/internal/person"
	"github.com/goblinlab/goblinlab/internal/platformvolume"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/server"
	"github.com/goblinlab/goblinlab/internal/setting"
	"github.com/goblinlab/goblinlab/internal/share"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Options replace parts.
type Options struct {
	Dialer  gateway.Dialer
	Shells  gateway.Shells
	Secrets gateway.Secrets
	Box     setting.Box
	Config  func(*config.Config)
	Server  func(*server.Deps)
	Graph   func(*graph.Deps)
	HTTP    func(*http.Server)
	Files   *couriertest.Lab // agents of volumes; nil for one that says yes to everything

	// DB and Cast are another site's, over whose database this one is a second replica.
	DB   *db.DB
	Cast *testkit.Cast
}

// Site is a running server.
type Site struct {
	URL      string
	Config   config.Config
	DB       *db.DB
	Redis    *redis.Client
	Broker   *event.Local
	Kicks    *testkit.Kicks
	Queries  *atomic.Int64 // that the database was asked
	Cast     testkit.Cast
	Account  *account.Service
	Images   *image.Service
	Logs     *logstore.Store
	Secrets  *secret.Service
	Settings *setting.Service
	Gateway  *gateway.Gateway
	Routes   []server.Route // of the API and what stands beside it
	Persons  *person.Service
}

// Start starts a server that ends with the test.
func Start(t testing.TB, o Options) *Site {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Data = t.TempDir()
	c.URL = "http://localhost:" + port
	if o.Config != nil {
		o.Config(&c)
	}
	started := c
	c, live := started.Alive()
	if o.DB == nil {
		o.DB = testkit.DB(t)
	}
	s := &Site{URL: "http://localhost:" + port, Config: c, DB: o.DB, Redis: testkit.Redis(t), Broker: event.NewLocal(), Kicks: &testkit.Kicks{}}
	s.Queries = count(s.DB)
	if o.Cast != nil {
		s.Cast = *o.Cast
	} else {
		s.Cast = testkit.NewCast(t, s.DB)
	}
	bucket := memblob.OpenBucket(nil)
	t.Cleanup(func() { _ = bucket.Close() })
	s.Settings = setting.New(setting.Deps{DB: s.DB, Broker: s.Broker, Config: started, Live: live, Box: o.Box, Mail: &mail.Sender{}})
	s.Account = account.New(account.Deps{DB: s.DB, Broker: s.Broker, Config: c})
	s.Logs = logstore.New(s.DB, bucket, s.Broker, 1<<30)
	teams := team.New(team.Deps{DB: s.DB, Broker: s.Broker, Kicker: s.Kicks, Config: c})
	s.Images = image.New(image.Deps{DB: s.DB})
	volumes := volume.New(volume.Deps{DB: s.DB, Broker: s.Broker, Kicker: s.Kicks, Config: c})
	nodes := cluster.New(cluster.Deps{DB: s.DB, Config: c})
	s.Secrets = secrettest.New(t, s.DB, s.Broker, s.Kicks)
	instances := instance.New(instance.Deps{DB: s.DB, Broker: s.Broker, Kicker: s.Kicks, Config: c, Volumes: volumes, Cluster: nodes, Secrets: s.Secrets, Tokens: s.Account})
	runs := run.New(run.Deps{DB: s.DB, Broker: s.Broker, Kicker: s.Kicks, Config: c, Logs: s.Logs, Volumes: volumes, Cluster: nodes, Secrets: s.Secrets, Tokens: s.Account})
	s.Gateway = gateway.New(gateway.Deps{DB: s.DB, Broker: s.Broker, Redis: s.Redis, Config: c, Account: s.Account,
		Secrets: o.Secrets, Dialer: o.Dialer, Shells: o.Shells})
	s.Persons = person.New(person.Deps{DB: s.DB, Broker: s.Broker, Config: c, Account: s.Account, Teams: teams, Instances: instances, Runs: runs, Volumes: volumes})
	teams.Estates, s.Account.Members = s.Persons, teams
	log := audit.New(audit.Deps{DB: s.DB})
	shares := share.New(share.Deps{DB: s.DB, Broker: s.Broker, Kicker: s.Kicks, Instances: instances, Runs: runs})
	executors, err := builtin.New(builtin.Parts{Flows: flow.States{Client: s.DB.Client}})
	if err != nil {
		t.Fatal(err)
	}
	flows := flow.New(flow.Deps{DB: s.DB, Broker: s.Broker, Kicker: s.Kicks, Config: c, Runs: runs, Viewers: s.Account, Executors: executors})
	api := graph.Deps{DB: s.DB, Broker: s.Broker, Config: c, Account: s.Account, Audit: log, Teams: teams, Persons: s.Persons, Images: s.Images,
		Volumes: volumes, PlatformVolumes: platformvolume.New(platformvolume.Deps{DB: s.DB, Broker: s.Broker, Kicker: s.Kicks, Config: c}),
		Instances: instances, Cluster: nodes, Secrets: s.Secrets, Shares: shares, Flows: flows, Runs: runs, Logs: s.Logs, Settings: s.Settings, Apps: s.Gateway}
	if o.Graph != nil {
		o.Graph(&api)
	}
	if o.Files == nil {
		o.Files = couriertest.New(t)
		o.Files.Handler = func(volume.Access) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
		}
	}
	d := server.Deps{Config: c, DB: s.DB, Account: s.Account, Audit: log, Apps: s.Gateway, Terminal: s.Gateway.Terminal(), Logs: s.Logs,
		Page: Page(), Registry: prometheus.NewRegistry(), Files: courier.New(o.Files.Deps(courier.Deps{DB: s.DB, Volumes: volumes})),
		API: graph.New(api)}
	if o.Server != nil {
		o.Server(&d)
	}
	s.Routes = server.Routes(d)
	s.serve(t, l, server.New(d), o.HTTP)
	return s
}

// count counts what the database is asked from now on.
func count(d *db.DB) *atomic.Int64 {
	var n atomic.Int64
	drv := dialect.DebugWithContext(entsql.OpenDB(d.Dialect, d.SQL), func(_ context.Context, v ...any) {
		if strings.Contains(fmt.Sprint(v...), "query=") {
			n.Add(1)
		}
	})
	d.Client = ent.NewClient(ent.Driver(drv))
	return &n
}

func (s *Site) serve(t testing.TB, l net.Listener, h http.Handler, edit func(*http.Server)) {
	ctx, stop := context.WithCancel(context.Background())
	srv := httptest.NewUnstartedServer(h)
	_ = srv.Listener.Close()
	srv.Listener = l
	srv.Config = server.HTTP(h)
	if edit != nil {
		edit(srv.Config)
	}
	base, cut := context.WithCancel(context.Background())
	srv.Config.BaseContext = func(net.Listener) context.Context { return base }
	srv.Start()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Gateway.Run(ctx)
	}()
	t.Cleanup(func() {
		cut()
		srv.CloseClientConnections()
		srv.Close()
		stop()
		<-done
	})
}

// Page is a small built page.
func Page() fstest.MapFS {
	return fstest.MapFS{
		"index.html":         {Data: []byte("<!doctype html><title>page</title>" + strings.Repeat("<p>page</p>", 200))},
		"favicon.svg":        {Data: []byte("<svg/>")},
		"assets/app-1234.js": {Data: []byte(strings.Repeat("console.log(1);", 200))},
	}
}

// Browser is somebody's browser, signed in or not.
type Browser struct {
	t    testing.TB
	site *Site
	HTTP *http.Client
	// Language is sent with every request; empty for none.
	Language string
	// Token makes a program of the browser: it is sent instead of cookies.
	Token string
}

// Elsewhere is the same site as another process over its database serves it.
func (s *Site) Elsewhere(url string) *Site {
	o := *s
	o.URL = url
	return &o
}

// Stranger is a browser that nobody signed in with.
func (s *Site) Stranger(t testing.TB) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	dial := &net.Dialer{Timeout: 10 * time.Second}
	tr := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address) // *.localhost is this machine
		if err != nil {
			return nil, err
		}
		return dial.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	}}
	t.Cleanup(tr.CloseIdleConnections)
	return &Browser{t: t, site: s, HTTP: &http.Client{Jar: jar, Transport: tr, Timeout: 30 * time.Second}}
}

// SignIn is a browser in which a person followed a link.
func (s *Site) SignIn(t testing.TB, u *ent.User) *Browser {
	t.Helper()
	b := s.Stranger(t)
	b.Redeem(s.Link(t, u))
	return b
}

// Program is a program with a new access token of a person's.
func (s *Site) Program(t testing.TB, u *ent.User, scope authz.TokenScope) *Browser {
	t.Helper()
	var got struct {
		CreateAccessToken struct{ Token string }
	}
	s.SignIn(t, u).Get(`mutation($name: String!, $scope: TokenScope!) { createAccessToken(input: {name: $name, scope: $scope}) { token } }`,
		map[string]any{"name": xid.New().String(), "scope": strings.ToUpper(string(scope))}, &got)
	b := s.Stranger(t)
	b.Token = got.CreateAccessToken.Token
	return b
}

// For is the browser in the hands of another test.
func (b *Browser) For(t testing.TB) *Browser {
	c := *b
	c.t = t
	return &c
}

// Link is the token of a new sign-in link.
func (s *Site) Link(t testing.TB, u *ent.User) string {
	t.Helper()
	link, _, err := s.Account.NewSignInLink(authz.AsSystem(t.Context()), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	p, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return p.Query().Get("token")
}

// Redeem redeems a link's token and must succeed.
func (b *Browser) Redeem(token string) {
	b.t.Helper()
	res := b.Post("/auth/link", map[string]string{"token": token}, nil)
	if res.StatusCode != http.StatusNoContent {
		b.t.Fatalf("sign-in: %s", res.Status)
	}
}

// Reply is the head of an answer whose body was read.
type Reply struct {
	StatusCode int
	Status     string
	Header     http.Header
	Cookies    []*http.Cookie
}

// Fetch sends a request and reads the whole answer.
func Fetch(t testing.TB, c *http.Client, r *http.Request) (Reply, string) {
	t.Helper()
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Reply{res.StatusCode, res.Status, res.Header, res.Cookies()}, string(b)
}

// Post sends JSON to a path of the site and reads the answer into out.
func (b *Browser) Post(path string, body, out any) Reply {
	b.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.site.URL+path, bytes.NewReader(raw))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return b.Do(req, out)
}

// Do sends a request and reads the answer into out.
func (b *Browser) Do(req *http.Request, out any) Reply {
	b.t.Helper()
	if b.Language != "" {
		req.Header.Set("Accept-Language", b.Language)
	}
	if b.Token != "" {
		req.Header.Set("Authorization", "Bearer "+b.Token)
	}
	res, raw := Fetch(b.t, b.HTTP, req)
	if out != nil {
		if err := json.Unmarshal([]byte(raw), out); err != nil {
			b.t.Fatalf("%s %s: %s: %v\n%s", req.Method, req.URL.Path, res.Status, err, raw)
		}
	}
	return res
}

// Answer is what the API answered.
type Answer struct {
	Data   json.RawMessage
	Errors []Error
}

// Error is one error of the API.
type Error struct {
	Message    string
	Path       []any
	Extensions struct {
		Code, ID, RequestID string
		Fields              []struct{ Path, Message string }
	}
}

// Decode reads the data into out.
func (a Answer) Decode(out any) error { return json.Unmarshal(a.Data, out) }

// Code is the code of the first error, empty without one.
func (a Answer) Code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	return a.Errors[0].Extensions.Code
}

// Ask sends an operation.
func (b *Browser) Ask(query string, vars map[string]any) Answer {
	b.t.Helper()
	var a Answer
	b.Post("/graphql", map[string]any{"query": query, "variables": vars}, &a)
	return a
}

// Get sends an operation that must succeed and reads its data into out.
func (b *Browser) Get(query string, vars map[string]any, out any) {
	b.t.Helper()
	a := b.Ask(query, vars)
	if len(a.Errors) > 0 {
		b.t.Fatalf("%s\n%v\n%+v", query, vars, a.Errors)
	}
	if out != nil {
		if err := json.Unmarshal(a.Data, out); err != nil {
			b.t.Fatal(fmt.Errorf("%s: %w", a.Data, err))
		}
	}
}
