package devinit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Run is the life of the container: it prepares home and environment, starts
// the apps and keeps them running until ctx ends, and then ends every process
// within the grace. It returns an error only if the container cannot work.
func Run(ctx context.Context, s Settings, secrets Secrets, apps []App, out *Output) error {
	log := func(format string, args ...any) {
		fmt.Fprintf(out.Prefixed("goblin-init"), format, args...)
	}
	reaper, err := NewReaper()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.Status)
	if err != nil {
		return fmt.Errorf("serve status: %w", err)
	}
	log("status on %s", listener.Addr())
	prepare(s, log)
	out.keep(filepath.Join(s.RunDir, "logs"), apps, redactor(secrets, s.Environ))
	out.hide(masker(s.Environ))

	board := NewBoard(apps, time.Now)
	background, end := context.WithCancel(context.WithoutCancel(ctx))
	var helpers sync.WaitGroup
	helpers.Go(func() { reaper.Run(background) })
	kills := newKillWatch(s.Cgroup, board, out)
	helpers.Go(func() { kills.run(background) })
	helpers.Go(func() {
		if err := serveUntil(background, listener, StatusHandler(board, kills, secrets, out)); err != nil {
			log("status server ended: %v", err)
		}
	})

	var running sync.WaitGroup
	for _, app := range apps {
		one := &supervisor{
			app: app, settings: s, secrets: secrets, reaper: reaper, board: board, output: out, kills: kills, now: time.Now,
		}
		running.Go(func() { one.run(ctx) })
	}
	<-ctx.Done()
	log("ending, at most %s", s.Grace)
	if killed := reaper.Stop(s.Grace); killed {
		log("some processes did not end in time and were killed")
	}
	running.Wait()
	end()
	helpers.Wait()
	log("ended")
	return nil
}

// prepare does what all apps rely on. A failure is told and does not stop the
// start: an instance without a seeded home is better than none.
func prepare(s Settings, log func(string, ...any)) {
	if err := os.MkdirAll(s.RunDir, 0o755); err != nil {
		log("make run folder: %v", err)
	}
	seeded, err := SeedHome(s.Home, s.Skeleton)
	switch {
	case err != nil:
		log("%v", err)
	case seeded:
		log("home %s was empty and is seeded from %s", s.Home, s.Skeleton)
	}
	if err := errors.Join(fixAccountHome(s.Passwd, s.Home), writeEnvironment(s)); err != nil {
		log("%v", err)
	}
	// What an earlier container of the same file system left behind is of no
	// use, and a stale token would be read.
	for _, stale := range []string{jupyterRuntime(s), codeRun(s)} {
		if err := os.RemoveAll(stale); err != nil {
			log("%v", err)
		}
	}
}
