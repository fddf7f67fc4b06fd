package main

import (
	"context"
	"flag"
	"fmt"
	"net"

	"github.com/goblinlab/goblinlab/internal/files/agent"
)

// serveFiles is the data manager's agent beside a volume (docs/adr/0016-files.md).
func serveFiles(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("goblin-init files", flag.ContinueOnError)
	var o agent.Options
	f.StringVar(&o.Dir, "dir", "/volume", "folder to serve")
	f.BoolVar(&o.ReadOnly, "read-only", false, "change nothing")
	f.DurationVar(&o.Idle, "idle", agent.Idle, "end after this time without a request")
	listen := f.String("listen", ":8730", "address")
	secret := f.String("secret", "/run/secrets/goblinlab/secret", "file with what callers have to know")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("goblin-init files takes flags alone, not %q", f.Arg(0))
	}
	var err error
	if o.Secret, err = agent.ReadSecret(*secret); err != nil {
		return err
	}
	a, err := agent.New(o)
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return a.Serve(ctx, l)
}
