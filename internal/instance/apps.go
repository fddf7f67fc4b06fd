package instance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
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
	kills []kill
	kept  string // the newest kill that is in the history
}

// apps asks the start-up program of a running pod how its apps are, not more
// often than makes sense; what it said last stands when it does not answer.
// It is asked at once after news, if there are any.
func (s *Service) apps(ctx context.Context, id string, p *corev1.Pod, news, now time.Time) ([]spec.App, []kill) {
	m := mainStatus(p)
	if m == nil || m.State.Running == nil || s.Kube == nil {
		return nil, nil
	}
	v, _ := s.polls.LoadOrStore(id, &poll{})
	last := v.(*poll)
	last.mu.Lock()
	defer last.mu.Unlock()
	_, ready := conditionTrue(p, corev1.PodReady)
	if last.pod != string(p.UID) {
		last.pod, last.apps, last.kills, last.at = string(p.UID), nil, nil, time.Time{}
	}
	every := pollSeldom
	if last.apps == nil || len(waitingFor(last.apps)) > 0 {
		every = pollOften
	}
	fresh := last.at.After(news.Add(time.Second)) // the cluster's times are whole seconds
	if last.ready == ready && fresh && now.Sub(last.at) < every {
		return struck(last.apps, last.kills, now), last.kills
	}
	last.at, last.ready = now, ready
	if apps, kills, err := s.ask(ctx, p.Namespace, p.Name); err == nil {
		last.apps, last.kills = apps, kills
	}
	return struck(last.apps, last.kills, now), last.kills
}

// ask reads what the start-up program tells of its apps, and of its memory.
func (s *Service) ask(ctx context.Context, namespace, pod string) ([]spec.App, []kill, error) {
	ctx, stop := context.WithTimeout(ctx, pollTimeout)
	defer stop()
	door := s.door(namespace, pod)
	defer door.CloseIdleConnections()
	body, status, err := get(ctx, door, "/apps", "", maxStatus)
	if err != nil {
		return nil, nil, fmt.Errorf("ask for apps: %w", err)
	}
	if status != http.StatusOK {
		return nil, nil, fmt.Errorf("ask for apps: status %d", status)
	}
	apps, err := readApps(body)
	if err != nil {
		return nil, nil, err
	}
	kills, err := askKills(ctx, door)
	if err != nil { // the apps count for more
		slog.DebugContext(ctx, "kills of a pod are not known", "pod", pod, "error", err)
	}
	return apps, kills, nil
}

func readApps(body []byte) ([]spec.App, error) {
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

// door is a way to the start-up program of a pod; close its idle connections.
func (s *Service) door(namespace, pod string) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return s.dial(ctx, namespace, pod)
	}}}
}

// get asks the start-up program for a page, with the password of the start
// where it takes one.
func get(ctx context.Context, door *http.Client, page, password string, limit int64) (body []byte, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://pod"+page, nil)
	if err != nil {
		return nil, 0, err
	}
	if password != "" {
		req.Header.Set("Authorization", "Bearer "+password)
	}
	res, err := door.Do(req)
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
