package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/ent/devicerequest"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

type deviceAnswer struct {
	Device      string `json:"device_code"`
	User        string `json:"user_code"`
	Page        string `json:"verification_uri"`
	PageWith    string `json:"verification_uri_complete"`
	ExpiresIn   int    `json:"expires_in"`
	Interval    int    `json:"interval"`
	Token       string `json:"access_token"`
	Type        string `json:"token_type"`
	Scope       string `json:"scope"`
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// form posts a form as a program does.
func form(t *testing.T, s *servertest.Site, path string, values url.Values) (servertest.Reply, deviceAnswer) {
	t.Helper()
	res, body := visit(t, s.Stranger(t), http.MethodPost, s.URL+path, values)
	var out deviceAnswer
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatalf("%s: %s %s", path, res.Status, body)
	}
	return res, out
}

func askDevice(t *testing.T, s *servertest.Site, scope string) deviceAnswer {
	t.Helper()
	res, got := form(t, s, "/device/code", url.Values{"client_id": {"goblin"}, "client_name": {"goblin on lab-7"}, "scope": {scope}})
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %+v", res.Status, got)
	}
	return got
}

func pollDevice(t *testing.T, s *servertest.Site, device string) deviceAnswer {
	t.Helper()
	_, got := form(t, s, "/device/token", url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {device}, "client_id": {"goblin"}})
	return got
}

const (
	lookOp    = `query($code: String!) { deviceRequest(userCode: $code) { name address scope } }`
	approveOp = `mutation($code: String!) { approveDevice(input: {userCode: $code, days: 7}) { ok } }`
	denyOp    = `mutation($code: String!) { denyDevice(userCode: $code) { ok } }`
)

func code(text string) map[string]any { return map[string]any{"code": text} }

