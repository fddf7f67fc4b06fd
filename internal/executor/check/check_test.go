package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/check"
	"github.com/goblinlab/goblinlab/internal/executor/executortest"
	"github.com/goblinlab/goblinlab/internal/executor/outside"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
)

func TestConforms(t *testing.T) {
	t.Parallel()
	executortest.Conform(t, check.Check{},
		`{"path":{"volumeId":"vol-1","path":"out/${yyyyMMdd}/_SUCCESS","newerThan":"${run.logicalTime}"}}`,
		`{"url":{"url":"https://example.com/ready","expect":{"bodyContains":"yes"}},"every":"5s","for":"1h"}`,
		`{"webhdfs":{"url":"http://namenode.example.com:9870","path":"/data/${yyyyMMdd}/_SUCCESS","user":"etl"}}`,
		`{"command":{"imageId":"img-1","command":["test","-e","/data/${yyyyMMdd}"],"resources":{"cpu":"100m","memory":"64Mi"}}}`)
}

var wrong = map[string][]string{
	`{}`: {" shape.exactly"},
	`{"flow":{"flowId":"f","offset":"1d","state":"failed"},"path":{"volumeId":"v","path":"../a","newerThan":"yesterday"},"every":"1s"}`: {
		"every shape.span-range", "flow.state shape.choice", "path.newerThan shape.instant", " shape.exactly", "flow.offset macro.offset", "path.path executor.path",
	},
	`{"webhdfs":{"url":"http://10.0.0.1","path":"a/b"}}`:                 {"webhdfs.url executor.url.refused", "webhdfs.path executor.hdfs-path"},
	`{"url":{"url":"http://localhost"}}`:                                 {"url.url executor.url.refused"},
	`{"command":{"command":["a"],"resources":{"cpu":"0","memory":"1"}}}`: {"command.imageId shape.missing", "command.resources.cpu quantity.cpu.zero", "command.resources.memory preflight.memory.too-small"},
}

func TestCheckTellsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	for with, want := range wrong {
		var got []string
		for _, p := range (check.Check{}).Check(json.RawMessage(with)) {
			got = append(got, p.Path+" "+p.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", with, diff)
		}
	}
}

// flows answers with runs of known times, as rows would.
type flows struct {
	runs []check.FlowState
	err  error
}

func (f flows) Runs(_ context.Context, _ executor.Ask, id string, from, until time.Time) ([]check.FlowState, error) {
	var out []check.FlowState
	for _, r := range f.runs {
		if id == "f" && !r.Time.Before(from) && r.Time.Before(until) {
			out = append(out, r)
		}
	}
	return out, f.err
}

type paths map[string]time.Time

func (p paths) Stat(_ context.Context, _ executor.Ask, volume, path string) (check.PathState, error) {
	at, ok := p[volume+":"+path]
	if volume == "gone" {
		return check.PathState{}, fault.Missing("volume", volume)
	}
	return check.PathState{Exists: ok, Changed: at}, nil
}

func poll(t *testing.T, c check.Check, with string) (executor.Verdict, error) {
	t.Helper()
	v, err := c.Poll(context.Background(), json.RawMessage(with), executor.Ask{Time: time.Date(2026, 5, 17, 20, 0, 0, 0, time.UTC), Zone: time.FixedZone("CST", 8*3600)}) // 18 May, 4:00
	if v.Answer != executor.Done && err == nil {
		for _, id := range []string{"reason." + v.Reason.Code, "advice." + v.Reason.Code} {
			if !lang.Has(id) {
				t.Errorf("%s has no words", id)
			}
		}
	}
	return v, err
}

