// Command goblinlab is the server: the page, the API, the workers, and for a
// bare machine the local Kubernetes.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/internal/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		if !errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, "goblinlab:", err)
		}
		stop()
		var e exitError
		if errors.As(err, &e) {
			os.Exit(e.code)
		}
		os.Exit(1)
	}
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "goblinlab",
		Short:         "A machine-learning platform for teams that share one Kubernetes cluster",
		SilenceUsage:  true,
		SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{
			HiddenDefaultCmd: true,
		},
	}
	config.Flags(c.PersistentFlags())
	c.AddCommand(up(), serve(), work(), migrate(), signInLink(), secrets(), doctor(), local())
	return c
}

// load reads the configuration of a command and sets the log up.
func load(cmd *cobra.Command) (config.Config, error) {
	c, err := config.Load(cmd.Flags())
	if err != nil {
		return c, fmt.Errorf("configuration:\n%w", err)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Log.Level)); err != nil {
		return c, err
	}
	o := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(os.Stderr, o)
	if c.Log.JSON {
		h = slog.NewJSONHandler(os.Stderr, o)
	}
	slog.SetDefault(slog.New(h))
	return c, nil
}
