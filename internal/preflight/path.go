package preflight

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	homePath = manifest.HomePath
	codePath = manifest.CodePath
)

// Folders of the container's own system: what stands there is not for users to cover.
var systemPaths = []string{"/proc", "/sys", "/dev", "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/run", "/var/run"}

// checkMounts notes what is wrong with a user's mounts; taken are paths of the platform.
func checkMounts(f *fault.Fields, prefix string, mounts []spec.Mount, taken []string) {
	for i, m := range mounts {
		at := index(prefix+"mounts", i)
		required(f, at+".volumeId", "volume", m.VolumeID)
		checkSubPath(f, at+".subPath", m.SubPath)
		if !checkPath(f, at+".path", m.Path) {
			continue
		}
		if id, other := collision(m.Path, mounts[:i], taken); id != "" {
			f.Add(at+".path", "preflight.path."+id, fault.Args{"value": clip(m.Path), "other": clip(other)})
		} else if readOnlyAbove(m.Path, mounts) {
			f.Add(at+".path", "preflight.path.in-read-only", fault.Args{"value": clip(m.Path), "other": homePath})
		}
	}
}

// CheckPlatformPath notes what is wrong with the path of a platform volume
// beside those that stand already. A user's own mount may take its place.
func CheckPlatformPath(f *fault.Fields, field, p string, others []string) {
	if !checkPath(f, field, p) {
		return
	}
	id, other := collision(p, nil, append([]string{codePath}, others...))
	if id == "" && within(p, homePath) {
		id, other = "over-home", homePath
	}
	if id != "" {
		f.Add(field, "preflight.path."+id, fault.Args{"value": clip(p), "other": clip(other)})
	}
}

// collision finds what a mount at p gets in the way of, among the system's
// folders, the home, the platform's paths and the mounts before it.
func collision(p string, before []spec.Mount, taken []string) (id, other string) {
	for _, s := range systemPaths {
		if within(p, s) {
			return "system", s
		}
	}
	if within(homePath, p) && p != homePath { // inside the home is fine, and so is another volume in its place
		return "over-home", homePath
	}
	for _, t := range taken {
		if within(p, t) || within(t, p) {
			return "taken", t
		}
	}
	for _, m := range before {
		switch {
		case m.Path == p:
			return "twice", m.Path
		case m.Path == homePath || p == homePath: // as with the home volume
		case path.IsAbs(m.Path) && (within(p, m.Path) || within(m.Path, p)):
			return "nested", m.Path
		}
	}
	return "", ""
}

// readOnlyAbove reports whether a mount at p lies inside of a home that a mount
// makes read-only: nobody could make its folder there.
func readOnlyAbove(p string, mounts []spec.Mount) bool {
	for _, m := range mounts {
		if m.Path == homePath && m.ReadOnly && p != homePath && within(p, homePath) {
			return true
		}
	}
	return false
}

// within reports whether clean path p is dir or lies inside it.
func within(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}

// checkPath wants an absolute, clean path that is not the root.
func checkPath(f *fault.Fields, field, p string) bool {
	id, args := "", fault.Args{"value": clip(p)}
	switch {
	case p == "":
		id, args = "empty", nil
	case !printable(p) || strings.Contains(p, ":"): // the API server takes no colon
		id = "character"
	case len(p) > MaxPath:
		id, args = "too-long", fault.Args{"value": len(p), "limit": MaxPath}
	case !path.IsAbs(p):
		id = "relative"
	case path.Clean(p) == "/":
		id = "root"
	case path.Clean(p) != p:
		id, args["clean"] = "unclean", clip(path.Clean(p))
	default:
		return true
	}
	f.Add(field, "preflight.path."+id, args)
	return false
}

// checkSubPath wants a clean path that stays inside of the volume; empty is the whole of it.
func checkSubPath(f *fault.Fields, field, p string) {
	id, args := "", fault.Args{"value": clip(p)}
	switch {
	case p == "":
		return
	case !printable(p):
		id = "character"
	case len(p) > MaxPath:
		id, args = "too-long", fault.Args{"value": len(p), "limit": MaxPath}
	case path.IsAbs(p):
		id = "absolute"
	case hasParent(p):
		id = "parent"
	case path.Clean(p) != p:
		id, args["clean"] = "unclean", clip(path.Clean(p))
	default:
		return
	}
	f.Add(field, "preflight.subpath."+id, args)
}

func hasParent(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

func printable(p string) bool { return utf8.ValidString(p) && !strings.ContainsFunc(p, Control) }

func index(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// clip makes what somebody typed fit into a message: valid, printable, short.
func clip(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if Control(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
