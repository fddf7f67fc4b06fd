package box

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nobody is the user as whom the tests run when root starts them: as root they would prove nothing.
const nobody = 65534

// setuidProgram is where TestMain leaves a program that runs as root for whoever starts it.
const setuidProgram = "BOX_TEST_SETUID_PROGRAM"

func TestMain(m *testing.M) {
	if os.Geteuid() != 0 {
		os.Exit(m.Run())
	}
	code, err := runAsNobody()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runAsNobody runs this test program again as an ordinary user, with a folder of its own.
func runAsNobody() (int, error) {
	dir, err := os.MkdirTemp("/tmp", "box")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	own, rootOwned := filepath.Join(dir, "t"), filepath.Join(dir, "r")
	if err := os.Chmod(dir, 0o755); err != nil {
		return 0, err
	}
	for _, d := range []string{own, rootOwned} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return 0, err
		}
	}
	if err := os.Chown(own, nobody, nobody); err != nil {
		return 0, err
	}
	program := filepath.Join(rootOwned, "id")
	if out, err := exec.Command("sh", "-c", `cp "$(command -v id)" "$1" && chmod 4755 "$1"`, "sh", program).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("setuid program: %w: %s", err, out)
	}
	cmd := exec.Command("/proc/self/exe")
	for _, a := range os.Args[1:] {
		if !strings.HasPrefix(a, "-test.testlogfile") && !strings.HasPrefix(a, "-test.coverprofile") { // in a folder of root's
			cmd.Args = append(cmd.Args, a)
		}
	}
	cmd.Dir, cmd.Env = own, append(os.Environ(), "TMPDIR="+own, "HOME="+own, setuidProgram+"="+program)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}, Pdeathsig: syscall.SIGKILL}
	err = cmd.Run()
	if cmd.ProcessState == nil {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

// files of a box of a test, in a folder with a short name because of the socket.
func files(t *testing.T) (Files, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "b")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return Files{Socket: filepath.Join(dir, "s"), Result: filepath.Join(dir, "result"), Log: filepath.Join(dir, "log")}, filepath.Join(dir, "root")
}

// start makes a box around a script of the shell.
func start(t *testing.T, s Spec, script string) (*Box, Files) {
	t.Helper()
	f, scratch := files(t)
	s.Scratch, s.Hostname, s.User, s.Group = scratch, "box", os.Getuid(), os.Getgid()
	s.Args = []string{"/bin/sh", "-c", script}
	if s.Env == nil {
		s.Env = []string{"PATH=" + DefaultPath}
	}
	b, err := Start(s, f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Stop(0) })
	return b, f
}

// run gives what a script said in a box, and its exit code.
func run(t *testing.T, s Spec, script string) (string, int) {
	t.Helper()
	b, f := start(t, s, script)
	await(t, b)
	return said(t, f), b.Result().Code
}

func await(t *testing.T, b *Box) {
	t.Helper()
	select {
	case <-b.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the box does not end")
	}
}

var logLine = regexp.MustCompile(`(?m)^\S+ (?:stdout|stderr) [FP] `)

func said(t *testing.T, f Files) string {
	t.Helper()
	b, err := os.ReadFile(f.Log)
	if err != nil {
		t.Fatal(err)
	}
	return logLine.ReplaceAllString(string(b), "")
}

// outside runs a script as the same user without a box.
func outside(t *testing.T, script string) string {
	t.Helper()
	out, _ := exec.Command("/bin/sh", "-c", script).CombinedOutput() // the exit code says nothing
	return string(out)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// bystander is a process of the same user outside, with a word on its command line.
func bystander(t *testing.T, word string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "sleep 60; : "+word)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	return cmd
}

func TestProgramRunsAndEnds(t *testing.T) {
	for _, c := range []struct {
		name, script, says string
		code               int
	}{
		{"output", "echo out; echo err >&2", "out\nerr\n", 0},
		{"last line without an end", "printf half", "half\n", 0},
		{"exit code", "exit 7", "", 7},
		{"killed", "kill -9 $$", "", 137},
		{"environment", "echo $WORD", "hello\n", 0},
		{"host name", "hostname 2>/dev/null || cat /proc/sys/kernel/hostname", "box\n", 0},
		{"what it left running ends with it", "sleep 60 & echo done", "done\n", 0},
		{"user", "id -u", fmt.Sprintf("%d\n", os.Getuid()), 0},
		{"terminals and shared memory", "touch /dev/shm/x /tmp/x /opt/x /etc/x && test -c /dev/ptmx && echo yes", "yes\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			says, code := run(t, Spec{Env: []string{"PATH=" + DefaultPath, "WORD=hello"}}, c.script)
			if c.name == "output" { // two streams have no order
				says = strings.ReplaceAll(says, "err\nout\n", "out\nerr\n")
			}
			if says != c.says || code != c.code {
				t.Errorf("says %q with %d, want %q with %d", says, code, c.says, c.code)
			}
		})
	}
}

func TestAProgramThatIsMissingIsNamed(t *testing.T) {
	f, scratch := files(t)
	_, err := Start(Spec{Scratch: scratch, Args: []string{"no-such-program"}}, f)
	if err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("the error is %v", err)
	}
}

