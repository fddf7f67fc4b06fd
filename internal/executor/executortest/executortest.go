// Package executortest is what every executor must pass, whatever it does.
package executortest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/macro"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Conform runs the suite; variants are further settings that work, beside the
// schema's example. Golden files of tasks are in testdata.
func Conform(t *testing.T, e executor.Executor, variants ...string) {
	t.Helper()
	schema := Compile(t, e.Schema())
	all := []json.RawMessage{Example(e)}
	for _, v := range variants {
		all = append(all, json.RawMessage(v))
	}
	for i, with := range all {
		t.Run(fmt.Sprintf("settings %d", i), func(t *testing.T) {
			if err := schema.Validate(decode(t, with)); err != nil {
				t.Errorf("the schema refuses %s: %v", with, err)
			}
			if p := e.Check(with); len(p) > 0 {
				t.Errorf("%s has problems %v", with, p)
			}
			refusesUnknownFields(t, e, schema, with)
			takesMacros(t, e, schema, with)
			tellsNoValue(t, e, with)
			golden(t, e, with, fmt.Sprintf("%s-%d.json", e.Name(), i))
		})
	}
	for _, no := range []string{"null", "[]", "1", `"x"`, "{", `{"a":1} {}`} {
		Sound(t, e, json.RawMessage(no))
		if len(e.Check(json.RawMessage(no))) == 0 {
			t.Errorf("%s is taken", no)
		}
	}
}

// Example is the first example of an executor's schema.
func Example(e executor.Executor) json.RawMessage {
	list, _ := e.Schema()["examples"].([]any)
	if len(list) == 0 {
		return nil
	}
	raw, _ := json.Marshal(list[0])
	return raw
}

// Compile compiles a schema.
func Compile(t testing.TB, schema map[string]any) *jsonschema.Schema {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Sound checks settings, whatever they are, and wants words in both languages
// for every problem. It is what a fuzzer calls.
func Sound(t testing.TB, e executor.Executor, with json.RawMessage) {
	t.Helper()
	for _, p := range e.Check(with) {
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			if !lang.Has("fault." + p.ID) {
				t.Fatalf("fault.%s has no words", p.ID)
			}
			if s := lang.Text(l, "fault."+p.ID, p.Args); s == "" {
				t.Fatalf("%s of %s says nothing", p.ID, p.Path)
			}
		}
	}
}

func decode(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// each calls visit for every place in a tree with what puts another value there.
func each(v any, path string, set func(any), visit func(path string, v any, set func(any))) {
	visit(path, v, set)
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			each(x[k], macro.Join(path, k), func(n any) { x[k] = n }, visit)
		}
	case []any:
		for i := range x {
			each(x[i], fmt.Sprintf("%s[%d]", path, i), func(n any) { x[i] = n }, visit)
		}
	}
}

// A field that nobody knows, in any object with a fixed list of them, is named
// with the one that was meant; the schema refuses it too.
func refusesUnknownFields(t *testing.T, e executor.Executor, schema *jsonschema.Schema, with json.RawMessage) {
	t.Helper()
	seen := 0
	tree := decode(t, with)
	each(tree, "", nil, func(path string, v any, _ func(any)) {
		m, ok := v.(map[string]any)
		if !ok || strings.HasSuffix(path, "conf") || strings.HasSuffix(path, "headers") {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(m)) {
			typo := name + "x"
			m[typo] = m[name]
			raw, _ := json.Marshal(tree)
			found := false
			for _, p := range e.Check(raw) {
				near, _ := p.Args["nearest"].([]string)
				found = found || p.Path == macro.Join(path, typo) && p.ID == "shape.unknown" && slices.Contains(near, name)
			}
			if !found {
				t.Errorf("%s in %q is not refused for %s: %v", typo, path, name, e.Check(raw))
			}
			if schema.Validate(tree) == nil {
				t.Errorf("the schema takes %s in %q", typo, path)
			}
			delete(m, typo)
			seen++
		}
	})
	if seen == 0 {
		t.Error("no field was tried")
	}
}

// Every text may be a macro, whose value nobody knows yet; no name of a field may.
func takesMacros(t *testing.T, e executor.Executor, schema *jsonschema.Schema, with json.RawMessage) {
	t.Helper()
	tree := decode(t, with)
	each(tree, "", nil, func(path string, v any, set func(any)) {
		s, ok := v.(string)
		if !ok {
			return
		}
		set("${param.x}")
		raw, _ := json.Marshal(tree)
		if p := e.Check(raw); len(p) > 0 {
			t.Errorf("a macro in %s: %v", path, p)
		}
		if err := schema.Validate(tree); err != nil {
			t.Errorf("the schema refuses a macro in %s: %v", path, err)
		}
		set(s)
	})
	m := tree.(map[string]any) //nolint:forcetypeassert // settings are an object
	m["${yyyy}"] = "x"
	raw, _ := json.Marshal(tree)
	if len(e.Check(raw)) == 0 || len(macro.CheckTree(raw, macro.Scope{})) == 0 {
		t.Error("a macro as the name of a field is taken")
	}
}

// Whatever a text holds, no problem says it again, but for what is a name, a path, an amount or a choice.
func tellsNoValue(t *testing.T, e executor.Executor, with json.RawMessage) {
	t.Helper()
	const password = "hunter2\x00\n"
	tree := decode(t, with)
	each(tree, "", nil, func(path string, v any, set func(any)) {
		s, ok := v.(string)
		private := strings.HasSuffix(path, ".value") || strings.Contains(path, "headers.") || strings.Contains(path, "conf.") ||
			strings.HasSuffix(path, "body") || strings.HasSuffix(path, "url") || strings.Contains(path, "args[") || strings.Contains(path, "command[") ||
			strings.HasSuffix(path, "equals") || strings.HasSuffix(path, "bodyContains") || strings.HasSuffix(path, "master") || strings.HasSuffix(path, "application")
		if !ok || !private {
			return
		}
		set("https://user:" + password + "@example.com")
		raw, _ := json.Marshal(tree)
		if told := fmt.Sprint(e.Check(raw)); strings.Contains(told, "hunter2") {
			t.Errorf("%s is told: %s", path, told)
		}
		if l, ok := e.(executor.Launcher); ok {
			if _, err := l.Task(raw, executor.Launch{}); err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s is told: %v", path, err)
			}
		}
		set(s)
	})
}

// golden compares the task that settings make, once expanded.
func golden(t *testing.T, e executor.Executor, with json.RawMessage, name string) {
	t.Helper()
	l, ok := e.(executor.Launcher)
	if !ok || executor.Polls(e, with) {
		return
	}
	expanded, err := macro.ExpandTree(with, macro.Values{
		Time: time.Date(2026, 5, 17, 10, 30, 0, 0, time.UTC), RunID: "run-1", FlowID: "flow-1", FlowName: "nightly", TaskName: "load", Attempt: 1,
		Params: map[string]string{"x": "$(rm -rf /); ${run.id}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	task, err := l.Task(expanded, executor.Launch{Timeout: time.Hour, Retries: 2})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(task, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
