package server_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/files/courier/couriertest"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

func cut(way string) (method, path string, ok bool) { return strings.Cut(way, " ") }

func replaceID(path string) string {
	return strings.ReplaceAll(path, "{id}", strings.Repeat("A", 26))
}

type filesLab struct {
	*servertest.Site
	t     *testing.T
	lab   *couriertest.Lab
	row   *ent.Volume
	owner *servertest.Browser
}

func setupFiles(t *testing.T) *filesLab {
	t.Helper()
	l := &filesLab{t: t, lab: couriertest.New(t)}
	l.Site = servertest.Start(t, servertest.Options{Files: l.lab})
	l.row = dataVolume(t, l.Site)
	l.owner = l.SignIn(t, l.Cast.Member)
	return l
}

func (l *filesLab) dir(id string) string { return filepath.Join(l.lab.Dir, id) }

func (l *filesLab) put(p, text string) {
	l.t.Helper()
	full := filepath.Join(l.dir(l.row.ID), p)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

func (l *filesLab) ask(b *servertest.Browser, method, path string, body io.Reader, headers ...string) (servertest.Reply, string) {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), method, l.URL+"/files/v1/volumes/"+l.row.ID+path, body)
	if err != nil {
		l.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	if b.Token != "" {
		req.Header.Set("Authorization", "Bearer "+b.Token)
	}
	return fetch(l.t, b.HTTP, req)
}

func (l *filesLab) want(status int, part, method, path, body string, headers ...string) servertest.Reply {
	l.t.Helper()
	resp, text := l.ask(l.owner, method, path, strings.NewReader(body), headers...)
	if resp.StatusCode != status || !strings.Contains(text, part) {
		l.t.Errorf("%s %s: %s %s, want %d %s", method, path, resp.Status, text, status, part)
	}
	return resp
}

func TestFilesThroughTheServer(t *testing.T) {
	t.Parallel()
	l := setupFiles(t)
	l.put("d/a.txt", "hello")
	l.put("d/page.html", "<script>alert(1)</script>")
	l.put("d/pic.svg", "<svg onload='alert(1)'/>")
	l.want(200, `"access":"read-write"`, "GET", "/", "")
	l.want(200, `"ref":"d%2Fa.txt"`, "GET", "/list?path=d", "")
	for _, path := range []string{"/content?path=d%2Fpage.html", "/image?path=d%2Fpic.svg", "/text?path=d%2Fpage.html", "/archive?path=d&format=zip"} {
		h := l.want(200, "", "GET", path, "").Header
		if !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") ||
			strings.Contains(h.Get("Content-Type"), "html") || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s could act on our origin: %v", path, h)
		}
	}
	resp := l.want(206, "llo", "GET", "/content?path=d%2Fa.txt", "", "Range", "bytes=2-")
	l.want(206, "o", "GET", "/content?path=d%2Fa.txt", "", "Range", "bytes=4-") // goes on with it
	tag := resp.Header.Get("ETag")
	l.want(304, "", "GET", "/content?path=d%2Fa.txt", "", "If-None-Match", tag)
	l.want(412, `"code":"CONFLICT"`, "PUT", "/content?path=d%2Fa.txt", "new", "If-Match", `"other"`)
	l.want(200, `"size":3`, "PUT", "/content?path=d%2Fa.txt", "new", "If-Match", tag)
	l.want(404, "没有“none”", "GET", "/stat?path=none", "", "Accept-Language", "zh-CN")
	l.want(409, `"code":"CONFLICT"`, "POST", "/move", `{"from":"d%2Fa.txt","to":"d%2Fpage.html"}`)
	l.want(200, `"ref":"b.txt"`, "POST", "/move", `{"from":"d%2Fa.txt","to":"b.txt"}`)
	l.want(200, `"done":true,"files":3`, "POST", "/copy", `{"from":"d","to":"e"}`)
	l.want(412, `"code":"FAILED_PRECONDITION"`, "DELETE", "/entry?recursive=1", "")
	l.want(200, `"removed":3`, "DELETE", "/entry?path=e&recursive=1", "")
	l.want(404, "", "POST", "/unpack?path=e", "")
	l.want(404, "", "GET", "/uploads/..%2Fx", "")
	l.want(413, "8 MiB", "PUT", "/content?path=x", strings.Repeat("x", files.MaxChunk+1), "If-None-Match", "*")
	l.want(400, "1 MiB", "PUT", "/content?path=x", strings.Repeat("x", files.MaxText+1), "If-None-Match", "*")
	l.want(400, "", "POST", "/move", `{"from":"%zz","to":"b"}`)
	l.want(403, "", "POST", "/folder?path=x", "", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site")

	var got []string
	for _, e := range l.DB.Client.Audit.Query().Where(audit.ObjectID(l.row.ID)).Order(audit.ByID()).AllX(authz.AsSystem(t.Context())) {
		got = append(got, fmt.Sprint(e.Action, " ", e.After["path"], e.After["from"]))
	}
	want := []string{"files.download /d/page.html<nil>", "files.download /d<nil>", "files.download /d/a.txt<nil>", "files.write /d/a.txt<nil>", "files.move <nil>/d/a.txt", "files.copy <nil>/d", "files.delete /e<nil>"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("written down:\n%s", strings.Join(got, "\n"))
	}
}

