// Package localcluster starts and supervises the local Kubernetes, a program of
// its own (deploy/local): its folder, its start, its end. Where that program
// already runs on the folder, it is used and left alone.
package localcluster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Status is what the program writes to status.json in its folder.
type Status struct {
	PID        int       `json:"pid"`
	Kubeconfig string    `json:"kubeconfig"`
	Server     string    `json:"server"`
	Nodes      []string  `json:"nodes"`
	Ready      bool      `json:"ready"`
	StartedAt  time.Time `json:"startedAt"`
	Runtime    string    `json:"runtime"` // what runs the containers, see RuntimeHost
}

// ServiceAddress is an address of the machine that pods reach, and other
// machines do not (docs/local.md, "What there is").
const ServiceAddress = "10.244.255.1"

// RuntimeHost is the runtime for ordinary users: its only image is the machine.
const RuntimeHost = "host"

// Config of a local cluster.
type Config struct {
	Dir    string // its data
	Bin    string // folder with goblinlab-local and runtime/
	Images string // folder with image archives, see Deliver
	Init   string // the start-up program of instances, for the image that is the machine
	Say    func(line string)
}

// CalledAs is the variable that tells the program how its user called it.
const CalledAs = "GOBLINLAB_LOCAL_CALLED_AS"

// Program is the path of the program.
func (c Config) Program() string { return filepath.Join(c.Bin, "goblinlab-local") }

// Cluster is a running local Kubernetes.
type Cluster struct {
	Status Status
	cmd    *exec.Cmd // nil when somebody else started it
	done   chan struct{}
	err    error
}

// ErrMissing says that the program was not built.
var ErrMissing = errors.New("the local Kubernetes is not built")

// Missing is the error that says where the program was looked for.
func (c Config) Missing() error {
	return fmt.Errorf("%w: there is no %s; run `make local`, or point --cluster.kubeconfig at a cluster", ErrMissing, c.Program())
}

// Start brings the cluster up and returns when it is ready, or finds it running.
func Start(ctx context.Context, c Config) (*Cluster, error) {
	if _, err := os.Stat(c.Program()); err != nil {
		return nil, c.Missing()
	}
	if st, ok := running(c.Dir); ok {
		c.Say("the local Kubernetes is running already")
		return &Cluster{Status: st}, nil
	}
	// The program must outlive a crash of ours, so it gets a process group and
	// an output of its own.
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of the local Kubernetes: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(c.Dir, "goblinlab-local.log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log of the local Kubernetes: %w", err)
	}
	defer log.Close()
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	k := &Cluster{cmd: exec.Command(c.Program(), "up", "--dir", c.Dir, "--init", c.init()), done: make(chan struct{})}
	k.cmd.Stdout, k.cmd.Stderr = log, log
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	_ = os.Remove(filepath.Join(c.Dir, "status.json"))
	if err := k.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the local Kubernetes: %w", err)
	}
	go func() {
		k.err = k.cmd.Wait()
		close(k.done)
	}()
	if err := k.wait(ctx, c, from); err != nil {
		k.Stop()
		return nil, err
	}
	return k, nil
}

// init is the start-up program, if it is there.
func (c Config) init() string {
	if _, err := os.Stat(c.Init); err != nil {
		return ""
	}
	return c.Init
}

// HostOnly reports whether the cluster has no images but the machine itself.
func (c Config) HostOnly() bool {
	st, err := read(c.Dir)
	return err == nil && st.Runtime == RuntimeHost
}

// wait passes the program's lines on until it is ready.
func (k *Cluster) wait(ctx context.Context, c Config, from int64) error {
	tail, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { follow(tail, filepath.Join(c.Dir, "goblinlab-local.log"), from, c.Say) })
	defer wg.Wait()
	defer stop()
	deadline := time.After(3 * time.Minute)
	for {
		if st, err := read(c.Dir); err == nil && st.Ready {
			k.Status = st
			return nil
		}
		select {
		case <-k.done:
			return fmt.Errorf("the local Kubernetes ended (%w): %s; more is in %s/goblinlab-local.log", errOr(k.err), lastLine(filepath.Join(c.Dir, "goblinlab-local.log")), c.Dir)
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("the local Kubernetes is not ready after 3 minutes; its words are in %s/goblinlab-local.log", c.Dir)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// lastLine is what a program said last.
func lastLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	b = bytes.TrimSpace(b)
	return string(b[bytes.LastIndexByte(b, '\n')+1:])
}

func errOr(err error) error {
	if err == nil {
		return errors.New("exit code 0")
	}
	return err
}

// Stop ends a program that we started and waits for it. Its pods go on, and
// are found again by the next start.
func (k *Cluster) Stop() {
	if k.cmd == nil || k.cmd.Process == nil {
		return
	}
	_ = k.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-k.done:
	case <-time.After(30 * time.Second):
		slog.Warn("the local Kubernetes did not end in 30 s; killed")
		_ = k.cmd.Process.Kill()
		<-k.done
	}
}

func read(dir string) (Status, error) {
	var st Status
	b, err := os.ReadFile(filepath.Join(dir, "status.json"))
	if err != nil {
		return st, err
	}
	if err := json.Unmarshal(b, &st); err != nil {
		return st, fmt.Errorf("status.json: %w", err)
	}
	return st, nil
}

// Running is the state of the local Kubernetes on a folder, if it runs there.
func Running(c Config) (Status, bool) { return running(c.Dir) }

// running reports a program that is ready and alive on the folder.
func running(dir string) (Status, bool) {
	st, err := read(dir)
	if err != nil || !st.Ready || st.PID <= 0 {
		return st, false
	}
	exe, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", st.PID))
	if errors.Is(err, fs.ErrNotExist) {
		return st, false
	}
	return st, err == nil && strings.Contains(string(exe), "goblinlab-local")
}

// follow gives the lines that a growing file gains.
func follow(ctx context.Context, path string, from int64, say func(string)) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return
	}
	r := bufio.NewReader(f)
	part := ""
	for {
		l, err := r.ReadString('\n')
		part += l
		if err == nil {
			say(strings.TrimRight(part, "\n"))
			part = ""
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}
