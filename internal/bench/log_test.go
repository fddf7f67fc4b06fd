//go:build bench

package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/logstore/logtest"
	"github.com/goblinlab/goblinlab/internal/run"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const (
	logSpace  = "bench-log"
	logLines  = 100               // of the slow log
	logEvery  = "0.05"            // seconds between them
	logSettle = time.Second       // lines before it are not counted: a reader catches up
	logBytes  = 64 << 20          // of the fast log
	logHuge   = int64(1 << 30)    // of the log of which windows are opened
	logWide   = 200               // bytes of a line of the fast log and of the huge one
	logOpens  = 20                // windows
	logWait   = 2 * time.Minute   // for a log to end
	logBatch  = 1 << 20 / logWide // lines of the huge log that are written at once
)

// benchLog is B9: what a reader waits for a line beyond when the runtime wrote
// it, how many bytes a second come, and windows of a log of 1 GB.
func benchLog(t *testing.T) outcome {
	k := testkit.Cluster(t)
	l := start(t, app.Roles{Work: true}, instance.Resources{CPU: "100m", Memory: "64Mi"},
		image.CreateInput{Name: "mini", Reference: testkit.ImageMini, Development: true})
	l.kube = k
	space(t, k, logSpace)
	b := &logs{starter: l, rates: map[string][]float64{}}
	slow := fmt.Sprintf("i=0; while [ $i -lt %d ]; do echo line $i; i=$((i+1)); sleep %s; done", logLines, logEvery)
	fast := fmt.Sprintf("yes %s | head -c %d", strings.Repeat("x", logWide-1), logBytes)
	b.ours(slow) // the home volume is bound, the node has the image
	names := []string{"client-go's follow (the limit)", "GoblinLab: stored, and read by a follower of the log", "`kubectl logs -f`"}
	readers := []func(string) (series, float64){b.follow, b.ours, b.kubectl}
	var cs []contender
	for i, name := range names {
		cs = append(cs, contender{name, func() series {
			delays, _ := readers[i](slow)
			_, rate := readers[i](fast)
			b.rates[name] = append(b.rates[name], rate)
			return delays
		}})
	}
	o := compare(5, cs...)
	var words []string
	for _, name := range names {
		words = append(words, fmt.Sprintf("%s %.1f MB (%.2f ×)", name, median(b.rates[name])/1e6, ratio(b.rates[name], b.rates[names[0]])))
	}
	added := o.all[1].quantile(.99) - o.all[0].quantile(.99)
	o.note = fmt.Sprintf("Added at p99: %s. A log of %d MB as fast as a container writes it, bytes a second: %s.", short(max(added, 0)), logBytes>>20, strings.Join(words, ", "))
	return o
}

func median(x []float64) float64 {
	c := slices.Sorted(slices.Values(x))
	return c[len(c)/2]
}

// ratio is the median of the rounds' ratios.
func ratio(a, b []float64) float64 {
	var out []float64
	for i := range a {
		out = append(out, a[i]/b[i])
	}
	return median(out)
}

type logs struct {
	*starter
	made  int
	rates map[string][]float64
}

// reading notes when lines come that a runtime stamped.
type reading struct {
	first, last, came time.Time // stamps; when the last one came
	delays            series
	bytes             int64
}

func (r *reading) line(stamp time.Time, n int) {
	r.came = time.Now()
	if r.first.IsZero() {
		r.first = stamp
	}
	r.last, r.bytes = stamp, r.bytes+int64(n)
	if stamp.Sub(r.first) > logSettle {
		r.delays = append(r.delays, r.came.Sub(stamp))
	}
}

// rate is bytes a second from when the first line was written until the last one had come.
func (r *reading) rate() float64 { return float64(r.bytes) / r.came.Sub(r.first).Seconds() }

// stamped reads lines that begin with the runtime's time.
func (r *reading) stamped(body io.Reader) error {
	b := bufio.NewReaderSize(body, 64<<10)
	for {
		text, err := b.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		stamp, rest, _ := strings.Cut(text, " ")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		if err != nil {
			return err
		}
		r.line(at, len(rest))
	}
}

// pod runs a script in a pod and waits until it runs.
func (l *logs) pod(script string) string {
	l.t.Helper()
	ctx := l.t.Context()
	l.made++
	name := fmt.Sprintf("log-%d", l.made)
	_, err := l.kube.CoreV1().Pods(logSpace).Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "task", Image: testkit.ImageMini, Command: []string{"sh", "-c", script}}},
	}}, metav1.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(glance) {
		p, err := l.kube.CoreV1().Pods(logSpace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && len(p.Status.ContainerStatuses) > 0 && p.Status.ContainerStatuses[0].State.Waiting == nil {
			return name
		}
		if time.Now().After(end) {
			l.t.Fatalf("a pod does not run: %v", err)
		}
	}
}

