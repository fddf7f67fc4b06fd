//go:build cluster

package instance

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestMemoryIsUsedUp has the kernel kill for real, beside the start-up program,
// which goes on and tells of it.
func TestMemoryIsUsedUp(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	i := l.until(l.start(func(in *CreateInput) { in.Resources.Memory = "64Mi" }).ID, Running)
	uid := l.pods(i.ID)[0].UID
	sh := func(script string) error {
		return l.kube.Exec(t.Context(), kube.Shell{Namespace: l.ns, Pod: PodName(i), Container: manifest.ContainerInstance,
			Command: []string{"/bin/sh", "-c", script}, Stdout: io.Discard, Stderr: io.Discard})
	}
	if err := sh("x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done"); err == nil {
		t.Fatal("64 MiB are enough for everything")
	}
	l.eventually("P75: the history tells of the kill, with limit and peak", func() error {
		rows := l.db.Client.Event.Query().Where(entevent.SubjectID(i.ID), entevent.Type("process-killed")).AllX(testkit.System(t))
		if len(rows) != 1 {
			return fmt.Errorf("%d entries", len(rows))
		}
		text := lang.Text(lang.English, "event."+rows[0].Type, rows[0].Args)
		if !strings.Contains(text, "sh in the container was killed") || !strings.HasSuffix(text, " of 64 MiB.") || strings.Contains(text, "–") {
			return errors.New(text)
		}
		return nil
	})
	if got := l.again(i.ID); string(got.State) != string(Running) || l.pods(i.ID)[0].UID != uid || got.Reason != nil {
		t.Errorf("the instance did not go on: %s, %+v", got.State, got.Reason)
	}
	l.eventually("P75: so does the node", func() error {
		rows := l.db.Client.Event.Query().Where(entevent.SubjectID(i.ID), entevent.Type(reason.OutOfMemory)).AllX(testkit.System(t))
		if len(rows) != 1 || !strings.HasSuffix(rows[0].Message, "of 67108864 bytes") {
			return fmt.Errorf("%+v", rows)
		}
		return nil
	})
	l.eventually("what it uses is measured", func() error {
		if n := l.Cache.Peaks(uid)[manifest.ContainerInstance]; n <= 0 || n > 64<<20 {
			return fmt.Errorf("%d bytes", n)
		}
		return nil
	})
}
