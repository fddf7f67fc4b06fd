package gateway_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
)

// echo is a TCP server in place of an instance's sshd.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				_, _ = io.WriteString(c, "SSH-2.0-test\r\n")
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return l.Addr().String()
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

func connect(t *testing.T, port int) (net.Conn, error) {
	t.Helper()
	d := net.Dialer{Timeout: 5 * time.Second}
	return d.DialContext(t.Context(), "tcp", fmt.Sprint("127.0.0.1:", port))
}

func read(t *testing.T, c net.Conn, n int) string {
	t.Helper()
	b := make([]byte, n)
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.ReadFull(c, b); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestARunningInstanceIsReachedBySSHAtItsPort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	w.expose(i, 22, echo(t))
	port := freePort(t)
	w.change(i, func(u *ent.InstanceUpdateOne) { u.SetSSHPort(port) })
	var c net.Conn
	eventually(t, "the port", func() (ok bool) {
		var err error
		c, err = connect(t, port)
		return err == nil
	})
	defer func() { _ = c.Close() }()
	if got := read(t, c, 14); got != "SSH-2.0-test\r\n" {
		t.Errorf("greeting %q", got)
	}
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if got := read(t, c, 5); got != "hello" {
		t.Errorf("echo %q", got)
	}
	// Half of a connection closes and the other goes on: `ssh host cat < file`.
	half, err := connect(t, port)
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	read(t, half, 14)
	if _, err := half.Write([]byte("last words")); err != nil {
		t.Fatal(err)
	}
	if err := half.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(half); err != nil || string(rest) != "last words" {
		t.Errorf("after closing one way: %q, %v", rest, err)
	}

	w.stop(i)
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, syscall.ETIMEDOUT) {
		t.Errorf("the connection goes on: %v", err)
	}
	eventually(t, "the port's end", func() bool {
		c, err := connect(t, port)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	// A new start is another pod: the port is the same.
	w.change(i, func(u *ent.InstanceUpdateOne) {
		u.SetDesired(entinstance.DesiredRunning).SetState(entinstance.StateRunning).SetStartNumber(2)
	})
	eventually(t, "the port again", func() bool {
		c, err := connect(t, port)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

func TestTheSSHPortClosesWhenItsOwnerMayNotUseTheInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	w.expose(i, 22, echo(t))
	port := freePort(t)
	w.change(i, func(u *ent.InstanceUpdateOne) { u.SetSSHPort(port) })
	open := func() bool {
		c, err := connect(t, port)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}
	role := func(r authz.Role) {
		w.DB.Client.Membership.Update().Where(membership.UserID(w.Cast.Member.ID)).SetRole(r).ExecX(w.sys)
		w.Broker.Publish(w.sys, event.Message{Topic: "team", ID: w.Cast.Team.ID})
	}
	eventually(t, "the port", open)
	c, err := connect(t, port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	read(t, c, 14)
	role(authz.RoleViewer)
	eventually(t, "the port's end", func() bool { return !open() })
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection goes on: %v", err)
	}
	role(authz.RoleMember)
	eventually(t, "the port again", open)
	w.DB.Client.Membership.Delete().Where(membership.UserID(w.Cast.Member.ID)).ExecX(w.sys)
	w.Broker.Publish(w.sys, event.Message{Topic: "team", ID: w.Cast.Team.ID})
	eventually(t, "the port's end", func() bool { return !open() })
}

func TestASSHPortThatIsTakenHarmsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	taken, fine := w.instance(nil), w.instance(nil)
	w.expose(fine, 22, echo(t))
	port := freePort(t)
	w.change(taken, func(u *ent.InstanceUpdateOne) { u.SetSSHPort(l.Addr().(*net.TCPAddr).Port) })
	w.change(fine, func(u *ent.InstanceUpdateOne) { u.SetSSHPort(port) })
	eventually(t, "the other port", func() bool {
		c, err := connect(t, port)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

func TestAPodThatDoesNotAnswerClosesTheConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	port := freePort(t)
	w.change(i, func(u *ent.InstanceUpdateOne) { u.SetSSHPort(port) })
	eventually(t, "a closed connection", func() bool {
		c, err := connect(t, port)
		if err != nil {
			return false
		}
		defer func() { _ = c.Close() }()
		_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
		_, err = c.Read(make([]byte, 1))
		return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
	})
}
