//go:build cluster

package flow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent/codesnapshot"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/files/courier"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// agents freeze code through the agents beside the volumes.
type agents struct {
	volumes *volume.Service
	files   *courier.Service
}

func (a agents) Freeze(ctx context.Context, volumeID, path, name string, most files.Bounds) (files.FrozenCopy, error) {
	to, err := a.volumes.PlatformAccess(ctx, volumeID)
	if err != nil {
		return files.FrozenCopy{}, err
	}
	return a.files.Freeze(ctx, to, path, name, most)
}

func (a agents) Thaw(ctx context.Context, volumeID, name string) error {
	to, err := a.volumes.PlatformAccess(ctx, volumeID)
	if err != nil {
		return err
	}
	return a.files.Thaw(ctx, to, name)
}

// ask asks the data manager as the member.
func (l *lab) ask(t *testing.T, volumeID, method, path string, query url.Values, body string, header http.Header) string {
	t.Helper()
	q := courier.Request{Method: method, Path: path, Query: query.Encode(), Header: header}
	if body != "" {
		q.Body, q.Size = strings.NewReader(body), int64(len(body))
	}
	a, err := l.files.Do(l.member, volumeID, q)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer a.Close()
	var out bytes.Buffer
	if err := a.Copy(&out, func() {}, func(err error) any { return err.Error() }); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// edit writes a file as its author does in the data manager.
func (l *lab) edit(t *testing.T, volumeID, path, text, etag string) string {
	t.Helper()
	h := http.Header{"If-None-Match": {"*"}}
	if etag != "" {
		h = http.Header{"If-Match": {etag}}
	}
	var e files.Entry
	if err := json.Unmarshal([]byte(l.ask(t, volumeID, http.MethodPut, "/content", url.Values{"path": {path}}, text, h)), &e); err != nil {
		t.Fatal(err)
	}
	return e.ETag
}

// says runs a flow by hand and gives what its task printed.
func (l *lab) says(t *testing.T, flowID string) string {
	t.Helper()
	r, err := l.flows.Run(l.member, flow.RunInput{FlowID: flowID})
	if err != nil {
		t.Fatal(err)
	}
	done := l.over(t, r.ID, 3*time.Minute)
	if done.State != flowrun.StateSucceeded {
		t.Fatalf("it is %s: %v", done.State, shown(done))
	}
	rows, logs := l.attempts(t, r.ID, "train")
	if len(rows) != 1 || !strings.HasPrefix(rows[0].ImageDigest, "sha256:") {
		t.Errorf("%d attempts, of the image %q", len(rows), rows[0].ImageDigest)
	}
	return logs[0]
}

// Production runs what was there when its version was saved, whatever becomes of
// the folder, whoever ends meanwhile (P69).
func TestP69AFlowRunsFrozenCode(t *testing.T) {
	l := newLab(t)
	vol, err := l.vols.Create(l.member, volume.CreateInput{TeamID: l.cast.Team.ID, Name: "code", Size: "1Gi", AccessMode: string(entvolume.AccessModeReadWriteMany)})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, "the data manager", func() error {
		o, err := l.files.Open(l.member, vol.ID)
		if err == nil && !o.Ready {
			err = fmt.Errorf("not yet: %w", o.Why)
		}
		return err
	})
	l.ask(t, vol.ID, http.MethodPost, "/folder", url.Values{"path": {"jobs"}}, "", nil)
	etag := l.edit(t, vol.ID, "jobs/run.sh", "echo says one", "")

	const script = `sh run.sh; touch new 2>/dev/null && echo can write; ls -A`
	tasks := `  concurrency: allow
  tasks:
  - name: train
    executor: container
    with: {imageId: IMAGE, command: [sh, -c, '` + script + `'], code: {volumeId: ` + vol.ID + `, subPath: jobs, freeze: true}` + small + "\n"
	f := l.create(t, tasks)
	l.stop() // whoever copies may have begun
	l.start()
	if got := l.says(t, f.ID); !strings.Contains(got, "says one") || strings.Contains(got, "can write") {
		t.Errorf("version 1 says %q", got)
	}
	etag = l.edit(t, vol.ID, "jobs/run.sh", "echo says two", etag)
	if got := l.says(t, f.ID); !strings.Contains(got, "says one") {
		t.Errorf("after the folder was changed it says %q", got)
	}
	v, err := l.flows.Version(l.member, f.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	yaml := flow.Print(f.Name, v.Spec)
	if f, err = l.flows.Save(l.member, flow.SaveInput{ID: f.ID, Base: 1, Definition: flow.Definition{YAML: yaml}}); err != nil || f.Latest != 2 {
		t.Fatalf("saved %+v, %v", f, err)
	}
	l.stop()
	l.start()
	if got := l.says(t, f.ID); !strings.Contains(got, "says two") {
		t.Errorf("version 2 says %q", got)
	}
	l.edit(t, vol.ID, "jobs/run.sh", "echo says three", etag)
	if f, err = l.flows.Restore(l.member, f.ID, 1, ""); err != nil || f.Latest != 3 {
		t.Fatalf("restored %+v, %v", f, err)
	}
	if got := l.says(t, f.ID); !strings.Contains(got, "says one") {
		t.Errorf("version 1, restored, says %q", got)
	}
	if list := l.ask(t, vol.ID, http.MethodGet, "/list", nil, "", nil); strings.Contains(list, files.Frozen) || !strings.Contains(list, "jobs") {
		t.Errorf("listed: %s", list)
	}

	if err := l.flows.Delete(l.member, f.ID, f.Name); err != nil {
		t.Fatal(err)
	}
	eventually(t, 2*time.Minute, "the copies are gone", func() error {
		left, err := l.db.Client.CodeSnapshot.Query().Where(codesnapshot.FlowID(f.ID)).All(l.ctx)
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("%d are left: %v", len(left), left[0])
		}
		return err
	})
}
