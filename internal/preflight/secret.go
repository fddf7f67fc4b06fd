package preflight

import (
	"strings"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// MaxSecrets bounds the secrets of one instance or task.
const MaxSecrets = 30

// CheckSecrets notes what is wrong with how secrets are asked for, below
// prefix+"secrets[i]."; whether they are there is for others to say. taken are
// paths of the platform.
func CheckSecrets(f *fault.Fields, prefix string, uses []spec.SecretUse, mounts []spec.Mount, taken []string) {
	if len(uses) > MaxSecrets {
		f.Add(prefix+"secrets", "preflight.secret.too-many", fault.Args{"value": len(uses), "limit": MaxSecrets})
		return
	}
	before := append([]spec.Mount(nil), mounts...)
	for i, u := range uses {
		at := index(prefix+"secrets", i)
		required(f, at+".secretId", "secret", u.SecretID)
		switch u.As {
		case spec.SecretAsAuto:
			if u.At != "" {
				f.Add(at+".at", "preflight.secret.at", nil)
			}
		case spec.SecretAsEnv:
			checkVariable(f, at+".at", u.At)
		case spec.SecretAsFile:
			if !checkPath(f, at+".at", u.At) {
				continue
			}
			if id, other := collision(u.At, before, append([]string{codePath}, taken...)); id != "" {
				f.Add(at+".at", "preflight.path."+id, fault.Args{"value": clip(u.At), "other": clip(other)})
			} else if u.At == homePath {
				f.Add(at+".at", "preflight.path.over-home", fault.Args{"value": clip(u.At), "other": homePath})
			}
			before = append(before, spec.Mount{Path: u.At})
		default:
			f.Add(at+".as", "preflight.secret.as", fault.Args{"value": clip(string(u.As))})
		}
	}
}

// checkVariable takes a name, or a prefix.
func checkVariable(f *fault.Fields, at, name string) {
	switch {
	case name == "":
	case !envName(name) || strings.ContainsAny(name, "-."):
		f.Add(at, "preflight.env.name", fault.Args{"value": clip(name)})
	case manifest.ReservedEnv(name):
		f.Add(at, "preflight.env.reserved", fault.Args{"value": clip(name)})
	}
}
