package server_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/server"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func request(t *testing.T, method, address, body string, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func fetch(t *testing.T, c *http.Client, r *http.Request) (servertest.Reply, string) {
	t.Helper()
	return servertest.Fetch(t, c, r)
}

func TestThePageIsServedWithItsGuards(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	c := s.Stranger(t).HTTP
	for path, want := range map[string]struct {
		status      int
		body, cache string
	}{
		"/":                   {200, "<title>page", "no-cache"},
		"/instances/ins-1":    {200, "<title>page", "no-cache"},
		"/sign-in?token=abc":  {200, "<title>page", "no-cache"},
		"/audit":              {200, "<title>page", "no-cache"},
		"/audit?what=secret":  {200, "<title>page", "no-cache"},
		"/logs/att-1":         {200, "<title>page", "no-cache"},
		"/assets/app-1234.js": {200, "console.log", "public, max-age=31536000, immutable"},
		"/assets/gone.js":     {404, "", ""},
		"/api/nothing":        {404, "404 page not found", ""},
		"/favicon.svg":        {200, "<svg/>", "no-cache"},
		"/missing.png":        {404, "", ""},
		"/../../etc/passwd":   {200, "<title>page", "no-cache"}, // cleaned: a route of the page's own
	} {
		res, body := fetch(t, c, request(t, http.MethodGet, s.URL+path, ""))
		if res.StatusCode != want.status || !strings.Contains(body, want.body) || want.cache != "" && res.Header.Get("Cache-Control") != want.cache {
			t.Errorf("%s: %s, cache %q", path, res.Status, res.Header.Get("Cache-Control"))
		}
		csp := res.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'self'", "frame-ancestors 'none'", "base-uri 'self'", "form-action 'self'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: policy %q lacks %s", path, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe-eval") || strings.Contains(strings.SplitN(csp, "style-src", 2)[0], "unsafe-inline") {
			t.Errorf("%s: policy %q lets scripts in", path, csp)
		}
		if res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("Referrer-Policy") != "no-referrer" || res.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: headers %v", path, res.Header)
		}
	}
	if res, _ := fetch(t, c, request(t, http.MethodPost, s.URL+"/", "")); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST to the page: %s", res.Status)
	}
}

func TestThePageIsCompressedAndNotSentTwice(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	c := s.Stranger(t).HTTP
	res, packed := fetch(t, c, request(t, http.MethodGet, s.URL+"/", "", "Accept-Encoding", "gzip"))
	if res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Vary") == "" {
		t.Fatalf("headers %v", res.Header)
	}
	z, err := gzip.NewReader(strings.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil || !bytes.Contains(plain, []byte("<title>page")) {
		t.Errorf("unpacked %q, %v", plain, err)
	}
	tag := res.Header.Get("ETag")
	if res, body := fetch(t, c, request(t, http.MethodGet, s.URL+"/", "", "Accept-Encoding", "gzip", "If-None-Match", tag)); res.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("asked again: %s", res.Status)
	}
	if res, _ := fetch(t, c, request(t, http.MethodGet, s.URL+"/", "", "Accept-Encoding", "identity", "If-None-Match", tag)); res.StatusCode != http.StatusOK || res.Header.Get("ETag") == tag {
		t.Errorf("another encoding: %s %s", res.Status, res.Header.Get("ETag"))
	}
}

func TestAPageThatWasNotBuiltSaysSo(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{Server: func(d *server.Deps) { d.Page = nil }})
	res, body := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodGet, s.URL+"/", ""))
	if res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "make page") {
		t.Errorf("%s %s", res.Status, body)
	}
}

