package instance

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestAnAppTellsOfAKillBelowIt(t *testing.T) {
	t.Parallel()
	apps := []spec.App{{Name: "jupyterlab", Port: 8888, State: "ready"}, {Name: "sshd", Port: 22, State: "ready"}}
	full := kill{Number: 1, At: noon, App: "jupyterlab", Process: "python3", Limit: 2 << 30, Peak: 2 << 30}
	bare := kill{Number: 2, At: noon, App: "jupyterlab"}
	for name, c := range map[string]struct {
		kills []kill
		now   time.Time
		want  string // of JupyterLab
	}{
		"nothing happened":        {nil, noon, ""},
		"a kernel":                {[]kill{full}, noon, "python3 was killed: the memory of the instance was used up, 2 GiB of 2 GiB."},
		"the newest counts":       {[]kill{full, bare}, noon, "a process was killed: the memory of the instance was used up, – of –."},
		"an hour ago":             {[]kill{full}, noon.Add(time.Hour), ""},
		"something from outside":  {[]kill{{Number: 1, At: noon, Process: "train"}}, noon, ""},
		"below an app that is no": {[]kill{{Number: 1, At: noon, App: "x"}}, noon, ""},
	} {
		got := struck(apps, c.kills, c.now)
		text := ""
		if r := got[0].Reason; r != nil {
			text = lang.Text(lang.English, "reason."+r.Code, r.Args)
			if r.Code != reason.ProcessOOMKilled {
				t.Errorf("%s: %s", name, r.Code)
			}
		}
		if text != c.want || got[1].Reason != nil || apps[0].Reason != nil || len(got) != 2 || got[0].Name != "jupyterlab" {
			t.Errorf("%s: %q, %+v", name, text, got)
		}
	}
	a, b := struck(apps, []kill{full}, noon), struck(apps, []kill{full}, noon)
	if !sameApps(a, b) || sameApps(a, apps) {
		t.Error("apps with the same reason are not the same, or those without are")
	}
}

func TestKillsAreKeptOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := b.made()
	first := kill{Number: 1, At: noon, App: "jupyterlab", Process: "python3", Limit: 1 << 30, Peak: 1 << 30}
	second := kill{Number: 2, At: noon.Add(time.Minute)}
	kept := func(s *Service, pod string, kills ...kill) {
		t.Helper()
		if err := s.keepKills(testkit.System(t), i, pod, kills); err != nil {
			t.Fatal(err)
		}
	}
	kept(b.Service, "pod-1")
	kept(b.Service, "pod-1", first)
	kept(b.Service, "pod-1", first)
	kept(b.Service, "pod-1", first, second)
	kept(New(b.Deps), "pod-1", first, second) // another process, or after a restart
	kept(b.Service, "pod-2", first)
	rows := b.db.Client.Event.Query().Where(entevent.Type("process-killed")).Order(entevent.ByID()).AllX(testkit.System(t))
	var texts []string
	for _, e := range rows {
		if e.SubjectID != i.ID || e.Severity != entevent.SeverityWarning {
			t.Errorf("kept %+v", e)
		}
		texts = append(texts, lang.Text(lang.English, "event."+e.Type, e.Args))
	}
	if diff := cmp.Diff([]string{
		"python3 in jupyterlab was killed: the memory was used up, 1 GiB of 1 GiB.",
		"a process in the container was killed: the memory was used up, – of –.",
		"python3 in jupyterlab was killed: the memory was used up, 1 GiB of 1 GiB.",
	}, texts); diff != "" {
		t.Error(diff)
	}
}

func TestKillsAreRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		kills  int
		fails  bool
	}{
		"one":                           {200, `{"limit":1,"peak":1,"kills":[{"number":1,"at":"2026-01-02T03:04:05Z","app":"sshd","process":"python3","limit":5,"peak":4}]}`, 1, false},
		"none":                          {200, `{"kills":[]}`, 0, false},
		"an older start-up program":     {404, "404 page not found", 0, false},
		"something else on that port":   {200, "hello", 0, true},
		"a start-up program in trouble": {500, "", 0, true},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/memory" {
				t.Errorf("asked for %s", r.URL)
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		door := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
		}}}
		got, err := askKills(t.Context(), door)
		if len(got) != c.kills || (err != nil) != c.fails {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if len(got) == 1 && (got[0].App != "sshd" || got[0].Peak != 4 || got[0].At.Year() != 2026) {
			t.Errorf("%s: %+v", name, got)
		}
		door.CloseIdleConnections()
		server.Close()
	}
}
