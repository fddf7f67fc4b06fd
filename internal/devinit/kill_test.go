package devinit

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The two ways in which a kernel shows a container its cgroup.
var cgroupFiles = map[string]map[string]string{
	"version 2": {"memory.max": "1073741824\n", "memory.current": "1000\n", "memory.peak": "1073741824\n",
		"memory.events": "low 0\nhigh 0\nmax 12\noom 1\noom_kill 2\noom_group_kill 0\n"},
	"version 1": {"memory/memory.limit_in_bytes": "1073741824\n", "memory/memory.usage_in_bytes": "1000\n", "memory/memory.max_usage_in_bytes": "1073741824\n",
		"memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"},
}

func writeCgroup(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(root, name), text, 0o644)
	}
	return root
}

func TestMemoryOfTheContainerIsRead(t *testing.T) {
	t.Parallel()
	for name, files := range cgroupFiles {
		c := memoryCgroup(writeCgroup(t, files))
		if c == nil {
			t.Fatalf("%s: not found", name)
		}
		if l, u, p, k := c.number(c.limit), c.number(c.used), c.number(c.peak), c.killed(); l != 1<<30 || u != 1000 || p != 1<<30 || k != 2 {
			t.Errorf("%s: limit %d, used %d, peak %d, killed %d", name, l, u, p, k)
		}
	}
	for name, files := range map[string]map[string]string{
		"version 2": {"memory.max": "max\n"},
		"version 1": {"memory/memory.limit_in_bytes": "9223372036854771712\n", "memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n"},
	} {
		c := memoryCgroup(writeCgroup(t, files))
		if l, p, k := c.number(c.limit), c.number(c.peak), c.killed(); l != 0 || p != 0 || k != 0 {
			t.Errorf("%s without a limit, on an old kernel: limit %d, peak %d, killed %d", name, l, p, k)
		}
	}
	if c := memoryCgroup(t.TempDir()); c != nil {
		t.Errorf("found %+v in an empty folder", c)
	}
}

func TestParseProc(t *testing.T) {
	t.Parallel()
	line := func(name, state string) string {
		return "71 (" + name + ") " + state + " 7 71 71 0 -1 4194304 100 0 0 0 1 1 0 0 20 0 1 0 4242 1000000 333 18446744073709551615 1 1 0"
	}
	for name, c := range map[string]struct {
		line string
		want proc
		ok   bool
	}{
		"a process":                      {line("python3", "S"), proc{pid: 71, parent: 7, name: "python3", pages: 333, since: 4242}, true},
		"blanks and parentheses":         {line("a) (b", "R"), proc{pid: 71, parent: 7, name: "a) (b", pages: 333, since: 4242}, true},
		"one that waits to be reaped":    {line("python3", "Z"), proc{}, false},
		"one that gives its memory back": {strings.Replace(line("python3", "R"), "4194304", "4194308", 1), proc{}, false},
		"cut short":                      {"71 (python3) S 7 71", proc{}, false},
		"empty":                          {"", proc{}, false},
	} {
		if got, ok := parseProc([]byte(c.line)); got != c.want || ok != c.ok {
			t.Errorf("%s: %+v %v", name, got, ok)
		}
	}
}

// look is what one look finds.
type look struct {
	procs  []proc
	killed string
}

