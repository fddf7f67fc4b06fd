package gateway_test

import (
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/gateway"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

// entryCase says who may come into an instance of the member's by a way.
type entryCase struct {
	method string // of the Gateway, that leads there
	try    func(w *world, b *servertest.Browser, i *ent.Instance) bool
	allow  []string
}

// mine are whom the instance belongs to: nobody else comes in, not even an administrator.
var mine = []string{servertest.Member, servertest.WriteToken}

// entries are all ways into an instance; SSH has a table of its own, by owner.
var entries = map[string]entryCase{
	"the address of an app": {method: "Open", try: func(_ *world, b *servertest.Browser, i *ent.Instance) bool {
		return opened(b, i, "jupyterlab") != ""
	}, allow: mine},
	"an app": {method: "ServeHTTP", try: func(w *world, b *servertest.Browser, i *ent.Instance) bool {
		return enters(w, b, i, "jupyterlab")
	}, allow: mine},
	"an extra port": {method: "ServeHTTP", try: func(w *world, b *servertest.Browser, i *ent.Instance) bool {
		return enters(w, b, i, "port-5000")
	}, allow: mine},
	"an app without its cookie": {method: "ServeHTTP", try: func(w *world, b *servertest.Browser, i *ent.Instance) bool {
		return reaches(w, w.copyOf(b), w.host(i, "jupyterlab")+"/lab")
	}},
	"a code that was made up": {method: "ServeHTTP", try: func(w *world, b *servertest.Browser, i *ent.Instance) bool {
		return reaches(w, b, w.host(i, "jupyterlab")+"/_goblinlab/enter?code=nonsense")
	}},
	"a code of another app": {method: "ServeHTTP", try: func(w *world, b *servertest.Browser, i *ent.Instance) bool {
		_, code, ok := strings.Cut(opened(b, i, "port-5000"), "?code=")
		return ok && reaches(w, b, w.host(i, "jupyterlab")+"/_goblinlab/enter?code="+code)
	}},
	"a terminal": {method: "Terminal", try: func(w *world, b *servertest.Browser, i *ent.Instance) bool {
		c, _, err := b.Dial("/terminal/"+i.ID, "")
		if err != nil {
			return false
		}
		x := &term{t: w.t, Conn: c}
		defer func() { _ = c.Close() }()
		_ = c.WriteMessage(2, []byte("echo in $((1+1)); exit\n"))
		return x.until("in 2")
	}, allow: mine},
}

// ways are the methods that lead nowhere, and SSH.
var ways = map[string]string{"Serves": "tells the form of a host", "Run": "SSH: TestAccessBySSH"}

func opened(b *servertest.Browser, i *ent.Instance, app string) string {
	var got struct{ OpenInstanceApp *struct{ URL string } }
	a := b.Ask(`mutation($id: ID!, $app: String!) { openInstanceApp(id: $id, app: $app) { url } }`, map[string]any{"id": i.ID, "app": app})
	if len(a.Errors) > 0 || a.Decode(&got) != nil || got.OpenInstanceApp == nil {
		return ""
	}
	return got.OpenInstanceApp.URL
}

func enters(w *world, b *servertest.Browser, i *ent.Instance, app string) bool {
	address := opened(b, i, app)
	return address != "" && reaches(w, b, address)
}

// reaches reports whether an address leads to the app.
func reaches(w *world, b *servertest.Browser, address string) bool {
	res, body := get(w.t, b.HTTP, address)
	return res.StatusCode == http.StatusOK && strings.Contains(body, "path=/")
}

// copyOf is a browser with the page's session alone.
func (w *world) copyOf(b *servertest.Browser) *servertest.Browser {
	c := w.Stranger(w.t)
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.URL, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	c.HTTP.Jar.SetCookies(req.URL, b.HTTP.Jar.Cookies(req.URL))
	return c
}

func TestEveryWayInIsAccountedFor(t *testing.T) {
	t.Parallel()
	g := reflect.TypeFor[*gateway.Gateway]()
	known := map[string]bool{}
	for name, c := range entries {
		known[c.method] = true
		if len(c.allow) == len(servertest.Callers) {
			t.Errorf("%s needs somebody who may not", name)
		}
	}
	for i := range g.NumMethod() {
		if name := g.Method(i).Name; !known[name] && ways[name] == "" {
			t.Errorf("Gateway.%s is a way in without a row", name)
		}
	}
	for name := range known {
		if _, ok := g.MethodByName(name); !ok {
			t.Errorf("Gateway.%s is gone", name)
		}
	}
}

// TestAccessToEntries tries every way as everybody.
func TestAccessToEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(notebook(t))
	w.listen(i, 5000, notebook(t))
	people := w.People(t)
	for name, c := range entries {
		for _, who := range servertest.Callers {
			t.Run(name+" as "+who, func(t *testing.T) {
				if in, may := c.try(w, people[who], i), slices.Contains(c.allow, who); in != may {
					t.Errorf("came in: %v, may: %v", in, may)
				}
			})
		}
	}
}

