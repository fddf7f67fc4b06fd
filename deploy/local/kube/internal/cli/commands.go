package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/cluster"
)

func downCommand(s *settings) *cobra.Command {
	var grace time.Duration
	c := &cobra.Command{
		Use: "down", Short: "Stop the cluster and its pods and remove all it left on the machine; data stays",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return cluster.Down(s.dir, grace, say) },
	}
	c.Flags().DurationVar(&grace, "grace", 3*time.Second, "time for containers to end by themselves")
	return c
}

func wipeCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "wipe", Short: "Take the cluster down and delete its data, volumes included",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return cluster.Wipe(s.dir, say) },
	}
}

func kubeconfigCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "kubeconfig", Short: "Print the administrator's kubeconfig",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b, err := cluster.Kubeconfig(s.dir)
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(b)
			return err
		},
	}
}

func statusCommand(s *settings) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use: "status", Short: "Say how the cluster is; the exit code is 0 only when it is running",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := cluster.Look(c.Context(), s.dir)
			if err != nil {
				return err
			}
			if err := printStatus(c.OutOrStdout(), r, output); err != nil {
				return err
			}
			if r.Phase != cluster.PhaseRunning {
				os.Exit(3) // as service managers do for "not running"
			}
			return nil
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	return c
}

func printStatus(w io.Writer, r cluster.Report, output string) error {
	switch output {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	case "text":
	default:
		return fmt.Errorf("--output: %q, must be text or json", output)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "phase\t%s\n", r.Phase)
	if r.Phase == cluster.PhaseStopped {
		fmt.Fprintln(t, "pods\tmay still run; start again with up, or end them with down")
	}
	if r.PID != 0 {
		fmt.Fprintf(t, "process\t%d\n", r.PID)
	}
	if r.Phase == cluster.PhaseRunning {
		fmt.Fprintf(t, "server\t%s\nkubeconfig\t%s\nsince\t%s\n", r.Server, r.Kubeconfig, r.StartedAt.Local().Format(time.DateTime))
		fmt.Fprintf(t, "runtime\t%s, because %s\n", r.Runtime, r.RuntimeReason)
		fmt.Fprintf(t, "network policies\t%s\n", r.NetworkPolicies)
	}
	for _, n := range r.Nodes {
		fmt.Fprintf(t, "node %s\t%s\n", n, r.NodeStates[n])
	}
	return t.Flush()
}

func imageCommand(s *settings) *cobra.Command {
	c := &cobra.Command{Use: "image", Short: "Images on the nodes"}
	c.AddCommand(imageImportCommand(s), imageListCommand(s), imagePullCommand(s), imageRemoveCommand(s), imagePruneCommand(s))
	return c
}

func imageImportCommand(s *settings) *cobra.Command {
	var nodes []string
	c := &cobra.Command{
		Use: "import FILE...", Short: "Import OCI or Docker archives on every node; what is there already is skipped",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			return cluster.ImportImages(c.Context(), s.dir, s.runtime(), nodes, files, func(line string) { say("%s", line) })
		},
	}
	c.Flags().StringSliceVar(&nodes, "node", nil, "only on these nodes")
	return c
}

func imageListCommand(s *settings) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use: "ls", Short: "List the images on the nodes", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			images, err := cluster.ListImages(c.Context(), s.dir, s.runtime())
			if err != nil {
				return err
			}
			if output == "json" {
				return json.NewEncoder(c.OutOrStdout()).Encode(images)
			}
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "IMAGE\tDIGEST\tSIZE\tNODES")
			for _, i := range images {
				fmt.Fprintf(t, "%s\t%.19s\t%.1f MB\t%s\n", i.Name, i.Digest, float64(i.Size)/1e6, strings.Join(i.Nodes, ","))
			}
			return t.Flush()
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	return c
}
