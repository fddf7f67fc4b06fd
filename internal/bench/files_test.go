//go:build bench

package bench

import (
	"bytes"
	"crypto/sha256"
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

	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

const (
	filesRounds = 3
	filesBytes  = 2 << 30
)

// benchFiles is B12: a file of 2 GB into a volume and back, beside the same bytes
// written to and read from the machine's disk by a program that flushes and
// hashes them as often.
func benchFiles(t *testing.T) outcome {
	if _, err := os.Stat("../../bin/images/files.tar"); err != nil {
		return outcome{note: "Not measured: there is no bin/images/files.tar; `make images` builds it."}
	}
	testkit.Cluster(t)
	d := newDoor(t, func(c *config.Config) { c.Files.Image = testkit.ImageFiles })
	d.http.Timeout = 0
	team := d.app.DB.Client.Team.Query().OnlyX(d.ctx)
	v, err := d.app.Volumes.Create(d.ctx, volume.CreateInput{TeamID: team.ID, Name: "bench", Size: "10Gi", AccessMode: "ReadWriteMany"})
	if err != nil {
		t.Fatal(err)
	}
	f := &filing{door: d, at: d.url + "/files/v1/volumes/" + v.ID, dir: t.TempDir(), part: make([]byte, files.MaxChunk)}
	_, _ = rand.NewChaCha8([32]byte{1}).Read(f.part)
	for end := time.Now().Add(time.Minute); !strings.Contains(string(f.ask(http.MethodGet, "/", nil)), `"ready":true`); time.Sleep(time.Second) {
		if time.Now().After(end) {
			t.Fatal("the agent does not come")
		}
	}
	o := compare(filesRounds,
		contender{"writing 2 GB to the machine's disk (the limit)", func() series { return series{f.write()} }},
		contender{"uploading 2 GB into a volume", func() series { return series{f.upload()} }},
		contender{"reading 2 GB from the machine's disk", func() series { return series{f.read()} }},
		contender{"downloading 2 GB from a volume", func() series { return series{f.download()} }},
	)
	return o
}

type filing struct {
	*door
	at, dir string
	part    []byte
}

func (f *filing) send(method, path string, body io.Reader, headers ...string) *http.Response {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), method, f.at+path, body)
	if err != nil {
		f.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := f.http.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	return res
}

func (f *filing) ask(method, path string, body io.Reader, headers ...string) []byte {
	f.t.Helper()
	res := f.send(method, path, body, headers...)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode > 299 {
		f.t.Fatalf("%s %s: %s %.300s %v", method, path, res.Status, b, err)
	}
	return b
}

func (f *filing) upload() time.Duration {
	f.t.Helper()
	begin := time.Now()
	var u files.Upload
	if err := json.Unmarshal(f.ask(http.MethodPost, "/uploads", strings.NewReader(fmt.Sprintf(`{"path":"large","size":%d,"replace":true}`, int64(filesBytes)))), &u); err != nil {
		f.t.Fatal(err)
	}
	for at := int64(0); at < filesBytes; at += int64(len(f.part)) {
		f.ask(http.MethodPatch, "/uploads/"+u.ID, bytes.NewReader(f.part), "Upload-Offset", fmt.Sprint(at))
	}
	if end := f.ask(http.MethodPost, "/uploads/"+u.ID+"/finish", nil); !bytes.Contains(end, []byte(`"done":true`)) {
		f.t.Fatalf("%s", end)
	}
	return time.Since(begin)
}

func (f *filing) download() time.Duration {
	f.t.Helper()
	begin := time.Now()
	res := f.send(http.MethodGet, "/content?path=large", nil)
	defer res.Body.Close()
	if n, err := io.Copy(io.Discard, res.Body); n != filesBytes || err != nil {
		f.t.Fatal(n, err)
	}
	return time.Since(begin)
}

func (f *filing) write() time.Duration {
	f.t.Helper()
	begin := time.Now()
	out, err := os.Create(filepath.Join(f.dir, "large"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer out.Close()
	for at := int64(0); at < filesBytes; at += int64(len(f.part)) {
		if _, err := out.Write(f.part); err != nil {
			f.t.Fatal(err)
		}
		if err := out.Sync(); err != nil {
			f.t.Fatal(err)
		}
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		f.t.Fatal(err)
	}
	if _, err := io.Copy(sha256.New(), out); err != nil {
		f.t.Fatal(err)
	}
	return time.Since(begin)
}

func (f *filing) read() time.Duration {
	f.t.Helper()
	begin := time.Now()
	in, err := os.Open(filepath.Join(f.dir, "large"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer in.Close()
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{in}, make([]byte, 64<<10)); err != nil {
		f.t.Fatal(err)
	}
	return time.Since(begin)
}
