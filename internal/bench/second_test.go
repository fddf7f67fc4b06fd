//go:build bench

package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	secondRounds = 3
	patience     = 3 * time.Minute // until it is there
)

// benchSecond is L1: a start on a data folder of before. It comes last, since a
// machine carries one cluster: that of the other measurements ends here.
func benchSecond(t *testing.T) outcome {
	if os.Geteuid() != 0 {
		return outcome{note: "Not measured: the local Kubernetes takes root."}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	s := &restarts{t: t, root: root, data: t.TempDir()}
	s.local("down", filepath.Dir(kubeconfig(t)))
	t.Cleanup(func() { s.local("down", s.cluster()) })
	s.up(false) // the first start makes the folder
	s.alone()
	up := func(reboot bool, made bool) func() series {
		return func() series {
			if reboot {
				s.local("down", s.cluster())
			}
			page, _ := s.up(made)
			return series{page}
		}
	}
	return compare(secondRounds,
		contender{"the local Kubernetes alone, to ready (the limit)", func() series { return series{s.alone()} }},
		contender{"`goblinlab up`, to the page", up(false, false)},
		contender{"`goblinlab up`, to the cluster ready", func() series { _, cluster := s.up(false); return series{cluster} }},
		contender{"`make run`, to the page", up(false, true)},
		contender{"`goblinlab up` after a reboot, to the page", up(true, false)},
	)
}

// restarts are those of one data folder.
type restarts struct {
	t          *testing.T
	root, data string
}

func (s *restarts) cluster() string { return filepath.Join(s.data, "cluster") }

func (s *restarts) program() string { return filepath.Join(s.root, "bin/local/goblinlab-local") }

func (s *restarts) local(word, dir string) {
	s.t.Helper()
	if out, err := exec.Command(s.program(), word, "--dir", dir).CombinedOutput(); err != nil {
		s.t.Fatalf("%s of the local Kubernetes: %v: %s", word, err, out)
	}
}

// alone is how long the local Kubernetes takes by itself.
func (s *restarts) alone() time.Duration {
	s.t.Helper()
	_, took := s.run(exec.Command(s.program(), "up", "--dir", s.cluster()), func() bool { return false }, func() bool {
		b, err := os.ReadFile(filepath.Join(s.cluster(), "status.json"))
		var st struct{ Ready bool }
		return err == nil && json.Unmarshal(b, &st) == nil && st.Ready
	})
	return took
}

// up is how long the platform takes to its page, and to a cluster that answers.
func (s *restarts) up(made bool) (page, cluster time.Duration) {
	s.t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", freePort(s.t))
	flags := []string{"--data", s.data, "--listen", address}
	cmd := exec.Command(filepath.Join(s.root, "bin/goblinlab"), append([]string{"up"}, flags...)...)
	if made {
		cmd = exec.Command("make", "--no-print-directory", "run", "ARGS="+strings.Join(flags, " "))
	}
	cmd.Dir = s.root
	client := &http.Client{Timeout: 2 * time.Second}
	get := func(path string, read func(*http.Response) bool) bool {
		res, err := client.Get("http://" + address + path)
		if err != nil {
			return false
		}
		defer res.Body.Close()
		return res.StatusCode == http.StatusOK && read(res)
	}
	return s.run(cmd,
		func() bool { return get("/", func(*http.Response) bool { return true }) },
		func() bool {
			return get("/readyz", func(res *http.Response) bool {
				var parts struct{ Cluster string }
				return json.NewDecoder(res.Body).Decode(&parts) == nil && parts.Cluster == "ok"
			})
		})
}

// run starts a program, waits for two signs of life, the first of which may
// come with the second, and ends it as Ctrl-C does.
func (s *restarts) run(cmd *exec.Cmd, first, second func() bool) (early, late time.Duration) {
	s.t.Helper()
	log, err := os.CreateTemp(s.data, "log-")
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MAKE") && !strings.HasPrefix(v, "MFLAGS") && !strings.HasPrefix(v, "GOBLINLAB_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	_ = os.Remove(filepath.Join(s.cluster(), "status.json")) // of a program that was ended by force
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		if early == 0 && first() {
			early = time.Since(begin)
		}
		if second() {
			late = time.Since(begin)
			early = min(cmp.Or(early, late), late)
			break
		}
		select {
		case err := <-ended:
			s.t.Fatalf("%s ended: %v: %s", cmd, err, told(log.Name()))
		default:
		}
		if time.Since(begin) > patience {
			s.t.Fatalf("%s is not there after %v: %s", cmd, patience, told(log.Name()))
		}
		time.Sleep(glance)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		s.t.Fatalf("%s does not end: %s", cmd, told(log.Name()))
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(glance) {
		if _, err := os.Stat(filepath.Join(s.cluster(), "status.json")); os.IsNotExist(err) {
			return early, late
		}
		if time.Now().After(end) {
			s.t.Fatalf("%s left its cluster running", cmd)
		}
	}
}

func told(log string) string {
	b, _ := os.ReadFile(log)
	return lastLines(b)
}