func TestAVolumeOfAnotherTeamIsNotThere(t *testing.T) {
	t.Parallel()
	l := setupFiles(t)
	l.put("secret.txt", "secret")
	stranger := l.SignIn(t, l.Cast.Other)
	real := l.row.ID
	for _, way := range []string{"GET /", "GET /list", "GET /content?path=secret.txt", "PUT /content?path=secret.txt", "DELETE /entry?path=secret.txt", "GET /nothing"} {
		method, path, _ := cut(way)
		said := map[bool]string{}
		for _, id := range []string{real, "vol-" + xid.New().String()} {
			l.row.ID = id
			resp, text := l.ask(stranger, method, path, nil)
			said[id == real] = resp.Status + strings.ReplaceAll(text, id, "ID")
		}
		if said[true] != said[false] || way != "GET /nothing" && !strings.Contains(said[true], "404") {
			t.Errorf("%s: %s, of one that is not there %s", way, said[true], said[false])
		}
	}
	l.row.ID = real
	// Copying out of one's own volume into another's, and the other way round.
	mine := l.row
	other := l.DB.Client.Volume.Create().SetTeamID(l.Cast.OtherTeam.ID).SetOwnerID(l.Cast.Other.ID).SetName("data").SetKind(volume.KindData).
		SetObjectName("data-" + xid.New().String()).SetSizeBytes(1 << 30).SetAccessMode(volume.AccessModeReadWriteMany).SaveX(authz.AsSystem(t.Context()))
	l.want(404, other.ID, "POST", "/copy", `{"from":"secret.txt","to":"x","toVolume":"`+other.ID+`"}`)
	l.row = other
	l.want(404, other.ID, "POST", "/copy", `{"from":"secret.txt","to":"x","toVolume":"`+mine.ID+`"}`)
	if l.lab.Starts > 0 {
		t.Error("an agent was started for somebody who may not")
	}
}

func TestCopiesGoFromVolumeToVolume(t *testing.T) {
	t.Parallel()
	l := setupFiles(t)
	l.put("d/a.txt", "hello")
	l.put("d/large", strings.Repeat("x", 3<<20))
	to := dataVolume(t, l.Site)
	colleague := l.SignIn(t, l.Cast.Maintainer)
	body := `{"from":"d","to":"copied","toVolume":"` + to.ID + `"}`
	resp, text := l.ask(colleague, "POST", "/copy", strings.NewReader(body))
	if resp.StatusCode != 200 || !strings.Contains(text, `{"done":true,"files":3,"bytes":3145733,"skipped":0}`) {
		t.Fatalf("%s %s", resp.Status, text)
	}
	if b, err := os.ReadFile(filepath.Join(l.dir(to.ID), "copied/a.txt")); err != nil || string(b) != "hello" {
		t.Error(err)
	}
	l.want(409, "copied", "POST", "/copy", body)
	l.want(404, "none", "POST", "/copy", `{"from":"none","to":"y","toVolume":"`+to.ID+`"}`)
	for _, id := range []string{l.row.ID, to.ID} {
		if n := l.DB.Client.Audit.Query().Where(audit.ObjectID(id), audit.Action("files.copy")).CountX(authz.AsSystem(t.Context())); n != 1 {
			t.Errorf("%d entries", n)
		}
	}
}

