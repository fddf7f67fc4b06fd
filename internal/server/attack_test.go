package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/server"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// dial opens a connection to the site, on which a test writes what no client would.
func dial(t *testing.T, s *servertest.Site) net.Conn {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", "127.0.0.1:"+u.Port())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// speak writes raw text and reads the answer to its end.
func speak(t *testing.T, s *servertest.Site, text string) (*http.Response, string) {
	t.Helper()
	c := dial(t, s)
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%.100q: %v", text, err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res, string(b)
}

func TestATooLargeBodyIsRefusedWithWords(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	large := `{"query":"{ __typename }","x":"` + strings.Repeat("x", 3<<20) + `"}`
	for name, body := range map[string]io.Reader{"with its length": strings.NewReader(large), "in chunks": io.MultiReader(strings.NewReader(large))} {
		for path, code := range map[string]string{"/graphql": `"code":"INVALID_ARGUMENT"`, "/auth/link": `"code":"INVALID_ARGUMENT"`} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept-Language", "zh-CN")
			res, text := fetch(t, s.Stranger(t).HTTP, req)
			if res.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, code) || !strings.Contains(text, "2 MiB") || !strings.Contains(text, "请求超过") {
				t.Errorf("%s, %s: %s %.200s", path, name, res.Status, text)
			}
			body = strings.NewReader(large) // it was read
		}
	}
}

// hurried are bounds short enough for a test.
func hurried(srv *http.Server) {
	srv.ReadHeaderTimeout, srv.ReadTimeout = 400*time.Millisecond, 800*time.Millisecond
}

func TestWhoDribblesIsCutOff(t *testing.T) {
	t.Parallel()
	if srv := server.HTTP(nil); srv.ReadHeaderTimeout <= 0 || srv.ReadHeaderTimeout > 10*time.Second || srv.ReadTimeout <= 0 || srv.ReadTimeout > 30*time.Second || srv.MaxHeaderBytes > 64<<10 {
		t.Errorf("bounds %v %v %d", srv.ReadHeaderTimeout, srv.ReadTimeout, srv.MaxHeaderBytes)
	}
	s := servertest.Start(t, servertest.Options{HTTP: hurried})
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for name, head := range map[string]string{
		"header":                 "GET / HTTP/1.1\r\nHost: localhost" + port + "\r\n",
		"body to the API":        "POST /graphql HTTP/1.1\r\nHost: localhost" + port + "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
		"body in chunks":         "POST /graphql HTTP/1.1\r\nHost: localhost" + port + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
		"body to the page":       "POST / HTTP/1.1\r\nHost: localhost" + port + "\r\nContent-Length: 1000\r\n\r\n",
		"body to somebody's app": "POST /api HTTP/1.1\r\nHost: jupyterlab--ins-x.localhost" + port + "\r\nContent-Length: 100000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, s)
			start := time.Now()
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, _ = io.Copy(io.Discard, c)
			}()
			_, _ = io.WriteString(c, head)
			drip := "x"
			switch name {
			case "header":
				drip = "X-A: b\r\n"
			case "body in chunks":
				drip = "1\r\nx\r\n"
			}
			for {
				select {
				case <-gone:
					if took := time.Since(start); took > 4*time.Second {
						t.Errorf("after %v", took)
					}
					return
				case <-time.After(50 * time.Millisecond):
					_, _ = io.WriteString(c, drip)
				}
				if time.Since(start) > 8*time.Second {
					t.Fatal("it may go on for ever")
				}
			}
		})
	}
}

func TestWhoIsQuietMayStay(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{HTTP: hurried})
	b := s.SignIn(t, s.Cast.Member)
	socket := b.Socket()
	const op = `subscription { instancesChanged { id } }`
	socket.Subscribe("1", op, nil)
	req := request(t, http.MethodPost, s.URL+"/graphql", `{"query":"`+op+`"}`, "Content-Type", "application/json", "Accept", "text/event-stream")
	res, err := b.HTTP.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	time.Sleep(1500 * time.Millisecond) // nearly twice of what a request may take to arrive
	i := s.DB.Client.Instance.Create().SetTeamID(s.Cast.Team.ID).SetOwnerID(s.Cast.Member.ID).SetName("lab").SetObjectName("lab").SetSpec(spec.Instance{}).
		SetImageID(s.DB.Client.Image.Create().SetName("i").SetReference("r").SaveX(authz.AsSystem(t.Context())).ID).SaveX(authz.AsSystem(t.Context()))
	s.Broker.Publish(t.Context(), event.Message{Topic: "instance", ID: i.ID, TeamID: i.TeamID, Version: 1})
	if f := socket.Next(); f.Type != "next" || !strings.Contains(string(f.Payload), i.ID) {
		t.Errorf("the socket: %s %s", f.Type, f.Payload)
	}
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), i.ID) {
			return
		}
	}
	t.Errorf("the stream ended: %v", lines.Err())
}

