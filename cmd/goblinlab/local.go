package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/goblinlab/goblinlab/internal/localcluster"
)

// local passes its words to the local Kubernetes' own program, which becomes this process, on the folder that up uses.
func local() *cobra.Command {
	return &cobra.Command{
		Use:                "local up|down|status|wipe|image|registry|node|kubeconfig …",
		Short:              "Manage the local Kubernetes and its nodes",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			mine, rest := divide(args)
			if err := cmd.Root().PersistentFlags().Parse(mine); err != nil {
				return err
			}
			c, err := load(cmd.Root())
			if err != nil {
				return err
			}
			k := localcluster.Config{Dir: filepath.Join(c.Data, "cluster"), Bin: c.Cluster.LocalBin}
			argv := append([]string{k.Program()}, withDir(rest, k.Dir)...)
			err = syscall.Exec(k.Program(), argv, append(os.Environ(), localcluster.CalledAs+"=goblinlab local"))
			if errors.Is(err, fs.ErrNotExist) {
				return k.Missing()
			}
			return fmt.Errorf("run %s: %w", k.Program(), err)
		},
	}
}

// ours are the flags of this program that "local" understands, each with a value.
var ours = []string{"--data", "--config", "--cluster.localbin"}

// divide takes the flags of this program out of the words for the other. What follows "--" is not looked at.
func divide(args []string) (mine, rest []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return mine, append(rest, args[i:]...)
		}
		own, whole := isOurs(args[i])
		switch {
		case own && whole:
			mine = append(mine, args[i])
		case own: // without its value it is an error that the parser words
			end := min(i+2, len(args))
			mine = append(mine, args[i:end]...)
			i++
		default:
			rest = append(rest, args[i])
		}
	}
	return mine, rest
}

// isOurs says whether a word is one of our flags, and whether it contains its value.
func isOurs(word string) (own, whole bool) {
	for _, f := range ours {
		if word == f {
			return true, false
		}
		if strings.HasPrefix(word, f+"=") {
			return true, true
		}
	}
	return false, false
}

// withDir names the folder, unless the words name one. It goes first, where no command takes it for a word of its own.
func withDir(args []string, dir string) []string {
	for _, a := range args {
		if a == "--" {
			break
		}
		if a == "--dir" || strings.HasPrefix(a, "--dir=") {
			return args
		}
	}
	return append([]string{"--dir", dir}, args...)
}
