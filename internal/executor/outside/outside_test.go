package outside_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/executor/outside"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	g := outside.Guard{Private: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16")}, Closed: []netip.Prefix{netip.MustParsePrefix("10.1.9.0/24")}}
	for a, refused := range map[string]bool{
		"93.184.216.34": false, "2606:2800:220:1::1": false, "10.1.2.3": false, "::ffff:10.1.2.3": false, "64:ff9b::5db8:d822": false, "2002:5db8:d822::1": false,
		"10.2.0.1": true, "10.1.9.1": true, "127.0.0.1": true, "127.9.9.9": true, "0.0.0.0": true, "::": true, "::1": true, "::ffff:127.0.0.1": true,
		"169.254.169.254": true, "fe80::1": true, "fd00:ec2::254": true, "100.100.100.200": true, "168.63.129.16": true, "192.0.0.192": true,
		"172.16.0.1": true, "192.168.1.1": true, "100.64.0.1": true, "fd12::1": true, "224.0.0.1": true, "255.255.255.255": true, "ff02::1": true,
		"64:ff9b::7f00:1": true, "64:ff9b::a9fe:a9fe": true, "2002:7f00:1::1": true, "::127.0.0.1": true, "2001:0:1::1": true,
	} {
		if g.Refuses(netip.MustParseAddr(a)) != refused {
			t.Errorf("%s: refused is %v", a, !refused)
		}
	}
	if !g.Refuses(netip.Addr{}) {
		t.Error("no address is open")
	}
}

// However an address of IPv4 is dressed, it is judged as it is.
func TestDressedAddressesAreJudgedAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := [4]byte{}
		for i := range b {
			b[i] = rapid.Byte().Draw(t, "byte")
		}
		a := netip.AddrFrom4(b)
		var six [16]byte
		copy(six[:], []byte{0, 0x64, 0xff, 0x9b})
		copy(six[12:], b[:])
		g := outside.Guard{}
		for _, dressed := range []netip.Addr{netip.AddrFrom16(a.As16()), netip.AddrFrom16(six)} {
			if g.Refuses(a) != g.Refuses(dressed) {
				t.Fatalf("%s and %s are judged differently", a, dressed)
			}
		}
	})
}

func TestURLs(t *testing.T) {
	t.Parallel()
	for u, want := range map[string]string{
		"https://example.com/a?b=c": "", "http://93.184.216.34:8080": "",
		"ftp://example.com": "executor.url.scheme", "file:///etc/passwd": "executor.url", "example.com": "executor.url", "http:a": "executor.url",
		"http://": "executor.url", "http://a\x00b": "executor.url", "https://u:p@example.com": "executor.url.user",
		"http://localhost:80": "executor.url.refused", "http://LOCALHOST.": "executor.url.refused", "http://x.localhost": "executor.url.refused",
		"http://127.0.0.1": "executor.url.refused", "http://[::1]:8080": "executor.url.refused", "http://[fe80::1%25eth0]": "executor.url.refused", "http://169.254.169.254/latest": "executor.url.refused",
	} {
		if got := (outside.Guard{}).CheckURL(u); got != want {
			t.Errorf("%q: %q, want %q", u, got, want)
		}
	}
}

// world is a guard whose public addresses lead to a server of the test.
func world(t *testing.T, h http.HandlerFunc) (outside.Guard, *atomic.Int64) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	var dials atomic.Int64
	flip := atomic.Bool{}
	return outside.Guard{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			switch host {
			case "inner.test":
				return []netip.Addr{netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("10.0.0.1")}, nil
			case "mixed.test":
				return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("93.184.216.34")}, nil
			case "rebinding.test":
				if flip.Swap(true) {
					return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
				}
				return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
			case "none.test":
				return nil, &net.DNSError{Err: "no such host", Name: host}
			}
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			dials.Add(1)
			if !strings.HasPrefix(address, "93.184.216.34:") {
				return nil, fmt.Errorf("dialled %s", address)
			}
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		},
	}, &dials
}

func TestCalls(t *testing.T) {
	t.Parallel()
	g, dials := world(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/inner":
			http.Redirect(w, r, "http://inner.test/", http.StatusFound)
		case "/loopback":
			http.Redirect(w, r, "http://127.0.0.1/", http.StatusFound)
		case "/again":
			http.Redirect(w, r, "http://rebinding.test/", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/away":
			http.Redirect(w, r, "http://other.test/show", http.StatusFound)
		case "/slow":
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Second):
			}
		case "/endless":
			for range 100 {
				_, _ = w.Write(make([]byte, 64<<10))
			}
		default:
			_, _ = fmt.Fprintf(w, "%s token=%q", r.Method, r.Header.Get("X-Token"))
		}
	})
	for u, want := range map[string]string{
		"http://a.test/": "", "http://mixed.test/": "", "http://a.test/away": "", "http://a.test/endless": "",
		"http://inner.test/?password=hunter2": "call-refused", "http://127.0.0.1/": "call-refused", "http://u:hunter2@a.test/": "call-refused",
		"http://a.test/inner": "call-refused", "http://a.test/loopback": "call-refused", "http://a.test/file": "call-refused",
		"http://a.test/loop": "call-redirects", "http://none.test/?p=hunter2": "call-unreachable", "http://a.test/slow?p=hunter2": "call-timeout", "::hunter2": "call-refused",
	} {
		before := dials.Load()
		resp, why := g.Do(context.Background(), outside.Call{Method: "GET", URL: u, Headers: map[string]string{"X-Token": "hunter2"}, Timeout: 2 * time.Second})
		switch {
		case want == "" && why != nil, want != "" && (why == nil || why.Code != want):
			t.Errorf("%s: %v, want %q", u, why, want)
		case strings.Contains(fmt.Sprint(why), "hunter2"):
			t.Errorf("%s tells a secret: %v", u, why)
		case strings.HasSuffix(u, "/away") && !strings.Contains(string(resp.Body), `token=""`):
			t.Errorf("the header goes along: %s", resp.Body)
		case u == "http://a.test/" && string(resp.Body) != `GET token="hunter2"`:
			t.Errorf("%s answers %s", u, resp.Body)
		case len(resp.Body) > outside.MaxAnswer:
			t.Errorf("%d bytes are read", len(resp.Body))
		case strings.HasPrefix(u, "http://inner") && dials.Load() != before:
			t.Error("the refused address was dialled")
		}
	}
	if _, why := g.Do(context.Background(), outside.Call{Method: "GET", URL: "http://rebinding.test/"}); why != nil {
		t.Errorf("the first time: %v", why)
	}
	if _, why := g.Do(context.Background(), outside.Call{Method: "GET", URL: "http://a.test/again"}); why == nil || why.Code != "call-refused" {
		t.Errorf("a name that turned inwards: %v", why)
	}
}
