package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/cluster"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/process"
)

func upCommand(s *settings) *cobra.Command {
	var o cluster.UpOptions
	var runtime string
	c := &cobra.Command{
		Use: "up", Short: "Run the cluster in the foreground until SIGTERM; its pods then keep running",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o.Dir, o.Bin = s.dir, s.runtime()
			var err error
			if o.Choice, err = cluster.Choose(runtime); err != nil {
				return err
			}
			if o.Choice.Runtime == cluster.RuntimeHost || cluster.Prepared() {
				return runUp(o)
			}
			args, err := upArgs(s.bin, &o)
			if err != nil {
				return err
			}
			return cluster.Prepare(o, args, say)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Nodes, "nodes", "", "nodes file (default: the nodes general, gpu and online)")
	f.IntVar(&o.Port, "port", 0, "port of the API server on 127.0.0.1; 0 for the one it had, or a free one")
	f.BoolVar(&o.NoFsync, "no-fsync", false, "do not wait for the disk: faster, and a power cut may lose the cluster")
	f.StringVar(&runtime, "runtime", "", "containerd, or host: local processes, for ordinary users (default what the user can have)")
	f.StringVar(&o.Init, "init", "", "with the runtime host: program for containers that name none")
	f.StringArrayVar(&o.Manager, "manager-flag", nil, "further flag of the controller manager, as --kube-api-qps=20 (repeatable)")
	f.StringArrayVar(&o.Images, "image", nil, "image archive to import when the nodes are ready (repeatable)")
	return c
}

// upArgs are the arguments of the second stage, which runs in another working directory.
func upArgs(bin string, o *cluster.UpOptions) ([]string, error) {
	args := []string{os.Args[0], "up", "--dir", o.Dir, "--bin", bin, "--port", strconv.Itoa(o.Port), "--no-fsync=" + strconv.FormatBool(o.NoFsync)}
	if o.Nodes != "" {
		abs, err := filepath.Abs(o.Nodes)
		if err != nil {
			return nil, err
		}
		o.Nodes = abs
		args = append(args, "--nodes", abs)
	}
	for i, image := range o.Images {
		abs, err := filepath.Abs(image)
		if err != nil {
			return nil, err
		}
		o.Images[i] = abs
		args = append(args, "--image", abs)
	}
	for _, flag := range o.Manager {
		args = append(args, "--manager-flag", flag)
	}
	return args, nil
}

// runUp is the second stage. Progress goes to the terminal, everything that Kubernetes says to a log file.
func runUp(o cluster.UpOptions) error {
	l, err := layout.New(o.Dir)
	if err != nil {
		return err
	}
	if o.Choice.Runtime == cluster.RuntimeHost { // it has secrets, and nobody else on the machine is to see them
		if err := os.MkdirAll(l.Dir, 0o700); err != nil {
			return err
		}
	}
	terminal, log, err := splitOutput(l.Log("kubernetes"))
	if err != nil {
		return err
	}
	start := time.Now()
	progress := func(format string, args ...any) {
		fmt.Fprintf(io.MultiWriter(terminal, log), "%6.1fs  %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	ctx, stop := stopSignals()
	defer stop()
	progress("starting the local cluster in %s; logs are in %s", l.Dir, filepath.Dir(l.Log("kubernetes")))
	progress("%s", o.Choice)
	run := cluster.Run
	if o.Choice.Runtime == cluster.RuntimeHost {
		run = cluster.RunHost
	}
	err = run(ctx, o, progress)
	if err != nil {
		fmt.Fprintf(terminal, "goblinlab-local: %v (more in %s)\n", err, l.Log("kubernetes"))
		os.Exit(1)
	}
	progress("stopped; end the pods with: goblinlab-local down --dir %s", l.Dir)
	return nil
}

// splitOutput keeps the present standard error for progress and sends both outputs of the process to a file.
func splitOutput(path string) (terminal, log *os.File, err error) {
	fd, err := unix.FcntlInt(uintptr(unix.Stderr), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, nil, err
	}
	terminal = os.NewFile(uintptr(fd), "terminal")
	if log, err = process.OpenLog(path); err != nil {
		return nil, nil, err
	}
	err = errors.Join(unix.Dup3(int(log.Fd()), unix.Stdout, 0), unix.Dup3(int(log.Fd()), unix.Stderr, 0))
	return terminal, log, err
}

// stopSignals gives a context that ends with the first signal; the second ends the process at once.
func stopSignals() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