func TestAProgramIsLetInByAPerson(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	sys := authz.AsSystem(t.Context())
	asked := askDevice(t, s, "write")
	if !regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$`).MatchString(asked.User) || asked.Page != s.URL+"/device" ||
		asked.PageWith != s.URL+"/device?code="+asked.User || asked.ExpiresIn != 600 || asked.Interval != 5 || len(asked.Device) < 43 {
		t.Errorf("%+v", asked)
	}
	row := s.DB.Client.DeviceRequest.Query().OnlyX(sys)
	for _, kept := range []string{row.DeviceHash, row.UserHash} {
		if strings.Contains(kept, asked.Device) || strings.Contains(kept, asked.User) || len(kept) != 64 {
			t.Errorf("kept %q", kept)
		}
	}
	if got := pollDevice(t, s, asked.Device); got.Error != "authorization_pending" {
		t.Errorf("before: %+v", got)
	}
	b := s.SignIn(t, s.Cast.Member)
	var look struct {
		DeviceRequest struct{ Name, Address, Scope string }
	}
	b.Get(lookOp, code(strings.ToLower(strings.ReplaceAll(asked.User, "-", " "))), &look)
	if look.DeviceRequest.Name != "goblin on lab-7" || look.DeviceRequest.Address != "127.0.0.1" || look.DeviceRequest.Scope != "WRITE" {
		t.Errorf("%+v", look)
	}
	b.Get(approveOp, code(asked.User), nil)
	if a := b.Ask(denyOp, code(asked.User)); a.Code() != "NOT_FOUND" {
		t.Errorf("a second answer: %+v", a)
	}
	var mu sync.Mutex
	var got deviceAnswer
	errors := map[string]int{}
	var wg sync.WaitGroup
	for range 4 { // one of them gets it
		wg.Go(func() {
			one := pollDevice(t, s, asked.Device)
			mu.Lock()
			defer mu.Unlock()
			if errors[one.Error]++; one.Token != "" {
				got = one
			}
		})
	}
	wg.Wait()
	if errors[""] != 1 || errors["invalid_grant"] != 3 || got.Type != "Bearer" || got.Scope != "write" || got.ExpiresIn < 6*24*3600 || got.ExpiresIn > 7*24*3600 {
		t.Fatalf("%v %+v", errors, got)
	}
	program := s.Stranger(t)
	program.Token = got.Token
	if v := viewerOf(program).Viewer; v == nil || v.User.ID != s.Cast.Member.ID {
		t.Errorf("the token is %+v", v)
	}
	var list struct {
		AccessTokens []struct{ Name, Scope string }
	}
	b.Get(`{ accessTokens { name scope } }`, nil, &list)
	if len(list.AccessTokens) != 1 || list.AccessTokens[0].Name != "goblin on lab-7" {
		t.Errorf("%+v", list)
	}
	for _, action := range []string{"device.approve", "token.create"} {
		if e := s.DB.Client.Audit.Query().Where(audit.Action(action)).OnlyX(sys); e.ActorID != s.Cast.Member.ID || e.After["name"] != "goblin on lab-7" {
			t.Errorf("%s: %+v", action, e)
		}
	}
	// A second one of the same name gets a name of its own.
	again := askDevice(t, s, "read")
	b.Get(approveOp, code(again.User), nil)
	if got := pollDevice(t, s, again.Device); got.Token == "" {
		t.Errorf("%+v", got)
	}
	if b.Get(`{ accessTokens { name scope } }`, nil, &list); list.AccessTokens[0].Name != "goblin on lab-7 2" {
		t.Errorf("%+v", list)
	}
	// A token ends itself and nothing else.
	if res := program.Post("/auth/revoke", nil, nil); res.StatusCode != http.StatusNoContent {
		t.Errorf("revoke: %s", res.Status)
	}
	if res := program.Post("/auth/revoke", nil, nil); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("revoke again: %s", res.Status)
	}
	if res := b.Post("/auth/revoke", nil, nil); res.StatusCode != http.StatusBadRequest {
		t.Errorf("revoke by a browser: %s", res.Status)
	}
	if b.Get(`{ accessTokens { name scope } }`, nil, &list); len(list.AccessTokens) != 1 {
		t.Errorf("left are %+v", list)
	}
}

func TestAProgramThatIsNotLetIn(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	sys := authz.AsSystem(t.Context())
	b := s.SignIn(t, s.Cast.Member)

	denied := askDevice(t, s, "read")
	b.Get(denyOp, code(denied.User), nil)
	if got := pollDevice(t, s, denied.Device); got.Error != "access_denied" || got.Token != "" {
		t.Errorf("denied: %+v", got)
	}
	if n := s.DB.Client.Audit.Query().Where(audit.Action("device.deny")).CountX(sys); n != 1 {
		t.Errorf("%d refusals were written down", n)
	}

	late := askDevice(t, s, "read")
	s.DB.Client.DeviceRequest.Update().SetExpiresAt(time.Now().UTC().Add(-time.Second)).ExecX(sys)
	if a := b.Ask(approveOp, code(late.User)); a.Code() != "NOT_FOUND" {
		t.Errorf("approved too late: %+v", a)
	}
	if got := pollDevice(t, s, late.Device); got.Error != "expired_token" {
		t.Errorf("too late: %+v", got)
	}
	if err := s.Account.Sweep(sys); err != nil {
		t.Fatal(err)
	}

	fast := askDevice(t, s, "read")
	for i, want := range []string{"authorization_pending", "slow_down", "slow_down"} {
		if got := pollDevice(t, s, fast.Device); got.Error != want {
			t.Errorf("question %d: %+v", i, got)
		}
	}
	row := s.DB.Client.DeviceRequest.Query().Where(devicerequest.ExpiresAtGT(time.Now().UTC()), devicerequest.StateEQ(devicerequest.StatePending)).OnlyX(sys)
	if row.Interval != 15 {
		t.Errorf("it may ask each %d s", row.Interval)
	}
	row.Update().SetPolledAt(time.Now().UTC().Add(-15 * time.Second)).ExecX(sys)
	if got := pollDevice(t, s, fast.Device); got.Error != "authorization_pending" {
		t.Errorf("in time again: %+v", got)
	}

	admin := askDevice(t, s, "admin")
	if a := b.Ask(approveOp, code(admin.User)); a.Code() != "INVALID_ARGUMENT" {
		t.Errorf("the scope admin by an ordinary person: %+v", a)
	}
	gone := askDevice(t, s, "write")
	b.Get(approveOp, code(gone.User), nil)
	s.Cast.Member.Update().SetDisabledAt(time.Now().UTC()).ExecX(sys)
	if got := pollDevice(t, s, gone.Device); got.Error != "access_denied" {
		t.Errorf("of a person who was disabled: %+v", got)
	}
	if n := s.DB.Client.AccessToken.Query().CountX(sys); n != 0 {
		t.Errorf("%d tokens were made", n)
	}
}

func TestCodesAreNotGuessed(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	asked := askDevice(t, s, "read")
	b := s.SignIn(t, s.Cast.Member)
	for range 20 { // half a code is no guess
		if a := b.Ask(lookOp, code("BCD")); a.Code() != "NOT_FOUND" {
			t.Fatalf("%+v", a)
		}
	}
	wrong := "BBBB-BBBB"
	if asked.User == wrong {
		wrong = "CCCC-CCCC"
	}
	for i := range 10 {
		op := lookOp
		if i%2 == 1 {
			op = approveOp
		}
		if a := b.Ask(op, code(wrong)); a.Code() != "NOT_FOUND" {
			t.Fatalf("guess %d: %+v", i, a)
		}
	}
	for _, op := range []string{lookOp, approveOp, denyOp} {
		if a := b.Ask(op, code(asked.User)); a.Code() != "RESOURCE_EXHAUSTED" {
			t.Errorf("after ten: %+v", a)
		}
	}
	owner := s.SignIn(t, s.Cast.Owner)
	for range 20 { // others are not held up, and right ones are no guesses
		owner.Get(lookOp, code(asked.User), nil)
	}
	var many strings.Builder // many at once are as many guesses as one after the other
	for i := range 40 {
		fmt.Fprintf(&many, "a%d: deviceRequest(userCode: %q) { id } ", i, wrong)
	}
	codes := map[string]int{}
	for _, e := range owner.Ask("{ "+many.String()+"}", nil).Errors {
		codes[e.Extensions.Code]++
	}
	if codes["NOT_FOUND"] > 10 || codes["RESOURCE_EXHAUSTED"] == 0 {
		t.Errorf("many at once: %v", codes)
	}
}

func TestWhatAProgramMustSay(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, servertest.Options{})
	asked := askDevice(t, s, "read")
	grant := "urn:ietf:params:oauth:grant-type:device_code"
	for name, c := range map[string]struct {
		path   string
		values url.Values
		want   string
	}{
		"no client":         {"/device/code", url.Values{}, "invalid_request"},
		"a strange client":  {"/device/code", url.Values{"client_id": {"<b>"}}, "invalid_request"},
		"a strange name":    {"/device/code", url.Values{"client_id": {"x"}, "client_name": {"a\u202eb"}}, "invalid_request"},
		"a strange scope":   {"/device/code", url.Values{"client_id": {"x"}, "scope": {"everything"}}, "invalid_scope"},
		"another grant":     {"/device/token", url.Values{"grant_type": {"password"}}, "unsupported_grant_type"},
		"a wrong code":      {"/device/token", url.Values{"grant_type": {grant}, "client_id": {"goblin"}, "device_code": {"x"}}, "invalid_grant"},
		"another's code":    {"/device/token", url.Values{"grant_type": {grant}, "client_id": {"other"}, "device_code": {asked.Device}}, "invalid_grant"},
		"the person's code": {"/device/token", url.Values{"grant_type": {grant}, "client_id": {"goblin"}, "device_code": {asked.User}}, "invalid_grant"},
	} {
		if res, got := form(t, s, c.path, c.values); res.StatusCode != http.StatusBadRequest || got.Error != c.want || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s %+v", name, res.Status, got)
		}
	}
	if res, _ := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/device/code?client_id=x", "{}", "Content-Type", "application/json")); res.StatusCode != http.StatusBadRequest {
		t.Errorf("JSON: %s", res.Status)
	}
	if res, _ := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/device/code", "client_id=x", "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://evil.example")); res.StatusCode != http.StatusForbidden {
		t.Errorf("another site: %s", res.Status)
	}
	last := 0
	for range 20 {
		res, _ := fetch(t, s.Stranger(t).HTTP, request(t, http.MethodPost, s.URL+"/device/code", "client_id=x", "Content-Type", "application/x-www-form-urlencoded"))
		last = res.StatusCode
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("many codes: %d", last)
	}
}
