//go:build cluster

package run_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestRunsAgainstACluster shares one lab: each way in which a run can go has
// its state, its reason and a log that tells it, and leaves nothing behind.
func TestRunsAgainstACluster(t *testing.T) {
	l := newLab(t)
	t.Run("ends", func(t *testing.T) {
		for name, c := range map[string]struct {
			command []string
			change  func(*run.Input)
			state   entrun.State
			attempt attempt.State
			code    string
			exit    int // -1: none
			log     []string
		}{
			"success":     {sh("echo fine"), nil, entrun.StateSucceeded, attempt.StateSucceeded, "", 0, []string{"was created", "goes to the node", "has started", "\nfine\n", "exit code 0", "Attempt 1: succeeded"}},
			"exit code 3": {sh("echo broken >&2; exit 3"), nil, entrun.StateFailed, attempt.StateFailed, "exit", 3, []string{"\nbroken\n", "exit code 3", "Attempt 1: failed"}},
			"command not found (P79)": {[]string{"/no/such/program"}, nil, entrun.StateFailed, attempt.StateFailed, "command-not-found", 128,
				[]string{"/no/such/program", "was not found in the image"}},
			"out of memory (P75)": {sh("x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done"), func(in *run.Input) { in.Resources.Memory = "32Mi" },
				entrun.StateFailed, attempt.StateFailed, "oom-killed", 137, []string{"more memory than its limit of 32 MiB", "Its peak: 3"}},
			"out of memory, in a child (P75)": {sh("sh -c 'x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done'; echo child $?; exit 1"), func(in *run.Input) { in.Resources.Memory = "32Mi" },
				entrun.StateFailed, attempt.StateFailed, "oom-killed", 1, []string{"child 137", "more memory than its limit of 32 MiB", "Its peak: 3"}},
			"timeout (P64)": {sh("trap 'echo bye; exit 1' TERM; echo on; while true; do sleep 0.1; done"), func(in *run.Input) { in.Timeout = 3 * time.Second },
				entrun.StateTimedOut, attempt.StateTimedOut, "deadline", 1, []string{"\non\n", "Its time of 3s is over", "\nbye\n"}},
			"timeout, deaf": {sh("trap '' TERM; while true; do sleep 0.1; done"), func(in *run.Input) { in.Timeout = 3 * time.Second },
				entrun.StateTimedOut, attempt.StateTimedOut, "deadline-killed", 137, []string{"ignored SIGTERM"}},
			"pending too long (P12)": {sh("echo never"), func(in *run.Input) { in.Pending = 8 * time.Second; in.ImageID = l.absent(t) },
				entrun.StateFailed, attempt.StateFailed, "image-", -1, []string{"waited for its container for 8s"}},
			"binary output":    {sh("head -c 20000 /dev/urandom; echo; echo after"), nil, entrun.StateSucceeded, attempt.StateSucceeded, "", 0, []string{"after\n"}},
			"no newline":       {sh("head -c 300000 /dev/zero | tr '\\0' x"), nil, entrun.StateSucceeded, attempt.StateSucceeded, "", 0, []string{strings.Repeat("x", 300_000)}},
			"nothing expanded": {[]string{"/bin/echo", "$(HOME) $HOME `id`; ls"}, nil, entrun.StateSucceeded, attempt.StateSucceeded, "", 0, []string{"\n$(HOME) $HOME `id`; ls\n"}},
			"no output":        {[]string{"/bin/true"}, nil, entrun.StateSucceeded, attempt.StateSucceeded, "", 0, []string{"exit code 0"}},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				in := l.input(c.command)
				if c.change != nil {
					c.change(&in)
				}
				r := l.run(t, in)
				r = l.until(t, r.ID, 90*time.Second, "it ends", over)
				a := r.Edges.Attempts[0]
				if r.State != c.state || a.State != c.attempt || !strings.HasPrefix(code(r), c.code) || c.code == "" && code(r) != "" {
					t.Errorf("%s, want %s and %q", show(r), c.state, c.code)
				}
				if c.exit >= 0 && (a.ExitCode == nil || *a.ExitCode != c.exit) {
					t.Errorf("exit code %v, want %d", a.ExitCode, c.exit)
				}
				lacks(t, l.logged(t, a), c.log...)
				l.gone(t, r.ID)
				again := l.logged(t, a) // readable after the pod is gone (P77)
				lacks(t, again, c.log...)
				if c.state == entrun.StateSucceeded && (len(a.Timeline) < 3 || a.Node == "" || a.PodUID == "") {
					t.Errorf("timeline %+v, node %q, pod %q", a.Timeline, a.Node, a.PodUID)
				}
			})
		}
	})
	t.Run("stop while pending", func(t *testing.T) { l.stopPending(t) })
	t.Run("image on its way", func(t *testing.T) { l.imageOnItsWay(t) })
	t.Run("stop", func(t *testing.T) { l.stopRunning(t) })
	t.Run("deaf", func(t *testing.T) { l.stopDeaf(t) })
	t.Run("retry", func(t *testing.T) { l.retry(t) })
	t.Run("pod deleted by hand", func(t *testing.T) { l.interrupted(t) })
	t.Run("job deleted by hand", func(t *testing.T) { l.jobDeleted(t) })
	t.Run("restart of the platform", func(t *testing.T) { l.restart(t) })
	t.Run("delete", func(t *testing.T) { l.delete(t) })
	t.Run("200 MB", func(t *testing.T) { l.large(t) })
	t.Run("flood ended from outside", func(t *testing.T) { l.flood(t) })
}