func TestOneAddressDoesNotTakeAllConnections(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	proxy := false
	fair := server.Fair(l, 5, func(netip.Addr) bool { return proxy })
	srv := server.HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(fair) }()
	defer func() { _ = srv.Close(); <-done }()
	ask := func() (net.Conn, bool) {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		b := make([]byte, 8)
		_, err = io.ReadFull(c, b)
		return c, err == nil
	}
	var open []net.Conn
	for range 5 {
		c, ok := ask()
		if !ok {
			t.Fatal("one of the first is refused")
		}
		open = append(open, c)
	}
	if c, ok := ask(); ok {
		t.Error("one too many is served")
	} else {
		_ = c.Close()
	}
	_ = open[0].Close()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c, ok := ask()
		if open = append(open, c); ok {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the place is not given back")
		}
	}
	for _, c := range open {
		_ = c.Close()
	}
}

func TestLinksAreNotMadeFromWhatARequestSays(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	b := s.SignIn(t, s.Cast.Admin)
	for i, header := range [][]string{
		{"X-Forwarded-Host", "evil.example"}, {"X-Forwarded-Proto", "https"}, {"Forwarded", "host=evil.example;proto=https"},
		{"X-Original-Url", "/admin"}, {"X-Host", "evil.example"}, {"Host", "evil.example"},
	} {
		body := fmt.Sprintf(`{"query":"mutation { createUser(input: {email: \"p%d@example.com\", displayName: \"P\"}) { signInUrl } }"}`, i)
		req := request(t, http.MethodPost, s.URL+"/graphql", body, "Content-Type", "application/json", header[0], header[1])
		if header[0] == "Host" {
			req.Host = "evil.example"
			u, _ := url.Parse(s.URL)
			for _, c := range b.HTTP.Jar.Cookies(u) { // as if the browser sent them there
				req.AddCookie(c)
			}
		}
		res, text := fetch(t, b.HTTP, req)
		if !strings.Contains(text, s.URL+"/sign-in?token=") || strings.Contains(text, "evil") {
			t.Errorf("%v: %s %s", header, res.Status, text)
		}
	}
}

func TestAMethodIsWhatItIs(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	b := s.SignIn(t, s.Cast.Admin)
	const change = `mutation{createTeam(input:{name:"overridden"}){team{id}}}`
	for _, header := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
		fetch(t, b.HTTP, request(t, http.MethodGet, s.URL+"/graphql?query="+url.QueryEscape(change), "", header, "POST"))
		fetch(t, b.HTTP, request(t, http.MethodGet, s.URL+"/graphql?_method=POST&query="+url.QueryEscape(change), "", header, "POST"))
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"} {
		res, body := fetch(t, b.HTTP, request(t, method, s.URL+"/graphql?query="+url.QueryEscape(change), ""))
		if res.StatusCode < 400 || strings.Contains(body, "PROPFIND") || strings.Contains(body, "TRACE") {
			t.Errorf("%s: %s %s", method, res.Status, body)
		}
	}
	if n := s.DB.Client.Team.Query().CountX(authz.AsSystem(t.Context())); n != 2 {
		t.Errorf("%d teams", n)
	}
}

// TestOtherSitesCannotSignIn keeps a stranger's site from signing a browser in
// as somebody else, and from posting forms that look like JSON.
func TestOtherSitesCannotSignInOrPostForms(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	link := func() string { return `{"token":"` + s.Link(t, s.Cast.Member) + `"}` }
	for name, header := range map[string][]string{
		"another origin":      {"Content-Type", "application/json", "Origin", "https://evil.example"},
		"no origin at all":    {"Content-Type", "application/json", "Origin", "null"},
		"said by the browser": {"Content-Type", "application/json", "Sec-Fetch-Site", "cross-site"},
		"text":                {"Content-Type", "text/plain"},
		"a form":              {"Content-Type", "application/x-www-form-urlencoded"},
		"a form with files":   {"Content-Type", "multipart/form-data; boundary=x"},
		"nothing said":        {},
		"two types":           {"Content-Type", "text/plain; application/json"},
		"JSON in a comment":   {"Content-Type", "text/plain;x=application/json"},
	} {
		res, body := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/auth/link", link(), header...))
		if res.StatusCode < 400 || len(res.Cookies) > 0 {
			t.Errorf("%s: %s %s %v", name, res.Status, body, res.Cookies)
		}
		res, body = fetch(t, s.SignIn(t, s.Cast.Admin).HTTP, request(t, http.MethodPost, s.URL+"/graphql", `{"query":"mutation { createTeam(input: {name: \"`+name+`\"}) { team { id } } }"}`, header...))
		if res.StatusCode < 400 || strings.Contains(body, "team-") {
			t.Errorf("%s: %s %s", name, res.Status, body)
		}
	}
}