func TestOtherSitesCannotActForTheViewer(t *testing.T) { // CSRF
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	b := s.SignIn(t, s.Cast.Admin)
	const op = `{"query":"mutation { createTeam(input: {name: \"x\"}) { team { id } } }"}`
	for name, c := range map[string]struct {
		header []string
		status int
	}{
		"another origin":        {[]string{"Origin", "https://evil.example"}, 403},
		"an app of ours":        {[]string{"Origin", strings.Replace(s.URL, "localhost", "jupyterlab--ins-x.localhost", 1)}, 403},
		"said by the browser":   {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		"a subdomain":           {[]string{"Sec-Fetch-Site", "same-site"}, 403},
		"a form":                {[]string{"Content-Type", "text/plain"}, 400},
		"another form":          {[]string{"Content-Type", "application/x-www-form-urlencoded"}, 400},
		"the page":              {[]string{"Origin", s.URL, "Sec-Fetch-Site", "same-origin"}, 200},
		"a program, no browser": {nil, 200},
	} {
		h := append([]string{"Content-Type", "application/json"}, c.header...)
		if res, body := fetch(t, b.HTTP, request(t, http.MethodPost, s.URL+"/graphql", op, h...)); res.StatusCode != c.status {
			t.Errorf("%s: %s %s", name, res.Status, body)
		}
	}
	// What changes something does not go by GET, which the guard lets pass.
	res, body := fetch(t, b.HTTP, request(t, http.MethodGet, s.URL+"/graphql?query="+strings.ReplaceAll(`mutation{createTeam(input:{name:"y"}){team{id}}}`, " ", "+"), ""))
	if res.StatusCode < 400 || strings.Contains(body, "team-") {
		t.Errorf("a mutation by GET: %s %s", res.Status, body)
	}
}

func TestSignInByLinkIsLimitedAndSaysWhy(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	b := s.Stranger(t)
	b.Language = "zh-CN"
	statuses := map[int]int{}
	for range 25 {
		var out struct{ Message, Code string }
		res := b.Post("/auth/link", map[string]string{"token": "wrong"}, &out)
		statuses[res.StatusCode]++
		if !strings.ContainsAny(out.Message, "链接频繁") || out.Code == "" {
			t.Fatalf("%s %+v", res.Status, out)
		}
	}
	if statuses[http.StatusUnauthorized] != 20 || statuses[http.StatusTooManyRequests] != 5 {
		t.Errorf("%v", statuses)
	}
	for _, body := range []string{"", "[]", `{"token":`, strings.Repeat("x", 8192)} {
		if res, _ := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/auth/link", body, "Content-Type", "application/json")); res.StatusCode < 400 || res.StatusCode >= 500 {
			t.Errorf("%.10q: %s", body, res.Status)
		}
	}
}

func TestTheAddressIsThatOfTheConnectionUnlessAProxyIsBelieved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		proxies []netip.Prefix
		header  string
		want    string
	}{
		"no proxy":            {nil, "203.0.113.9", "127.0.0.1"},
		"a proxy":             {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "203.0.113.9", "203.0.113.9"},
		"a forged first hop":  {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "198.51.100.1, 203.0.113.9", "203.0.113.9"},
		"two proxies of ours": {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}, "203.0.113.9, 10.1.1.1", "203.0.113.9"},
		"not an address":      {[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "<script>", "127.0.0.1"},
		"another proxy":       {[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "203.0.113.9", "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servertest.Start(t, servertest.Options{Server: func(d *server.Deps) { d.Proxies = c.proxies }})
			body := `{"token":"` + s.Link(t, s.Cast.Member) + `"}`
			if res, _ := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/auth/link", body, "Content-Type", "application/json", "X-Forwarded-For", c.header)); res.StatusCode != http.StatusNoContent {
				t.Fatal(res.Status)
			}
			got := s.DB.Client.Audit.Query().Where(audit.Action("user.sign-in")).OnlyX(authz.AsSystem(t.Context()))
			if got.Address != c.want {
				t.Errorf("address %q, want %q", got.Address, c.want)
			}
		})
	}
}

func TestHealthIsForMachines(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	c := s.Stranger(t).HTTP
	if res, body := fetch(t, c, request(t, http.MethodGet, s.URL+"/healthz", "")); res.StatusCode != http.StatusOK || body != "ok\n" {
		t.Errorf("healthz: %s %s", res.Status, body)
	}
	if res, body := fetch(t, c, request(t, http.MethodGet, s.URL+"/readyz", "")); res.StatusCode != http.StatusOK || !strings.Contains(body, `"database":"ok"`) {
		t.Errorf("readyz: %s %s", res.Status, body)
	}
	if res, body := fetch(t, c, request(t, http.MethodGet, s.URL+"/metrics", "")); res.StatusCode != http.StatusUnauthorized || strings.Contains(body, "goblinlab_http") {
		t.Errorf("metrics for strangers: %s %s", res.Status, body)
	}
	if res, body := fetch(t, s.SignIn(t, s.Cast.Auditor).HTTP, request(t, http.MethodGet, s.URL+"/metrics", "")); res.StatusCode != http.StatusOK || !strings.Contains(body, "goblinlab_http_request_seconds") {
		t.Errorf("metrics for an auditor: %s %s", res.Status, body)
	}
	_ = s.DB.SQL.Close()
	if res, body := fetch(t, c, request(t, http.MethodGet, s.URL+"/readyz", "")); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "unreachable") {
		t.Errorf("without a database: %s %s", res.Status, body)
	}
}

