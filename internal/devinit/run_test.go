package devinit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestCrashRestartsThatAppAlone(t *testing.T) {
	t.Parallel()
	b := startBox(t, time.Second, map[string]string{"frail": up, "steady": up})
	first, steady := b.awaitPID("frail", 1), b.awaitPID("steady", 1)
	b.awaitState("frail", StateReady)
	b.awaitState("steady", StateReady)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	second := b.awaitPID("frail", 2)
	if got := b.awaitState("frail", StateReady); got.Restarts != 1 || second == first {
		t.Errorf("restarts %d, process %d then %d", got.Restarts, first, second)
	}
	if got := b.awaitState("steady", StateReady); got.Restarts != 0 {
		t.Errorf("the other app was restarted %d times", got.Restarts)
	}
	if err := syscall.Kill(steady, 0); err != nil {
		t.Errorf("the other app's process is gone: %v", err)
	}
	b.await(`\[goblin-init\] frail: killed by SIGKILL, starts again after 10ms`)
}

func TestCrashLoopBacksOff(t *testing.T) {
	t.Parallel()
	b := startBox(t, time.Second, map[string]string{"broken": "echo no luck; exit 3", "steady": up})
	b.await(`(?s)\[broken\] no luck.*exited with status 3, starts again after 10ms.*after 20ms.*after 40ms.*after 40ms`)
	if code, body := b.get("/readyz"); code != 503 || !strings.Contains(body, "broken") {
		t.Errorf("readyz gives %d %q while an app never served", code, body)
	}
	b.awaitState("steady", StateReady)
}

func TestCleanExitRestartsToo(t *testing.T) {
	t.Parallel()
	b := startBox(t, time.Second, map[string]string{"leaver": "exit 0"})
	b.await(`leaver: exited with status 0, starts again`)
	b.await(`(?s)(leaver: exited with status 0.*){2}`)
}

func TestReadyWhenAllPresentAppsAre(t *testing.T) {
	t.Parallel()
	b := startBox(t, time.Second, map[string]string{"missing": "", "slow": `echo "up $$"; exec sleep 1000`})
	b.awaitPID("slow", 1)
	b.awaitState("missing", StateAbsent)
	s := Settings{Status: strings.TrimPrefix(b.url, "http://")}
	if err := Healthcheck(context.Background(), s); !errors.Is(err, ErrNotReady) || !strings.Contains(err.Error(), "slow") {
		t.Errorf("healthcheck says %v while slow starts", err)
	}
	write(t, filepath.Join(b.dir, "ready-slow"), "", 0o644)
	b.awaitState("slow", StateReady)
	if err := Healthcheck(context.Background(), s); err != nil {
		t.Errorf("healthcheck says %v", err)
	}
	var table strings.Builder
	if err := PrintApps(context.Background(), s, &table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NAME", "missing", "absent", "the image has no missing", "slow", "ready"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, table.String())
		}
	}
}

func TestNothingIsReadyWithoutGoblinInit(t *testing.T) {
	t.Parallel()
	if err := Healthcheck(context.Background(), Settings{Status: "127.0.0.1:1"}); err == nil || errors.Is(err, ErrNotReady) {
		t.Errorf("got %v", err)
	}
	if err := Healthcheck(context.Background(), Settings{Status: "9999"}); !errors.Is(err, ErrSettings) {
		t.Errorf("got %v", err)
	}
}

func TestOrphansAreReaped(t *testing.T) {
	t.Parallel()
	const orphans = 40
	b := startBox(t, time.Second, map[string]string{
		"parent": `i=0; while [ $i -lt ` + strconv.Itoa(orphans) + ` ]; do (sleep 0 & echo "orphan $!"); i=$((i+1)); done; ` + up,
	})
	b.awaitPID("parent", 1)
	if n := strings.Count(b.output(), "] orphan "); n != orphans {
		t.Fatalf("%d orphans were made", n)
	}
	var left []string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if left = children(t, b.process.Pid); len(left) == 1 { // the app itself
			return
		}
	}
	t.Errorf("children that nobody waited for: %q", left)
}

