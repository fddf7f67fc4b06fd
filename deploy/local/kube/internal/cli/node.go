package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/cluster"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/topology"
)

func nodeCommand(s *settings) *cobra.Command {
	c := &cobra.Command{
		Use: "node", Short: "Add, stop, cut off and remove nodes of the running cluster",
		Long: "Add, stop, cut off and remove nodes of the running cluster. The other nodes go on, and later starts find the nodes as they\nwere left. The first node lives in the process of the control plane and stays.",
		Args: cobra.NoArgs,
	}
	c.AddCommand(nodeListCommand(s), nodeAddCommand(s),
		verbCommand(s, cluster.VerbStop, "End the kubelet and the containers of a node, as if its machine was switched off"),
		verbCommand(s, cluster.VerbStart, "Start a stopped node again"),
		verbCommand(s, cluster.VerbCut, "Cut the network between a node and the control plane; its containers go on"),
		verbCommand(s, cluster.VerbHeal, "Join a node again that was cut off"),
		verbCommand(s, cluster.VerbRm, "Remove a node with its pods and images; volumes stay"))
	return c
}

func nodeAddCommand(s *settings) *cobra.Command {
	var n topology.Node
	var labels []string
	c := &cobra.Command{
		Use: "add NAME", Short: "Add a node and wait until it is Ready and has the images that every node got", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			n.Name = args[0]
			if n.Labels, err = parseLabels(labels); err != nil {
				return err
			}
			return cluster.Command(c.Context(), s.dir, cluster.NodeCommand{Verb: cluster.VerbAdd, Node: n}, sayLine)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&labels, "label", nil, "label key=value (repeatable)")
	f.StringArrayVar(&n.Taints, "taint", nil, "taint key=value:Effect, as kubectl writes it (repeatable)")
	f.IntVar(&n.GPUs, "gpus", 0, "number of pretend nvidia.com/gpu devices")
	f.StringVar(&n.CPU, "cpu", "", "CPUs that the node reports (default the machine's)")
	f.StringVar(&n.Memory, "memory", "", "memory that the node reports, such as 64Gi (default the machine's)")
	return c
}

func parseLabels(flags []string) (map[string]string, error) {
	out := map[string]string{}
	for _, l := range flags {
		k, v, ok := strings.Cut(l, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("--label: %q, must be key=value", l)
		}
		if _, twice := out[k]; twice {
			return nil, fmt.Errorf("--label: the key %q is given twice", k)
		}
		out[k] = v
	}
	return out, nil
}

// verbCommand is a command that needs no more than a node's name.
func verbCommand(s *settings, verb cluster.Verb, short string) *cobra.Command {
	var grace time.Duration
	c := &cobra.Command{
		Use: string(verb) + " NAME", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if grace < 0 {
				return fmt.Errorf("--grace: %s, must not be negative", grace)
			}
			return cluster.Command(c.Context(), s.dir, cluster.NodeCommand{Verb: verb, Node: topology.Node{Name: args[0]}, Grace: grace}, sayLine)
		},
	}
	if verb == cluster.VerbStop || verb == cluster.VerbRm {
		c.Flags().DurationVar(&grace, "grace", 3*time.Second, "time for containers to end by themselves; 0 is a power cut")
	}
	return c
}

func nodeListCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "List the nodes", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := cluster.Look(c.Context(), s.dir)
			if err != nil {
				return err
			}
			nodes, err := cluster.Nodes(s.dir)
			if err != nil {
				return err
			}
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "NODE\tSTATE\tGPUS\tLABELS\tTAINTS")
			for _, n := range nodes {
				state := r.NodeStates[n.Name]
				if state == "" {
					state = "cluster is " + string(r.Phase)
				}
				fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", n.Name, state, n.GPUs, labelText(n.Labels), strings.Join(n.Taints, " "))
			}
			return t.Flush()
		},
	}
}

func labelText(labels map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		out = append(out, k+"="+labels[k])
	}
	return strings.Join(out, " ")
}

// settleCommand and powerOffCommand are run by the cluster itself, in the machine's mount namespace.
func settleCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "settle", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return cluster.Settle(s.dir) },
	}
}

func powerOffCommand(s *settings) *cobra.Command {
	var name string
	var grace time.Duration
	c := &cobra.Command{
		Use: "power-off", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return cluster.PowerOff(s.dir, name, grace) },
	}
	c.Flags().StringVar(&name, "name", "", "name of the node")
	c.Flags().DurationVar(&grace, "grace", 0, "time for containers to end by themselves")
	return c
}

// runNodeCommand is the child process of a node.
func runNodeCommand(s *settings) *cobra.Command {
	var name, init string
	c := &cobra.Command{
		Use: "run-node", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := stopSignals()
			defer stop()
			return cluster.RunNode(ctx, cluster.NodeOptions{Dir: s.dir, Bin: s.runtime(), Name: name, Init: init})
		},
	}
	c.Flags().StringVar(&name, "name", "", "name of the node")
	c.Flags().StringVar(&init, "init", "", "program for containers that name none")
	return c
}
