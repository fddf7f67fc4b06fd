// Package cli is the command line of goblinlab-local.
package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

const about = `goblinlab-local is a whole Kubernetes for one machine: etcd, API server, controller manager, scheduler, kube-proxy and
kubelets in one program, over a private containerd per node. For an ordinary user containers are local processes instead.`

// calledAs is the variable by which a program that hands its words to this one says how it was called.
const calledAs = "GOBLINLAB_LOCAL_CALLED_AS"

// settings are the flags that every command has.
type settings struct {
	dir string
	bin string
}

// New gives the root command.
func New() *cobra.Command {
	var s settings
	name := os.Getenv(calledAs)
	if name == "" {
		name = "goblinlab-local"
	}
	root := &cobra.Command{
		Use: "goblinlab-local", Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: name}, Short: "A whole Kubernetes for one machine", Long: about,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return s.absolute() },
	}
	root.PersistentFlags().StringVar(&s.dir, "dir", ".goblinlab/local", "data folder of the cluster")
	root.PersistentFlags().StringVar(&s.bin, "bin", defaultBin(), "folder with runtime/, which holds containerd, runc, CNI plug-ins and CoreDNS")
	root.AddCommand(upCommand(&s), downCommand(&s), wipeCommand(&s), statusCommand(&s), imageCommand(&s), registryCommand(&s), nodeCommand(&s), kubeconfigCommand(&s),
		runNodeCommand(&s), settleCommand(&s), powerOffCommand(&s))
	return root
}

// absolute makes the folders independent of the working directory, which the program leaves.
func (s *settings) absolute() error {
	for _, p := range []*string{&s.dir, &s.bin} {
		abs, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = abs
	}
	return nil
}

// defaultBin is the program's own folder, where the build puts runtime/ too.
func defaultBin() string {
	self, err := os.Executable()
	if err != nil {
		return "."
	}
	return filepath.Dir(self)
}

// runtime is the folder of the programs that the nodes run. Naming that folder itself is as good.
func (s *settings) runtime() string {
	inner := filepath.Join(s.bin, "runtime")
	if _, err := os.Stat(inner); err != nil && filepath.Base(s.bin) == "runtime" {
		return s.bin
	}
	return inner
}

// sayLine prints a line of progress as it is.
func sayLine(line string) { say("%s", line) }

// say prints a line of progress.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
