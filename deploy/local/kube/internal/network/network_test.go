package network

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRemovalTakesOursAndNothingElse(t *testing.T) {
	t.Parallel()
	table := strings.Split(strings.TrimSpace(`
*nat
:PREROUTING ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:DOCKER - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-ABC - [0:0]
:CNI-OLD - [0:0]
-A PREROUTING -j DOCKER
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A POSTROUTING -j CNI-OLD
-A KUBE-SERVICES -d 10.96.0.1/32 -j KUBE-SVC-ABC
COMMIT`), "\n")
	want := `*nat
:KUBE-SERVICES - [0:0]
:KUBE-SVC-ABC - [0:0]
-D PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-X KUBE-SERVICES
-X KUBE-SVC-ABC
COMMIT
`
	if diff := cmp.Diff(want, removalScript("nat", table, []string{"CNI-OLD"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := removalScript("nat", table, []string{"CNI-OLD", "KUBE-SERVICES", "KUBE-SVC-ABC"}); got != "" {
		t.Errorf("with nothing of ours the script is %q, want none", got)
	}
}

func TestOwnRulesCarryTheMark(t *testing.T) {
	t.Parallel()
	for _, r := range ownRules("goblinlab-x") {
		s := strings.Join(r.match, " ")
		if !strings.Contains(s, "--comment goblinlab-x -j ") || !strings.Contains(s, PodCIDR) {
			t.Errorf("rule %q", s)
		}
	}
}

func TestAddressesAreDistinct(t *testing.T) {
	t.Parallel()
	_, pods, err := net.ParseCIDR(PodCIDR)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range ServiceIndex + 1 {
		ip := Gateway(i)
		if seen[ip.String()] || !pods.Contains(ip) {
			t.Errorf("address %s of number %d", ip, i)
		}
		seen[ip.String()] = true
	}
}

func TestForwardPassesBothDirectionsAndTheEnd(t *testing.T) {
	t.Parallel()
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	go func() { // answers in capitals when the question has ended
		c, err := target.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		b, _ := io.ReadAll(c)
		_, _ = c.Write([]byte(strings.ToUpper(string(b))))
	}()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	from := free.Addr().String()
	free.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := Forward(ctx, from, target.Addr().String()); err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(c)
	if err != nil || string(got) != "HELLO" {
		t.Errorf("answer is %q, %v", got, err)
	}
}

func TestResetEndsThePresentConnectionsOnly(t *testing.T) {
	t.Parallel()
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	go func() { // sends one byte back for each
		for {
			c, err := target.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _, _ = io.Copy(c, c) }()
		}
	}()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	from := free.Addr().String()
	free.Close()
	way, err := Forward(t.Context(), from, target.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	echo := func() net.Conn {
		c, err := net.Dial("tcp", from)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		b := make([]byte, 1)
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, b); err != nil {
			t.Fatal(err)
		}
		return c
	}
	old := echo()
	way.Reset()
	if err := old.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := old.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a connection from before: %v, want its end", err)
	}
	echo()
}

func TestCutNamesNodeAndItsPods(t *testing.T) {
	t.Parallel()
	want := `*filter
:GOBLINLAB-CUT - [0:0]
-A GOBLINLAB-CUT -p tcp -d 10.244.3.1 --dport 6443 -j DROP
-A GOBLINLAB-CUT -p tcp -s 10.244.3.1 --sport 6443 -j DROP
-A GOBLINLAB-CUT -p tcp -d 10.244.3.1 --dport 10250 -j DROP
-A GOBLINLAB-CUT -p tcp -s 10.244.3.1 --sport 10250 -j DROP
-A GOBLINLAB-CUT -p tcp -s 10.244.3.0/24 -d 10.244.255.1 --dport 6443 -j DROP
-A GOBLINLAB-CUT -p tcp -s 10.244.255.1 -d 10.244.3.0/24 --sport 6443 -j DROP
COMMIT
`
	if got := cutScript([]int{3}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
