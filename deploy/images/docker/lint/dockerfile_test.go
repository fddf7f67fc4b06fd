// Package lint reads the Dockerfiles with BuildKit's own parser, since no image
// builder is needed for anything else here. It is a module of its own, so that
// the platform does not depend on BuildKit.
package lint

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

const repo = "../../../.."

type file struct {
	name   string
	stages []instructions.Stage
	args   map[string]string // before the first FROM
}

// read parses a Dockerfile the way a build does; what the linter would warn of
// is an error here.
func read(t *testing.T, path string) file {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := parser.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range tree.Warnings {
		t.Errorf("%s: %s", path, w.Short)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, msg string, _ []parser.Range) {
		t.Errorf("%s: %s: %s", path, rule, msg)
	}})
	stages, meta, err := instructions.Parse(tree.AST, lint)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	f := file{name: filepath.Base(path), stages: stages, args: map[string]string{}}
	for _, a := range meta {
		for _, kv := range a.Args {
			if kv.Value == nil {
				t.Errorf("%s: %s has no default", path, kv.Key)
				continue
			}
			f.args[kv.Key] = *kv.Value
		}
	}
	return f
}

func files(t *testing.T) []file {
	t.Helper()
	paths, err := filepath.Glob("../*.Dockerfile")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d Dockerfiles, %v", len(paths), err)
	}
	var out []file
	for _, p := range paths {
		out = append(out, read(t, p))
	}
	return out
}

var variable = regexp.MustCompile(`\$\{?([A-Z_]+)\}?`)

// TestBasesAreKnownAndPinned: a variable of FROM has a default, and nothing is
// "latest".
func TestBasesAreKnownAndPinned(t *testing.T) {
	for _, f := range files(t) {
		known := map[string]bool{}
		for _, s := range f.stages {
			base := variable.ReplaceAllStringFunc(s.BaseName, func(v string) string {
				value, ok := f.args[variable.FindStringSubmatch(v)[1]]
				if !ok {
					t.Errorf("%s: FROM %s: %s is not declared before it", f.name, s.BaseName, v)
				}
				return value
			})
			if _, tag, _ := strings.Cut(base, ":"); !known[base] && (tag == "" || tag == "latest") {
				t.Errorf("%s: FROM %s has no version", f.name, base)
			}
			known[s.Name] = true
		}
	}
}

// TestWhatIsCopiedIsThere: paths of the repository, or stages above.
func TestWhatIsCopiedIsThere(t *testing.T) {
	copies := 0
	for _, f := range files(t) {
		known := map[string]bool{}
		for _, s := range f.stages {
			for _, c := range s.Commands {
				cp, ok := c.(*instructions.CopyCommand)
				if !ok {
					continue
				}
				copies++
				if cp.From != "" {
					if !known[cp.From] {
						t.Errorf("%s: COPY --from=%s: there is no such stage above", f.name, cp.From)
					}
					continue
				}
				for _, path := range cp.SourcePaths {
					if _, err := os.Stat(filepath.Join(repo, path)); err != nil {
						t.Errorf("%s: COPY %s: %v", f.name, path, err)
					}
				}
			}
			known[s.Name] = true
		}
	}
	if copies < 8 {
		t.Errorf("only %d COPY were looked at", copies)
	}
}

// TestTheBaseKeepsTheContract of docs/images.md, and the others leave it alone.
func TestTheBaseKeepsTheContract(t *testing.T) {
	for _, f := range files(t) {
		last := f.stages[len(f.stages)-1]
		entry, user, home := "", "", ""
		for _, c := range last.Commands {
			switch c := c.(type) {
			case *instructions.EntrypointCommand:
				entry = strings.Join(c.CmdLine, " ")
			case *instructions.UserCommand:
				user = c.User
			case *instructions.EnvCommand:
				for _, kv := range c.Env {
					if kv.Key == "HOME" {
						home = kv.Value
					}
				}
			}
		}
		wantEntry, wantHome := "", ""
		if f.name == "base.Dockerfile" {
			wantEntry, wantHome = "/usr/local/bin/goblin-init", "/home/goblin"
		} else if last.BaseName != "${BASE}" {
			t.Errorf("%s is not built on the base but on %s", f.name, last.BaseName)
		}
		if entry != wantEntry || user != "" || home != wantHome {
			t.Errorf("%s: entry point %q, user %q, home %q", f.name, entry, user, home)
		}
	}
}

// TestTheProgramHasWhatItsStageCopies: goblin-init imports nothing of this
// repository, near or far, but what base.Dockerfile copies.
func TestTheProgramHasWhatItsStageCopies(t *testing.T) {
	imports := regexp.MustCompile(`"github\.com/goblinlab/goblinlab/([^"]+)"`)
	copies := regexp.MustCompile(`(?m)^COPY ((?:cmd|internal)/\S+) (\S+)$`)
	recipe, err := os.ReadFile("../base.Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var copied []string
	for _, m := range copies.FindAllStringSubmatch(string(recipe), -1) {
		if m[1] != m[2] {
			t.Errorf("%s is copied to %s", m[1], m[2])
		}
		copied = append(copied, m[1])
	}
	seen := map[string]bool{"cmd/goblin-init": true}
	for next := []string{"cmd/goblin-init"}; len(next) > 0; next = next[1:] {
		dir := next[0]
		if !slices.ContainsFunc(copied, func(c string) bool { return dir == c || strings.HasPrefix(dir, c+"/") }) {
			t.Errorf("goblin-init needs %s, which base.Dockerfile does not copy", dir)
		}
		sources, err := filepath.Glob(filepath.Join(repo, dir, "*.go"))
		if err != nil || len(sources) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(sources), err)
		}
		for _, s := range sources {
			if strings.HasSuffix(s, "_test.go") {
				continue
			}
			data, err := os.ReadFile(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range imports.FindAllStringSubmatch(string(data), -1) {
				if !seen[m[1]] {
					seen[m[1]] = true
					next = append(next, m[1])
				}
			}
		}
	}
	if len(seen) < 3 {
		t.Errorf("only %d packages are needed", len(seen))
	}
}
