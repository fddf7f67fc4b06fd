// Command conformance judges a report of Kubernetes' end-to-end tests by the list of those that are known not to pass.
//
//	conformance -known known.yaml -table FILE report.json
//
// It fails if a test fails that is not in the list, and if one passes that is, unless that depends on the machine.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
	"sigs.k8s.io/yaml"
)

func main() {
	list := flag.String("known", "known.yaml", "tests that do not pass, with their reasons")
	table := flag.String("table", "", "file for the table of results, in Markdown")
	part := flag.Bool("part", false, "only a part of the tests was wanted: those of the list may be missing")
	flag.Parse()
	if err := run(*list, *table, *part, flag.Arg(0), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(list, table string, part bool, report string, w io.Writer) error {
	known, err := readKnown(list)
	if err != nil {
		return err
	}
	reports, err := readReports(report)
	if err != nil {
		return err
	}
	r := resultsOf(reports)
	if table != "" {
		if err := os.WriteFile(table, []byte(r.table()), 0o644); err != nil {
			return err
		}
	}
	fmt.Fprint(w, r.table())
	return errors.Join(append(r.problems, r.judge(known, part)...)...)
}

// cause is why tests do not pass. What depends on the machine may pass on another one.
type cause struct {
	Reason  string   `json:"reason"`
	Machine bool     `json:"machine"`
	Tests   []string `json:"tests"`
}

// readKnown gives the cause for each test that is known not to pass.
func readKnown(path string) (map[string]cause, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var causes []cause
	if err := yaml.UnmarshalStrict(b, &causes); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	known := map[string]cause{}
	for _, c := range causes {
		for _, t := range c.Tests {
			if _, twice := known[t]; twice || c.Reason == "" {
				return nil, fmt.Errorf("%s: %q has no reason, or is there twice", path, t)
			}
			known[t] = c
		}
	}
	return known, nil
}

func readReports(path string) ([]types.Report, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var reports []types.Report
	if err := json.Unmarshal(b, &reports); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return reports, nil
}

// tally counts the tests of an area.
type tally struct{ passed, retried, failed, skipped int }

// results is what came out. Problems are those of the run itself, which no list excuses.
type results struct {
	tests    map[string]types.SpecState
	areas    map[string]*tally
	problems []error
}

func resultsOf(reports []types.Report) *results {
	r := &results{tests: map[string]types.SpecState{}, areas: map[string]*tally{}}
	for _, report := range reports {
		for _, reason := range report.SpecialSuiteFailureReasons {
			if !strings.HasPrefix(reason, "Detected") { // failed tests, which are counted one by one
				r.problems = append(r.problems, errors.New(reason))
			}
		}
		for _, s := range report.SpecReports {
			r.add(s)
		}
	}
	if len(r.tests) == 0 {
		r.problems = append(r.problems, errors.New("no test was run"))
	}
	return r
}

func (r *results) add(s types.SpecReport) {
	if s.LeafNodeType != types.NodeTypeIt {
		if s.Failed() {
			r.problems = append(r.problems, fmt.Errorf("%s: %s", s.LeafNodeType, s.Failure.Message))
		}
		return
	}
	unwanted := s.State == types.SpecStateSkipped && s.Failure.IsZero()
	if unwanted || s.State == types.SpecStatePending {
		return
	}
	area := areaOf(s)
	if r.areas[area] == nil {
		r.areas[area] = &tally{}
	}
	r.areas[area].count(s)
	r.tests[s.FullText()] = s.State
}

func (t *tally) count(s types.SpecReport) {
	switch {
	case s.Failed():
		t.failed++
	case s.State == types.SpecStateSkipped:
		t.skipped++
	default:
		t.passed++
		if s.NumAttempts > 1 {
			t.retried++
		}
	}
}

var sig = regexp.MustCompile(`^\[sig-([a-z-]+)\]`)

// areaOf is the group of Kubernetes that a test belongs to, those of the conformance set apart from the others.
func areaOf(s types.SpecReport) string {
	area := "other"
	if m := sig.FindStringSubmatch(s.FullText()); m != nil {
		area = m[1]
	}
	if slices.Contains(s.Labels(), "Conformance") {
		return "conformance: " + area
	}
	return "more: " + area
}

// judge compares the results with the list.
func (r *results) judge(known map[string]cause, part bool) []error {
	var found []error
	for _, test := range slices.Sorted(maps.Keys(r.tests)) {
		failed := r.tests[test].Is(types.SpecStateFailureStates)
		why, expected := known[test]
		switch {
		case failed && !expected:
			found = append(found, fmt.Errorf("failed: %s", test))
		case r.tests[test] == types.SpecStatePassed && expected && !why.Machine:
			found = append(found, fmt.Errorf("passes now, take it off the list: %s", test))
		}
	}
	for _, test := range slices.Sorted(maps.Keys(known)) {
		if _, ran := r.tests[test]; !ran && !part {
			found = append(found, fmt.Errorf("is in the list and was not run: %s", test))
		}
	}
	return found
}

func (r *results) table() string {
	var b strings.Builder
	b.WriteString("| area | passed | at the second try | failed | skipped themselves |\n|---|---|---|---|---|\n")
	sum := tally{}
	for _, area := range slices.Sorted(maps.Keys(r.areas)) {
		t := r.areas[area]
		b.WriteString(t.row(area))
		sum = tally{sum.passed + t.passed, sum.retried + t.retried, sum.failed + t.failed, sum.skipped + t.skipped}
	}
	b.WriteString(sum.row("all"))
	return b.String()
}

func (t *tally) row(name string) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d |\n", name, t.passed, t.retried, t.failed, t.skipped)
}
