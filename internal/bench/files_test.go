//go:build bench

package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
)

const (
	filesRounds = 3
	filesBytes  = 2 << 30
	filesCuts   = 5
	filesMemory = 64 << 20 // that server and agent may take beside what they have at rest
)

// benchFiles is B12: a file of 2 GB into a volume with five cuts, and back,
// beside `cp` into the same volume.
func benchFiles(t *testing.T) outcome {
	if _, err := os.Stat("../../bin/images/files.tar"); err != nil {
		return outcome{note: "Not measured: there is no bin/images/files.tar; `make images` builds it."}
	}
	k := testkit.Cluster(t)
	d := newDoor(t, func(c *config.Config) { c.Files.Image = testkit.ImageFiles })
	d.http.Timeout = 0
	team := d.app.DB.Client.Team.Query().OnlyX(d.ctx)
	v, err := d.app.Volumes.Create(d.ctx, volume.CreateInput{TeamID: team.ID, Name: "bench", Size: "20Gi", AccessMode: "ReadWriteMany"})
	if err != nil {
		t.Fatal(err)
	}
	f := &filing{door: d, at: d.url + "/files/v1/volumes/" + v.ID, dir: t.TempDir(), part: make([]byte, files.MaxChunk)}
	f.folder = folderOf(t, k, team.Namespace, v)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(f.part)
	f.source()
	for end := time.Now().Add(time.Minute); !strings.Contains(string(f.ask(http.MethodGet, "/", nil)), `"ready":true`); time.Sleep(time.Second) {
		if time.Now().After(end) {
			t.Fatal("the agent does not come")
		}
	}
	var most memory
	o := compare(filesRounds,
		contender{"`cp` of 2 GB into the volume's folder, and `sync` (the limit)", func() series { return series{f.cp()} }},
		contender{"uploading 2 GB into the volume, with five cuts", func() series {
			f.ask(http.MethodGet, "/list", nil) // the agent is there, whatever `cp` took
			idle := atRest(t)
			took := f.upload()
			most = most.most(since(t, idle))
			return series{took}
		}},
		contender{"the agent copying them within the volume", func() series { return series{f.copy()} }},
		contender{"downloading 2 GB from the volume", func() series { return series{f.download(io.Discard)} }},
	)
	h := sha256.New()
	f.download(h)
	if got := hex.EncodeToString(h.Sum(nil)); got != f.sum {
		t.Errorf("what came back has the checksum %s, what was sent %s", got, f.sum)
	}
	if most.agent+most.own > filesMemory {
		t.Errorf("%d MB of memory were taken beside what was there at rest, want at most %d", (most.agent+most.own)>>20, filesMemory>>20)
	}
	o.note = fmt.Sprintf("Checksums were the same. During the uploads the agent took %d MB at most beside what it has at rest; the server, with the client in its process, %d MB. The goal for both together is 64 MB.", most.agent>>20, most.own>>20)
	return o
}

// folderOf is where the volume is on this machine: the local Kubernetes keeps
// volumes as folders.
func folderOf(t *testing.T, k *kube.Client, namespace string, v *ent.Volume) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		claim, err := k.CoreV1().PersistentVolumeClaims(namespace).Get(t.Context(), v.ObjectName, metav1.GetOptions{})
		if err == nil && claim.Spec.VolumeName != "" {
			pv, err := k.CoreV1().PersistentVolumes().Get(t.Context(), claim.Spec.VolumeName, metav1.GetOptions{})
			if err == nil && pv.Spec.HostPath != nil {
				return pv.Spec.HostPath.Path
			}
		}
		if time.Now().After(end) {
			t.Fatalf("the volume has no folder on this machine: %v", err)
		}
	}
}

type filing struct {
	*door
	at, dir, folder string
	part            []byte // the file is it, again and again
	sum             string
}

