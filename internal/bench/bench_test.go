//go:build bench

package bench

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

var (
	out   = flag.String("out", "", "file to write the report to; empty for the test's log")
	tries = flag.Int("rounds", 0, "rounds of every comparison, to try the bench; 0 for its own number")
)

// TestReport measures everything and writes the report.
func TestReport(t *testing.T) {
	sections := []struct {
		title, goal, method string
		run                 func(*testing.T) outcome
	}{
		{"B1. Start of an instance", "p50 ≤ 1.25 × limit, p99 ≤ 1.5 ×",
			"Latency from the call of the start to the state RUNNING read again after its change message; the limit applies the same Secret, Service and StatefulSet and watches the pod until it is ready. Minimal image, home volume bound, five rounds of six, in turn.", benchStart},
		{"L2. JupyterLab, from the click to its page", "≤ 5 s",
			"Latency from the request for the start until JupyterLab's page has come through the gateway, as the page opens it: a pod of the development image, which is on its node, with one CPU, its home volume bound. Beside it from the request for a spawn until the notebook answers through JupyterHub's proxy. Seven rounds, in turn.", benchLab},
		{"B3. 10,000 schedules due together", "timer stage p99 < 5 ms; editing one at 10,000 costs ≤ 1.3 × that at 1,000",
			"Lateness: from the instant at which all are due to the first line of what fires each, without what it does there. Seven rounds of 10,000, in turn.", benchTimer},
		{"B4. From the end of a task to the next one's Job", "p50 ≤ 2 × limit",
			"Latency from the event of a watch that says that the first task's container has ended, to the event that says that the next task's Job is there. The limit is one create at that event; beside it a create once the Job's own status says that it is complete, which the Job controller writes. Minimal image, real pods, five rounds of five, in turn.", benchNext},
		{"B5. Work handed to a worker", "≤ 1.5 × BLPOP in one process; ≤ 5 ms across processes",
			"Latency from the hand-over to the handler's first line; seven rounds of 200 (asynq: 6), in turn, against one Redis over a socket.", benchHandoff},
		{"B6. A worker is killed with 100 runs in flight", "≤ 1.5 s after the start of another, none run twice",
			"A worker, a process with all its parts, is killed by SIGKILL; the 100 pods end while nobody looks. From the start of another worker until the rows say how each run ended. The limit is a process that starts, opens the database and reads the rows of these runs. Five rounds, in turn.", benchRecover},
		{"B7. A list page, 50 of 10,000 rows with relations", "≤ 1.5 × limit",
			"CPU of the process for one request through the API's handler, with owner, team and image; the limit selects the same rows by one join and writes them with encoding/json. Seven rounds of 200 requests, in turn.", benchList},
		{"B9. Logs", "≥ 0.8 × the limit's bytes a second; ≤ 5 ms added at p99",
			"Latency of a line from the runtime's own stamp until a reader has it: a container writes a line each 50 ms, those of the first second are not counted. GoblinLab's way is longer, for it stores before it shows: kubelet, shipper, log store, message, a follower's window. kubectl's follow goes the limit's way in a process of its own. Five rounds, in turn.", benchLog},
		{"B9a. A log of 1 GB", "opens in < 2 s, at its end and in its middle",
			"Latency of a window of 1,000 lines of 200 bytes, read from the log store; the limit is the same of a log of 1 MB. Five rounds of 20, in turn.", benchHuge},
		{"B12. A large file into a volume and back", "≤ 2 × `cp`; the same checksum; ≤ 64 MB of memory beside what is there at rest",
			"A file of 2 GB through the server and the agent of a volume, in parts of 8 MiB that are flushed each, of which five break off in the middle and go on where they were, with its SHA-256 at the end; copied within the volume by the agent; and read back. The limit is `cp` of the same file into the folder that the volume is, and `sync`. Three rounds, in turn; memory as the kernel counts its most.", benchFiles},
		{"B2. Schedules due in one minute", "the last Job ≤ 1.15 × limit; p50 ≥ 20 × better than CronJob at defaults, ≥ 1.7 × tuned; none twice, none missing",
			"Lateness of a Job, from the minute until a watch tells of it. Each round of each contender has a local Kubernetes of its own, the nodes of which are cordoned: pods are made and stay pending, on all sides. GoblinLab's flows have one task each, in one team, with one home volume; the limit creates the same Jobs, the CronJobs have them as their template. In turn.", benchDue},
		{"L1. A second start of the platform", "the page answers within 10 s of `make run`",
			"Latency from the start of the program, on a data folder of before, until the page is there, and until `/readyz` says that the cluster answers. Everything is built; containerd and the pods went on meanwhile, as they do after Ctrl-C, or were ended too, as by a reboot. The limit is the local Kubernetes alone, until it is ready. Three rounds, in turn.", benchSecond},
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Measurements\n\nWritten by `make bench`. Every figure is measured in one run with its limit, in turn; the ratios count, absolute times are this machine's: %s, %d cores, %s, %s, Kubernetes 1.37 of deploy/local.\n",
		machine(), runtime.NumCPU(), runtime.Version(), database())
	before := written(*out)
	for _, s := range sections {
		name := strings.Fields(s.title)[0]
		text := before[name] // stays when -run leaves it out
		t.Run(strings.TrimSuffix(name, "."), func(t *testing.T) {
			text = fmt.Sprintf("\n## %s\n\nGoal: %s. %s\n\n%s", s.title, s.goal, s.method, s.run(t).table())
			t.Log(text) // at once: a later one may fail
		})
		b.WriteString(text)
	}
	if *out == "" {
		t.Log("\n" + b.String())
		return
	}
	if err := os.WriteFile(*out, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// written are the sections of a report that is there, by name.
func written(path string) map[string]string {
	out := map[string]string{}
	text, err := os.ReadFile(path)
	if err != nil {
		return out
	}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		out[strings.Fields(part)[0]] = "\n## " + part
	}
	return out
}

func database() string {
	if os.Getenv(testkit.EnvDatabase) != "" {
		return "PostgreSQL"
	}
	return "SQLite"
}

func machine() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(k) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return runtime.GOARCH
}
