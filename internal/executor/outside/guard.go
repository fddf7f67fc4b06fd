package outside

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Guard says which addresses may be reached; the zero value opens public ones.
type Guard struct {
	Private []netip.Prefix // private networks that are open
	Closed  []netip.Prefix // never open, as the cluster's own services

	// Lookup and Dial are the system's when nil.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

var (
	never = prefixes(
		"0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "192.0.0.0/24", // with 192.0.0.192, a cloud's metadata
		"100.100.100.200/32", "168.63.129.16/32", "fd00:ec2::254/128", "fd20:ce::254/128", // metadata of clouds
		"::/128", "::1/128", "fe80::/10", "ff00::/8", "fec0::/10",
	)
	private = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15", "fc00::/7")
	// Addresses of IPv6 that lead to one of IPv4, with the byte where it stands.
	carriers = map[netip.Prefix]int{
		netip.MustParsePrefix("64:ff9b::/96"): 12, netip.MustParsePrefix("2002::/16"): 2, netip.MustParsePrefix("::/96"): 12,
	}
	tunnels = prefixes("2001::/32", "64:ff9b:1::/48") // whose inner address cannot be told
)

func in(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// Refuses reports whether an address must not be reached.
func (g Guard) Refuses(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsValid() || in(never, a) || in(tunnels, a) || in(g.Closed, a) {
		return true
	}
	for p, at := range carriers {
		if p.Contains(a) {
			b := a.As16()
			return g.Refuses(netip.AddrFrom4([4]byte(b[at : at+4])))
		}
	}
	return in(private, a) && !in(g.Private, a)
}

// CheckURL is the message id of what is wrong with a URL, empty for nothing.
// Names are looked at when they are resolved.
func (g Guard) CheckURL(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "":
		return "executor.url"
	case u.Scheme != "http" && u.Scheme != "https":
		return "executor.url.scheme"
	case u.User != nil:
		return "executor.url.user"
	case g.refusesHost(u.Hostname()):
		return "executor.url.refused"
	}
	return ""
}

func (g Guard) refusesHost(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		return g.Refuses(a)
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

var (
	errRefused   = errors.New("the address may not be reached")
	errRedirects = errors.New("too many redirects")
)

// dial resolves a name and reaches the first of its addresses that is open.
func (g Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	lookup, reach := g.Lookup, g.Dial
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if reach == nil {
		reach = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	}
	var addrs []netip.Addr
	if a, err := netip.ParseAddr(host); err == nil {
		addrs = []netip.Addr{a}
	} else if addrs, err = lookup(ctx, host); err != nil {
		return nil, err
	}
	last := errRefused
	for _, a := range addrs {
		if g.Refuses(a) {
			continue
		}
		conn, err := reach(ctx, network, net.JoinHostPort(a.Unmap().String(), port))
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, last
}

const maxRedirects = 5

func (g Guard) client() (*http.Client, func()) {
	t := &http.Transport{
		DialContext: g.dial, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		DisableKeepAlives: true, ForceAttemptHTTP2: true,
	}
	c := &http.Client{Transport: t, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errRedirects
		}
		if r.URL.Scheme != "http" && r.URL.Scheme != "https" || g.refusesHost(r.URL.Hostname()) {
			return errRefused
		}
		// What the first place was told is not for another, nor for a wire that anybody reads.
		if first := via[0].URL; r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
			r.Header = http.Header{}
		}
		return nil
	}}
	return c, t.CloseIdleConnections
}
