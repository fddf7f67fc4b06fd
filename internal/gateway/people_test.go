package gateway_test

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/ent/session"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/person"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

var closedTerminal = audit.Action("instance.close-terminal")

// soonest is within what time nothing may be open any more.
const soonest = 5 * time.Second

// everyDoor is everything that Member has open.
type everyDoor struct {
	w        *world
	i        *ent.Instance
	b        *servertest.Browser
	program  *servertest.Browser
	app      *websocket.Conn
	shell    *term
	ssh      net.Conn
	port     int
	listens  *servertest.Socket // with the browser
	watching *servertest.Socket // with the token
}

func (w *world) openAll() *everyDoor {
	w.t.Helper()
	o := &everyDoor{w: w, i: w.instance(notebook(w.t)), port: freePort(w.t)}
	w.expose(o.i, 22, echo(w.t))
	w.change(o.i, func(u *ent.InstanceUpdateOne) { u.SetSSHPort(o.port) })
	o.b = w.enter(o.i)
	o.app = w.mustSocket(o.b, o.i)
	detached := w.terminal(o.b, o.i.ID, "?tab=gone")
	<-w.pods.started
	_ = detached.Close() // its shell goes on without a browser
	o.shell = w.terminal(o.b, o.i.ID, "?tab=here")
	<-w.pods.started
	eventually(w.t, "the port", func() (ok bool) {
		var err error
		o.ssh, err = connect(w.t, o.port)
		return err == nil
	})
	w.t.Cleanup(func() { _ = o.ssh.Close() })
	read(w.t, o.ssh, 14)
	const watch = `subscription($id: ID!) { instanceChanged(id: $id) { id } }`
	o.listens = o.b.Socket()
	o.listens.Subscribe("1", watch, map[string]any{"id": o.i.ID})
	o.listens.Next()
	o.program = w.Program(w.t, w.Cast.Member, authz.ScopeWrite)
	o.watching = o.program.Socket()
	o.watching.Subscribe("1", watch, map[string]any{"id": o.i.ID})
	o.watching.Next()
	return o
}