func (l *logs) follow(script string) (series, float64) {
	l.t.Helper()
	body, err := l.kube.Logs(l.t.Context(), logSpace, l.pod(script), "task", time.Time{}, true)
	if err != nil {
		l.t.Fatal(err)
	}
	defer body.Close()
	var r reading
	if err := r.stamped(body); err != nil {
		l.t.Fatal(err)
	}
	return r.delays, r.rate()
}

func (l *logs) kubectl(script string) (series, float64) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), "../../bin/local/kubectl", "--kubeconfig", os.Getenv(testkit.EnvKubeconfig),
		"logs", "-f", "--timestamps", "-n", logSpace, l.pod(script))
	body, err := cmd.StdoutPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	var r reading
	if err := r.stamped(body); err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		l.t.Fatal(err)
	}
	return r.delays, r.rate()
}

// ours is a run, and somebody who follows its log as the page does.
func (l *logs) ours(script string) (series, float64) {
	l.t.Helper()
	ctx, stop := context.WithTimeout(l.ctx, logWait)
	defer stop()
	c := l.app.DB.Client
	row, err := l.app.Runs.RunNow(ctx, run.Input{TeamID: c.Team.Query().OnlyX(ctx).ID, Name: "log", ImageID: l.mini(),
		Command: []string{"sh", "-c", script}, Resources: run.Resources{CPU: "1", Memory: "64Mi"}})
	if err != nil {
		l.t.Fatal(err)
	}
	id := ""
	for ; id == ""; time.Sleep(glance) {
		if ids := c.Attempt.Query().Where(attempt.RunID(row.ID)).IDsX(ctx); len(ids) > 0 {
			id = ids[0]
		}
	}
	var r reading
	for w, err := range l.app.Logs.Follow(ctx, id, "") {
		if err != nil {
			l.t.Fatal(err)
		}
		for i := range w.Lines {
			if w.Lines[i].Source == logstore.Output {
				r.line(w.Lines[i].Time, len(w.Lines[i].Text)+1)
			}
		}
	}
	if ctx.Err() != nil {
		l.t.Fatal("the log of a run does not end")
	}
	return r.delays, r.rate()
}

// benchHuge is the part of B9 that needs no cluster: a log of 1 GB, written
// through the log store, of which windows are opened.
func benchHuge(t *testing.T) outcome {
	d, ctx := testkit.DB(t), testkit.System(t)
	bucket, _ := logtest.Bucket(t)
	s := logstore.New(d, bucket, event.NewLocal(), 0)
	cast := testkit.NewCast(t, d)
	attempts, lines := map[string]string{}, map[string]int64{}
	for name, size := range map[string]int64{"small": 1 << 20, "huge": logHuge} {
		a := logtest.Attempt(t, d, cast.Team, cast.Member)
		attempts[name], lines[name] = a.ID, pour(t, s, a.ID, size)
	}
	open := func(log string, q logstore.Query) func() series {
		return func() (out series) {
			for range logOpens {
				begin := time.Now()
				got, err := s.Window(ctx, attempts[log], q)
				if err != nil || len(got.Lines) != q.Limit {
					t.Fatal(len(got.Lines), err)
				}
				out = append(out, time.Since(begin))
			}
			return out
		}
	}
	middle := lines["huge"] / 2
	return compare(5,
		contender{"the end of a log of 1 MB (the limit)", open("small", logstore.Query{Last: 1000, Limit: 1000})},
		contender{"the end of a log of 1 GB", open("huge", logstore.Query{Last: 1000, Limit: 1000})},
		contender{"the middle of a log of 1 GB", open("huge", logstore.Query{FromLine: &middle, Limit: 1000})},
	)
}

// pour writes so many bytes of lines and ends the log.
func pour(t *testing.T, s *logstore.Store, attemptID string, size int64) (n int64) {
	t.Helper()
	ctx := testkit.System(t)
	w, err := s.Writer(ctx, attemptID)
	if err != nil {
		t.Fatal(err)
	}
	text, at := strings.Repeat("x", logWide), time.Now().UTC()
	lines := make([]logstore.Line, logBatch)
	for n*logWide < size {
		for i := range lines {
			n++
			lines[i] = logstore.Line{Time: at.Add(time.Duration(n) * time.Microsecond), Source: logstore.Output, Text: text}
		}
		if err := w.Write(ctx, lines); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(ctx, attemptID, nil); err != nil {
		t.Fatal(err)
	}
	return n
}
