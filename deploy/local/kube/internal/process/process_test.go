package process

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestACommandThatEndsIsStartedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var g Group
	err := g.Start(ctx, Command{
		Name: "short", Path: "/bin/sh", Args: []string{"-c", "echo started"},
		Log: filepath.Join(dir, "log"), PidFile: filepath.Join(dir, "pid"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		b, _ := os.ReadFile(filepath.Join(dir, "log"))
		if strings.Count(string(b), "started") >= 2 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the log says %q", b)
		}
	}
	cancel()
	g.Wait()
}

func TestTheEndOfTheContextEndsTheCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var g Group
	pidFile := filepath.Join(dir, "pid")
	if err := g.Start(ctx, Command{Name: "long", Path: "/bin/sleep", Args: []string{"600"}, Log: filepath.Join(dir, "log"), PidFile: pidFile}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil || !runs(pid, "/usr/bin/sleep") {
		t.Fatalf("process %q, %v", b, err)
	}
	cancel()
	g.Wait()
	if runs(pid, "sleep") {
		t.Error("it still runs")
	}
	if err := AwaitEnd(t.Context(), pidFile, "sleep"); err != nil {
		t.Error(err)
	}
}

func TestACommandThatStaysIsTakenOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := Command{
		Name: "staying", Path: "/bin/sleep", Args: []string{"600"}, Stays: true,
		Log: filepath.Join(dir, "log"), PidFile: filepath.Join(dir, "pid"),
	}
	// round starts the command as a new program would and gives its process; end ends that program.
	round := func(c Command) (pid int, end func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		var g Group
		if err := g.Start(ctx, c); err != nil {
			t.Fatal(err)
		}
		pid, err := readPid(c.PidFile)
		if err != nil || !runs(pid, "sleep") {
			t.Fatalf("process %d, %v", pid, err)
		}
		return pid, func() { cancel(); g.Wait() }
	}
	first, end := round(c)
	end()
	second, end := round(c)
	if second != first {
		t.Errorf("process %d did not stay: it is %d now", first, second)
	}
	// One that was taken over is started again when it ends, too.
	if err := syscall.Kill(second, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if pid, err := readPid(c.PidFile); err == nil && pid != second && runs(pid, "sleep") {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("it was not started again")
		}
	}
	end()
	third, err := readPid(c.PidFile)
	if err != nil {
		t.Fatal(err)
	}
	c.Anew = true
	fourth, end := round(c)
	if fourth == third || runs(third, "sleep") {
		t.Errorf("process %d runs with what is out of date", third)
	}
	end()
	c.Stays, c.Anew = false, false
	_, end = round(c)
	end()
	if runs(fourth, "sleep") {
		t.Errorf("process %d is left", fourth)
	}
}

func TestAProgramThatIsMissingIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var g Group
	err := g.Start(t.Context(), Command{Name: "absent", Path: filepath.Join(dir, "absent"), Log: filepath.Join(dir, "log"), PidFile: filepath.Join(dir, "pid")})
	if err == nil {
		t.Error("was started")
	}
	g.Wait()
}

func TestALargeLogIsMovedAside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "logs", "x.log")
	f, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(40 << 20); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if f, err = OpenLog(path); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if st, err := os.Stat(path); err != nil || st.Size() != 0 {
		t.Errorf("new log: %v, %v", st, err)
	}
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Error(err)
	}
}