// flood: a pod that writes fast is deleted by hand; what it wrote is there once, in order.
func (l *lab) flood(t *testing.T) {
	in := l.input(sh("[ $GOBLINLAB_ATTEMPT = 1 ] || exit 0; i=0; while true; do echo line $i; i=$((i+1)); done"))
	in.Resources = run.Resources{CPU: "1", Memory: "128Mi"}
	r := l.run(t, in)
	l.until(t, r.ID, 30*time.Second, "it runs", running)
	time.Sleep(3 * time.Second)
	for _, p := range l.pods(t, r.ID) {
		if err := l.kube.CoreV1().Pods(p.Namespace).Delete(l.ctx, p.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	r = l.until(t, r.ID, time.Minute, "it ends", over)
	next := 0
	for i, line := range strings.Split(l.logged(t, r.Edges.Attempts[0]), "\n") {
		switch {
		case line == "line "+strconv.Itoa(next):
			next++
		case strings.HasPrefix(line, "[goblinlab]"), line == "":
		default:
			t.Errorf("line %d of the log is %.100q, want line %d", i, line, next)
			next++
		}
	}
	t.Logf("%d lines", next)
	l.gone(t, r.ID)
}

// absent is an image that cannot be had.
func (l *lab) absent(t testing.TB) string {
	i, err := l.db.Client.Image.Create().SetName("absent").SetReference("goblinlab.local/absent:1").Save(l.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return i.ID
}

// imageOnItsWay waits with a reason, makes no Job, and goes on by itself.
func (l *lab) imageOnItsWay(t *testing.T) {
	l.images.SetWaits(testkit.ImageMini, &spec.Reason{Code: image.Building, Args: map[string]any{"step": "pack mini"}})
	defer l.images.SetWaits(testkit.ImageMini, nil)
	r := l.run(t, l.input(sh("echo fine")))
	l.until(t, r.ID, 30*time.Second, "it waits for its image", func(r *ent.Run) bool { return code(r) == image.Building })
	jobs, err := l.kube.BatchV1().Jobs(l.cast.Team.Namespace).List(l.ctx, metav1.ListOptions{LabelSelector: manifest.LabelRunID + "=" + r.ID})
	if err != nil || len(jobs.Items) > 0 {
		t.Errorf("%d Jobs, %v", len(jobs.Items), err)
	}
	l.images.SetWaits(testkit.ImageMini, nil)
	if r = l.until(t, r.ID, 60*time.Second, "it ends", over); r.State != entrun.StateSucceeded {
		t.Error(show(r))
	}
}

func (l *lab) stopPending(t *testing.T) {
	in := l.input(sh("echo never"))
	in.ImageID = l.absent(t)
	r := l.run(t, in)
	l.until(t, r.ID, 30*time.Second, "it waits for its image", func(r *ent.Run) bool { return strings.HasPrefix(code(r), "image-") })
	if _, err := l.runs.Stop(l.member, r.ID); err != nil {
		t.Fatal(err)
	}
	r = l.until(t, r.ID, 30*time.Second, "it is stopped (P7, P15)", over)
	if len(l.pods(t, r.ID)) > 0 {
		t.Error("stopped, and its pod is there (P71)")
	}
	if r.State != entrun.StateStopped || code(r) != "stopped-by" || r.Edges.Attempts[0].State != attempt.StateStopped {
		t.Errorf("%s", show(r))
	}
	lacks(t, l.logged(t, r.Edges.Attempts[0]), "It waits.", "meng asked it to stop")
	l.gone(t, r.ID)
}

func (l *lab) stopRunning(t *testing.T) {
	r := l.run(t, l.input(sh("trap 'echo saved; exit 0' TERM; echo on; while true; do sleep 0.1; done")))
	l.until(t, r.ID, 30*time.Second, "it runs", running)
	for range 2 {
		got, err := l.runs.Stop(l.member, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got.State != entrun.StateStopping {
			t.Errorf("asked to stop it is %s", got.State)
		}
	}
	r = l.until(t, r.ID, 30*time.Second, "it is stopped", over)
	if p := l.pods(t, r.ID); r.State != entrun.StateStopped || len(p) > 0 || code(r) != "stopped-by" || *r.StoppedBy != l.cast.Member.ID {
		t.Errorf("%s, %d pods", show(r), len(p))
	}
	lacks(t, l.logged(t, r.Edges.Attempts[0]), "\non\n", "\nsaved\n", "stopped by meng")
	if got := strings.Join(l.events(t, r.ID), " "); !strings.Contains(got, "run-kill-asked") || !strings.Contains(got, "run-stop-asked") || !strings.Contains(got, "Scheduled") {
		t.Errorf("its history is %s (P6, P72)", got)
	}
	l.gone(t, r.ID)
}

func (l *lab) stopDeaf(t *testing.T) {
	r := l.run(t, l.input(sh("trap '' TERM; echo deaf; while true; do sleep 0.1; done")))
	l.until(t, r.ID, 30*time.Second, "it runs", running)
	asked := time.Now()
	if _, err := l.runs.Stop(l.member, r.ID); err != nil {
		t.Fatal(err)
	}
	r = l.until(t, r.ID, 40*time.Second, "it is stopped", over)
	if took := time.Since(asked); took < 3*time.Second {
		t.Errorf("killed after %s, its grace is 4 s", took)
	}
	if r.State != entrun.StateStopped || code(r) != "stopped-killed" || *r.Edges.Attempts[0].ExitCode != 137 {
		t.Errorf("%s", show(r))
	}
	l.gone(t, r.ID)
}

func (l *lab) retry(t *testing.T) {
	in := l.input(sh("echo attempt $GOBLINLAB_ATTEMPT; [ $GOBLINLAB_ATTEMPT = 3 ]"))
	in.Retries = 2
	r := l.run(t, in)
	r = l.until(t, r.ID, time.Minute, "it ends", over)
	if r.State != entrun.StateSucceeded || len(r.Edges.Attempts) != 3 || r.Failures != 2 {
		t.Fatalf("%s", show(r))
	}
	for i := range 2 {
		wait := r.Edges.Attempts[i+1].CreatedAt.Sub(*r.Edges.Attempts[i].EndedAt)
		if least := time.Second << i; wait < least || wait > least+5*time.Second {
			t.Errorf("attempt %d came %s after the one before, want %s", i+2, wait, least)
		}
	}
	lacks(t, l.logged(t, r.Edges.Attempts[0]), "attempt 1", "Attempt 2 follows, ") // on a full machine more than 1s
	l.gone(t, r.ID)
}

func (l *lab) interrupted(t *testing.T) {
	r := l.run(t, l.input(sh("echo attempt $GOBLINLAB_ATTEMPT; [ $GOBLINLAB_ATTEMPT = 1 ] && sleep 100; exit 0")))
	l.until(t, r.ID, 30*time.Second, "it runs", running)
	for _, p := range l.pods(t, r.ID) {
		l.wrote(t, p, "attempt 1") // a container runs before its program has said anything
		if err := l.kube.CoreV1().Pods(p.Namespace).Delete(l.ctx, p.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	r = l.until(t, r.ID, time.Minute, "it ends", over)
	if as := r.Edges.Attempts; r.State != entrun.StateSucceeded || len(as) != 2 || as[0].State != attempt.StateInterrupted || r.Failures != 0 {
		t.Errorf("%s (P67)", show(r))
	}
	lacks(t, l.logged(t, r.Edges.Attempts[0]), "attempt 1", "uses up no retry", "Attempt 2 follows")
	l.gone(t, r.ID)
}

func (l *lab) jobDeleted(t *testing.T) {
	r := l.run(t, l.input(sh("[ $GOBLINLAB_ATTEMPT = 1 ] && sleep 100; exit 0")))
	r = l.until(t, r.ID, 30*time.Second, "it runs", running)
	if err := l.kube.BatchV1().Jobs(l.cast.Team.Namespace).Delete(l.ctx, r.Edges.Attempts[0].JobName, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletionPropagation)}); err == nil {
		t.Fatal("an empty policy was taken")
	}
	policy := metav1.DeletePropagationBackground
	if err := l.kube.BatchV1().Jobs(l.cast.Team.Namespace).Delete(l.ctx, r.Edges.Attempts[0].JobName, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		t.Fatal(err)
	}
	r = l.until(t, r.ID, time.Minute, "it ends", over)
	if as := r.Edges.Attempts; r.State != entrun.StateSucceeded || len(as) != 2 || as[0].State != attempt.StateInterrupted {
		t.Errorf("%s", show(r))
	}
	l.gone(t, r.ID)
}

// restart: the platform goes away and comes back while a run writes, ends and fails (P69).
func (l *lab) restart(t *testing.T) {
	writes := l.run(t, l.input(sh("i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); sleep 0.02; done")))
	quick := l.run(t, l.input(sh("sleep 8; echo quick; exit 7")))
	for _, r := range []*ent.Run{writes, quick} {
		l.until(t, r.ID, 30*time.Second, "it runs", running)
	}
	pods := l.pods(t, writes.ID)
	for range 3 {
		time.Sleep(time.Second)
		l.stop()
		time.Sleep(2 * time.Second)
		l.start()
	}
	w := l.until(t, writes.ID, time.Minute, "it ends", over)
	q := l.until(t, quick.ID, time.Minute, "it ends", over)
	if w.State != entrun.StateSucceeded || len(w.Edges.Attempts) != 1 || w.Edges.Attempts[0].PodUID != string(pods[0].UID) {
		t.Errorf("%s; its pod was %s", show(w), pods[0].UID)
	}
	if q.State != entrun.StateFailed || *q.Edges.Attempts[0].ExitCode != 7 {
		t.Errorf("%s", show(q))
	}
	var want strings.Builder
	for i := range 400 {
		fmt.Fprintf(&want, "line %d\n", i)
	}
	lacks(t, l.logged(t, w.Edges.Attempts[0]), want.String())
	if n := strings.Count(l.logged(t, w.Edges.Attempts[0]), "\nline 5\n"); n != 1 {
		t.Errorf("a line stands there %d times", n)
	}
	lacks(t, l.logged(t, q.Edges.Attempts[0]), "quick\n")
	l.gone(t, w.ID)
	l.gone(t, q.ID)
}

func (l *lab) delete(t *testing.T) {
	ended := l.run(t, l.input(sh("echo fine")))
	live := l.run(t, l.input(sh("trap 'exit 0' TERM; while true; do sleep 0.1; done")))
	l.until(t, ended.ID, 30*time.Second, "it ends", over)
	l.until(t, live.ID, 30*time.Second, "it runs", running)
	for _, r := range []*ent.Run{ended, live} {
		a := l.get(t, r.ID).Edges.Attempts[0]
		if err := l.runs.Delete(l.member, r.ID); err != nil {
			t.Fatal(err)
		}
		eventually(t, time.Minute, "the row is gone", func() error {
			there, err := l.db.Client.Run.Query().Where(entrun.ID(r.ID)).Exist(l.ctx)
			if err == nil && there {
				err = fmt.Errorf("%s", show(l.get(t, r.ID)))
			}
			return err
		})
		l.gone(t, r.ID)
		if _, err := l.logs.Window(l.member, a.ID, logstore.Query{}); err == nil {
			t.Error("its log can be read")
		}
		if n, err := l.db.Client.LogChunk.Query().Count(l.ctx); err != nil || n == 0 {
			t.Logf("%d chunks of others, %v", n, err)
		}
	}
}

func (l *lab) large(t *testing.T) {
	if testing.Short() {
		t.Skip("200 MB; run without -short")
	}
	text := strings.Repeat("0123456789", 100)
	in := l.input(sh("yes " + text + " | head -n 200000"))
	in.Resources = run.Resources{CPU: "1", Memory: "128Mi"}
	r := l.run(t, in)
	r = l.until(t, r.ID, 5*time.Minute, "it ends", over)
	if r.State != entrun.StateSucceeded {
		t.Fatalf("%s", show(r))
	}
	ended := time.Now()
	eventually(t, 2*time.Minute, "the log is complete", func() error {
		if a := l.get(t, r.ID).Edges.Attempts[0]; !a.LogComplete {
			return fmt.Errorf("%d lines", a.LogLines)
		}
		return nil
	})
	t.Logf("complete %s after the end", time.Since(ended))
	a := l.get(t, r.ID).Edges.Attempts[0]
	lines, platform, part, rotated := 0, 0, "", false
	for after := ""; ; {
		w, err := l.logs.Window(l.member, a.ID, logstore.Query{After: after})
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range w.Lines {
			if line.Source == logstore.Platform {
				t.Log(line.Text)
				platform++
				rotated = rotated || strings.Contains(line.Text, "may be missing")
			} else {
				part += line.Text
				if line.Partial { // the node rotated its log in the middle of the line
					continue
				}
				lines++
				if part != text && !rotated { // whole, or the log says what is missing
					t.Errorf("line %d (%d bytes, %s) is %.40q…", line.Number, len(part), line.Time, part)
				}
				part = ""
			}
		}
		if after = w.Cursor; w.Complete {
			break
		}
	}
	if lines != 200_000 && !rotated {
		t.Errorf("%d lines of output and %d of the platform, want 200,000", lines, platform)
	}
	l.gone(t, r.ID)
}
