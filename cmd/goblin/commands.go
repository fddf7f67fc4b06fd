package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

type deviceCode struct {
	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	Page       string `json:"verification_uri"`
	PageWith   string `json:"verification_uri_complete"`
	ExpiresIn  int    `json:"expires_in"`
	Interval   int    `json:"interval"`
}

type deviceToken struct {
	Token     string `json:"access_token"`
	Scope     string `json:"scope"`
	ExpiresIn int    `json:"expires_in"`
}

func login() *cobra.Command {
	c := &cobra.Command{
		Use: "login [URL]", Short: "Sign in to a GoblinLab", Args: cobra.MaximumNArgs(1),
		Long: "Sign in to a GoblinLab: open the page that is named, compare the code, approve. Without URL it is the one before, or that of $GOBLIN_URL.",
	}
	scope := c.Flags().String("scope", "write", "what goblin may do: read, write or admin")
	name := c.Flags().String("name", "", "what the access token is called (default goblin on this machine)")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := readSettings()
		if err != nil {
			return err
		}
		address, err := s.address(args)
		if err != nil {
			return err
		}
		switch *scope {
		case "read", "write", "admin":
		default:
			return failf(exitUsage, "--scope is %q; it must be read, write or admin", *scope)
		}
		if plainHTTP(address) {
			warn(cmd, "goblin: %s is not encrypted: everybody on the way can read the access token", address)
		}
		if *name == "" {
			*name = "goblin"
			if host, err := os.Hostname(); err == nil {
				*name = clipRunes("goblin on "+host, 60)
			}
		}
		got, err := askDevice(cmd, newClient(address, ""), *scope, *name)
		if err != nil {
			return err
		}
		old, had := s.Servers[address]
		s.Current = address
		s.Servers[address] = entry{got.Token, got.Scope, time.Now().UTC().Add(time.Duration(got.ExpiresIn) * time.Second).Truncate(time.Second)}
		if err := s.write(); err != nil {
			return err
		}
		if had { // nobody knows it any more
			_ = newClient(address, old.Token).revoke(cmd.Context())
		}
		return sayWho(cmd, s)
	}
	return c
}

// address is the server that a command is about.
func (s settings) address(args []string) (string, error) {
	switch {
	case len(args) > 0:
		return cleanAddress(args[0])
	case os.Getenv("GOBLIN_URL") != "":
		return cleanAddress(os.Getenv("GOBLIN_URL"))
	case s.Current != "":
		return s.Current, nil
	}
	return "", failf(exitUsage, "which GoblinLab? Write its address, as in: goblin login https://lab.example.com")
}

// askDevice asks for a token and waits until a person answered.
func askDevice(cmd *cobra.Command, c *client, scope, name string) (deviceToken, error) {
	ctx := cmd.Context()
	var code deviceCode
	err := c.form(ctx, "/device/code", url.Values{"client_id": {clientID}, "client_name": {name}, "scope": {scope}}, &code)
	if err != nil {
		return deviceToken{}, words(err)
	}
	warn(cmd, "Open this page and sign in:\n\n    %s\n\nApprove if it shows the code  %s\n", code.PageWith, code.UserCode)
	wait := time.Duration(max(code.Interval, 1)) * time.Second
	end := time.Now().Add(time.Duration(code.ExpiresIn) * time.Second)
	for time.Now().Before(end) {
		if err := sleep(ctx, wait); err != nil {
			return deviceToken{}, err
		}
		var got deviceToken
		err := c.form(ctx, "/device/token", url.Values{"grant_type": {deviceGrant}, "device_code": {code.DeviceCode}, "client_id": {clientID}}, &got)
		var o *oauthError
		var f failure
		switch {
		case err == nil:
			return got, nil
		case errors.As(err, &o) && o.Code == "authorization_pending":
		case errors.As(err, &o) && o.Code == "slow_down":
			wait += 5 * time.Second
		case errors.As(err, &f) && f.exit == exitUnreachable && ctx.Err() == nil: // RFC 8628: more slowly, until the end
			wait *= 2
		default:
			return deviceToken{}, words(err)
		}
	}
	return deviceToken{}, failf(exitFailed, "nobody approved within %s; run it again", time.Duration(code.ExpiresIn)*time.Second)
}

// sleep is a variable for tests, which do not wait.
var sleep = func(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// words turns OAuth's codes into sentences.
func words(err error) error {
	var o *oauthError
	if !errors.As(err, &o) {
		return err
	}
	switch {
	case o.Description != "":
		return failf(exitFailed, "%s", o.Description)
	case o.Code == "access_denied":
		return failf(exitFailed, "it was refused on the page")
	case o.Code == "expired_token", o.Code == "invalid_grant":
		return failf(exitFailed, "nobody approved in time; run it again")
	}
	return failf(exitFailed, "the server refused: %s", o.Code)
}

func logout() *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Sign out: the access token ends, here and on the server", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, e, err := signedIn()
			if err != nil {
				return err
			}
			address := s.Current
			ended := newClient(address, e.Token).revoke(cmd.Context())
			delete(s.Servers, address) // the address stays, for the next login
			if err := s.write(); err != nil {
				return err
			}
			if ended != nil {
				return failf(exitFailed, "forgotten here, but perhaps not ended on the server: %w; revoke it on the page Account", ended)
			}
			return say(cmd, map[string]any{"server": address, "signedIn": false}, "Signed out of "+address)
		},
	}
}

// signedIn is the sign-in that a command uses.
func signedIn() (settings, entry, error) {
	s, err := readSettings()
	if err != nil {
		return s, entry{}, err
	}
	if s.Current, err = s.address(nil); err != nil {
		return s, entry{}, failf(exitSignedOut, "not signed in; run goblin login https://lab.example.com")
	}
	e, ok := s.Servers[s.Current]
	if !ok {
		return s, e, failf(exitSignedOut, "not signed in to %s; run goblin login", s.Current)
	}
	return s, e, nil
}

func whoami() *cobra.Command {
	return &cobra.Command{
		Use: "whoami", Short: "Say who is signed in where", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, _, err := signedIn()
			if err != nil {
				return err
			}
			return sayWho(cmd, s)
		},
	}
}

func sayWho(cmd *cobra.Command, s settings) error {
	e := s.Servers[s.Current]
	var got struct {
		Viewer *struct {
			User struct{ Email, DisplayName, PlatformRole string }
		}
	}
	if err := newClient(s.Current, e.Token).graph(cmd.Context(), `{ viewer { user { email displayName platformRole } } }`, &got); err != nil {
		return err
	}
	if got.Viewer == nil {
		return failf(exitSignedOut, "not signed in to %s; run goblin login", s.Current)
	}
	u := got.Viewer.User
	return say(cmd, map[string]any{
		"server": s.Current, "signedIn": true, "email": u.Email, "displayName": u.DisplayName,
		"platformRole": strings.ToLower(u.PlatformRole), "scope": e.Scope, "expiresAt": e.ExpiresAt,
	}, fmt.Sprintf("%s (%s) at %s\nscope %s, until %s", u.DisplayName, u.Email, s.Current, e.Scope, e.ExpiresAt.Local().Format("2 January 2006")))
}

// say writes a result: for people, or with --json for programs.
func say(cmd *cobra.Command, value map[string]any, text string) error {
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		b, err := json.Marshal(value)
		if err != nil {
			return err
		}
		text = string(b)
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}

// warn tells people what is no result.
func warn(cmd *cobra.Command, format string, args ...any) {
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...)
}

func clipRunes(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}
