// Package archtest keeps the direction of imports that ARCHITECTURE.md draws.
package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/goblinlab/goblinlab/"

type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "./...")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		var ee *exec.ExitError
		if errors.As(err, &ee) {
			t.Fatalf("go list: %v\n%s", err, ee.Stderr)
		}
		t.Fatal(err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// rule says what packages under From may not import; a pattern ends in /... to
// cover a tree and is relative to the module unless it has a dot.
type rule struct {
	why    string
	from   []string
	never  []string
	except []string // packages under from that may
}

var (
	pure     = []string{"internal/spec", "internal/fault", "internal/lang", "internal/ident", "internal/quantity", "internal/manifest", "internal/reason", "internal/preflight", "internal/carry", "internal/openid", "internal/mask", "internal/secret/envelope", "internal/files", "internal/files/agent", "internal/schedule", "internal/macro/...", "internal/executor/...", "internal/flow/engine", "internal/flow/agenda", "internal/flow/keep", "internal/flow/definition"}
	services = []string{"internal/account", "internal/admission", "internal/person", "internal/team", "internal/image", "internal/volume", "internal/platformvolume", "internal/instance", "internal/run/...", "internal/logstore", "internal/cluster", "internal/secret", "internal/share", "internal/setting", "internal/mail", "internal/files/courier", "internal/flow", "internal/retention"}
	edges    = []string{"graph/...", "worker/...", "internal/server/...", "internal/gateway/...", "internal/app/...", "cmd/..."}
)

var rules = []rule{
	{why: "pure packages know neither the database nor a clientset", from: pure, never: []string{"ent/...", "internal/db", "internal/kube", "k8s.io/client-go/kubernetes", "k8s.io/client-go/tools/..."}},
	{why: "the schema imports small leaf packages only", from: []string{"ent/schema"}, never: []string{"ent", "ent/migrate", "internal/db", "internal/kube", "internal/manifest", "graph/..."}},
	{why: "services know nothing of what calls them", from: services, never: edges},
	{why: "resolvers and servers go through services", from: []string{"graph/..."}, never: []string{"worker/...", "internal/app/...", "internal/kube", "internal/manifest", "k8s.io/client-go/...", "internal/server/..."}},
	{why: "the worker wakes services and nothing else", from: []string{"worker/..."}, never: []string{"graph/...", "internal/server/...", "internal/gateway/...", "internal/app/...", "internal/manifest"}},
	{why: "only the cluster's door and the reconcilers hold a clientset", from: []string{"internal/...", "graph/...", "worker/..."}, never: []string{"k8s.io/client-go/kubernetes"},
		except: []string{"internal/kube", "internal/instance", "internal/team", "internal/volume", "internal/platformvolume", "internal/cluster", "internal/run/...", "internal/testkit", "internal/bench", "internal/system"}},
	{why: "composition happens in one place", from: []string{"internal/...", "graph/...", "worker/..."}, never: []string{"internal/app/..."}, except: []string{"internal/app/...", "internal/system", "internal/bench"}},
}

func match(pattern, path string) bool {
	if !strings.Contains(strings.SplitN(pattern, "/", 2)[0], ".") {
		pattern = module + pattern
	}
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == tree || strings.HasPrefix(path, tree+"/")
	}
	return path == pattern
}

func anyOf(patterns []string, path string) bool {
	for _, p := range patterns {
		if match(p, path) {
			return true
		}
	}
	return false
}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	all := packages(t)
	used := make([]bool, len(rules))
	for _, p := range all {
		for i, r := range rules {
			if !anyOf(r.from, p.ImportPath) || anyOf(r.except, p.ImportPath) {
				continue
			}
			used[i] = true
			for _, imp := range p.Imports {
				if anyOf(r.never, imp) {
					t.Errorf("%s imports %s: %s", strings.TrimPrefix(p.ImportPath, module), strings.TrimPrefix(imp, module), r.why)
				}
			}
		}
	}
	for i, r := range rules {
		if !used[i] {
			t.Errorf("no package falls under the rule %q: it guards nothing", r.why)
		}
	}
}

func TestNoVagueNames(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		switch filepath.Base(p.ImportPath) {
		case "util", "utils", "common", "helper", "helpers", "manager", "misc":
			t.Errorf("package %s says nothing about what it holds", p.ImportPath)
		}
	}
}
