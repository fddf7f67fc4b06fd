package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Getenv, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "pack:", err)
		}
		os.Exit(2)
	}
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(v string) error { *l = append(*l, v); return nil }

// run parses args, packs, and replaces the output in one step: a reader of the
// old file is not disturbed, and an interrupted run leaves nothing half made.
func run(args []string, getenv func(string) string, stderr io.Writer) error {
	req, out, err := parse(args, getenv, stderr)
	if err != nil {
		return err
	}
	part := out + ".part"
	f, err := os.Create(part)
	if err != nil {
		return fmt.Errorf("create archive: %w", err)
	}
	defer func() { _ = os.Remove(part) }() // after the rename there is nothing to remove
	buffered := bufio.NewWriterSize(f, 1<<20)
	err = pack(buffered, req)
	if err == nil {
		err = buffered.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, out); err != nil {
		return fmt.Errorf("put archive in place: %w", err)
	}
	return nil
}

// parse reads the flags. Layers, variables, ports and labels may be repeated
// and keep their order.
func parse(args []string, getenv func(string) string, stderr io.Writer) (request, string, error) {
	var layers, env, entry, cmd, ports, labels list
	fs := flag.NewFlagSet("pack", flag.ContinueOnError)
	fs.SetOutput(stderr)
	out := fs.String("o", "", "the OCI archive to write")
	name := fs.String("name", "", "image reference, host/path:tag")
	arch := fs.String("arch", runtime.GOARCH, "architecture in Go's spelling")
	workdir := fs.String("workdir", "", "working directory")
	user := fs.String("user", "", "user that the container runs as, root where left out")
	fs.Var(&layers, "layer", "tar file of a layer, lowest first")
	fs.Var(&env, "env", "NAME=VALUE")
	fs.Var(&entry, "entrypoint", "a word of the entry point")
	fs.Var(&cmd, "cmd", "a word of the default command")
	fs.Var(&ports, "port", "a port, for example 8888/tcp")
	fs.Var(&labels, "label", "NAME=VALUE")
	if err := fs.Parse(args); err != nil {
		return request{}, "", err
	}
	if *out == "" || fs.NArg() > 0 {
		return request{}, "", fmt.Errorf("usage: pack -o FILE -name REFERENCE -layer TAR … (unexpected: %q)", fs.Args())
	}
	created, err := epoch(getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return request{}, "", err
	}
	req := request{Name: *name, Arch: *arch, Created: created, Layers: layers, Config: containerConfig{
		Entrypoint: entry, Cmd: cmd, Env: env, WorkingDir: *workdir, User: *user, StopSignal: "SIGTERM",
	}}
	for _, p := range ports {
		if req.Config.ExposedPorts == nil {
			req.Config.ExposedPorts = map[string]struct{}{}
		}
		req.Config.ExposedPorts[p] = struct{}{}
	}
	for _, l := range labels {
		key, value, ok := strings.Cut(l, "=")
		if !ok {
			return request{}, "", fmt.Errorf("label %q needs the form NAME=VALUE", l)
		}
		if req.Config.Labels == nil {
			req.Config.Labels = map[string]string{}
		}
		req.Config.Labels[key] = value
	}
	return req, *out, nil
}

// epoch reads SOURCE_DATE_EPOCH (seconds since 1970); empty means 1970 itself,
// so that a build without it is reproducible too.
func epoch(s string) (time.Time, error) {
	if s == "" {
		return time.Unix(0, 0).UTC(), nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(n, 0).UTC(), nil
}