// ended looks that everything is closed by a moment.
func (o *everyDoor) ended(by time.Time) {
	t := o.w.t
	t.Helper()
	left := time.Until(by)
	_ = o.app.SetReadDeadline(by)
	if _, _, err := o.app.ReadMessage(); err == nil || late(err) {
		t.Errorf("the app's socket goes on: %v", err)
	}
	_ = o.shell.SetReadDeadline(by)
	for {
		if _, _, err := o.shell.ReadMessage(); err != nil {
			if late(err) {
				t.Error("the terminal goes on")
			}
			break
		}
	}
	_ = o.ssh.SetReadDeadline(by)
	if _, err := o.ssh.Read(make([]byte, 1)); err == nil || late(err) {
		t.Errorf("SSH goes on: %v", err)
	}
	for name, s := range map[string]*servertest.Socket{"browser": o.listens, "program": o.watching} {
		for {
			f, open := s.Within(max(time.Until(by), time.Millisecond))
			if !open {
				break
			}
			if f.Type == "next" {
				t.Errorf("the %s still hears: %s", name, f.Payload)
			}
			if f.Type == "complete" {
				break
			}
		}
	}
	for {
		c, err := connect(t, o.port)
		if err != nil {
			break
		}
		_ = c.Close()
		if time.Now().After(by) {
			t.Error("the port for SSH is still open")
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if time.Now().After(by) {
		t.Errorf("it took longer than %s", left)
	}
}

func late(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || strings.Contains(err.Error(), "timeout")
}

// refused looks that neither the browser nor the program is let in again.
func (o *everyDoor) refused() {
	t := o.w.t
	t.Helper()
	for name, b := range map[string]*servertest.Browser{"browser": o.b, "program": o.program} {
		a := b.Ask(`query($id: ID!) { instance(id: $id) { id } }`, map[string]any{"id": o.i.ID})
		if a.Code() != "UNAUTHENTICATED" {
			t.Errorf("the %s is answered %s %+v", name, a.Data, a.Errors)
		}
	}
	if res, body := get(t, o.b.HTTP, o.w.host(o.i, "jupyterlab")+"/lab"); res.StatusCode < 400 {
		t.Errorf("the app answers %s %s", res.Status, body)
	}
}

func TestWhoIsDisabledIsOutEverywhereWithinSeconds(t *testing.T) {
	t.Parallel()
	for name, disable := range map[string]func(w *world){
		"told": func(w *world) {
			if _, err := w.Persons.Disable(testkit.As(w.t, w.DB, w.Cast.Admin), w.Cast.Member.ID); err != nil {
				w.t.Fatal(err)
			}
		},
		"departed": func(w *world) {
			if _, err := w.Persons.Depart(testkit.As(w.t, w.DB, w.Cast.Admin), person.DepartInput{UserID: w.Cast.Member.ID}); err != nil {
				w.t.Fatal(err)
			}
		},
		"the message was lost": func(w *world) { // another process did it
			w.DB.Client.Session.Delete().Where(session.UserID(w.Cast.Member.ID)).ExecX(w.sys)
			w.DB.Client.AccessToken.Delete().Where(accesstoken.UserID(w.Cast.Member.ID)).ExecX(w.sys)
			w.Cast.Member.Update().SetDisabledAt(time.Now().UTC()).ExecX(w.sys)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			o := w.openAll()
			start := time.Now()
			disable(w)
			o.ended(start.Add(soonest))
			o.refused()
			eventually(t, "the end of the shell without a browser", func() bool {
				return w.DB.Client.Audit.Query().Where(closedTerminal).CountX(w.sys) == 2
			})
		})
	}
}

func TestWhoLeavesATeamIsOutOfItsInstancesAndTheHeirIsIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.openAll()
	start := time.Now()
	in := person.LeaveInput{TeamID: w.Cast.Team.ID, UserID: w.Cast.Member.ID, HeirID: w.Cast.Maintainer.ID, Instances: spec.FateKeep}
	if _, err := w.Persons.Leave(testkit.As(t, w.DB, w.Cast.Owner), in); err != nil {
		t.Fatal(err)
	}
	_ = o.app.SetReadDeadline(start.Add(soonest))
	if _, _, err := o.app.ReadMessage(); err == nil || late(err) {
		t.Errorf("the app's socket goes on: %v", err)
	}
	_ = o.ssh.SetReadDeadline(start.Add(soonest))
	if _, err := o.ssh.Read(make([]byte, 1)); err == nil || late(err) {
		t.Errorf("SSH goes on: %v", err)
	}
	for name, b := range map[string]*servertest.Browser{"browser": o.b, "program": o.program} {
		a := b.Ask(`query($id: ID!) { instance(id: $id) { id } }`, map[string]any{"id": o.i.ID})
		if string(a.Data) != `{"instance":null}` {
			t.Errorf("the %s sees %s %+v", name, a.Data, a.Errors)
		}
	}
	if res, _ := get(t, o.b.HTTP, w.host(o.i, "jupyterlab")+"/lab"); res.StatusCode < 400 {
		t.Errorf("the app answers %s", res.Status)
	}
	// The heir opens it at once.
	b := w.SignIn(t, w.Cast.Maintainer)
	if res, body := get(t, b.HTTP, w.open(b, o.i, "jupyterlab")); res.StatusCode != http.StatusOK {
		t.Errorf("the heir: %s %s", res.Status, body)
	}
	// Not so by SSH: who left knows the password of this start.
	time.Sleep(200 * time.Millisecond)
	if c, err := connect(t, o.port); err == nil {
		_ = c.Close()
		t.Error("the port for SSH is open before the next start")
	}
	row := w.DB.Client.Instance.GetX(w.sys, o.i.ID)
	w.change(row, func(u *ent.InstanceUpdateOne) { u.AddStartNumber(1) })
	eventually(t, "the port of the next start", func() bool {
		c, err := connect(t, o.port)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}