// source writes the file that `cp` copies.
func (f *filing) source() {
	f.t.Helper()
	out, err := os.Create(filepath.Join(f.dir, "large"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer out.Close()
	h := sha256.New()
	for range filesBytes / len(f.part) {
		if _, err := io.MultiWriter(out, h).Write(f.part); err != nil {
			f.t.Fatal(err)
		}
	}
	f.sum = hex.EncodeToString(h.Sum(nil))
	if err := out.Sync(); err != nil {
		f.t.Fatal(err)
	}
}

func (f *filing) cp() time.Duration {
	f.t.Helper()
	from, to := filepath.Join(f.dir, "large"), filepath.Join(f.folder, "by-cp")
	begin := time.Now()
	out, err := exec.CommandContext(f.t.Context(), "cp", from, to).CombinedOutput()
	if err == nil {
		out, err = exec.CommandContext(f.t.Context(), "sync", to).CombinedOutput()
	}
	took := time.Since(begin)
	if err != nil {
		f.t.Fatalf("cp: %v %s", err, out)
	}
	if err := os.Remove(to); err != nil {
		f.t.Fatal(err)
	}
	return took
}

func (f *filing) send(method, path string, body io.Reader, headers ...string) (*http.Response, error) {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), method, f.at+path, body)
	if err != nil {
		f.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return f.http.Do(req)
}

func (f *filing) ask(method, path string, body io.Reader, headers ...string) []byte {
	f.t.Helper()
	res, err := f.send(method, path, body, headers...)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode > 299 {
		f.t.Fatalf("%s %s: %s %.300s %v", method, path, res.Status, b, err)
	}
	return b
}

// upload sends the file in parts, of which five break off in the middle, and
// goes on each time where the other side says it is.
func (f *filing) upload() time.Duration {
	f.t.Helper()
	begin := time.Now()
	var u files.Upload
	open := fmt.Sprintf(`{"path":"large","size":%d,"sha256":"%s","replace":true}`, int64(filesBytes), f.sum)
	if err := json.Unmarshal(f.ask(http.MethodPost, "/uploads", strings.NewReader(open)), &u); err != nil {
		f.t.Fatal(err)
	}
	for at, cuts := int64(0), 0; at < filesBytes; {
		rest := f.part[at%int64(len(f.part)):]
		if cuts < filesCuts && at > int64(cuts+1)*filesBytes/(filesCuts+1) {
			cuts++
			at = f.cut(u.ID, rest, at)
			continue
		}
		at = f.put(u.ID, rest, at)
	}
	end := f.ask(http.MethodPost, "/uploads/"+u.ID+"/finish", nil)
	if !bytes.Contains(end, []byte(`"done":true`)) || !bytes.Contains(end, []byte(f.sum)) {
		f.t.Fatalf("the upload ended so: %s", end)
	}
	return time.Since(begin)
}

// put sends a part and says where to go on: after it, or, when what came before
// a cut was written later than the offset was asked for, from where it stands.
func (f *filing) put(id string, part []byte, at int64) int64 {
	f.t.Helper()
	res, err := f.send(http.MethodPatch, "/uploads/"+id, bytes.NewReader(part), "Upload-Offset", fmt.Sprint(at))
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	next, err := strconv.ParseInt(res.Header.Get("Upload-Offset"), 10, 64)
	if err != nil || res.StatusCode != http.StatusNoContent && res.StatusCode != http.StatusConflict || next < at {
		f.t.Fatalf("a part at %d was answered %s, to go on at %d: %v", at, res.Status, next, err)
	}
	return next
}

// cut breaks a part off in the middle, and asks where to go on.
func (f *filing) cut(id string, part []byte, at int64) int64 {
	f.t.Helper()
	half := io.MultiReader(bytes.NewReader(part[:len(part)/2]), broken{})
	if res, err := f.send(http.MethodPatch, "/uploads/"+id, half, "Upload-Offset", fmt.Sprint(at)); err == nil {
		res.Body.Close()
		f.t.Fatalf("a part that broke off was answered: %s", res.Status)
	}
	var u files.Upload
	if err := json.Unmarshal(f.ask(http.MethodGet, "/uploads/"+id, nil), &u); err != nil {
		f.t.Fatal(err)
	}
	if u.Offset < at || u.Offset > at+int64(len(part)) {
		f.t.Fatalf("after a cut at %d the offset is %d", at, u.Offset)
	}
	return u.Offset
}

// broken is a connection that is gone.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// copy lets the agent copy what was uploaded.
func (f *filing) copy() time.Duration {
	f.t.Helper()
	begin := time.Now()
	if end := f.ask(http.MethodPost, "/copy", strings.NewReader(`{"from":"large","to":"copy","replace":true}`)); !bytes.Contains(end, []byte(`"done":true`)) {
		f.t.Fatalf("the copy ended so: %s", end)
	}
	took := time.Since(begin)
	f.ask(http.MethodDelete, "/entry?path=copy", nil)
	return took
}

func (f *filing) download(to io.Writer) time.Duration {
	f.t.Helper()
	begin := time.Now()
	res, err := f.send(http.MethodGet, "/content?path=large", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	if _, hashes := to.(hash.Hash); !hashes { // no short cut for the one that throws it away
		to = struct{ io.Writer }{to}
	}
	if n, err := io.Copy(to, res.Body); n != filesBytes || err != nil {
		f.t.Fatal(n, err)
	}
	return time.Since(begin)
}