func TestNothingButThePageIsServedFromFiles(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	for _, path := range []string{"/../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/../../etc/passwd", "/assets/..%5c..%5cetc", "//etc/passwd",
		"/assets//etc/passwd", "/assets/%00", "/%00index.html", "/.git/config", "/assets/", "/assets", "/assets/.", "/favicon.svg/../../etc/passwd", "/api/logs/..%2f..%2fgoblinlab.db",
		"/terminal/..%2f..", "/c:/windows/win.ini", "/index.html%00.js", `/..\..\etc\passwd`, "/assets/app-1234.js/", "/assets/app-1234.js%20", "/assets/APP-1234.js"} {
		res, body := speak(t, s, "GET "+path+" HTTP/1.1\r\nHost: localhost"+s.URL[strings.LastIndex(s.URL, ":"):]+"\r\nConnection: close\r\n\r\n")
		// A route of the page's own, or a file of the page by another spelling.
		page := strings.Contains(body, "<title>page") || path == "/assets/app-1234.js/" && strings.HasPrefix(body, "console.log(1)")
		if strings.Contains(body, "root:") || res.StatusCode == http.StatusOK && !page || res.StatusCode >= 500 {
			t.Errorf("%s: %s %.100s", path, res.Status, body)
		}
	}
}

func TestManyRangesAreOneAnswer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	c := s.Stranger(t).HTTP
	path := s.URL + "/assets/app-1234.js"
	_, whole := fetch(t, c, request(t, http.MethodGet, path, ""))
	if res, part := fetch(t, c, request(t, http.MethodGet, path, "", "Range", "bytes=0-6")); res.StatusCode != http.StatusPartialContent || part != "console" {
		t.Errorf("one range: %s %q", res.Status, part)
	}
	for _, r := range []string{"bytes=" + strings.Repeat("0-0,", 5000) + "1-1", "bytes=0-0,-1", "bytes=" + strings.Repeat("0-,", 1000) + "5-"} {
		if res, body := fetch(t, c, request(t, http.MethodGet, path, "", "Range", r)); res.StatusCode != http.StatusOK || body != whole {
			t.Errorf("%.20s: %s, %d bytes of %d", r, res.Status, len(body), len(whole))
		}
	}
	for _, r := range []string{"bytes=99999999999999999999-", "bytes=5-1", "bytes=a-b", "lines=1-2", "bytes=" + strings.Repeat("9", 5000)} {
		if res, _ := fetch(t, c, request(t, http.MethodGet, path, "", "Range", r)); res.StatusCode != http.StatusRequestedRangeNotSatisfiable && res.StatusCode != http.StatusOK {
			t.Errorf("%.20s: %s", r, res.Status)
		}
	}
}

func TestPrivateAnswersAreKeptNowhereAndEveryAnswerIsGuarded(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	b := s.SignIn(t, s.Cast.Admin)
	log := attemptWithLog(s, t)
	for _, c := range []struct {
		method, path, body string
		header             []string
	}{
		{"POST", "/graphql", `{"query":"{ viewer { user { id } } }"}`, []string{"Content-Type", "application/json"}},
		{"POST", "/graphql", `nonsense`, []string{"Content-Type", "application/json"}},
		{"POST", "/graphql", `{}`, []string{"Content-Type", "text/plain"}},
		{"GET", "/graphql?query={viewer{user{id}}}", "", nil},
		{"GET", "/api/logs/" + log, "", nil}, {"GET", "/api/logs/att-nothing", "", nil}, {"GET", "/api/audit?format=csv", "", nil}, {"GET", "/api/audit?format=x", "", nil},
		{"GET", "/terminal/ins-x", "", nil}, {"POST", "/auth/link", `{"token":"x"}`, []string{"Content-Type", "application/json"}},
		{"POST", "/auth/link", `x`, nil}, {"GET", "/auth/link", "", nil}, {"DELETE", "/graphql", "", nil}, {"GET", "/metrics", "", nil}, {"GET", "/readyz", "", nil}, {"GET", "/healthz", "", nil},
		{"POST", "/graphql", `{}`, []string{"Content-Type", "application/json", "Origin", "https://evil.example"}},
		{"POST", "/graphql", `{}`, []string{"Content-Type", "application/json", "Authorization", "Bearer nonsense"}},
		{"GET", "/missing.png", "", nil}, {"PUT", "/", "", nil},
	} {
		res, _ := fetch(t, b.HTTP, request(t, c.method, s.URL+c.path, c.body, c.header...))
		name := c.method + " " + c.path
		if cache := res.Header.Get("Cache-Control"); cache != "no-store" {
			t.Errorf("%s: %s cache %q", name, res.Status, cache)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin-allow-popups", "Content-Security-Policy": "default-src 'self'"} {
			if !strings.HasPrefix(res.Header.Get(header), want) {
				t.Errorf("%s: %s is %q", name, header, res.Header.Get(header))
			}
		}
		for _, header := range []string{"Server", "X-Powered-By", "Access-Control-Allow-Origin"} {
			if v := res.Header.Get(header); v != "" {
				t.Errorf("%s: %s: %s", name, header, v)
			}
		}
	}
}

