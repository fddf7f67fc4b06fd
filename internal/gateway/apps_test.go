package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

// notebook answers with what reached it, echoes sockets, and streams.
func notebook(t *testing.T) http.Handler {
	t.Helper()
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "_xsrf", Value: "theirs", Path: "/"})
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "path=%s host=%s auth=%s cookies=%s body=%d for=%s", r.URL.RequestURI(), r.Host, r.Header.Get("Authorization"), r.Header.Get("Cookie"), n, r.Header.Get("X-Forwarded-Host"))
	})
	mux.HandleFunc("/socket", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "token s3cret-1" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		c, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		for {
			kind, b, err := c.ReadMessage()
			if err != nil {
				return
			}
			_ = c.WriteMessage(kind, b)
		}
	})
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		for n := 0; r.Context().Err() == nil; n++ {
			fmt.Fprintf(w, "tick %d\n", n)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	return mux
}

func TestAnAppIsOpenedOnceByCodeAndThenByCookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(notebook(t))
	b := w.SignIn(t, w.Cast.Member)
	address := w.open(b, i, "jupyterlab")
	if !strings.HasPrefix(address, w.host(i, "jupyterlab")+"/_goblinlab/enter?code=") || strings.Contains(address, "s3cret") {
		t.Fatalf("address %s", address)
	}
	b.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, _ := get(t, b.HTTP, address)
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/lab" {
		t.Fatalf("%s to %q", res.Status, res.Header.Get("Location"))
	}
	c := res.Cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Domain != "" || c.MaxAge != 12*3600 {
		t.Errorf("cookie %+v", c)
	}
	base := w.host(i, "jupyterlab")
	_, body := get(t, b.HTTP, base+"/lab?x=1", "Authorization", "token of-the-page", "X-Forwarded-For", "6.6.6.6")
	if !strings.Contains(body, "path=/lab?x=1") || !strings.Contains(body, "auth=token s3cret-1") || !strings.Contains(body, "host=jupyterlab--"+i.ID) {
		t.Errorf("what reached the app: %s", body)
	}
	_, body = get(t, b.HTTP, base+"/again") // now with the app's own cookie
	if !strings.Contains(body, "cookies=_xsrf=theirs body") || strings.Contains(body, c.Value) {
		t.Errorf("cookies of ours are passed on, or the app's are not: %s", body)
	}
	if res, body := send(t, b.HTTP, http.MethodPut, base+"/api/contents/x", strings.NewReader(strings.Repeat("x", 5<<20)), "Origin", base); !strings.Contains(body, fmt.Sprint("body=", 5<<20)) {
		t.Errorf("a large upload: %s %s", res.Status, body)
	}
	if res, body := get(t, w.Stranger(t).HTTP, address); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the same code again: %s %s", res.Status, body)
	}
	if n := w.DB.Client.Audit.Query().Where(audit.Action("instance.open-app"), audit.ObjectID(i.ID)).CountX(w.sys); n != 1 {
		t.Errorf("%d openings are written down", n)
	}
}

func TestOfSeveralAtOnceOneUsesTheCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(notebook(t))
	address := w.open(w.SignIn(t, w.Cast.Member), i, "jupyterlab")
	var wg sync.WaitGroup
	in := make(chan string, 16)
	for range 16 {
		c := w.Stranger(t).HTTP
		c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		wg.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
			if err != nil {
				t.Error(err)
				return
			}
			res, err := c.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			_ = res.Body.Close()
			if res.StatusCode == http.StatusSeeOther {
				in <- res.Status
			}
		})
	}
	wg.Wait()
	if len(in) != 1 {
		t.Errorf("%d came in by one code", len(in))
	}
}

// enter opens the notebook in a browser.
func (w *world) enter(i *ent.Instance) *servertest.Browser {
	w.t.Helper()
	b := w.SignIn(w.t, w.Cast.Member)
	if res, body := get(w.t, b.HTTP, w.open(b, i, "jupyterlab")); res.StatusCode != http.StatusOK {
		w.t.Fatalf("%s %s", res.Status, body)
	}
	return b
}

