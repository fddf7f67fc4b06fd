package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
)

const secret = "0123456789abcdef0123456789abcdef"

type bundle struct {
	t    *testing.T
	dir  string
	url  string
	done chan error
}

func setup(t *testing.T, idle time.Duration) *bundle {
	t.Helper()
	b := &bundle{t: t, dir: t.TempDir(), done: make(chan error, 1)}
	a, err := New(Options{Dir: b.dir, Secret: secret, Idle: idle})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); b.done <- a.Serve(ctx, l) }()
	t.Cleanup(func() { stop(); <-ended })
	b.url = "http://" + l.Addr().String()
	return b
}

func (b *bundle) ask(method, path string, in io.Reader, headers ...string) (*http.Response, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, in)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set(HeaderActor, "me")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp, string(text)
}

func TestTheProtocol(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Hour)
	want := func(method, path, body string, status int, part string, headers ...string) *http.Response {
		t.Helper()
		resp, text := b.ask(method, path, strings.NewReader(body), headers...)
		if resp.StatusCode != status || !strings.Contains(text, part) {
			t.Errorf("%s %s: %d %s, want %d %s", method, path, resp.StatusCode, text, status, part)
		}
		return resp
	}
	created := want("PUT", "/content?path=a%FF.txt", "hello, world", 201, `"ref":"a%FF.txt"`, "If-None-Match", "*")
	want("PUT", "/content?path=a%FF.txt", "again", 409, "files.exists", "If-None-Match", "*")
	want("PUT", "/content?path=a%FF.txt", "again", 400, "files.precondition")
	want("PUT", "/content?path=a%FF.txt", "again", 400, "files.precondition", "If-Match", "*")
	want("PUT", "/content?path=a%FF.txt", "again", 409, "files.changed", "If-Match", `"x"`)
	tag := created.Header.Get("ETag")
	r := want("GET", "/content?path=a%FF.txt", "", 200, "hello, world")
	if r.Header.Get("ETag") != tag || r.Header.Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment; filename*=utf-8''a%EF%BF%BD.txt") {
		t.Errorf("%v", r.Header)
	}
	want("GET", "/content?path=a%FF.txt", "", 206, "world", "Range", "bytes=7-")
	want("GET", "/content?path=a%FF.txt", "", 200, "hello, world", "Range", "bytes=0-1,3-4")
	want("GET", "/content?path=a%FF.txt", "", 416, "", "Range", "bytes=70-")
	want("GET", "/content?path=a%FF.txt", "", 304, "", "If-None-Match", tag)
	want("GET", "/content?path=a%FF.txt", "", 200, "hello, world", "Range", "bytes=7-", "If-Range", `"other"`)
	want("PUT", "/content?path=a%FF.txt", "new", 200, `"size":3`, "If-Match", tag)
	want("GET", "/list", "", 200, `"total":1`)
	want("GET", "/list?path=%zz", "", 400, "files.query")
	want("GET", "/list?path=a&path=b", "", 400, "files.query")
	want("GET", "/list?path=..", "", 400, "files.path-dots")
	want("GET", "/list?limit=x", "", 400, "files.number")
	want("GET", "/stat?path=none", "", 404, "files.missing")
	want("GET", "/text?path=a%FF.txt", "", 200, `"text":"new"`)
	want("POST", "/folder?path=d%2Fe&parents=1", "", 201, `"kind":"folder"`)
	want("POST", "/move", `{"from":"a%FF.txt","to":"d%2Fb.txt","replace":false}`, 200, `"ref":"d%2Fb.txt"`)
	want("POST", "/copy", `{"from":"d","to":"f","replace":false}`, 200, `"done":true,"files":3`)
	want("POST", "/copy", `{"from":"d","to":"f","replace":false}`, 409, "files.exists")
	want("POST", "/copy", `{"from":"d","whither":"f"}`, 400, "files.json")
	want("GET", "/checksum?path=d%2Fb.txt", "", 200, `{"done":true,"sha256":"11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437","size":3}`)
	want("GET", "/usage", "", 200, `"done":true,"bytes":`)
	want("GET", "/search?name=b.", "", 200, `"ref":"d%2Fb.txt"`)
	want("GET", "/archive?format=rar", "", 400, "files.format")
	r, tar := b.ask("GET", "/archive?path=d&format=tar", nil)
	if r.Header.Get("Content-Disposition") != `attachment; filename=d.tar` {
		t.Error(r.Header)
	}
	want("POST", "/unpack?path=again", tar, 200, `"done":true,"files":3`)
	want("POST", "/unpack?path=half", tar[:len(tar)-1024-510], 503, "files.broke-off")
	want("DELETE", "/entry?path=again", "", 409, "files.not-empty")
	want("DELETE", "/entry?path=again&recursive=1", "", 200, `"removed":3`)
	want("DELETE", "/entry?recursive=1", "", 412, "files.root")
	want("POST", "/freeze?path=d&name=snap-1&files=10&bytes=100", "", 200, `{"done":true,"files":1,"bytes":3,"sha256":"`)
	want("POST", "/freeze?path=d&name=snap-2&files=10&bytes=2", "", 412, "files.freeze-bytes")
	want("POST", "/freeze?path=d&name=snap-2", "", 412, "files.freeze-files")
	want("POST", "/freeze?path=d&name=..&files=1&bytes=9", "", 400, "files.frozen-name")
	want("GET", "/list?path=.goblinlab-frozen", "", 404, "files.missing")
	want("PUT", "/content?path=.goblinlab-frozen%2Fsnap-1%2Fb.txt", "other", 404, "files.missing", "If-None-Match", "*")
	want("DELETE", "/entry?path=.goblinlab-frozen&recursive=1", "", 404, "files.missing")
	want("POST", "/thaw?name=snap-1", "", 200, `{"done":true}`)
	want("POST", "/thaw?name=snap-1", "", 200, `{"done":true}`)
	want("GET", "/nothing", "", 404, "")

	want("POST", "/uploads", `{"path":"up.bin","size":6}`, 201, `"offset":0`)
	_, list := b.ask("GET", "/uploads", nil)
	var out struct{ Uploads []files.Upload }
	if err := json.Unmarshal([]byte(list), &out); err != nil || len(out.Uploads) != 1 {
		t.Fatal(list, err)
	}
	u := "/uploads/" + out.Uploads[0].ID
	if r := want("PATCH", u, "abc", 204, "", HeaderOffset, "0"); r.Header.Get(HeaderOffset) != "3" {
		t.Error(r.Header)
	}
	if r := want("PATCH", u, "abc", 409, "files.upload-offset", HeaderOffset, "0"); r.Header.Get(HeaderOffset) != "3" {
		t.Error(r.Header)
	}
	want("PATCH", u, "abc", 400, "files.offset")
	want("POST", u+"/finish", "", 412, "files.upload-short")
	want("PATCH", u, "def", 404, "files.upload-gone", HeaderOffset, "3", HeaderActor, "somebody else")
	want("PATCH", u, "def", 204, "", HeaderOffset, "3")
	if r, _ := b.ask("HEAD", u, nil); r.Header.Get(HeaderOffset) != "6" || r.Header.Get(HeaderLength) != "6" {
		t.Error(r.Header)
	}
	want("POST", u+"/finish", "", 200, `"done":true`)
	want("DELETE", u, "", 204, "")
}

