// Command goblin is GoblinLab from a terminal: it signs in by the device flow,
// so that whatever way people sign in by works for it, too.
//
// It ends with 0, with 2 when it was called wrongly, with 3 when nobody is
// signed in, with 4 when the server does not answer, and with 1 otherwise.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// How a command ends.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitSignedOut   = 3
	exitUnreachable = 4
)

// failure is an error that ends the program in its own way.
type failure struct {
	exit int
	err  error
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

func failf(exit int, format string, args ...any) error {
	return failure{exit, fmt.Errorf(format, args...)}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program with everything that it touches given.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := root()
	c.SetArgs(args)
	c.SetOut(stdout)
	c.SetErr(stderr)
	err := c.ExecuteContext(ctx)
	var f failure
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		_, _ = fmt.Fprintln(stderr, "goblin: stopped")
		return exitFailed
	case errors.As(err, &f):
		_, _ = fmt.Fprintln(stderr, "goblin:", err)
		return f.exit
	}
	_, _ = fmt.Fprintf(stderr, "goblin: %v\nTry 'goblin --help'.\n", err)
	return exitUsage
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:               "goblin",
		Short:             "GoblinLab from a terminal",
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	c.PersistentFlags().Bool("json", false, "write JSON, for programs")
	c.AddCommand(login(), logout(), whoami(), cp())
	return c
}
