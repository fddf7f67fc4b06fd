package reason

import (
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// containerTrouble says why a container cannot start, or keeps ending (P5). One
// that runs again but is not ready yet still owes the reason of its last end.
func containerTrouble(v view) *spec.Reason {
	for _, s := range v.statuses() {
		if w := s.State.Waiting; w != nil {
			switch w.Reason {
			case "CreateContainerConfigError":
				if r := configError(w.Message); r != nil {
					return r
				}
				return say(StartFailed, "container", s.Name, "detail", detail(w.Message))
			case "CreateContainerError", "RunContainerError", "PostStartHookError", "PreCreateHookError":
				return startError(s.Name, w.Message)
			case "CrashLoopBackOff":
				if t := s.LastTerminationState.Terminated; t != nil {
					return v.end(s, t)
				}
				return say(Unknown, "detail", detail(w.Message))
			}
		}
		if t := s.State.Terminated; t != nil && !v.initDone(s.Name, t) {
			return v.end(s, t)
		}
		if t := s.LastTerminationState.Terminated; t != nil && s.State.Running != nil && !s.Ready && s.Name == v.main {
			return v.end(s, t)
		}
	}
	return nil
}

// initDone reports an init container that did what it had to.
func (v view) initDone(name string, t *corev1.ContainerStateTerminated) bool {
	if t.ExitCode != 0 {
		return false
	}
	for _, c := range v.pod.Spec.InitContainers {
		if c.Name == name {
			return true
		}
	}
	return false
}

// end says how a container ended.
func (v view) end(s corev1.ContainerStatus, t *corev1.ContainerStateTerminated) *spec.Reason {
	restarts := int(s.RestartCount)
	if t.Reason == "OOMKilled" { // the exit code may be that of a child's parent
		limit := none
		if q, ok := v.container(s.Name).Resources.Limits[corev1.ResourceMemory]; ok {
			limit = quantity.Memory(q.Value())
		}
		return say(OOMKilled, "container", s.Name, "limit", limit, "peak", v.peak(s.Name), "restarts", restarts, "log", v.lastWords(s, t))
	}
	switch t.Reason {
	case "StartError", "ContainerCannotRun":
		return startError(s.Name, t.Message)
	case "ContainerStatusUnknown":
		return say(NodeLost, "node", or(v.pod.Spec.NodeName, none), "detail", detail(t.Message))
	}
	if unseen(t) {
		return say(EndUnseen, "node", or(v.pod.Spec.NodeName, none))
	}
	exit := int(t.ExitCode)
	pairs := []any{"container", s.Name, "exit", exit, "restarts", restarts, "log", v.lastWords(s, t)}
	plain, signalled := Crash, CrashSignal
	if restarts == 0 {
		plain, signalled = Exit, ExitSignal
	}
	switch {
	case exit == 127:
		return say(CommandNotFound, append(pairs, "command", none, "detail", v.lastWords(s, t))...)
	case exit == 126:
		return say(CommandNotExecutable, append(pairs, "command", none, "detail", v.lastWords(s, t))...)
	case t.Signal > 0:
		return say(signalled, append(pairs, "signal", signal(int(t.Signal)))...)
	case exit > 128 && exit < 128+65:
		return say(signalled, append(pairs, "signal", signal(exit-128))...)
	}
	return say(plain, pairs...)
}

// OutOfMemory is the reason of the event by which a node says how much a
// container held when its memory was used up, as the local Kubernetes does;
// other clusters have none.
const OutOfMemory = "OutOfMemory"

var usedUp = regexp.MustCompile(`^Container (\S+) used up its memory: peak (\d{1,18}) of`)

// peak is the most memory that a container held: the kernel's word, if the node
// passed it on. Otherwise the largest sample, which can only be too small.
func (v view) peak(container string) string {
	for _, e := range v.events {
		if e.Reason != OutOfMemory {
			continue
		}
		if m := usedUp.FindStringSubmatch(e.Message); m != nil && m[1] == container {
			if n, err := strconv.ParseInt(m[2], 10, 64); err == nil && n > 0 {
				return quantity.Memory(n)
			}
		}
	}
	if n := v.Peaks[container]; n > 0 {
		return "≥ " + quantity.Memory(n)
	}
	return none
}

// unseen reports an end that the container runtime made up: it was restarted, or
// the machine was, and found the container gone.
func unseen(t *corev1.ContainerStateTerminated) bool {
	return t.Reason == "Unknown" && t.ExitCode == 255
}

// lastWords are the last lines of the log; the kubelet's copy of them stands in
// when the log is not there, or belongs to another container.
func (v view) lastWords(s corev1.ContainerStatus, t *corev1.ContainerStateTerminated) string {
	if s.Name == v.main && len(v.Log) > 0 {
		return v.log()
	}
	w := view{Evidence: Evidence{Log: strings.Split(strings.TrimRight(t.Message, "\n"), "\n")}}
	return w.log()
}

var execName = regexp.MustCompile(`exec: "((?:[^"\\]|\\.)*)"`)

// startError says what a runtime made of a command that it could not start.
func startError(container, message string) *spec.Reason {
	low := strings.ToLower(message)
	command := none
	if m := execName.FindStringSubmatch(message); m != nil {
		command = cut(m[1], maxLogLine)
	}
	pairs := []any{"container", container, "command", command, "detail", detail(message)}
	switch {
	case configError(message) != nil:
		return configError(message)
	case strings.Contains(low, "cwd"), strings.Contains(low, "chdir"), strings.Contains(low, "working directory"):
		return say(WorkingDir, pairs...)
	case strings.Contains(low, "exec format error"):
		return say(ImagePlatform, "image", none, "container", container, "detail", detail(message))
	case command != none && strings.Contains(low, "permission denied"), strings.Contains(low, "is a directory") && command != none:
		return say(CommandNotExecutable, pairs...)
	case strings.Contains(low, "executable file not found"), command != none && strings.Contains(low, "no such file or directory"),
		strings.Contains(low, "no command specified"):
		return say(CommandNotFound, pairs...)
	}
	return say(StartFailed, pairs...)
}

var signals = map[int]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
	9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
	24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}

func signal(n int) string {
	if name, ok := signals[n]; ok {
		return name
	}
	return "signal " + strconv.Itoa(n)
}

func or(value, fallback string) string {
	if value != "" {
		return value
	}
	return fallback
}
