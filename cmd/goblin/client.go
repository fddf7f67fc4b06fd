package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	clientID  = "goblin"
	maxAnswer = 8 << 20 // bytes
)

// client talks to one server.
type client struct {
	address string // without a slash at its end
	token   string // empty for nobody's
	http    *http.Client
}

func newClient(address, token string) *client {
	return &client{address, token, &http.Client{
		Timeout: 30 * time.Second,
		// A form or a token does not go where an answer points to.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// cleanAddress is a server's address as it is remembered.
func cleanAddress(text string) (string, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return "", failf(exitUsage, "%q is no address of a GoblinLab; write it as https://lab.example.com", text)
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// oauthError is what OAuth's endpoints answer.
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (e *oauthError) Error() string {
	if e.Description != "" {
		return e.Description
	}
	return e.Code
}

// form posts a form and reads the answer into out, or gives an oauthError.
func (c *client) form(ctx context.Context, path string, values url.Values, out any) error {
	status, body, err := c.post(ctx, path, "application/x-www-form-urlencoded", []byte(values.Encode()))
	if err != nil {
		return err
	}
	if status == http.StatusOK {
		return c.decode(body, out)
	}
	e := &oauthError{}
	if json.Unmarshal(body, e) == nil && e.Code != "" {
		return e
	}
	return c.refusal(status, body)
}

// graph asks the API as the signed-in person.
func (c *client) graph(ctx context.Context, query string, out any) error {
	b, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		return err
	}
	status, body, err := c.post(ctx, "/graphql", "application/json", b)
	if err != nil {
		return err
	}
	var a struct {
		Data   json.RawMessage
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if json.Unmarshal(body, &a) != nil {
		return c.refusal(status, body)
	}
	if len(a.Errors) > 0 {
		exit := exitFailed
		if a.Errors[0].Extensions.Code == "UNAUTHENTICATED" {
			exit = exitSignedOut
		}
		return failf(exit, "%s", a.Errors[0].Message)
	}
	return c.decode(a.Data, out)
}

// revoke ends the token on the server.
func (c *client) revoke(ctx context.Context) error {
	status, body, err := c.post(ctx, "/auth/revoke", "application/json", []byte("{}"))
	if err != nil || status == http.StatusNoContent || status == http.StatusUnauthorized { // it had ended already
		return err
	}
	return c.refusal(status, body)
}

func (c *client) post(ctx context.Context, path, kind string, body []byte) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("User-Agent", clientID)
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(r)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return 0, nil, failf(exitUnreachable, "%s does not answer: %w", c.address, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return 0, nil, failf(exitUnreachable, "%s broke off its answer: %w", c.address, err)
	}
	if to := res.Header.Get("Location"); res.StatusCode/100 == 3 {
		return 0, nil, failf(exitFailed, "%s leads on to %s; use that address", c.address, to)
	}
	return res.StatusCode, b, nil
}

func (c *client) decode(body []byte, out any) error {
	if err := json.Unmarshal(body, out); err != nil {
		return failf(exitFailed, "%s does not answer as a GoblinLab does: %w", c.address, err)
	}
	return nil
}

// refusal says what a server answered that did not do it.
func (c *client) refusal(status int, body []byte) error {
	var said struct{ Message string }
	if json.Unmarshal(body, &said) == nil && said.Message != "" {
		return failf(exitFailed, "%s", said.Message)
	}
	if status >= http.StatusInternalServerError {
		return failf(exitUnreachable, "%s answers %d %s", c.address, status, http.StatusText(status))
	}
	return failf(exitFailed, "%s does not answer as a GoblinLab does (%d %s)", c.address, status, http.StatusText(status))
}

// plainHTTP reports whether others on the network could read what is sent.
func plainHTTP(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	h := u.Hostname()
	return h != "localhost" && h != "127.0.0.1" && h != "::1" && !strings.HasSuffix(h, ".localhost")
}