func TestAnAppsHostNeverShowsThePageOrTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(notebook(t))
	b := w.enter(i)
	page, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	session := b.HTTP.Jar.Cookies(page)[0]
	stranger := w.Stranger(t).HTTP
	for _, host := range []string{w.host(i, "jupyterlab"), strings.Replace(w.URL, "localhost", "anything.localhost", 1), strings.Replace(w.URL, "localhost", "a--b.c.localhost", 1)} {
		for _, path := range []string{"/", "/graphql?query={__typename}", "/healthz", "/metrics", "/auth/link"} {
			res, body := get(t, stranger, host+path, "Cookie", session.Name+"="+session.Value)
			if res.StatusCode < 400 || strings.Contains(body, "__typename") || strings.Contains(body, "<title>page") {
				t.Errorf("%s%s: %s %s", host, path, res.Status, body)
			}
		}
	}
	// The browser itself keeps the page's cookie away from the app's host.
	u, err := url.Parse(w.host(i, "jupyterlab"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.HTTP.Jar.Cookies(u) {
		if c.Name == session.Name {
			t.Error("the page's cookie would be sent to the app")
		}
	}
}

func TestOnlyTheOwnerOpensAndACookieFitsOneApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, second := w.instance(notebook(t)), w.instance(notebook(t))
	w.listen(mine, 5000, notebook(t))
	for who, u := range map[string]*ent.User{"maintainer": w.Cast.Maintainer, "team owner": w.Cast.Owner, "administrator": w.Cast.Admin, "other": w.Cast.Other} {
		a := w.SignIn(t, u).Ask(`mutation($id: ID!) { openInstanceApp(id: $id, app: "jupyterlab") { url } }`, map[string]any{"id": mine.ID})
		if c := a.Code(); c != "FORBIDDEN" && c != "NOT_FOUND" {
			t.Errorf("%s: %+v", who, a)
		}
	}
	b := w.enter(mine)
	u, err := url.Parse(w.host(mine, "jupyterlab"))
	if err != nil {
		t.Fatal(err)
	}
	cookie := ""
	for _, c := range b.HTTP.Jar.Cookies(u) {
		if strings.HasPrefix(c.Name, "goblinlab") {
			cookie = c.Name + "=" + c.Value
		}
	}
	for _, host := range []string{w.host(second, "jupyterlab"), w.host(mine, "port-5000")} {
		if res, body := get(t, w.Stranger(t).HTTP, host+"/", "Cookie", cookie); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s %s", host, res.Status, body)
		}
	}
	// An extra port opens under its own name, without the notebook's token.
	if _, body := get(t, b.HTTP, w.open(b, mine, "port-5000")); !strings.Contains(body, "path=/ ") || strings.Contains(body, "s3cret") {
		t.Errorf("port 5000: %s", body)
	}
	for _, app := range []string{"sshd", "port-22", "nothing", "UPPER", "a--b", ""} {
		if a := b.Ask(`mutation($id: ID!, $app: String!) { openInstanceApp(id: $id, app: $app) { url } }`, map[string]any{"id": mine.ID, "app": app}); a.Code() == "" {
			t.Errorf("app %q was opened: %s", app, a.Data)
		}
	}
}

func TestOtherOriginsCannotUseTheCookie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(notebook(t))
	b := w.enter(i)
	base := w.host(i, "jupyterlab")
	for _, origin := range []string{"https://evil.example", w.URL, strings.Replace(base, "jupyterlab", "port-5000", 1)} {
		if res, _ := send(t, b.HTTP, http.MethodPost, base+"/api/kernels", nil, "Origin", origin); res.StatusCode != http.StatusForbidden {
			t.Errorf("POST from %s: %s", origin, res.Status)
		}
		c, res, err := w.socket(b, i, origin)
		if res != nil {
			_ = res.Body.Close()
		}
		if err == nil {
			_ = c.Close()
			t.Errorf("a socket from %s was let in", origin)
		}
	}
}

// socket opens the notebook's socket with the browser's cookies.
func (w *world) socket(b *servertest.Browser, i *ent.Instance, origin string) (*websocket.Conn, *http.Response, error) {
	w.t.Helper()
	base, err := url.Parse(w.host(i, "jupyterlab"))
	if err != nil {
		w.t.Fatal(err)
	}
	h := http.Header{"Origin": {origin}}
	for _, c := range b.HTTP.Jar.Cookies(base) {
		h.Add("Cookie", c.Name+"="+c.Value)
	}
	tr, ok := b.HTTP.Transport.(*http.Transport)
	if !ok {
		w.t.Fatal("no transport")
	}
	d := websocket.Dialer{NetDialContext: tr.DialContext, HandshakeTimeout: 10 * time.Second}
	return d.DialContext(w.t.Context(), "ws://"+base.Host+"/socket", h)
}

