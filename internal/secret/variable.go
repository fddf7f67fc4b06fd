package secret

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// systemVariables are what the loader, shells and interpreters go by, and what
// the platform sets for programs to find themselves: a secret there would keep
// programs from starting, or run what nobody meant. Who wants to set one does so
// with a plain variable.
var systemVariables = []string{"PATH", "HOME", "SHELL", "USER", "LOGNAME", "HOSTNAME", "PWD", "OLDPWD", "IFS", "ENV", "BASH_ENV",
	"PYTHONHOME", "GLIBC_TUNABLES", "NOTEBOOK_TAG"}

func systemVariable(name string) bool {
	return strings.HasPrefix(name, "LD_") || slices.Contains(systemVariables, name)
}

// problem is why a value cannot be the variable that a use makes of it.
type problem struct {
	key       string // of the value
	field, id string // of the use, and the message
	args      fault.Args
}

// unfit are the values of a secret that cannot be variables as a use wants them.
func unfit(kind spec.SecretKind, keys []spec.SecretKey, use spec.SecretUse) []problem {
	var all []string
	sizes := map[string]spec.SecretKey{}
	for _, k := range keys {
		all, sizes[k.Name] = append(all, k.Name), k
	}
	if use.As == spec.SecretAsEnv && named(use.At) && len(all) > 1 {
		return []problem{{field: "at", id: "secret.variable-prefix", args: fault.Args{"value": clip(use.At), "count": len(all)}}}
	}
	var out []problem
	before := map[string]string{} // value by variable
	for _, e := range lay(kind, all, use, 0).env {
		k := sizes[e.key]
		add := func(field, id string, args fault.Args) { out = append(out, problem{e.key, field, id, args}) }
		switch other, twice := before[e.name]; {
		case !k.Text:
			add("as", "secret.variable-binary", fault.Args{"key": e.key})
		case k.Bytes > maxVariable:
			add("as", "secret.variable-large", fault.Args{"key": e.key, "value": quantity.Memory(int64(k.Bytes)), "limit": quantity.Memory(maxVariable)})
		case manifest.ReservedEnv(e.name):
			add("at", "preflight.env.reserved", fault.Args{"value": clip(e.name)})
		case systemVariable(e.name):
			add("at", "secret.variable-system", fault.Args{"value": clip(e.name)})
		case e.name[0] >= '0' && e.name[0] <= '9':
			add("at", "preflight.env.name", fault.Args{"value": clip(e.name)})
		case twice:
			add("as", "secret.variable-same", fault.Args{"key": clip(e.key), "other": clip(other), "value": clip(e.name)})
		}
		before[e.name] = e.key
	}
	return out
}

func checkVariables(f *fault.Fields, at string, row *ent.Secret, use spec.SecretUse) {
	for _, p := range unfit(row.Kind, row.Keys, use) {
		f.Add(at+"."+p.field, p.id, p.args)
	}
}

// checkUses refuses new values that what uses the secret could not have as it
// wants them: it would hear of it at its next start alone. What was wrong before
// is nobody's to mend here.
func (s *Service) checkUses(ctx context.Context, f *fault.Fields, row *ent.Secret, keys []spec.SecretKey) error {
	users, err := s.usesOf(ctx, row)
	if err != nil {
		return err
	}
	var bad, who []string
	for _, u := range users {
		known := map[[2]string]bool{}
		for _, p := range unfit(row.Kind, row.Keys, u.use) {
			known[[2]string{p.key, p.id}] = true
		}
		for _, p := range unfit(row.Kind, keys, u.use) {
			if known[[2]string{p.key, p.id}] {
				continue
			}
			if name := clip(or(p.key, u.use.At)); !slices.Contains(bad, name) {
				bad = append(bad, name)
			}
			if !slices.Contains(who, u.name) {
				who = append(who, u.name)
			}
		}
	}
	if len(bad) > 0 {
		f.Add("values", "secret.variable-used", fault.Args{"names": few(bad), "users": few(who)})
	}
	return nil
}

type namedUse struct {
	name string
	use  spec.SecretUse
}

// usesOf are the uses of a secret by instances that are there and runs that are not over.
func (s *Service) usesOf(ctx context.Context, row *ent.Secret) ([]namedUse, error) {
	sys := authz.AsSystem(ctx)
	users, err := Users(sys, s.DB.Client, []*ent.Secret{row})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, u := range users[row.ID] {
		ids = append(ids, u.ID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var out []namedUse
	add := func(name string, uses []spec.SecretUse) {
		for _, u := range uses {
			if u.SecretID == row.ID {
				out = append(out, namedUse{name, u})
			}
		}
	}
	instances, err := s.DB.Client.Instance.Query().Where(entinstance.IDIn(ids...)).All(sys)
	if err != nil {
		return nil, fmt.Errorf("instances that use secret %s: %w", row.ID, err)
	}
	for _, i := range instances {
		add(i.Name, i.Spec.Secrets)
	}
	runs, err := s.DB.Client.Run.Query().Where(entrun.IDIn(ids...)).WithTask().All(sys)
	if err != nil {
		return nil, fmt.Errorf("runs that use secret %s: %w", row.ID, err)
	}
	for _, r := range runs {
		if r.Edges.Task != nil {
			add(r.Name, r.Edges.Task.Spec.Secrets)
		}
	}
	return out, nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
