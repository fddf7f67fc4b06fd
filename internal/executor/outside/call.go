package outside

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// Call is one request.
type Call struct {
	Method  string
	URL     string
	Headers map[string]string
	Body    string
	Timeout time.Duration // 0 means DefaultTimeout
}

// The bounds of calls.
const (
	DefaultTimeout = 30 * time.Second
	MaxTimeout     = 5 * time.Minute
	MaxAnswer      = 1 << 20 // bytes of a body that are looked at
)

// Response is what came back.
type Response struct {
	Status int
	Body   []byte // at most MaxAnswer
}

// Do makes the call. A reason says why there is no response; in it are the host
// and the system's words, and nothing else of the call: a URL may hold a password.
func (g Guard) Do(ctx context.Context, c Call) (Response, *spec.Reason) {
	limit := c.Timeout
	if limit == 0 {
		limit = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reason := func(code string, args map[string]any) (Response, *spec.Reason) {
		return Response{}, &spec.Reason{Code: code, Args: args}
	}
	u, err := url.Parse(c.URL)
	if err != nil || g.CheckURL(c.URL) != "" {
		host := ""
		if err == nil {
			host = u.Hostname()
		}
		return reason("call-refused", map[string]any{"host": host})
	}
	r, err := http.NewRequestWithContext(ctx, c.Method, c.URL, strings.NewReader(c.Body))
	if err != nil {
		return reason("call-unreachable", map[string]any{"host": u.Host, "detail": ""})
	}
	for k, v := range c.Headers {
		r.Header.Set(k, v)
	}
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", "GoblinLab")
	}
	client, done := g.client()
	defer done()
	resp, err := client.Do(r)
	var body []byte
	if err == nil {
		defer resp.Body.Close() //nolint:errcheck // it was read
		body, err = io.ReadAll(io.LimitReader(resp.Body, MaxAnswer))
	}
	switch {
	case err == nil:
		return Response{Status: resp.StatusCode, Body: body}, nil
	case errors.Is(err, errRefused):
		return reason("call-refused", map[string]any{"host": u.Host})
	case errors.Is(err, errRedirects):
		return reason("call-redirects", map[string]any{"host": u.Host, "limit": maxRedirects})
	case errors.Is(err, context.DeadlineExceeded):
		return reason("call-timeout", map[string]any{"host": u.Host, "limit": limit.String()})
	}
	return reason("call-unreachable", map[string]any{"host": u.Host, "detail": detail(err)})
}

// detail is the system's own words of a network's error. What net/http puts
// around them holds the whole URL; what it says of answers holds strangers' text.
func detail(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return dns.Err
	case errors.As(err, &op):
		return op.Op + ": " + op.Err.Error()
	}
	return ""
}
