package carry

import (
	"slices"
	"strconv"
	"strings"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// How says what became of a thing; with "carry." before it, it is a message.
type How string

// What may become of a thing.
const (
	LeftOut  How = "left-out"  // it is not there
	ReadOnly How = "read-only" // a volume that was written before
	Lowered  How = "lowered"   // to what is allowed
	OwnHome  How = "own-home"  // the home is another person's; What is who had it
	Replaced How = "replaced"  // a variable that has another value now
	TestOnly How = "test-only" // it ran as production, and may have used the online pool
	Expanded How = "expanded"  // its texts say what macros came to, not the macros
)

// Note tells of one thing that did not come along as it was.
type Note struct {
	How  How
	What string       // a path, a name, a size
	Why  *fault.Field // what was found against it; nil where How says it all
}

// Fit is what a container may have where it goes to, and what is to be said of
// the rest: each part without what was found against it, its resources within the
// limits. imageName is how people know its image.
func Fit(want spec.Instance, imageName string, found []fault.Field, limits ...spec.Quota) (spec.Instance, []Note) {
	least := spec.Resources{CPUMilli: preflight.MinCPUMilli, MemoryBytes: preflight.MinMemoryBytes}
	imageID, image := Image(want.ImageID, imageName, found)
	mounts, volumes := Mounts(want.Mounts, found)
	resources, sizes := Lower(want.Resources, found, least, limits...)
	env, variables := Env(want.Env, found)
	uses, secrets := Secrets(want.Secrets, found)
	return spec.Instance{ImageID: imageID, Mounts: mounts, Resources: resources, Env: env, Secrets: uses},
		slices.Concat(image, volumes, sizes, variables, secrets)
}

// Mounts are the mounts against which nothing was found. One that may only be
// read is mounted so.
func Mounts(mounts []spec.Mount, found []fault.Field) ([]spec.Mount, []Note) {
	var kept []spec.Mount
	var notes []Note
	for i, m := range mounts {
		why := first(found, "mounts", i)
		switch {
		case why == nil:
			kept = append(kept, m)
		case onlyRead(why.ID):
			m.ReadOnly = true
			kept = append(kept, m)
			notes = append(notes, Note{How: ReadOnly, What: m.Path, Why: why})
		default:
			notes = append(notes, Note{How: LeftOut, What: m.Path, Why: why})
		}
	}
	return kept, notes
}

// onlyRead are the refusals that a read-only mount answers.
func onlyRead(id string) bool { return id == "volume.read-only" || id == "share.read-only" }

// Secrets are the uses of secrets against which nothing was found.
func Secrets(uses []spec.SecretUse, found []fault.Field) ([]spec.SecretUse, []Note) {
	return keep("secrets", uses, found, func(u spec.SecretUse) string {
		if u.At != "" {
			return u.At
		}
		return u.SecretID
	})
}

// Env are the variables against which nothing was found.
func Env(env []spec.EnvVar, found []fault.Field) ([]spec.EnvVar, []Note) {
	return keep("env", env, found, func(v spec.EnvVar) string { return v.Name })
}

func keep[T any](list string, all []T, found []fault.Field, name func(T) string) ([]T, []Note) {
	var kept []T
	var notes []Note
	for i, x := range all {
		if why := first(found, list, i); why != nil {
			notes = append(notes, Note{How: LeftOut, What: name(x), Why: why})
			continue
		}
		kept = append(kept, x)
	}
	return kept, notes
}

// Image is the image, or nothing when something was found against it; name is
// how people know it.
func Image(id, name string, found []fault.Field) (string, []Note) {
	for i := range found {
		if found[i].Path == "imageId" {
			return "", []Note{{How: LeftOut, What: name, Why: &found[i]}}
		}
	}
	return id, nil
}

// Lower brings resources down to the lowest of the limits, of which 0 is none,
// and tells why of each that was found too large.
func Lower(r spec.Resources, found []fault.Field, least spec.Resources, limits ...spec.Quota) (spec.Resources, []Note) {
	var notes []Note
	for _, one := range []struct {
		path  string
		value *int64
		least int64
		of    func(spec.Quota) int64
	}{
		{"resources.cpu", &r.CPUMilli, least.CPUMilli, func(q spec.Quota) int64 { return q.CPUMilli }},
		{"resources.memory", &r.MemoryBytes, least.MemoryBytes, func(q spec.Quota) int64 { return q.MemoryBytes }},
		{"resources.gpu", &r.GPU, least.GPU, func(q spec.Quota) int64 { return q.GPU }},
	} {
		was := *one.value
		for _, q := range limits {
			if limit, bound := spec.Bound(one.of(q)); bound {
				*one.value = min(*one.value, max(limit, one.least))
			}
		}
		if *one.value == was {
			continue
		}
		n := Note{How: Lowered, What: one.path}
		if i := slices.IndexFunc(found, func(f fault.Field) bool { return f.Path == one.path }); i >= 0 {
			n.Why = &found[i]
		}
		notes = append(notes, n)
	}
	return r, notes
}

// first is the first thing that was found against entry i of a list.
func first(found []fault.Field, list string, i int) *fault.Field {
	at := list + "[" + strconv.Itoa(i) + "]"
	for n := range found {
		if p := found[n].Path; p == at || strings.HasPrefix(p, at+".") {
			return &found[n]
		}
	}
	return nil
}