func TestLogLines(t *testing.T) {
	b, f := start(t, Spec{}, `head -c 20000 /dev/zero | tr '\0' x; echo; echo second`)
	await(t, b)
	raw, err := os.ReadFile(f.Log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], " stdout P xxx") || !strings.Contains(lines[1], " stdout F xxx") || !strings.HasSuffix(lines[2], " stdout F second") {
		t.Fatalf("%d lines: %.80q", len(lines), lines)
	}
	if _, err := time.Parse(time.RFC3339Nano, strings.Fields(lines[0])[0]); err != nil {
		t.Error(err)
	}
}

func TestLogIsReopened(t *testing.T) {
	b, f := start(t, Spec{}, "echo before; while ! test -e /tmp/go; do sleep 0.05; done; echo after")
	eventually(t, func() bool { return strings.Contains(said(t, f), "before") })
	if err := os.Rename(f.Log, f.Log+".1"); err != nil {
		t.Fatal(err)
	}
	if err := b.Reopen(); err != nil {
		t.Fatal(err)
	}
	if code := execute(t, b, nil, "touch", "/tmp/go"); code != 0 {
		t.Fatalf("exec ended with %d", code)
	}
	await(t, b)
	if got := said(t, f); got != "after\n" {
		t.Errorf("the new log has %q", got)
	}
}

// execute runs a command in a box with its output going to a file.
func execute(t *testing.T, b *Box, out *os.File, args ...string) int {
	t.Helper()
	s, err := b.Exec(args, nil, out, out)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	code, err := s.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come to pass")
		}
	}
}

func TestExec(t *testing.T) {
	b, _ := start(t, Spec{}, "echo mine > /tmp/file; sleep 60")
	eventually(t, func() bool { return execute(t, b, nil, "test", "-s", "/tmp/file") == 0 })
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	if code := execute(t, b, out, "sh", "-c", "cat /tmp/file; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status; exit 3"); code != 3 {
		t.Errorf("exit code %d", code)
	}
	got, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	if want := "mine\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n"; string(got) != want {
		t.Errorf("exec saw %q", got)
	}
	if _, err := b.Exec([]string{"no-such-program"}, nil, nil, nil); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("the error is %v", err)
	}
}

func TestExecOnATerminal(t *testing.T) {
	b, _ := start(t, Spec{}, "sleep 60")
	s, err := b.ExecTerminal([]string{"sh", "-c", "tty; stty size; read x; echo got $x; exit 4"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Resize(33, 99); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Input.WriteString("word\n"); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	buf := make([]byte, 1024)
	for {
		n, err := s.Input.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			break
		}
	}
	if code, err := s.Wait(); err != nil || code != 4 {
		t.Errorf("ended with %d, %v", code, err)
	}
	if got := out.String(); !strings.Contains(got, "/dev/pts/0") || !strings.Contains(got, "got word") {
		t.Errorf("the terminal showed %q", got)
	}
}

func TestASessionThatIsClosedEndsItsProgram(t *testing.T) {
	b, _ := start(t, Spec{}, "sleep 60")
	s, err := b.Exec([]string{"sh", "-c", "while :; do touch /tmp/alive; sleep 0.05; done"}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	gone := func() bool {
		return execute(t, b, nil, "sh", "-c", "rm -f /tmp/alive; sleep 0.3; test -e /tmp/alive") != 0
	}
	if gone() {
		t.Fatal("the session does not run")
	}
	s.Close()
	eventually(t, gone)
}

func TestAttach(t *testing.T) {
	b, _ := start(t, Spec{Stdin: true, StdinOnce: true}, "while read x; do echo got $x; done; echo end")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := b.Attach(w, nil)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Input.WriteString("one\ntwo\n"); err != nil {
		t.Fatal(err)
	}
	s.Input.Close()
	await(t, b)
	buf := make([]byte, 1024)
	var out strings.Builder
	for {
		n, err := r.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			break
		}
	}
	if out.String() != "got one\ngot two\nend\n" {
		t.Errorf("attached saw %q", out.String())
	}
}

func TestStop(t *testing.T) {
	for _, c := range []struct {
		name, script string
		grace        time.Duration
		code         int
	}{
		{"asked", `trap 'exit 5' TERM; >/tmp/x; while :; do sleep 0.05; done`, 10 * time.Second, 5},
		{"deaf", `trap '' TERM; >/tmp/x; while :; do sleep 0.05; done`, 300 * time.Millisecond, 137},
		{"at once", `>/tmp/x; while :; do sleep 0.05; done`, 0, 137},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := start(t, Spec{}, c.script)
			eventually(t, func() bool { return execute(t, b, nil, "test", "-e", "/tmp/x") == 0 })
			if err := b.Stop(c.grace); err != nil {
				t.Fatal(err)
			}
			if code := b.Result().Code; code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
		})
	}
}

func TestABoxIsFoundAgain(t *testing.T) {
	b, f := start(t, Spec{}, "trap 'exit 6' TERM; >/tmp/x; while :; do sleep 0.05; done")
	again, err := Open(f)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return execute(t, again, nil, "test", "-e", "/tmp/x") == 0 })
	if err := again.Stop(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	await(t, b)
	if _, err := Open(f); err == nil {
		t.Error("a box that has ended was opened")
	}
	if got := Ended(f); got.Code != 6 {
		t.Errorf("it ended with %d", got.Code)
	}
	if got := Ended(Files{Result: f.Result + "-none"}); got.Code != Lost {
		t.Errorf("a box of which nothing is known ended with %d", got.Code)
	}
}

func TestCheck(t *testing.T) {
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := Check(dir); err != nil {
		t.Error(err)
	}
}
