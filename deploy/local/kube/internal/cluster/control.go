package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

// The running cluster takes node commands as HTTP requests on a socket that only root can open. It answers with a line of
// JSON for each line of progress; the last one may be an error.

// answer is a line of the response to a node command.
type answer struct {
	Say   string `json:"say,omitempty"`
	Error string `json:"error,omitempty"`
}

const (
	commandPath  = "/node"
	commandLimit = 64 << 10 // bytes
	// commandsEnd is how long a command at work may hold the end of the cluster up.
	commandsEnd = 20 * time.Second
)

// takeCommands serves the socket until ctx ends.
func (r *run) takeCommands(ctx context.Context) error {
	path := r.layout.Control()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // left behind by a killed process
		return err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	var one sync.Mutex
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+commandPath, func(w http.ResponseWriter, q *http.Request) {
		one.Lock()
		defer one.Unlock()
		r.serveCommand(ctx, w, q)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	r.background.Go(func() { _ = server.Serve(l) }) // ends by Shutdown
	r.background.Go(func() {
		<-ctx.Done()
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandsEnd)
		defer cancel()
		if err := server.Shutdown(limit); err != nil {
			r.say("a command for a node did not end: %v", err)
		}
	})
	return nil
}

// serveCommand carries one command out; it ends with the cluster, not with the one who asked.
func (r *run) serveCommand(ctx context.Context, w http.ResponseWriter, q *http.Request) {
	send := func(a answer) {
		_ = json.NewEncoder(w).Encode(a) // whoever asked may have gone
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	var c NodeCommand
	d := json.NewDecoder(http.MaxBytesReader(w, q.Body, commandLimit))
	d.DisallowUnknownFields()
	err := d.Decode(&c)
	if err == nil {
		err = r.do(ctx, c, func(format string, args ...any) {
			r.say(format, args...)
			send(answer{Say: fmt.Sprintf(format, args...)})
		})
	}
	if err != nil {
		r.say("node %s %s: %v", c.Verb, c.Node.Name, err)
		send(answer{Error: err.Error()})
	}
}

// Command asks the running cluster in dir to carry a node command out and passes its progress on.
func Command(ctx context.Context, dir string, c NodeCommand, say func(line string)) error {
	l, err := layout.New(dir)
	if err != nil {
		return err
	}
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	conn, err := dialControl(ctx, l)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil }}}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://cluster"+commandPath, bytes.NewReader(body))
	if err != nil {
		return err
	}
	p, err := client.Do(q)
	if err != nil {
		return fmt.Errorf("ask the cluster: %w", err)
	}
	defer p.Body.Close()
	d := json.NewDecoder(p.Body)
	for {
		var a answer
		if err := d.Decode(&a); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("the cluster ended while it was at work (the next start goes on with it): %w", err)
		}
		if a.Error != "" {
			return errors.New(a.Error)
		}
		say(a.Say)
	}
}

// dialControl opens the socket of the running cluster; without one the error says what is to be done.
func dialControl(ctx context.Context, l layout.Layout) (net.Conn, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("commands for nodes need root")
	}
	if _, runs := running(l); !runs {
		return nil, fmt.Errorf("the cluster in %s is not running; start it with up", l.Dir)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", l.Control())
	if err != nil {
		return nil, fmt.Errorf("the cluster in %s is still starting, or ending; try again when status says running", l.Dir)
	}
	return conn, nil
}