func TestFlowsAndPaths(t *testing.T) {
	t.Parallel()
	at := func(day, hour int) time.Time { return time.Date(2026, 5, day, hour, 0, 0, 0, time.UTC) }
	c := check.Check{
		Flows: flows{runs: []check.FlowState{
			{Time: at(17, 20), Ended: true, Succeeded: true}, {Time: at(16, 20), Ended: true}, {Time: at(15, 20)},
			{Time: at(17, 18), Ended: true, Succeeded: true}, {Time: at(17, 15), Ended: true}, // the second is of 17 May there
		}},
		Paths: paths{"v:a/_SUCCESS": at(17, 12)},
	}
	for with, want := range map[string]string{
		`{"flow":{"flowId":"f"}}`:                                                               "done",
		`{"flow":{"flowId":"f","offset":"-1d"}}`:                                                "not-yet check-flow-failed",
		`{"flow":{"flowId":"f","offset":"-1d","state":"ended"}}`:                                "done",
		`{"flow":{"flowId":"f","offset":"-2d","state":"ended"}}`:                                "not-yet check-flow-runs",
		`{"flow":{"flowId":"f","offset":"-1h"}}`:                                                "not-yet check-flow-none",
		`{"flow":{"flowId":"f","match":"day"}}`:                                                 "done",
		`{"flow":{"flowId":"f","match":"day","offset":"-1d"}}`:                                  "not-yet check-flow-failed",
		`{"flow":{"flowId":"other"}}`:                                                           "not-yet check-flow-none",
		`{"path":{"volumeId":"v","path":"a/_SUCCESS"}}`:                                         "done",
		`{"path":{"volumeId":"v","path":"b"}}`:                                                  "not-yet check-path-none",
		`{"path":{"volumeId":"v","path":"a/_SUCCESS","newerThan":"2026-05-17T11:59:59Z"}}`:      "done",
		`{"path":{"volumeId":"v","path":"a/_SUCCESS","newerThan":"2026-05-17T20:00:00+08:00"}}`: "not-yet check-path-old",
		`{"path":{"volumeId":"gone","path":"a"}}`:                                               "failed check-no-access",
		`{"url":{"url":"http://169.254.169.254/"}}`:                                             "error",
		`{"flow":{"flowId":"f","offset":"-9999y"}}`:                                             "error",
		`{"command":{"imageId":"i","command":["a"],"resources":{"cpu":"1","memory":"1Gi"}}}`:    "error",
	} {
		v, err := poll(t, c, with)
		got := string(v.Answer)
		switch {
		case err != nil:
			got = "error"
		case v.Reason.Code != "":
			got += " " + v.Reason.Code
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", with, got, err, want)
		}
	}
	broken := errors.New("the database is away")
	if _, err := poll(t, check.Check{Flows: flows{err: broken}}, `{"flow":{"flowId":"f"}}`); !errors.Is(err, broken) {
		t.Errorf("trouble of ours is told by %v", err)
	}
}

func TestWebHDFSAndURL(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.RequestURI() {
		case "/webhdfs/v1/a%20b/_SUCCESS?op=GETFILESTATUS&user.name=etl", "/ready":
			_, _ = w.Write([]byte(`{"FileStatus":{}}`))
		case "/webhdfs/v1/standby?op=GETFILESTATUS":
			w.WriteHeader(http.StatusForbidden)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	c := check.Check{Guard: outside.Guard{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			if host == "inner.test" {
				return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		},
	}}
	for with, want := range map[string]string{
		`{"webhdfs":{"url":"http://nn.test:9870/","path":"/a b/_SUCCESS","user":"etl"}}`: "done ",
		`{"webhdfs":{"url":"http://nn.test:9870","path":"/none"}}`:                       "not-yet check-path-none",
		`{"webhdfs":{"url":"http://nn.test:9870","path":"/standby"}}`:                    "not-yet call-status",
		`{"webhdfs":{"url":"http://inner.test","path":"/a"}}`:                            "failed call-refused",
		`{"url":{"url":"http://nn.test/ready"}}`:                                         "done ",
		`{"url":{"url":"http://nn.test/later"}}`:                                         "not-yet call-status",
	} {
		v, err := poll(t, c, with)
		if got := string(v.Answer) + " " + v.Reason.Code; got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", with, got, err, want)
		}
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	c := check.Check{}
	for with, want := range map[string]executor.Pace{
		`{"flow":{"flowId":"f"}}`:                            {Every: 30 * time.Second, For: 24 * time.Hour},
		`{"flow":{"flowId":"f"},"every":"5s","for":"1h30m"}`: {Every: 5 * time.Second, For: 90 * time.Minute},
	} {
		if got := c.Pace(json.RawMessage(with)); got != want {
			t.Errorf("%s: %v", with, got)
		}
	}
	if executor.Polls(c, json.RawMessage(`{"command":{"imageId":"i","command":["a"],"resources":{"cpu":"1","memory":"1Gi"}}}`)) || !executor.Polls(c, json.RawMessage(`{"flow":{"flowId":"f"}}`)) {
		t.Error("what is polled is told wrongly")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(executortest.Example(check.Check{})))
	for with := range wrong {
		f.Add([]byte(with))
	}
	f.Fuzz(func(t *testing.T, with []byte) { executortest.Sound(t, check.Check{}, with) })
}
