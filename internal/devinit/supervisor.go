package devinit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// How often an app is probed: quickly while somebody waits for it, seldom once
// it answers.
const (
	probeStarting = 100 * time.Millisecond
	probeReady    = 5 * time.Second

	toolTimeout = 30 * time.Second
)

// supervisor keeps one app running.
type supervisor struct {
	app      App
	settings Settings
	secrets  Secrets
	reaper   *Reaper
	board    *Board
	output   *Output
	kills    *killWatch
	now      func() time.Time
	demand   sync.WaitGroup // the door of an app that starts on demand
}

// run starts the app again and again until ctx ends, and then waits for the end
// of its last process; ending that process is the Reaper's work.
func (s *supervisor) run(ctx context.Context) {
	defer s.demand.Wait()
	if s.app.Root && os.Geteuid() != 0 {
		s.board.Set(s.app.Name, StateAbsent, s.app.Program+" needs root, and this container has another user")
		return
	}
	path, ok := lookPath(s.app.Program, s.settings.Environ)
	if s.app.Inner != 0 {
		if path, ok = s.awaitDemand(ctx); !ok {
			return
		}
	} else if !ok {
		s.board.Set(s.app.Name, StateAbsent, "the image has no "+s.app.Program)
		return
	}
	var wait time.Duration
	for ctx.Err() == nil {
		started := s.now()
		end := s.once(ctx, path)
		if ctx.Err() != nil {
			break
		}
		wait = s.settings.Backoff.Next(wait, s.now().Sub(started))
		end = fmt.Sprintf("%s, starts again after %s", end, wait)
		s.board.Set(s.app.Name, StateCrashed, end)
		s.log(end)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			s.board.Restarted(s.app.Name)
		case <-ctx.Done():
			timer.Stop()
		}
	}
	s.board.Set(s.app.Name, StateStopped, "")
}

// once runs the app to its end and says how it ended.
func (s *supervisor) once(ctx context.Context, path string) string {
	s.board.Set(s.app.Name, StateStarting, "")
	launch := Launch{Settings: s.settings, Secrets: s.secrets, Tool: s.tool, Log: s.log}
	if s.app.Prepare != nil {
		if err := s.app.Prepare(launch); err != nil {
			return "cannot be prepared: " + err.Error()
		}
	}
	c := Command{Path: path, Env: slices.Clone(s.settings.Environ), Dir: s.settings.Home}
	if s.app.Args != nil {
		c.Args = s.app.Args(launch)
	}
	if s.app.Env != nil {
		c.Env = append(c.Env, s.app.Env(launch)...)
	}
	process, done, err := s.start(c)
	if err != nil {
		return err.Error()
	}
	s.board.runs(s.app.Name, process.PID)
	defer s.board.runs(s.app.Name, 0)
	probing, stopProbing := context.WithCancel(ctx)
	probed := make(chan struct{})
	go func() {
		defer close(probed)
		s.probe(probing)
	}()
	exit := <-process.Exited
	stopProbing()
	<-probed
	s.flush(done)
	if exit.Killed() && s.kills.victim(s.app.Name, process.PID) {
		return exit.String() + ", since the container's memory was used up"
	}
	return exit.String()
}

// start runs a command with its output on the container's. done is closed when
// the last process that holds the output has ended.
func (s *supervisor) start(c Command) (Process, <-chan struct{}, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return Process{}, nil, fmt.Errorf("make pipe: %w", err)
	}
	c.Stdout, c.Stderr = w, w
	process, err := s.reaper.Start(c)
	if err = errors.Join(err, w.Close()); err != nil {
		return Process{}, nil, errors.Join(err, r.Close())
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.Close()
		copyLines(s.output.Prefixed(s.app.Name), r)
	}()
	return process, done, nil
}

// flush gives the last lines of an ended process time to be written. Children
// that it left behind may hold the output open for long.
func (s *supervisor) flush(done <-chan struct{}) {
	timer := time.NewTimer(probeStarting)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// probe notes whether the app answers, until ctx ends.
func (s *supervisor) probe(ctx context.Context) {
	started := s.now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		err := s.app.Ready(ctx, s.settings)
		if ctx.Err() != nil {
			return
		}
		timer.Reset(s.note(err, started))
	}
}

// note puts a probe's result on the board and returns the time to the next.
func (s *supervisor) note(err error, started time.Time) time.Duration {
	if err == nil {
		if s.board.Set(s.app.Name, StateReady, "") {
			took := s.now().Sub(started).Round(10 * time.Millisecond)
			s.log(fmt.Sprintf("accepts connections on port %d, %s after its start", s.app.Port, took))
		}
		return probeReady
	}
	message := ""
	if !errors.Is(err, errSilent) {
		message = err.Error()
	}
	if s.board.Set(s.app.Name, StateStarting, message) {
		s.log("no longer answers")
	}
	return probeStarting
}

// Tool runs a helper program to its end, with its output on the container's.
type Tool func(stdin io.Reader, program string, args ...string) error

func (s *supervisor) tool(stdin io.Reader, program string, args ...string) error {
	path, ok := lookPath(program, s.settings.Environ)
	if !ok {
		return fmt.Errorf("the image has no %s", program)
	}
	c := Command{Path: path, Args: args, Env: s.settings.Environ, Dir: "/"}
	feed := func() error { return nil }
	if stdin != nil {
		r, w, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("make pipe: %w", err)
		}
		defer r.Close()
		c.Stdin = r
		feed = func() error {
			_, err := io.Copy(w, stdin)
			return errors.Join(err, w.Close())
		}
	}
	process, done, err := s.start(c)
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", program, err), feed())
	}
	if err := feed(); err != nil {
		s.log(program + ": " + err.Error())
	}
	timer := time.NewTimer(toolTimeout)
	defer timer.Stop()
	select {
	case exit := <-process.Exited:
		s.flush(done)
		if !exit.OK() {
			return fmt.Errorf("%s %s", program, exit)
		}
		return nil
	case <-timer.C:
		return fmt.Errorf("%s takes longer than %s", program, toolTimeout)
	}
}

func (s *supervisor) log(message string) {
	_, _ = s.output.about(s.app.Name).Write([]byte(s.app.Name + ": " + message))
}