// TestAccessBySSH: who comes in is for sshd to say; the port is open while the
// one whom the instance belongs to may use it.
func TestAccessBySSH(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	allow := []string{servertest.Owner, servertest.Maintainer, servertest.Member, servertest.Admin}
	ports, disabled := map[string]int{}, 0
	add := func(owner string) int {
		i, port := w.instanceOf(w.Person(owner)), freePort(t)
		w.expose(i, 22, echo(t))
		w.change(i, func(u *ent.InstanceUpdateOne) { u.SetSSHPort(port) })
		return port
	}
	for _, who := range servertest.Callers {
		if w.Person(who) != nil {
			ports[who] = add(who)
		}
	}
	gone := w.Cast.Maintainer
	disabled = add(servertest.Maintainer)
	gone.Update().SetDisabledAt(time.Now().UTC()).ExecX(w.sys)
	w.Broker.Publish(w.sys, event.Message{Topic: "team", ID: w.Cast.Team.ID})
	allow = slices.DeleteFunc(allow, func(who string) bool { return who == servertest.Maintainer }) // with whom it was tried
	open := func(port int) bool {
		c, err := connect(t, port)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}
	for _, who := range allow {
		eventually(t, "the port of an instance of "+who, func() bool { return open(ports[who]) })
	}
	eventually(t, "the end of a disabled person's port", func() bool { return !open(disabled) })
	for who, port := range ports {
		if !slices.Contains(allow, who) {
			eventually(t, "the end of the port of an instance of "+who, func() bool { return !open(port) })
		} else if !open(port) {
			t.Errorf("the port of an instance of %s is closed", who)
		}
	}
}

func TestSSHSessionsAreWrittenDownAndLooksAreNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	w.expose(i, 22, echo(t))
	port := freePort(t)
	w.change(i, func(u *ent.InstanceUpdateOne) { u.SetSSHPort(port) })
	eventually(t, "the port", func() bool {
		c, err := connect(t, port)
		if err == nil {
			_, _ = io.WriteString(c, "SSH-2.0-scanner\r\n")
			_ = c.Close()
		}
		return err == nil
	})
	c, err := connect(t, port)
	if err != nil {
		t.Fatal(err)
	}
	read(t, c, 14)
	if _, err := io.WriteString(c, strings.Repeat("k", 1000)); err != nil {
		t.Fatal(err)
	}
	read(t, c, 1000)
	find := func(action string) []*ent.Audit {
		return w.DB.Client.Audit.Query().Where(audit.Action(action), audit.ObjectID(i.ID)).AllX(w.sys)
	}
	eventually(t, "the entry of its beginning", func() bool { return len(find("instance.open-ssh")) == 1 })
	if n := len(find("instance.close-ssh")); n != 0 {
		t.Errorf("%d ends before the end", n)
	}
	_ = c.Close()
	eventually(t, "the entry of its end", func() bool { return len(find("instance.close-ssh")) == 1 })
	for _, row := range append(find("instance.open-ssh"), find("instance.close-ssh")...) {
		if row.Address != "127.0.0.1" || row.ActorID != "" || row.TeamID == nil || *row.TeamID != w.Cast.Team.ID {
			t.Errorf("%s: %+v", row.Action, row)
		}
	}
	if end := find("instance.close-ssh")[0].After; end["bytesIn"] != float64(1000) || end["bytesOut"] != float64(1014) || end["seconds"] == nil {
		t.Errorf("the end says %v", end)
	}
}

// TestAnUploadMayTakeItsTime: what bounds strangers does not bound whom the app belongs to.
func TestAnUploadMayTakeItsTime(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, servertest.Options{HTTP: func(s *http.Server) { s.ReadHeaderTimeout, s.ReadTimeout = 300*time.Millisecond, 600*time.Millisecond }})
	i := w.instance(notebook(t))
	b := w.enter(i)
	c := w.mustSocket(b, i)
	r, body := io.Pipe()
	go func() {
		for range 15 {
			_, _ = io.WriteString(body, "0123456789")
			time.Sleep(100 * time.Millisecond)
		}
		_ = body.Close()
	}()
	if res, text := send(t, b.HTTP, http.MethodPut, w.host(i, "jupyterlab")+"/api/contents/x", r, "Origin", w.host(i, "jupyterlab")); !strings.Contains(text, "body=150") {
		t.Errorf("%s %s", res.Status, text)
	}
	if err := c.WriteMessage(1, []byte("still here")); err != nil {
		t.Fatal(err)
	}
	if _, got, err := c.ReadMessage(); err != nil || string(got) != "still here" {
		t.Errorf("the socket: %q, %v", got, err)
	}
}
