package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/config"
)

// runRoles runs a process until it is told to stop.
func runRoles(cmd *cobra.Command, c config.Config, roles app.Roles) error {
	ctx := cmd.Context()
	a, err := app.New(ctx, c, roles)
	if err != nil {
		return err
	}
	defer a.Close()
	if roles.Serve {
		if err := a.Listen(ctx); err != nil {
			return err
		}
		w, err := a.Bootstrap(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "\nGoblinLab    %s\nSign in      %s\n             (once, until %s)\n\n", w.URL, w.SignIn, w.ExpiresAt.Local().Format("15:04 on 2 January"))
	}
	return a.Run(ctx)
}
