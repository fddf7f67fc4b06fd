package containerd

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// What a container writes goes through a named pipe from its shim to containerd. While containerd is away the shim keeps the
// pipe open, so that nothing is lost, but only until the container ends: then the last lines go with the pipe.

// pipes are those of all containers, in the mount namespace of the node.
const pipes = "/run/containerd/io.containerd.grpc.v1.cri/containers/*/io/*/*-std[oe][ur][tr]"

const (
	releaseEvery = 20 * time.Millisecond
	releaseLimit = time.Minute
)

// keepOutput holds the containers' pipes from an end of containerd on until the next one has read them.
func (c Config) keepOutput() {
	held := hold(pipes)
	if len(held) == 0 {
		return
	}
	go func() {
		for end := time.Now().Add(releaseLimit); len(held) > 0 && time.Now().Before(end); time.Sleep(releaseEvery) {
			pid, err := os.ReadFile(c.PidFile)
			if err == nil {
				held = release(held, openIn(strings.TrimSpace(string(pid))))
			}
		}
		for path, fd := range held { // of containers that containerd does not know any more
			slog.Warn("nobody reads what a container wrote", "pipe", path)
			_ = unix.Close(fd)
		}
	}()
}

// hold opens both ends of pipes, by path. It takes nothing out of them.
func hold(pattern string) map[string]int {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	out := map[string]int{}
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // it went meanwhile
		}
		out[path] = fd
	}
	return out
}

// release lets go of pipes that are in the hands of somebody else and empty: their reader is to see the end. It gives the
// others.
func release(held map[string]int, open []string) map[string]int {
	left := map[string]int{}
	for path, fd := range held {
		n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
		if slices.Contains(open, path) && (err != nil || n == 0) {
			_ = unix.Close(fd)
			continue
		}
		left[path] = fd
	}
	return left
}

// openIn lists the files that a process has open.
func openIn(pid string) []string {
	if _, err := strconv.Atoi(pid); err != nil {
		return nil
	}
	links, err := filepath.Glob(fmt.Sprintf("/proc/%s/fd/*", pid))
	if err != nil {
		return nil
	}
	var out []string
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil {
			out = append(out, to)
		}
	}
	return out
}