func (w *world) mustSocket(b *servertest.Browser, i *ent.Instance) *websocket.Conn {
	w.t.Helper()
	c, res, err := w.socket(b, i, w.host(i, "jupyterlab"))
	if err != nil {
		w.t.Fatalf("socket: %v (%v)", err, res)
	}
	_ = res.Body.Close()
	w.t.Cleanup(func() { _ = c.Close() })
	if err := c.WriteMessage(websocket.TextMessage, []byte("hello")); err != nil {
		w.t.Fatal(err)
	}
	if _, got, err := c.ReadMessage(); err != nil || string(got) != "hello" {
		w.t.Fatalf("echo %q, %v", got, err)
	}
	return c
}

func TestOpenConnectionsEndWhenTheirRightDoes(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, i *ent.Instance){
		"stopped": func(w *world, i *ent.Instance) { w.stop(i) },
		"restarted": func(w *world, i *ent.Instance) {
			w.change(i, func(u *ent.InstanceUpdateOne) { u.SetStartNumber(2) })
		},
		"left the team": func(w *world, _ *ent.Instance) {
			w.DB.Client.Membership.Delete().Where(membership.UserID(w.Cast.Member.ID)).ExecX(w.sys)
			w.Broker.Publish(w.sys, event.Message{Topic: "team", ID: w.Cast.Team.ID})
		},
		"signed out": func(w *world, _ *ent.Instance) {
			w.DB.Client.Session.Delete().ExecX(w.sys)
			w.Broker.Publish(w.sys, event.Message{Topic: account.Topic, ID: "any"})
		},
		"disabled": func(w *world, _ *ent.Instance) {
			w.Cast.Member.Update().SetDisabledAt(time.Now().UTC()).ExecX(w.sys)
			w.Broker.Publish(w.sys, event.Message{Topic: "team", ID: w.Cast.Team.ID})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			i := w.instance(notebook(t))
			b := w.enter(i)
			c := w.mustSocket(b, i)
			end(w, i)
			_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
			if _, _, err := c.ReadMessage(); err == nil || strings.Contains(err.Error(), "timeout") {
				t.Errorf("the socket goes on: %v", err)
			}
			res, body := get(t, b.HTTP, w.host(i, "jupyterlab")+"/lab", "Accept", "text/html", "Accept-Language", "zh-CN")
			if name == "restarted" {
				if !strings.Contains(body, "auth=token s3cret-2") {
					t.Errorf("the new start's token is not used: %s", body)
				}
				return
			}
			if res.StatusCode < 400 || !strings.Contains(body, `lang="zh-CN"`) || !strings.Contains(body, w.URL+"/instances/"+i.ID) {
				t.Errorf("%s %s", res.Status, body)
			}
		})
	}
}

func TestAnswersStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(notebook(t))
	b := w.enter(i)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.host(i, "jupyterlab")+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.HTTP.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for n := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprint("tick ", n) {
			t.Fatalf("line %d is %q", n, lines.Text())
		}
	}
	w.stop(i) // an answer that goes on for ever ends with the instance
	for lines.Scan() {
	}
}

func TestWhatIsNotThereIsSaidInWordsOrJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil) // nothing listens in the pod
	b := w.SignIn(t, w.Cast.Member)
	address := w.open(b, i, "jupyterlab")
	if res, body := get(t, b.HTTP, address, "Accept", "text/html"); res.StatusCode != http.StatusBadGateway || !strings.Contains(body, `http-equiv="refresh"`) {
		t.Errorf("no answer: %s %s", res.Status, body)
	}
	if res, body := get(t, b.HTTP, w.host(i, "jupyterlab")+"/api"); res.StatusCode != http.StatusBadGateway || !strings.Contains(body, `"code":"UNAVAILABLE"`) {
		t.Errorf("for programs: %s %s", res.Status, body)
	}
	w.change(i, func(u *ent.InstanceUpdateOne) { u.SetState(entinstance.StateStarting) })
	eventually(t, "the page of a start", func() bool {
		res, body := get(t, b.HTTP, w.host(i, "jupyterlab")+"/lab", "Accept", "text/html")
		return res.StatusCode == http.StatusServiceUnavailable && strings.Contains(body, "starting") && strings.Contains(body, `http-equiv="refresh"`)
	})
}
