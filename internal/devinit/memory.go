package devinit

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// cgroup reads what the kernel counts of the container's memory, in whichever
// version of cgroups it does.
type cgroup struct {
	dir                      string
	limit, used, peak, kills string // files
}

// memoryCgroup finds the container's memory cgroup; nil where the kernel shows none.
func memoryCgroup(root string) *cgroup {
	for _, c := range []cgroup{
		{root, "memory.max", "memory.current", "memory.peak", "memory.events"},
		{filepath.Join(root, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.max_usage_in_bytes", "memory.oom_control"},
	} {
		if _, err := os.Stat(filepath.Join(c.dir, c.limit)); err == nil {
			return &c
		}
	}
	return nil
}

// noLimit is where version 1 begins to mean "unlimited".
const noLimit = 1 << 60

// number reads a file of one number; 0 when it is not known.
func (c *cgroup) number(file string) int64 {
	data, err := os.ReadFile(filepath.Join(c.dir, file))
	if err != nil {
		return 0 // an older kernel counts less
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(data)), 10, 64)
	if err != nil || n >= noLimit { // "max"
		return 0
	}
	return n
}

// killed is how many processes were killed for want of memory.
func (c *cgroup) killed() int64 {
	data, err := os.ReadFile(filepath.Join(c.dir, c.kills))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "oom_kill" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0
			}
			return n
		}
	}
	return 0
}

// proc is a process, as it was seen last.
type proc struct {
	pid, parent int
	name        string
	pages       int64 // in memory
	since       uint64
	app         string // below which it began; empty for one that came from outside, as a web terminal does
}

// processes lists what runs in the container. What is ending, or has ended and
// waits for its parent, does not count. Where this is not the first process,
// the namespace is shared, and only what is below this one is the container's.
func processes() (map[int]proc, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	out := make(map[int]proc, len(stats))
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		if p, ok := parseProc(data); ok {
			out[p.pid] = p
		}
	}
	if self := os.Getpid(); self != 1 {
		below := map[int]string{self: "self"}
		maps.DeleteFunc(out, func(pid int, _ proc) bool { return appOf(pid, out, below) == "" })
	}
	return out, nil
}

// parseProc reads a living process out of /proc/<pid>/stat (proc_pid_stat(5)).
func parseProc(data []byte) (proc, bool) {
	pid, parent, ok := parseStat(data)
	if !ok {
		return proc{}, false
	}
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	rest := bytes.Fields(data[end+1:]) // from the state on, the third field
	const flags, since, rss, exiting = 9 - 3, 22 - 3, 24 - 3, 0x4
	if len(rest) <= rss || rest[0][0] == 'Z' || rest[0][0] == 'X' {
		return proc{}, false
	}
	if bits, err := strconv.ParseUint(string(rest[flags]), 10, 64); err != nil || bits&exiting != 0 {
		return proc{}, false // it takes a while to give gigabytes back
	}
	p := proc{pid: pid, parent: parent, name: strings.ToValidUTF8(string(data[open+1:end]), "?")}
	var errSince, errPages error
	p.since, errSince = strconv.ParseUint(string(rest[since]), 10, 64)
	p.pages, errPages = strconv.ParseInt(string(rest[rss]), 10, 64)
	return p, errSince == nil && errPages == nil
}

// megabytes writes an amount for the log.
func megabytes(n int64) string {
	if n == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
