package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
)

func spec(name string, state types.SpecState, failure string) types.SpecReport {
	return types.SpecReport{
		LeafNodeType: types.NodeTypeIt, LeafNodeText: name, State: state, Failure: types.Failure{Message: failure},
		LeafNodeLabels: []string{"Conformance"}, NumAttempts: 1,
	}
}

func TestAReportIsJudgedByTheList(t *testing.T) {
	const passing, failing, gone = "[sig-node] passes", "[sig-apps] fails", "[sig-apps] gone"
	passed, failed := spec(passing, types.SpecStatePassed, ""), spec(failing, types.SpecStateFailed, "no")
	for name, c := range map[string]struct {
		specs   []types.SpecReport
		reasons []string
		known   string
		machine bool
		part    bool
		want    string
	}{
		"all passes":             {specs: []types.SpecReport{passed}},
		"an unknown failure":     {specs: []types.SpecReport{passed, failed}, want: "failed: " + failing},
		"a known failure":        {specs: []types.SpecReport{passed, failed}, known: failing},
		"a panic":                {specs: []types.SpecReport{spec(failing, types.SpecStatePanicked, "")}, want: "failed: " + failing},
		"a known failure passes": {specs: []types.SpecReport{passed}, known: passing, want: "passes now"},
		"it may pass here":       {specs: []types.SpecReport{passed}, known: passing, machine: true},
		"it may fail here":       {specs: []types.SpecReport{passed, failed}, known: failing, machine: true},
		"a known one skips":      {specs: []types.SpecReport{passed, spec(failing, types.SpecStateSkipped, "why")}, known: failing},
		"a known one is gone":    {specs: []types.SpecReport{passed}, known: gone, want: "was not run"},
		"only a part":            {specs: []types.SpecReport{passed}, known: gone, part: true},
		"nothing ran":            {specs: []types.SpecReport{spec(passing, types.SpecStateSkipped, "")}, want: "no test was run"},
		"interrupted":            {specs: []types.SpecReport{passed}, reasons: []string{"Interrupted by User"}, want: "Interrupted"},
		"the set-up failed": {
			specs: []types.SpecReport{passed, {LeafNodeType: types.NodeTypeSynchronizedBeforeSuite, State: types.SpecStateFailed, Failure: types.Failure{Message: "no nodes"}}},
			want:  "no nodes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			report, list := filepath.Join(dir, "report.json"), filepath.Join(dir, "known.yaml")
			b, err := json.Marshal([]types.Report{{SpecReports: c.specs, SpecialSuiteFailureReasons: c.reasons}})
			if err != nil {
				t.Fatal(err)
			}
			write(t, report, string(b))
			yaml := ""
			if c.known != "" {
				yaml = fmt.Sprintf("- reason: because\n  machine: %t\n  tests: [%q]\n", c.machine, c.known)
			}
			write(t, list, yaml)
			err = run(list, "", c.part, report, &bytes.Buffer{})
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestTheListNeedsReasons(t *testing.T) {
	for name, yaml := range map[string]string{
		"no reason": "- tests: [a]\n",
		"twice":     "- reason: because\n  tests: [a, a]\n",
		"misspelt":  "- reasons: because\n  tests: [a]\n",
	} {
		list := filepath.Join(t.TempDir(), "known.yaml")
		write(t, list, yaml)
		if _, err := readKnown(list); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The tests are those of the Kubernetes that is built.
func TestTheVersionIsTheOneThatIsBuilt(t *testing.T) {
	version := regexp.MustCompile(`k8s\.io/kubernetes (v\S+)`)
	var found []string
	for _, path := range []string{"go.mod", "../kube/go.mod"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := version.FindStringSubmatch(string(b))
		if m == nil {
			t.Fatalf("%s has no Kubernetes", path)
		}
		found = append(found, m[1])
	}
	if found[0] != found[1] {
		t.Errorf("the tests are of %s, the cluster is %s", found[0], found[1])
	}
}
