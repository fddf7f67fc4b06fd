package devinit

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// descendants returns the processes below pid, parents before children.
func descendants(pid int) []int {
	children := map[int][]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil // the pattern is constant: it cannot be wrong
	}
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		if child, parent, ok := parseStat(data); ok {
			children[parent] = append(children[parent], child)
		}
	}
	var below []int
	for next := children[pid]; len(next) > 0; next = next[1:] {
		below = append(below, next[0])
		next = append(next, children[next[0]]...)
	}
	return below
}

// parseStat reads a process and its parent out of /proc/<pid>/stat, whose
// second field, the program's name in parentheses, may itself contain blanks
// and parentheses (proc_pid_stat(5)).
func parseStat(data []byte) (pid, parent int, ok bool) {
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return 0, 0, false
	}
	rest := bytes.Fields(data[end+1:])
	if len(rest) < 2 {
		return 0, 0, false
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(data[:open])))
	if err != nil {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(string(rest[1]))
	return pid, parent, err == nil
}
