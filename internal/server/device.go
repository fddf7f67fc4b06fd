package server

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Requests a minute, of one address.
const (
	deviceCodesMinute = 20
	deviceAsksMinute  = 300 // some programs behind one address, each every five seconds
)

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// deviceRoutes are RFC 8628: a program without a browser asks for a code, and
// then for its token until a person answered on the page /device.
func (s *server) deviceRoutes(r chi.Router) {
	r.With(s.limit(deviceCodesMinute)).Post("/device/code", s.deviceCode)
	r.With(s.limit(deviceAsksMinute)).Post("/device/token", s.deviceToken)
}

func (s *server) deviceCode(w http.ResponseWriter, r *http.Request) {
	f, ok := oauthForm(w, r)
	if !ok {
		return
	}
	scope := authz.TokenScope(f.Get("scope"))
	if scope == "" {
		scope = authz.ScopeRead
	}
	codes, err := s.Account.BeginDevice(r.Context(), account.DeviceInput{
		ClientID: f.Get("client_id"), Name: f.Get("client_name"), Scope: scope, Address: s.address(r)})
	if err != nil {
		oauthFault(w, r, err)
		return
	}
	page := s.Config.URL + "/device"
	oauthAnswer(w, http.StatusOK, map[string]any{
		"device_code": codes.Device, "user_code": codes.User,
		"verification_uri": page, "verification_uri_complete": page + "?" + url.Values{"code": {codes.User}}.Encode(),
		"expires_in": int(account.DeviceLife / time.Second), "interval": int(account.DeviceInterval / time.Second),
	})
}

func (s *server) deviceToken(w http.ResponseWriter, r *http.Request) {
	f, ok := oauthForm(w, r)
	if !ok {
		return
	}
	if f.Get("grant_type") != deviceGrant {
		oauthError(w, http.StatusBadRequest, "unsupported_grant_type", "The one grant here is "+deviceGrant+".")
		return
	}
	row, text, err := s.Account.DeviceToken(r.Context(), f.Get("device_code"), f.Get("client_id"), s.address(r))
	for _, told := range []error{account.ErrDevicePending, account.ErrDeviceSlower, account.ErrDeviceExpired, account.ErrDeviceDenied, account.ErrDeviceUnknown} {
		if errors.Is(err, told) {
			oauthError(w, http.StatusBadRequest, told.Error(), "")
			return
		}
	}
	if err != nil {
		oauthFault(w, r, err)
		return
	}
	oauthAnswer(w, http.StatusOK, map[string]any{
		"access_token": text, "token_type": "Bearer", "scope": string(row.Scope), "expires_in": int(time.Until(row.ExpiresAt) / time.Second),
	})
}

// revoke ends the access token that it is asked with (a program's sign-out).
func (s *server) revoke(w http.ResponseWriter, r *http.Request) {
	if err := s.Account.RevokeOwn(r.Context()); err != nil {
		fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// oauthForm reads a form, from the body alone: addresses are logged.
func oauthForm(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && t == "application/x-www-form-urlencoded" {
		err = r.ParseForm()
	}
	if err != nil || t != "application/x-www-form-urlencoded" {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The request must be a form (application/x-www-form-urlencoded).")
		return nil, false
	}
	return r.PostForm, true
}

func oauthAnswer(w http.ResponseWriter, status int, body map[string]any) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func oauthError(w http.ResponseWriter, status int, code, words string) {
	body := map[string]any{"error": code}
	if words != "" {
		body["error_description"] = words
	}
	oauthAnswer(w, status, body)
}

// oauthFault says a fault in OAuth's words, with ours as the description.
func oauthFault(w http.ResponseWriter, r *http.Request, err error) {
	said := graph.Present(r.Context(), err)
	switch f := fault.Of(err); {
	case f == nil || f.Kind == fault.Internal:
		oauthError(w, http.StatusInternalServerError, "server_error", said.Message)
	case f.Kind == fault.InvalidArgument && len(f.Fields) == 1 && f.Fields[0].Path == "scope":
		oauthError(w, http.StatusBadRequest, "invalid_scope", said.Message)
	case f.Kind == fault.ResourceExhausted, f.Kind == fault.Forbidden:
		oauthError(w, http.StatusBadRequest, "access_denied", said.Message)
	default:
		oauthError(w, http.StatusBadRequest, "invalid_request", said.Message)
	}
}