func TestWhoWasKilled(t *testing.T) {
	t.Parallel()
	lab := proc{pid: 10, parent: 1, name: "jupyter-lab", pages: 20, since: 1}
	kernel := proc{pid: 11, parent: 10, name: "python3", pages: 900, since: 2}
	shell := proc{pid: 12, parent: 10, name: "sh", pages: 1, since: 3}
	orphan := proc{pid: 11, parent: 1, name: "python3", pages: 900, since: 2}
	outside := proc{pid: 50, parent: 0, name: "train", pages: 800, since: 9}
	reused := proc{pid: 11, parent: 10, name: "ls", pages: 1, since: 77}
	for name, c := range map[string]struct {
		looks []look
		want  []Kill
	}{
		"nobody":                          {[]look{{[]proc{lab, kernel}, "0"}, {[]proc{lab}, "0"}}, nil},
		"a notebook's kernel":             {[]look{{[]proc{lab, kernel, shell}, "0"}, {[]proc{lab, shell}, "1"}}, []Kill{{Number: 1, App: "jupyterlab", Process: "python3"}}},
		"the larger of two that are gone": {[]look{{[]proc{lab, kernel, shell}, "0"}, {[]proc{lab}, "1"}}, []Kill{{Number: 1, App: "jupyterlab", Process: "python3"}}},
		"both of them":                    {[]look{{[]proc{lab, kernel, shell}, "0"}, {[]proc{lab}, "2"}}, []Kill{{Number: 1, App: "jupyterlab", Process: "python3"}, {Number: 2, App: "jupyterlab", Process: "sh"}}},
		"the app itself":                  {[]look{{[]proc{lab}, "0"}, {nil, "1"}}, []Kill{{Number: 1, App: "jupyterlab", Process: "jupyter-lab"}}},
		"one whose parent ended before":   {[]look{{[]proc{lab, kernel}, "0"}, {[]proc{lab, orphan}, "0"}, {[]proc{lab}, "1"}}, []Kill{{Number: 1, App: "jupyterlab", Process: "python3"}}},
		"one from outside":                {[]look{{[]proc{lab, outside}, "0"}, {[]proc{lab}, "1"}}, []Kill{{Number: 1, Process: "train"}}},
		"one whose number is used again":  {[]look{{[]proc{lab, kernel}, "0"}, {[]proc{lab, reused}, "1"}}, []Kill{{Number: 1, App: "jupyterlab", Process: "python3"}}},
		"one that takes its time to end":  {[]look{{[]proc{lab, kernel}, "0"}, {[]proc{lab, kernel}, "1"}, {[]proc{lab}, "1"}}, []Kill{{Number: 1, App: "jupyterlab", Process: "python3"}}},
		"one that came and went":          {[]look{{[]proc{lab}, "0"}, {[]proc{lab}, "1"}}, []Kill{{Number: 1}}},
		"once and once more":              {[]look{{[]proc{lab, kernel}, "0"}, {[]proc{lab, outside}, "1"}, {[]proc{lab}, "2"}}, []Kill{{Number: 1, App: "jupyterlab", Process: "python3"}, {Number: 2, Process: "train"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"memory.max": "1048576", "memory.peak": "1048576", "memory.events": "oom_kill 0"}
			root := writeCgroup(t, files)
			board := NewBoard([]App{{Name: "jupyterlab"}}, time.Now)
			board.runs("jupyterlab", 10)
			var log bytes.Buffer
			w := newKillWatch(root, board, NewOutput(&log))
			clock := time.Now()
			w.now = func() time.Time { return clock }
			last := c.looks[len(c.looks)-1]
			for _, l := range append(slices.Clone(c.looks), last, last) {
				clock = clock.Add(2 * time.Second)
				write(t, filepath.Join(root, "memory.events"), "max 1\noom_kill "+l.killed+"\n", 0o644)
				w.list = func() (map[int]proc, error) {
					all := map[int]proc{}
					for _, p := range l.procs {
						all[p.pid] = p
					}
					return all, nil
				}
				w.look()
			}
			got := w.status().Kills
			if len(got) != len(c.want) {
				t.Fatalf("got %+v, want %+v", got, c.want)
			}
			for i, k := range got {
				want := c.want[i]
				if k.Number != want.Number || k.App != want.App || k.Process != want.Process || k.Limit != 1<<20 || k.Peak != 1<<20 || k.At.IsZero() {
					t.Errorf("got %+v, want %+v", k, want)
				}
				if want.Process != "" && !strings.Contains(log.String(), want.Process+" (process ") {
					t.Errorf("the log lacks %s:\n%s", want.Process, log.String())
				}
			}
		})
	}
}

func TestKillsOfBeforeDoNotCount(t *testing.T) {
	t.Parallel()
	w := newKillWatch(writeCgroup(t, cgroupFiles["version 1"]), NewBoard(nil, time.Now), NewOutput(&bytes.Buffer{}))
	if got := w.status(); len(got.Kills) != 0 || got.Limit != 1<<30 || got.Peak != 1<<30 || got.Used != 1000 {
		t.Errorf("got %+v", got)
	}
	if got := (&killWatch{}).status(); got.Kills == nil || len(got.Kills) != 0 {
		t.Errorf("without a cgroup: %+v", got)
	}
}

// TestKilledForWantOfMemory is the whole way: the app says why it ended, its log
// does, and so does the page of the memory.
func TestKilledForWantOfMemory(t *testing.T) {
	t.Parallel()
	b := startBox(t, time.Second, map[string]string{"frail": up})
	first := b.awaitPID("frail", 1)
	b.awaitState("frail", StateReady)
	killed := b.memory()
	if killed.Limit != 1<<26 || len(killed.Kills) != 0 {
		t.Fatalf("before: %+v", killed)
	}
	// At one moment: to write the file anew may take seconds on a busy disk.
	write(t, filepath.Join(b.dir, "cgroup/killed"), "oom_kill 1\n", 0o644)
	next := filepath.Join(b.dir, "cgroup/next")
	if err := os.Symlink("killed", next); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(b.dir, "cgroup/memory.events")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	b.await(`\[goblin-init\] frail: killed by SIGKILL, since the container's memory was used up, starts again after 10ms`)
	b.await(`\[goblin-init\] (sleep|frail) \(process \d+\) was killed: the container's memory was used up, 63 MiB of 64 MiB`)
	k := b.memory().Kills
	if len(k) != 1 || k[0].App != "frail" || k[0].Number != 1 || k[0].Peak != 63<<20 {
		t.Errorf("kills %+v", k)
	}
}

func (b *box) memory() MemoryStatus {
	b.t.Helper()
	code, body := b.get("/memory")
	var m MemoryStatus
	if err := json.Unmarshal([]byte(body), &m); err != nil || code != 200 {
		b.t.Fatalf("%d %s: %v", code, body, err)
	}
	return m
}
