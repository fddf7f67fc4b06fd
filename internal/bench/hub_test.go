//go:build bench

package bench

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hub is a JupyterHub from Debian's packages on this machine, whose notebooks
// are local processes: no container, no pod, one program each.
type hub struct {
	t     testing.TB
	url   string // of the proxy that people use
	token string
	http  *http.Client
}

const hubUser = "bench"

// hubSettings give each notebook a process and no password to type. %[5]q is
// the name of whoever runs the bench: Debian's hub asks root to say that they mean it.
const hubSettings = `
c.JupyterHub.bind_url = 'http://127.0.0.1:%[1]d'
c.JupyterHub.hub_bind_url = 'http://127.0.0.1:%[2]d'
c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:%[3]d'
c.JupyterHub.db_url = 'sqlite:///%[4]s/hub.sqlite'
c.JupyterHub.cookie_secret_file = '%[4]s/cookie'
c.ConfigurableHTTPProxy.pid_file = '%[4]s/proxy.pid'
c.JupyterHub.authenticator_class = 'dummy'
c.JupyterHub.spawner_class = 'simple'
c.SimpleLocalProcessSpawner.home_dir_template = '%[4]s/home'
c.Spawner.args = ['--allow-root']
c.Authenticator.allowed_users = {'` + hubUser + `'}
c.JupyterHub.services = [{'name': 'bench', 'api_token': '%[5]s'}]
c.JupyterHub.load_roles = [{'name': 'bench', 'services': ['bench'], 'scopes': ['admin:users', 'admin:servers', 'access:servers']}]
`

// newHub starts one; without the packages it says what is missing.
func newHub(t testing.TB) (*hub, error) {
	t.Helper()
	if _, err := exec.LookPath("jupyterhub"); err != nil {
		need := exec.Command("../../scripts/need.sh", "jupyterhub=jupyterhub")
		if out, err := need.CombinedOutput(); err != nil {
			words := strings.TrimSpace(string(out))
			return nil, errors.New(words[strings.LastIndexByte(words, '\n')+1:])
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o755); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	h := &hub{t: t, url: fmt.Sprintf("http://127.0.0.1:%d", port), token: rand.Text(), http: &http.Client{Timeout: time.Minute}}
	settings := filepath.Join(dir, "settings.py")
	text := fmt.Sprintf(hubSettings, port, freePort(t), freePort(t), dir, h.token)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command("jupyterhub", "-f", settings)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append(os.Environ(), "NODE_PATH=/usr/share/nodejs:/usr/lib/x86_64-linux-gnu/nodejs:/usr/lib/aarch64-linux-gnu/nodejs")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if code, _ := h.ask(http.MethodPost, "/hub/api/users/"+hubUser); code == http.StatusCreated || code == http.StatusConflict {
			return h, nil
		}
		select {
		case err := <-ended:
			ended <- err
			words, _ := os.ReadFile(log.Name())
			return nil, fmt.Errorf("it ended: %w: %s", err, lastLines(words))
		default:
		}
		if time.Now().After(end) {
			words, _ := os.ReadFile(log.Name())
			return nil, fmt.Errorf("it does not answer within a minute: %s", lastLines(words))
		}
	}
}

func lastLines(words []byte) string {
	lines := strings.Split(strings.TrimSpace(string(words)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " | ")
}

// ask sends a request as the bench's service.
func (h *hub) ask(method, path string) (int, []byte) {
	req, err := http.NewRequestWithContext(context.Background(), method, h.url+path, http.NoBody)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+h.token)
	res, err := h.http.Do(req)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, body
}

// spawn starts a notebook and waits until it answers through the hub's proxy.
func (h *hub) spawn() time.Duration {
	h.t.Helper()
	start := time.Now()
	if code, body := h.ask(http.MethodPost, "/hub/api/users/"+hubUser+"/server"); code != http.StatusCreated && code != http.StatusAccepted {
		h.t.Fatalf("JupyterHub: spawn: %d %s", code, body)
	}
	for end := start.Add(2 * time.Minute); ; time.Sleep(glance) {
		code, body := h.ask(http.MethodGet, "/user/"+hubUser+"/api/status")
		if code == http.StatusOK && bytes.Contains(body, []byte("last_activity")) {
			break
		}
		if time.Now().After(end) {
			h.t.Fatalf("JupyterHub: the notebook answers %d %.300s", code, body)
		}
	}
	took := time.Since(start)
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		code, body := h.ask(http.MethodDelete, "/hub/api/users/"+hubUser+"/server")
		if code == http.StatusNoContent || code == http.StatusNotFound || code == http.StatusBadRequest && bytes.Contains(body, []byte("not running")) {
			return took
		}
		if time.Now().After(end) {
			h.t.Fatalf("JupyterHub: the notebook does not stop: %d %s", code, body)
		}
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
