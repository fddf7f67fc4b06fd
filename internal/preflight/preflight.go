package preflight

import (
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Limits bound what one instance or task may ask for; 0 means no limit.
type Limits struct {
	CPUMilli    int64
	MemoryBytes int64
	GPU         int64

	// Paths are taken by the platform's own mounts: a user's mount must
	// neither cover one nor lie inside.
	Paths []string
}

// The bounds that are the same everywhere.
const (
	MinCPUMilli    = 10
	MinMemoryBytes = 16 << 20
	MaxName        = 100 // characters
	MaxRetries     = 100 // of a task
	MaxTimeout     = 30 * 24 * time.Hour
	MaxCommand     = 64 << 10  // bytes of command and arguments together
	MaxEnv         = 128 << 10 // bytes of names and values together
	MaxPorts       = 20        // beside those of the apps
	MaxPath        = 1024      // bytes
)

// Instance checks a name and a spec. The error is nil or a *fault.Error with
// every field at fault.
func Instance(name string, s spec.Instance, l Limits) error {
	var f fault.Fields
	CheckName(&f, "name", name)
	CheckInstance(&f, s, l)
	return f.Err()
}

// Task checks a name and a spec. The error is nil or a *fault.Error with every
// field at fault.
func Task(name string, s spec.Task, l Limits) error {
	var f fault.Fields
	CheckName(&f, "name", name)
	CheckTask(&f, "", s, l)
	return f.Err()
}

// CheckInstance is Instance without the name, for a form that checks more.
func CheckInstance(f *fault.Fields, s spec.Instance, l Limits) {
	required(f, "imageId", "image", s.ImageID)
	CheckResources(f, "", s.Resources, l)
	checkMounts(f, "", s.Mounts, l.Paths)
	CheckEnv(f, "env", s.Env)
	checkPorts(f, s.Ports)
}

// CheckTask is Task without the name; prefix goes before the paths, as "tasks[2].".
func CheckTask(f *fault.Fields, prefix string, s spec.Task, l Limits) {
	required(f, prefix+"imageId", "image", s.ImageID)
	checkCommand(f, prefix, s.Command, s.Args)
	if s.WorkingDir != "" && s.WorkingDir != "/" {
		checkPath(f, prefix+"workingDir", s.WorkingDir)
	}
	CheckResources(f, prefix, s.Resources, l)
	taken := l.Paths
	if s.Code != nil {
		required(f, prefix+"code.volumeId", "volume", s.Code.VolumeID)
		checkSubPath(f, prefix+"code.subPath", s.Code.SubPath)
		taken = append([]string{codePath}, taken...)
	}
	checkMounts(f, prefix, s.Mounts, taken)
	CheckEnv(f, prefix+"env", s.Env)
	if s.Class != spec.ClassOnline && s.Class != spec.ClassTest {
		f.Add(prefix+"class", "preflight.class", fault.Args{"value": clip(string(s.Class))})
	}
	if s.Retries < 0 || s.Retries > MaxRetries {
		f.Add(prefix+"retries", "preflight.retries", fault.Args{"value": s.Retries, "limit": MaxRetries})
	}
	checkTimeout(f, prefix+"timeoutSeconds", s.Timeout)
	checkTimeout(f, prefix+"pendingTimeoutSeconds", s.Pending)
}

// CheckResources notes what is wrong with limits below prefix+"resources.".
func CheckResources(f *fault.Fields, prefix string, r spec.Resources, l Limits) {
	bound := func(field string, value, least, most int64, human func(int64) string) {
		id, limit := "", int64(0)
		switch {
		case value < least:
			id, limit = "too-small", least
		case most > 0 && value > most:
			id, limit = "too-large", most
		default:
			return
		}
		f.Add(prefix+"resources."+field, "preflight."+field+"."+id, fault.Args{"value": human(value), "limit": human(limit)})
	}
	bound("cpu", r.CPUMilli, MinCPUMilli, l.CPUMilli, quantity.CPU)
	bound("memory", r.MemoryBytes, MinMemoryBytes, l.MemoryBytes, quantity.Memory)
	bound("gpu", r.GPU, 0, l.GPU, GPUs)
}

func checkCommand(f *fault.Fields, prefix string, command, args []string) {
	if len(command) == 0 || strings.TrimSpace(command[0]) == "" {
		f.Add(prefix+"command", "preflight.command.empty", nil)
	}
	size := 0
	for _, list := range []struct {
		field string
		words []string
	}{{"command", command}, {"args", args}} {
		for i, word := range list.words {
			size += len(word)
			if strings.ContainsRune(word, 0) {
				f.Add(prefix+list.field, "preflight.command.nul", fault.Args{"position": i + 1})
			}
		}
	}
	if size > MaxCommand {
		f.Add(prefix+"command", "preflight.command.too-large", fault.Args{
			"value": quantity.Memory(int64(size)), "limit": quantity.Memory(MaxCommand),
		})
	}
}

func checkTimeout(f *fault.Fields, path string, d time.Duration) {
	if d == 0 || d >= time.Second && d <= MaxTimeout {
		return
	}
	f.Add(path, "preflight.timeout", fault.Args{
		"value": int64(d / time.Second), "limit": int64(MaxTimeout / time.Second), "days": int64(MaxTimeout / (24 * time.Hour)),
	})
}

func required(f *fault.Fields, path, noun, id string) {
	if id == "" {
		f.Add(path, "preflight.missing", fault.Args{"what": "@noun." + noun})
	}
}