// cutting is a body that breaks off.
type cutting struct {
	io.Reader
	left int
}

func (c *cutting) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.Reader.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func TestAnUploadGoesOnAfterCutsAndKills(t *testing.T) {
	t.Parallel()
	l := setupFiles(t)
	data := make([]byte, 20<<20)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(data)
	h := sha256.Sum256(data)
	sum := hex.EncodeToString(h[:])
	_, text := l.ask(l.owner, "POST", "/uploads", strings.NewReader(fmt.Sprintf(`{"path":"model.bin","size":%d,"sha256":"%s"}`, len(data), sum)))
	var u files.Upload
	if err := json.Unmarshal([]byte(text), &u); err != nil || u.ID == "" {
		t.Fatal(text)
	}
	path := "/uploads/" + u.ID
	offset := func() (n int) {
		t.Helper()
		resp, _ := l.ask(l.owner, "HEAD", path, nil)
		if _, err := fmt.Sscan(resp.Header.Get("Upload-Offset"), &n); err != nil {
			t.Fatal(resp.Status, err)
		}
		return n
	}
	cuts := 0
	for at := 0; at < len(data); at = offset() {
		part := data[at:min(at+files.MaxChunk, len(data))]
		var body io.Reader = bytes.NewReader(part)
		if cuts++; cuts <= 5 {
			body = &cutting{body, len(part) / 2}
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, l.URL+"/files/v1/volumes/"+l.row.ID+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = int64(len(part))
		req.Header.Set("Upload-Offset", fmt.Sprint(at))
		resp, err := l.owner.HTTP.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		if cuts == 3 {
			l.lab.Kill() // the agent, or its node
		}
	}
	if cuts < 6 {
		t.Fatalf("%d requests", cuts)
	}
	resp, _ := l.ask(l.owner, "PATCH", path, strings.NewReader("x"), "Upload-Offset", "5")
	if resp.StatusCode != 409 || resp.Header.Get("Upload-Offset") != fmt.Sprint(len(data)) {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
	l.want(404, "", "GET", strings.Replace(path, u.ID, strings.Repeat("B", 26), 1), "")
	maintainer := l.SignIn(t, l.Cast.Maintainer)
	if resp, _ := l.ask(maintainer, "GET", path, nil); resp.StatusCode != 404 {
		t.Errorf("somebody else sees the upload: %s", resp.Status)
	}
	l.want(200, sum, "POST", path+"/finish", "")
	if b, err := os.ReadFile(filepath.Join(l.dir(l.row.ID), "model.bin")); err != nil || !bytes.Equal(b, data) {
		t.Error("the file differs")
	}
	e := l.DB.Client.Audit.Query().Where(audit.ObjectID(l.row.ID), audit.Action("files.upload")).OnlyX(authz.AsSystem(t.Context()))
	if e.After["path"] != "/model.bin" || e.After["sha256"] != sum {
		t.Errorf("%v", e.After)
	}
}

// A slow upload is no attack; who does not say who they are brings nothing.
func TestBodiesOfFilesMayTakeTheirTime(t *testing.T) {
	t.Parallel()
	lab := couriertest.New(t)
	s := servertest.Start(t, servertest.Options{Files: lab, HTTP: hurried})
	l := &filesLab{Site: s, t: t, lab: lab, row: dataVolume(t, s), owner: s.SignIn(t, s.Cast.Member)}
	pr, pw := io.Pipe()
	go func() {
		for range 4 {
			_, _ = pw.Write([]byte("slow "))
			time.Sleep(400 * time.Millisecond)
		}
		pw.Close()
	}()
	resp, text := l.ask(l.owner, "PUT", "/content?path=slow.txt", pr, "If-None-Match", "*")
	if resp.StatusCode != 201 {
		t.Errorf("%s %s", resp.Status, text)
	}
	c := dial(t, s)
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(c, "PUT /files/v1/volumes/%s/content?path=x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx", l.row.ID)
	b, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 401") {
		t.Errorf("%.80q %v", b, err)
	}
}
