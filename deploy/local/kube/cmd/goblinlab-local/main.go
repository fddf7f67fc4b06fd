// Command goblinlab-local is a whole Kubernetes for one machine. See docs/local.md.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/cli"
)

// init keeps main on the main thread. "up" executes this program again from there: a death signal that the parent asked
// for belongs to the thread and would otherwise be lost. Only here does the runtime promise which thread it is.
func init() { runtime.LockOSThread() }

func main() {
	if err := cli.New().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "goblinlab-local:", err)
		os.Exit(1)
	}
}
