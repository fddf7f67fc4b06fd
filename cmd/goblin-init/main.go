// Goblin-init is the first process of a development instance. It keeps
// JupyterLab and sshd running, protects them with the instance's secrets and
// tells whether they can be reached. docs/images.md describes the contract;
// package devinit holds the logic.
//
// Usage:
//
//	goblin-init [run]         run the container
//	goblin-init apps          print the state of the apps of a running one
//	goblin-init healthcheck   exit with 0 when it is ready, with 1 when not
//	goblin-init files         serve the files of a volume until nobody asks, see files.go
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/internal/devinit"
)

const usage = "usage: goblin-init [run | apps | healthcheck | files …]"

func main() {
	if err := dispatch(os.Args, os.Environ()); err != nil {
		fmt.Fprintln(os.Stderr, "[goblin-init]", err)
		os.Exit(1)
	}
}

// dispatch runs the subcommand.
func dispatch(args, environ []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	defer stop()
	command := "run"
	if len(args) > 1 {
		command = args[1]
	}
	if command == "files" {
		return serveFiles(ctx, args[2:])
	}
	if len(args) > 2 {
		return fmt.Errorf("%s", usage)
	}
	switch command {
	case "run":
		return run(ctx, args, environ)
	case "apps", "healthcheck":
		_, rest, _ := devinit.SplitSecrets(environ)
		settings, err := devinit.SettingsFrom(rest)
		if err != nil {
			return err
		}
		if command == "apps" {
			return devinit.PrintApps(ctx, settings, os.Stdout)
		}
		return devinit.Healthcheck(ctx, settings)
	}
	return fmt.Errorf("%q is not a command; %s", command, usage)
}

func run(ctx context.Context, args, environ []string) error {
	secrets, rest, err := devinit.TakeSecrets(args, environ)
	if err != nil {
		return err
	}
	settings, err := devinit.SettingsFrom(rest)
	if err != nil {
		return err
	}
	return devinit.Run(ctx, settings, secrets, devinit.Apps(), devinit.NewOutput(os.Stdout))
}