func TestALargeBodyIsRefused(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	body := `{"query":"{ viewer { user { id } } }","x":"` + strings.Repeat("x", 2<<20) + `"}`
	res, text := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/graphql", body, "Content-Type", "application/json"))
	if strings.Contains(text, `"viewer":null`) {
		t.Errorf("%s %s", res.Status, text)
	}
}

func TestALogIsDownloadedByWhoSeesTheAttempt(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	sys := authz.AsSystem(t.Context())
	img := s.DB.Client.Image.Create().SetName("i").SetReference("r").SaveX(sys)
	task := s.DB.Client.Task.Create().SetTeamID(s.Cast.Team.ID).SetOwnerID(s.Cast.Member.ID).SetName("t").SetImageID(img.ID).SetSpec(spec.Task{}).SaveX(sys)
	run := s.DB.Client.Run.Create().SetTeamID(s.Cast.Team.ID).SetOwnerID(s.Cast.Member.ID).SetTaskID(task.ID).SetName("t").SaveX(sys)
	a := s.DB.Client.Attempt.Create().SetTeamID(s.Cast.Team.ID).SetRunID(run.ID).SetNumber(1).SetJobName("j" + xid.New().String()).SetState(attempt.StateRunning).SaveX(sys)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := s.Logs.Append(sys, a.ID, []logstore.Line{{Time: at, Source: logstore.Output, Text: "hello"}}); err != nil {
		t.Fatal(err)
	}
	path := s.URL + "/api/logs/" + a.ID
	member := s.SignIn(t, s.Cast.Viewer).HTTP
	res, body := fetch(t, member, request(t, http.MethodGet, path, ""))
	if res.StatusCode != http.StatusOK || body != "hello\n" || !strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("%s %q %v", res.Status, body, res.Header)
	}
	if _, body := fetch(t, member, request(t, http.MethodGet, path+"?times=1", "")); !strings.Contains(body, "2026-01-02T03:04:05") {
		t.Errorf("with times: %q", body)
	}
	if res, _ := fetch(t, s.SignIn(t, s.Cast.Other).HTTP, request(t, http.MethodGet, path, "")); res.StatusCode != http.StatusNotFound {
		t.Errorf("another team: %s", res.Status)
	}
	if res, _ := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodGet, path, "")); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("nobody: %s", res.Status)
	}
	if res, _ := fetch(t, member, request(t, http.MethodGet, s.URL+"/api/logs/..%2f..%2fetc", "")); res.StatusCode != http.StatusNotFound {
		t.Errorf("a path: %s", res.Status)
	}
}

type buffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// TestNoTokenReachesTheLog replaces the process's logger: it does not run beside others.
func TestNoTokenReachesTheLog(t *testing.T) {
	var out buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	defer slog.SetDefault(old)
	s := servertest.Start(t, servertest.Options{})
	token := s.Link(t, s.Cast.Member)
	b := s.Stranger(t)
	fetch(t, b.HTTP, request(t, http.MethodGet, s.URL+"/sign-in?token="+token, ""))
	b.Redeem(token)
	b.Get(`{ viewer { user { id } } }`, nil, nil)
	cookies := b.HTTP.Jar.Cookies(request(t, http.MethodGet, s.URL, "").URL)
	out.mu.Lock()
	defer out.mu.Unlock()
	text := out.String()
	if !strings.Contains(text, `"path":"/sign-in"`) || !strings.Contains(text, `"path":"/graphql"`) {
		t.Errorf("requests are not logged: %s", text)
	}
	for _, secret := range []string{token, cookies[0].Value} {
		if strings.Contains(text, secret) {
			t.Error("a token is in the log")
		}
	}
}
