package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	pollTimeout = 2 * time.Second
	pollOften   = time.Second      // while an app is not ready
	pollSeldom  = 30 * time.Second // afterwards; readiness tells of a crash
	maxStatus   = 64 << 10         // bytes
)

// poll is what the start-up program of a pod said last.
type poll struct {
	mu    sync.Mutex
	pod   string // UID
	ready bool   // of the pod, when it was asked
	at    time.Time
	apps  []spec.App
}

// apps asks the start-up program of a running pod how its apps are, not more
// often than makes sense; what it said last stands when it does not answer.
func (s *Service) apps(ctx context.Context, id string, p *corev1.Pod, now time.Time) []spec.App {
	m := mainStatus(p)
	if m == nil || m.State.Running == nil || s.Kube == nil {
		return nil
	}
	v, _ := s.polls.LoadOrStore(id, &poll{})
	last := v.(*poll)
	last.mu.Lock()
	defer last.mu.Unlock()
	_, ready := conditionTrue(p, corev1.PodReady)
	if last.pod != string(p.UID) {
		last.pod, last.apps, last.at = string(p.UID), nil, time.Time{}
	}
	every := pollSeldom
	if last.apps == nil || len(waitingFor(last.apps)) > 0 {
		every = pollOften
	}
	if last.ready == ready && now.Sub(last.at) < every {
		return last.apps
	}
	last.at, last.ready = now, ready
	if apps, err := s.ask(ctx, p.Namespace, p.Name); err == nil {
		last.apps = apps
	}
	return last.apps
}

// ask reads GET /apps of the start-up program.
func (s *Service) ask(ctx context.Context, namespace, pod string) ([]spec.App, error) {
	ctx, stop := context.WithTimeout(ctx, pollTimeout)
	defer stop()
	body, status, err := s.get(ctx, namespace, pod, "/apps", "", maxStatus)
	if err != nil {
		return nil, fmt.Errorf("ask for apps: %w", err)
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("ask for apps: status %d", status)
	}
	var list []struct {
		Name  string `json:"name"`
		Port  int32  `json:"port"`
		State string `json:"state"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("read apps: %w", err)
	}
	out := make([]spec.App, 0, len(list))
	for _, a := range list {
		out = append(out, spec.App{Name: clip(a.Name), Port: a.Port, State: clip(a.State)})
	}
	return out, nil
}

// get asks the start-up program for a page, with the password of the start
// where it takes one.
func (s *Service) get(ctx context.Context, namespace, pod, page, password string, limit int64) (body []byte, status int, err error) {
	t := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return s.dial(ctx, namespace, pod)
	}}
	defer t.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://pod"+page, nil)
	if err != nil {
		return nil, 0, err
	}
	if password != "" {
		req.Header.Set("Authorization", "Bearer "+password)
	}
	res, err := (&http.Client{Transport: t}).Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, limit))
	return body, res.StatusCode, err
}

// dial gives up when ctx ends; the tunnel that comes later is closed.
func (s *Service) dial(ctx context.Context, namespace, pod string) (net.Conn, error) {
	type result struct {
		conn net.Conn
		err  error
	}
	done := make(chan result, 1)
	go func() {
		c, err := s.Kube.Dial(ctx, namespace, pod, manifest.PortStatus)
		done <- result{c, err}
	}()
	select {
	case r := <-done:
		return r.conn, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.conn != nil {
				_ = r.conn.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// waitingFor are the apps that should be there and are not.
func waitingFor(apps []spec.App) []string {
	var out []string
	for _, a := range apps {
		if a.State != "ready" && a.State != "absent" && a.State != "idle" {
			out = append(out, a.Name)
		}
	}
	return out
}
