package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/internal/app"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
	"github.com/goblinlab/goblinlab/internal/setting"
)

func secrets() *cobra.Command {
	c := &cobra.Command{Use: "secrets", Short: "Manage the keys that seal the secrets of people and teams"}
	c.AddCommand(newKey(), rotate())
	return c
}

func newKey() *cobra.Command {
	return &cobra.Command{
		Use: "new-key", Short: "Print a new key, as a line for secrets.keyfile", Args: cobra.NoArgs,
		Long: "Print a new key, as a line for secrets.keyfile.\n\nTo change the key: add the line before the last one on every replica, so that all can open what it seals;\n" +
			"then move it to the end, so that it seals; run `goblinlab secrets rotate`; take the old line away.",
		RunE: func(*cobra.Command, []string) error {
			fmt.Println(envelope.NewKey())
			return nil
		},
	}
}

func rotate() *cobra.Command {
	return &cobra.Command{
		Use: "rotate", Short: "Bring all secrets, those of the settings too, under the newest key; safe beside running servers, and to repeat", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := load(cmd)
			if err != nil {
				return err
			}
			if path, ok := strings.CutPrefix(c.Database, "sqlite:"); ok {
				if _, err := os.Stat(path); err != nil {
					return fmt.Errorf("there is no GoblinLab in %s: name its folder with --data", c.Data)
				}
			}
			d, err := db.Open(cmd.Context(), c.Database)
			if err != nil {
				return err
			}
			defer d.Close()
			if _, err := d.Migrate(cmd.Context()); err != nil {
				return err
			}
			s, err := app.Secrets(d, c)
			if err != nil {
				return err
			}
			r, err := s.Rotate(cmd.Context())
			if err != nil {
				return err
			}
			settings, failed, err := setting.Rotate(cmd.Context(), d, s.Keys.Ring())
			if err != nil {
				return err
			}
			r.Failed = append(r.Failed, failed...)
			fmt.Printf("%d secrets and %d settings moved to the key %s\n", r.Moved, settings, r.Key)
			if len(r.Failed) > 0 {
				return errors.New("these could not be opened, their key is missing or another one:\n  " + strings.Join(r.Failed, "\n  "))
			}
			return nil
		},
	}
}
