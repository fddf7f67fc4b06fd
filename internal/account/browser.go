package account

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/knownbrowser"
	"github.com/goblinlab/goblinlab/internal/authz"
)

// A browser is known for half a year after a person was last signed in with it.
const browserLife = 180 * 24 * time.Hour

// BrowserCookieName is the name of the cookie by which a browser is known. It
// outlives sessions, and opens nothing.
func BrowserCookieName(address string) string { return CookieName(address) + "-browser" }

// knownID is the row's id of a browser for one person.
func knownID(cookie, userID string) string { return hash(cookie)[:40] + "-" + hash(userID)[:20] }

// known gives the row's id if the person was signed in with this browser before, else nothing.
func (s *Service) known(ctx context.Context, st *request, userID string) (string, error) {
	id := knownID(st.browser, userID)
	there, err := s.DB.Client.KnownBrowser.Query().
		Where(knownbrowser.ID(id), knownbrowser.UserID(userID), knownbrowser.ExpiresAtGT(time.Now().UTC())).Exist(authz.AsSystem(ctx))
	if err != nil {
		return "", fmt.Errorf("known browsers: %w", err)
	}
	if !there || st.browser == "" {
		return "", nil
	}
	return id, nil
}

// remember makes this browser known for a person who came in. A cookie that is
// none of ours, which another host may have planted, is replaced.
func (s *Service) remember(ctx context.Context, st *request, userID string) error {
	sys := authz.AsSystem(ctx)
	ours := false
	if st.browser != "" {
		var err error
		ours, err = s.DB.Client.KnownBrowser.Query().Where(knownbrowser.CookieHash(hash(st.browser))).Exist(sys)
		if err != nil {
			return fmt.Errorf("known browsers: %w", err)
		}
	}
	if !ours {
		st.browser = Token()
	}
	id, expires := knownID(st.browser, userID), time.Now().UTC().Add(browserLife)
	n, err := s.DB.Client.KnownBrowser.Update().Where(knownbrowser.ID(id)).SetExpiresAt(expires).Save(sys)
	if err == nil && n == 0 {
		err = s.DB.Client.KnownBrowser.Create().SetID(id).SetCookieHash(hash(st.browser)).SetUserID(userID).SetExpiresAt(expires).Exec(sys)
		if ent.IsConstraintError(err) { // the same browser a second time at this moment
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("remember a browser: %w", err)
	}
	http.SetCookie(st.w, &http.Cookie{Name: BrowserCookieName(s.Config.URL), Value: st.browser, Path: "/", MaxAge: int(browserLife.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(s.Config.URL, "https://")})
	return nil
}
