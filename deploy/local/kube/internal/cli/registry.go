package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/registry"
)

func registryCommand(s *settings) *cobra.Command {
	c := &cobra.Command{Use: "registry", Short: "How the nodes reach registries of images"}
	c.AddCommand(registrySetCommand(s), registryListCommand(s), registryRemoveCommand(s))
	return c
}

func registrySetCommand(s *settings) *cobra.Command {
	var r registry.Settings
	c := &cobra.Command{
		Use:   "set HOST",
		Short: "Set mirrors, plain HTTP or trust of a registry; counts from the next pull",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := layout.New(s.dir)
			if err != nil {
				return err
			}
			r.Host = args[0]
			if err := registry.Set(l.Registry(), r); err != nil {
				return err
			}
			say("registry %s is set", r.Host)
			return nil
		},
	}
	f := c.Flags()
	f.StringArrayVar(&r.Mirrors, "mirror", nil, "address that is asked first, as https://mirror.example:5000 (repeatable)")
	f.BoolVar(&r.HTTP, "http", false, "the registry speaks plain HTTP")
	f.StringVar(&r.CA, "ca", "", "file with the certificates of the authorities to trust, in PEM")
	f.BoolVar(&r.SkipVerify, "skip-verify", false, "check no certificate")
	return c
}

func registryListCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "List the registries that have settings", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			l, err := layout.New(s.dir)
			if err != nil {
				return err
			}
			list, err := registry.List(l.Registry())
			if err != nil {
				return err
			}
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "REGISTRY\tSET BY\tFILE")
			for _, e := range list {
				by := "hand"
				if e.Ours {
					by = "registry set"
				}
				fmt.Fprintf(t, "%s\t%s\t%s\n", e.Host, by, e.File)
			}
			return t.Flush()
		},
	}
}

func registryRemoveCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "rm HOST", Short: "Remove the settings of a registry; counts from the next pull", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := layout.New(s.dir)
			if err != nil {
				return err
			}
			return registry.Remove(l.Registry(), args[0])
		},
	}
}
