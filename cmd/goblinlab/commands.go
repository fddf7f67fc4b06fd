package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
)

func up() *cobra.Command {
	return &cobra.Command{
		Use:   "up",
		Short: "Run everything here: page, API, worker, and the local Kubernetes unless a kubeconfig is given",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			c, err := load(cmd)
			if err != nil {
				return err
			}
			if c.Cluster.Kubeconfig == "" && os.Getenv("KUBECONFIG") == "" {
				c.Cluster.Local = true
			}
			say := func(l string) { fmt.Fprintln(os.Stderr, "  "+l) }
			if c.Cluster.Local {
				fmt.Fprintln(os.Stderr, "Starting the local Kubernetes")
				kubeconfig, stop, err := app.StartLocal(ctx, c, say)
				if err != nil {
					return err
				}
				defer func() {
					stop()
					fmt.Fprintf(os.Stderr, "Environments and runs go on in their containers and are found again by the next start.\nTo end them too: goblinlab local down --data %s\n", c.Data)
				}()
				c.Cluster.Kubeconfig = kubeconfig
			}
			return runRoles(cmd, c, app.Roles{Serve: true, Work: true})
		},
	}
}

func serve() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Run the page, the API and the gateways; workers run elsewhere", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(cmd)
			if err != nil {
				return err
			}
			return runRoles(cmd, c, app.Roles{Serve: true})
		},
	}
}

func work() *cobra.Command {
	return &cobra.Command{
		Use: "work", Short: "Run a worker: it brings the cluster in step with the database", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(cmd)
			if err != nil {
				return err
			}
			return runRoles(cmd, c, app.Roles{Work: true})
		},
	}
}

func migrate() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the database's schema to this version; every start does it too", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(cmd)
			if err != nil {
				return err
			}
			d, err := db.Open(cmd.Context(), c.Database)
			if err != nil {
				return err
			}
			defer d.Close()
			n, err := d.Migrate(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Printf("%d migrations applied\n", n)
			return nil
		},
	}
}

func signInLink() *cobra.Command {
	c := &cobra.Command{
		Use: "sign-in-link", Short: "Print a link that signs a person in once", Args: cobra.NoArgs,
		Long: "Print a link that signs a person in once: the administrator, or whoever --email names. It works beside a running server.",
	}
	email := c.Flags().String("email", "", "whose link (default the first administrator)")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := load(cmd)
		if err != nil {
			return err
		}
		if path, ok := strings.CutPrefix(cfg.Database, "sqlite:"); ok {
			if _, err := os.Stat(path); err != nil { // a link into a new, empty database would let nobody in
				return fmt.Errorf("there is no GoblinLab in %s: start it first, or name its folder with --data", cfg.Data)
			}
		}
		d, err := db.Open(cmd.Context(), cfg.Database)
		if err != nil {
			return err
		}
		defer d.Close()
		if _, err := d.Migrate(cmd.Context()); err != nil {
			return err
		}
		ctx := authz.AsSystem(cmd.Context())
		accounts := app.Accounts(d, cfg)
		u, _, err := accounts.EnsureAdministrator(ctx)
		if err != nil {
			return err
		}
		if *email != "" {
			if u, err = d.Client.User.Query().Where(user.EmailEqualFold(*email)).Only(ctx); err != nil {
				return fmt.Errorf("nobody has the address %q", *email)
			}
		}
		link, expires, err := accounts.NewSignInLink(ctx, u.ID)
		if err != nil {
			return err
		}
		fmt.Printf("%s\n(once, until %s)\n", link, expires.Local().Format("15:04 on 2 January"))
		return nil
	}
	return c
}