func TestWhoDoesNotKnowTheSecret(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Hour)
	for _, s := range []string{"", "Bearer ", "Bearer x", "Bearer " + secret + "x"} {
		if r, _ := b.ask("GET", "/list", nil, "Authorization", s); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q: %d", s, r.StatusCode)
		}
	}
	if r, _ := b.ask("GET", "/healthz", nil, "Authorization", ""); r.StatusCode != http.StatusOK {
		t.Errorf("healthz: %d", r.StatusCode)
	}
	dir := t.TempDir()
	for _, text := range []string{"short\n", secret} { // the second has no certificate
		if err := os.WriteFile(filepath.Join(dir, FileSecret), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadCredentials(dir); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestItEndsWhenNobodyAsks(t *testing.T) {
	t.Parallel()
	b := setup(t, 2*time.Second)
	f, err := os.Create(filepath.Join(b.dir, "large"))
	if err == nil {
		err = errors.Join(f.Truncate(64<<20), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	// A slow reader keeps it, probes do not.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/content?path=large", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-b.done:
		t.Fatalf("it ended while somebody read: %v", err)
	case <-time.After(3500 * time.Millisecond):
	}
	if n, err := io.Copy(io.Discard, resp.Body); n != 64<<20 || err != nil {
		t.Fatal(n, err)
	}
	resp.Body.Close()
	select {
	case err := <-b.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
	b.done <- nil
}

func TestFaultsTravel(t *testing.T) {
	t.Parallel()
	sent := &fault.Error{Kind: fault.Conflict, ID: "files.exists", Args: fault.Args{"path": "a"}, Fields: []fault.Field{{Path: "size", ID: "x"}}, Cause: io.EOF}
	b, err := json.Marshal(files.Wire(sent))
	if err != nil {
		t.Fatal(err)
	}
	var w files.WireFault
	if err := json.Unmarshal(b, &w); err != nil {
		t.Fatal(err)
	}
	got := fault.Of(w.Err())
	if got.Kind != sent.Kind || got.ID != sent.ID || got.Args["path"] != "a" || len(got.Fields) != 1 || got.Cause != nil {
		t.Errorf("%+v", got)
	}
	if w := files.Wire(io.EOF); w.Kind != fault.Internal {
		t.Errorf("%+v", w)
	}
}
