package devinit

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// step is a change on the board.
type step struct {
	app   string
	state State
}

func TestBoardReady(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		apps    []string
		steps   []step
		want    bool
		waiting []string
	}{
		"an image without apps is ready at once":          {nil, nil, true, nil},
		"apps that start on demand are not waited for":    {[]string{"a", "~b"}, []step{{"a", StateReady}}, true, nil},
		"nor when somebody asked for one":                 {[]string{"a", "~b"}, []step{{"a", StateReady}, {"~b", StateStarting}}, true, nil},
		"and they alone keep nothing ready":               {[]string{"a", "~b"}, []step{{"a", StateReady}, {"~b", StateReady}, {"a", StateCrashed}}, false, []string{"a"}},
		"so is one from which all programs are missing":   {[]string{"a"}, []step{{"a", StateAbsent}}, true, nil},
		"at first all present apps are waited for":        {[]string{"a", "b"}, []step{{"a", StateReady}}, false, []string{"b"}},
		"absent apps are not":                             {[]string{"a", "b"}, []step{{"a", StateReady}, {"b", StateAbsent}}, true, nil},
		"all ready":                                       {[]string{"a", "b"}, []step{{"a", StateReady}, {"b", StateReady}}, true, nil},
		"a later crash of one keeps the instance ready":   {[]string{"a", "b"}, []step{{"a", StateReady}, {"b", StateReady}, {"a", StateCrashed}}, true, nil},
		"a crash before the others were ready does not":   {[]string{"a", "b"}, []step{{"a", StateReady}, {"a", StateCrashed}}, false, []string{"a", "b"}},
		"when none serves any more it is not ready":       {[]string{"a", "b"}, []step{{"a", StateReady}, {"b", StateReady}, {"a", StateCrashed}, {"b", StateStarting}}, false, []string{"a", "b"}},
		"nor while it is being ended":                     {[]string{"a"}, []step{{"a", StateReady}, {"a", StateStopped}}, false, []string{"a"}},
		"one that was ready counts while another catches": {[]string{"a", "b"}, []step{{"a", StateReady}, {"a", StateCrashed}, {"b", StateReady}}, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var apps []App
			for _, a := range tc.apps {
				app := App{Name: a}
				if strings.HasPrefix(a, "~") {
					app.Inner = 1
				}
				apps = append(apps, app)
			}
			b := NewBoard(apps, time.Now)
			for _, s := range tc.steps {
				b.Set(s.app, s.state, "")
			}
			ok, waiting := b.Ready()
			if ok != tc.want || !slices.Equal(waiting, tc.waiting) {
				t.Errorf("got %t %q, want %t %q", ok, waiting, tc.want, tc.waiting)
			}
		})
	}
}

func TestBoardTimeFollowsTheState(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 3, 4, 5, 6, 700, time.UTC)
	b := NewBoard([]App{{Name: "a", Port: 1}}, func() time.Time { return now })
	began := now.Truncate(time.Second)
	now = now.Add(time.Minute)
	if b.Set("a", StateStarting, "still loading") {
		t.Error("a message alone counts as a change")
	}
	if got := b.Apps()[0]; !got.Since.Equal(began) || got.Message != "still loading" {
		t.Errorf("got %+v", got)
	}
	if !b.Set("a", StateReady, "") || !b.Apps()[0].Since.Equal(began.Add(time.Minute)) {
		t.Errorf("got %+v", b.Apps()[0])
	}
}

func TestStatusHandler(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	b := NewBoard([]App{{Name: "lab", Port: 8888}, {Name: "sshd", Port: 22}, {Name: "code", Port: 8080}},
		func() time.Time { return now })
	b.Set("lab", StateReady, "")
	b.Set("code", StateAbsent, "the image has no code")
	handler := StatusHandler(b, &killWatch{}, Secrets{Password: "s3cret"}, NewOutput(io.Discard))
	for name, tc := range map[string]struct {
		method, path string
		code         int
		body         string
	}{
		"alive from the start":            {"GET", "/livez", 200, "ok\n"},
		"not ready, and why":              {"GET", "/readyz", 503, "waiting for sshd\n"},
		"one app is ready":                {"GET", "/readyz?app=lab", 200, "ok\n"},
		"another is not":                  {"GET", "/readyz?app=sshd", 503, "starting\n"},
		"an absent one cannot be":         {"GET", "/readyz?app=code", 404, "no such app in this image\n"},
		"nor one that nobody knows":       {"GET", "/readyz?app=x", 404, "no such app in this image\n"},
		"nothing else is served":          {"GET", "/", 404, "404 page not found\n"},
		"a log takes the password":        {"GET", "/apps/lab/log", 401, "the log takes the password of this start\n"},
		"nothing can be changed":          {"POST", "/apps", 405, "Method Not Allowed\n"},
		"a probe by HEAD works like GETs": {"HEAD", "/livez", 200, "ok\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, httptest.NewRequest(tc.method, tc.path, nil))
			if rec.Code != tc.code || rec.Body.String() != tc.body {
				t.Errorf("got %d %q, want %d %q", rec.Code, rec.Body, tc.code, tc.body)
			}
		})
	}
	t.Run("the table as JSON", func(t *testing.T) {
		t.Parallel()
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/apps", nil))
		want := `{"name":"lab","port":8888,"state":"ready","restarts":0,"since":"2026-02-03T04:05:06Z","message":""}`
		if !strings.HasPrefix(rec.Body.String(), "["+want) {
			t.Errorf("got %s", rec.Body)
		}
		var apps []AppStatus
		if err := json.Unmarshal(rec.Body.Bytes(), &apps); err != nil || len(apps) != 3 {
			t.Errorf("%d apps, %v", len(apps), err)
		}
	})
}