func TestNothingIsSmuggledIntoHeaders(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	b := s.SignIn(t, s.Cast.Admin)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	cookie := b.HTTP.Jar.Cookies(u)[0]
	for _, path := range []string{"/api/logs/att-x%0d%0aSet-Cookie:%20a=b", "/api/logs/att-x%22;filename=evil.html", "/api/audit?format=csv%0d%0aX-Evil:1", "/api/audit?format=jsonl&action=x%0d%0aX-Evil:1",
		"/%0d%0aX-Evil:1", "/sign-in?next=%0d%0aX-Evil:1", "/api/audit?format=csv%22%0d%0a"} {
		res, body := speak(t, s, "GET "+path+" HTTP/1.1\r\nHost: "+u.Host+"\r\nCookie: "+cookie.Name+"="+cookie.Value+"\r\nConnection: close\r\n\r\n")
		if res.Header.Get("X-Evil") != "" || res.Header.Get("Set-Cookie") != "" || strings.Contains(res.Header.Get("Content-Disposition"), "evil") {
			t.Errorf("%s: %v", path, res.Header)
		}
		if res.StatusCode >= 500 {
			t.Errorf("%s: %s %s", path, res.Status, body)
		}
	}
	// Two lengths, two ends, a folded header: what proxies and servers read differently.
	for _, text := range []string{
		"POST /graphql HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
		"POST /graphql HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
		"POST /graphql HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("y", 80<<10) + "\r\n\r\n",
	} {
		if res, _ := speak(t, s, text); res.StatusCode < 400 || res.StatusCode >= 500 && res.StatusCode != http.StatusNotImplemented {
			t.Errorf("%.60q: %s", text, res.Status)
		}
	}
}

func TestRefusedSignInsAreWrittenDownWithoutEnd(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	sys := authz.AsSystem(t.Context())
	used := s.Link(t, s.Cast.Member)
	s.Stranger(t).Redeem(used)
	b := s.Stranger(t)
	for i := range 60 {
		body := `{"token":"` + used + `"}`
		if i > 0 {
			body = fmt.Sprintf(`{"token":"guess-%d"}`, i)
		}
		// Saying that one is somebody else is of no use without a proxy that is believed.
		res, _ := fetch(t, b.HTTP, request(t, http.MethodPost, s.URL+"/auth/link", body, "Content-Type", "application/json", "X-Forwarded-For", fmt.Sprint("203.0.113.", i)))
		if i >= 25 && res.StatusCode != http.StatusTooManyRequests {
			t.Fatalf("try %d: %s", i, res.Status)
		}
	}
	rows := s.DB.Client.Audit.Query().Where(audit.Action("user.sign-in-refused")).Order(audit.ByID()).AllX(sys)
	if len(rows) < 15 || len(rows) > 20 {
		t.Fatalf("%d entries of refusals", len(rows))
	}
	if r := rows[0]; r.ObjectID != s.Cast.Member.ID || r.After["link"] != "used" || r.Address != "127.0.0.1" || r.ActorID != "" {
		t.Errorf("of a used link: %+v", r)
	}
	if r := rows[1]; r.ObjectID != "sign-in" || r.After["link"] != "unknown" {
		t.Errorf("of a guess: %+v", r)
	}
	if n := s.DB.Client.Audit.Query().Where(audit.Action("user.sign-in-limited")).CountX(sys); n != 1 {
		t.Errorf("%d entries of too many tries in a minute", n)
	}
	for _, r := range s.DB.Client.Audit.Query().AllX(sys) {
		if text := fmt.Sprint(r); strings.Contains(text, used) || strings.Contains(text, "guess") {
			t.Errorf("a token is written down: %s", text)
		}
	}
}
