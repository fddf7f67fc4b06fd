package httpcall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/executortest"
	"github.com/goblinlab/goblinlab/internal/executor/httpcall"
	"github.com/goblinlab/goblinlab/internal/executor/outside"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
)

func TestConforms(t *testing.T) {
	t.Parallel()
	executortest.Conform(t, httpcall.HTTP{}, `{"url":"http://example.com"}`, `{"url":"${param.x}","headers":{"Authorization":"Bearer x"},"timeout":"90s"}`)
}

var wrong = map[string][]string{
	`{"url":"http://127.0.0.1/","method":"get","headers":{"Host":"x","a b":"s3cret","X":"a\nb"},"expect":{"status":[99],"json":{"pointer":"a","equals":""}},"timeout":"1h"}`: {
		"method shape.choice", "headers.a b shape.key", "expect.status[0] shape.range", "timeout shape.span-range",
		"headers.Host executor.header.ours", "headers.X executor.header.text", "url executor.url.refused", "expect.json.pointer executor.pointer",
	},
	`{"url":"https://u:p@example.com"}`: {"url executor.url.user"},
}

func TestCheckTellsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	for with, want := range wrong {
		var got []string
		for _, p := range (httpcall.HTTP{}).Check(json.RawMessage(with)) {
			got = append(got, p.Path+" "+p.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", with, diff)
		}
	}
}

func TestPoll(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/500" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprint(w, `{"a":[{"b~/c":"ok","n":1.50,"t":true,"z":null}],"secret":"hunter2"}`)
	}))
	t.Cleanup(s.Close)
	h := httpcall.HTTP{Guard: outside.Guard{
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		},
	}}
	for with, want := range map[string]string{
		`{"url":"http://x.test/"}`: "",
		`{"url":"http://x.test/","expect":{"json":{"pointer":"/a/0/b~0~1c","equals":"ok"},"bodyContains":"secret"}}`: "",
		`{"url":"http://x.test/","expect":{"json":{"pointer":"/a/0/n","equals":"1.50"}}}`:                            "",
		`{"url":"http://x.test/","expect":{"json":{"pointer":"/a/0/t","equals":"true"}}}`:                            "",
		`{"url":"http://x.test/","expect":{"json":{"pointer":"/a/0/z","equals":"null"}}}`:                            "",
		`{"url":"http://x.test/","expect":{"json":{"pointer":"/a/1","equals":"ok"}}}`:                                "call-json",
		`{"url":"http://x.test/","expect":{"json":{"pointer":"/secret/x","equals":"hunter2"}}}`:                      "call-json",
		`{"url":"http://x.test/","expect":{"bodyContains":"${x}"}}`:                                                  "call-body",
		`{"url":"http://x.test/","expect":{"status":[201,202]}}`:                                                     "call-status",
		`{"url":"http://x.test/500"}`:                           "call-status",
		`{"url":"http://x.test/500","expect":{"status":[500]}}`: "",
	} {
		v, err := h.Poll(context.Background(), json.RawMessage(with), executor.Ask{})
		if err != nil {
			t.Errorf("%s: %v", with, err)
			continue
		}
		if v.Reason.Code != want || (v.Answer == executor.Done) != (want == "") {
			t.Errorf("%s: %+v, want %q", with, v, want)
		}
		if want != "" && (!lang.Has("reason."+want) || !lang.Has("advice."+want) || strings.Contains(fmt.Sprint(v), "hunter2")) {
			t.Errorf("%s has no words, or tells the body", want)
		}
	}
	_, err := h.Poll(context.Background(), json.RawMessage(`{"url":"http://x.test","headers":{"X":"hunter2\r\nY: z"}}`), executor.Ask{})
	if f := fault.Of(err); f == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a header of two lines: %v", err)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(executortest.Example(httpcall.HTTP{})))
	for with := range wrong {
		f.Add([]byte(with))
	}
	f.Fuzz(func(t *testing.T, with []byte) { executortest.Sound(t, httpcall.HTTP{}, with) })
}
