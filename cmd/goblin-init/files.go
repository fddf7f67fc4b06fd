package main

import (
	"context"
	"flag"
	"fmt"

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
	credentials := f.String("credentials", "/run/secrets/goblinlab", "folder with secret, tls.crt and tls.key")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("goblin-init files takes flags alone, not %q", f.Arg(0))
	}
	secret, cert, err := agent.ReadCredentials(*credentials)
	if err != nil {
		return err
	}
	o.Secret = secret
	a, err := agent.New(o)
	if err != nil {
		return err
	}
	l, err := agent.Listen(ctx, *listen, cert)
	if err != nil {
		return err
	}
	return a.Serve(ctx, l)
}