// children lists the direct children of a process, zombies included.
func children(t *testing.T, pid int) []string {
	t.Helper()
	var found []string
	tasks, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil || len(tasks) == 0 {
		t.Fatalf("no tasks of %d: %v", pid, err)
	}
	for _, task := range tasks {
		if data, err := os.ReadFile(task); err == nil {
			found = append(found, strings.Fields(string(data))...)
		}
	}
	return found
}

func TestTermEndsEverything(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		scripts    map[string]string
		grace      time.Duration
		atMost     time.Duration
		wantKilled bool
	}{
		"apps that obey end at once": {
			map[string]string{"a": up, "b": up}, time.Minute, 10 * time.Second, false,
		},
		"so do their children in other sessions": {
			map[string]string{"a": `setsid sleep 1000 & ` + up}, time.Minute, 10 * time.Second, false,
		},
		"one that does not listen is killed after the grace": {
			map[string]string{"a": up, "deaf": `trap '' TERM; touch "$BOX/ready-deaf"; echo "up $$"; while :; do sleep 1000; done`},
			300 * time.Millisecond, 5 * time.Second, true,
		},
		"an app in its back-off is not waited for": {
			map[string]string{"broken": `echo "up $$"; exit 1`}, time.Minute, 10 * time.Second, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBox(t, tc.grace, tc.scripts)
			for app := range tc.scripts {
				b.awaitPID(app, 1)
			}
			before := descendants(b.process.Pid)
			took, err := b.terminate()
			if err != nil {
				t.Errorf("ended with %v", err)
			}
			if took > tc.atMost || tc.wantKilled && took < tc.grace {
				t.Errorf("took %s", took)
			}
			for _, pid := range before {
				if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
					t.Errorf("process %d is still there: %v", pid, err)
				}
			}
			if got := strings.Contains(b.output(), "were killed"); got != tc.wantKilled {
				t.Errorf("killed %t, want %t:\n%s", got, tc.wantKilled, b.output())
			}
		})
	}
}

func TestSecretsReachToolsAndNothingElse(t *testing.T) {
	t.Parallel()
	b := startBox(t, time.Second, map[string]string{
		"nosy": `env; tr '\0' '\n' </proc/$PPID/environ; tr '\0' '\n' </proc/$PPID/cmdline; ` + up,
	})
	b.awaitPID("nosy", 1)
	b.awaitState("nosy", StateReady)
	if got := read(t, filepath.Join(b.dir, "kept-nosy")); got != "r00t-s3cret\n" {
		t.Errorf("the tool was given %q", got)
	}
	_, apps := b.get("/apps")
	profile := read(t, filepath.Join(b.dir, "run/environment.sh"))
	seen := b.output() + apps + profile
	for _, secret := range []string{"tok3n-s3cret", "r00t-s3cret"} {
		if strings.Contains(seen, secret) {
			t.Errorf("%s can be seen:\n%s", secret, seen)
		}
	}
	if n := strings.Count(seen, envHandover); n != 1 { // goblin-init's own, a pipe that is closed
		t.Errorf("%s was seen %d times:\n%s", envHandover, n, seen)
	}
	if n := strings.Count(b.output(), "GREETING=hello there"); n != 2 { // env and goblin-init's own
		t.Errorf("the user's variable was seen %d times:\n%s", n, b.output())
	}
	if !strings.Contains(profile, "export GREETING='hello there'\n") {
		t.Errorf("login shells read:\n%s", profile)
	}
	if got := read(t, filepath.Join(b.dir, "passwd")); got != "root:x:0:0:root:"+b.dir+"/home:/bin/sh\n" {
		t.Errorf("accounts: %q", got)
	}
}
