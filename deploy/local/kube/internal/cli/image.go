package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/cluster"
)

func imagePullCommand(s *settings) *cobra.Command {
	var nodes []string
	var user string
	c := &cobra.Command{
		Use: "pull REF", Short: "Pull an image on every node, with the settings that registry gave",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return cluster.PullImage(c.Context(), s.dir, s.runtime(), nodes, args[0], user, c.InOrStdin(), func(line string) { say("%s", line) })
		},
	}
	c.Flags().StringSliceVar(&nodes, "node", nil, "only on these nodes")
	c.Flags().StringVar(&user, "user", "", "user name at the registry; the password is read from standard input")
	return c
}

func imageRemoveCommand(s *settings) *cobra.Command {
	var nodes []string
	c := &cobra.Command{
		Use: "rm REF...", Short: "Remove images that no pod uses from every node",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, refs []string) error {
			return cluster.RemoveImages(c.Context(), s.dir, s.runtime(), nodes, refs, func(line string) { say("%s", line) })
		},
	}
	c.Flags().StringSliceVar(&nodes, "node", nil, "only from these nodes")
	return c
}

func imagePruneCommand(s *settings) *cobra.Command {
	var nodes []string
	c := &cobra.Command{
		Use: "prune", Short: "Remove every image that no pod uses; those of up --image and the pause image stay",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := cluster.PruneImages(c.Context(), s.dir, s.runtime(), nodes, func(line string) { say("%s", line) })
			if err == nil && n == 0 {
				say("nothing to remove: every image is used, or came with the start")
			}
			if err != nil {
				return fmt.Errorf("prune: %w", err)
			}
			return nil
		},
	}
	c.Flags().StringSliceVar(&nodes, "node", nil, "only on these nodes")
	return c
}
