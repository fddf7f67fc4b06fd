package preflight

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// CheckName notes at path what is wrong with a name that people read: any
// alphabet will do, but it must fit on a line and not rearrange it.
func CheckName(f *fault.Fields, path, name string) {
	count := utf8.RuneCountInString(name)
	switch {
	case strings.TrimSpace(name) == "":
		f.Add(path, "preflight.name.empty", fault.Args{"limit": MaxName})
	case count > MaxName:
		f.Add(path, "preflight.name.too-long", fault.Args{"value": count, "limit": MaxName})
	case !utf8.ValidString(name) || strings.ContainsFunc(name, Control):
		f.Add(path, "preflight.name.control", fault.Args{"value": clip(name)})
	}
}

// Control reports characters that break a line, or turn the reading direction
// of what follows so that a name looks like another.
func Control(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}

// CheckEnv notes what is wrong with a user's variables, at path+"[i].name" and path+"[i].value".
func CheckEnv(f *fault.Fields, path string, env []spec.EnvVar) {
	seen := map[string]bool{}
	size := 0
	for i, v := range env {
		size += len(v.Name) + len(v.Value) + 2 // "=" and the NUL at the end
		at := index(path, i)
		switch {
		case !envName(v.Name):
			f.Add(at+".name", "preflight.env.name", fault.Args{"value": clip(v.Name)})
		case manifest.ReservedEnv(v.Name):
			f.Add(at+".name", "preflight.env.reserved", fault.Args{"value": clip(v.Name)})
		case seen[v.Name]:
			f.Add(at+".name", "preflight.env.twice", fault.Args{"value": clip(v.Name)})
		}
		seen[v.Name] = true
		if strings.ContainsRune(v.Value, 0) {
			f.Add(at+".value", "preflight.env.nul", fault.Args{"value": clip(v.Name)})
		}
	}
	if size > MaxEnv {
		f.Add(path, "preflight.env.too-large", fault.Args{
			"value": quantity.Memory(int64(size)), "limit": quantity.Memory(MaxEnv),
		})
	}
}

// envName holds for what the API server takes: letters, digits, "_", "-" and
// ".", not a digit first.
func envName(name string) bool {
	if name == "" || len(name) > 256 || name == "." || strings.HasPrefix(name, "..") {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '-', c == '.':
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return true
}

var apps = map[int32]string{
	manifest.PortNotebook:    "JupyterLab",
	manifest.PortVSCode:      "VS Code",
	manifest.PortSSH:         "SSH",
	manifest.PortTensorBoard: "TensorBoard",
	manifest.PortStatus:      "GoblinLab",
}

func checkPorts(f *fault.Fields, ports []spec.Port) {
	if len(ports) > MaxPorts {
		f.Add("ports", "preflight.port.too-many", fault.Args{"value": len(ports), "limit": MaxPorts})
	}
	seen := map[int32]bool{}
	for i, p := range ports {
		at := index("ports", i)
		if p.Name != "" {
			CheckName(f, at+".name", p.Name)
		}
		app, taken := apps[p.Number]
		switch {
		case p.Number < 1 || p.Number > 65535:
			f.Add(at+".number", "preflight.port.range", fault.Args{"value": p.Number})
		case taken:
			f.Add(at+".number", "preflight.port.app", fault.Args{"value": p.Number, "app": app})
		case seen[p.Number]:
			f.Add(at+".number", "preflight.port.twice", fault.Args{"value": p.Number})
		}
		seen[p.Number] = true
	}
}

// CheckText notes what is wrong with text of several lines; empty is fine.
func CheckText(f *fault.Fields, path, text string, most int) {
	n := 0
	for _, r := range text {
		if n++; Control(r) && r != '\n' && r != '\t' {
			f.Add(path, "preflight.text.control", nil)
			return
		}
	}
	switch {
	case !utf8.ValidString(text):
		f.Add(path, "preflight.text.control", nil)
	case n > most:
		f.Add(path, "preflight.text.long", fault.Args{"value": n, "limit": most})
	}
}
