package definition_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/builtin"
	"github.com/goblinlab/goblinlab/internal/executor/executortest"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow/definition"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func registry(t testing.TB) executor.Registry {
	t.Helper()
	r, err := builtin.New(builtin.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ids are problems as "path id", each of which has words in both languages.
func ids(t testing.TB, list []definition.Problem) []string {
	t.Helper()
	var out []string
	for _, p := range list {
		out = append(out, p.Path+" "+p.ID)
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			if s := lang.Text(l, "fault."+p.ID, p.Args); !lang.Has("fault."+p.ID) || s == "" {
				t.Errorf("%s has no words", p.ID)
			}
		}
	}
	return out
}

var run = json.RawMessage(`{"command":["a"],"imageId":"img-1","resources":{"cpu":"1","memory":"1Gi"}}`)

func container(name string, needs ...string) spec.FlowTask {
	return spec.FlowTask{Name: name, Executor: "container", With: run, Needs: needs}
}

func with(command string) json.RawMessage {
	b, _ := json.Marshal(map[string]any{"imageId": "img-1", "command": []string{command}, "resources": map[string]any{"cpu": "1", "memory": "1Gi"}})
	return b
}

// flows draws flows that are sound: tasks need some that stand before them.
func flows(t testing.TB) *rapid.Generator[spec.Flow] {
	all := registry(t).All()
	texts := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "yes", "null", "1", "1e3", "- a", "# no", "a: b", " a", "a ", "a\nb", "a\n\nb\n", "\na", "a\n ", "x\ty", "\u2028", "\ufeff", "日本", "'", "\"", "~", "<<", "2026-05-17", "0x10", "a\rb", "|", "---", "...", "%", "a #b"}), rapid.StringN(0, 20, -1))
	return rapid.Custom(func(t *rapid.T) spec.Flow {
		f := spec.Flow{Description: texts.Draw(t, "description"), Priority: rapid.IntRange(-100, 100).Draw(t, "priority"), Timeout: spec.Duration(rapid.Int64Range(0, 1e15).Draw(t, "timeout"))}
		f.Class = rapid.SampledFrom([]spec.Class{"", spec.ClassOnline, spec.ClassTest}).Draw(t, "class")
		f.Concurrency = rapid.SampledFrom([]spec.Concurrency{"", spec.Allow, spec.Forbid, spec.Replace, spec.QueueOne}).Draw(t, "concurrency")
		for i := range rapid.IntRange(0, 2).Draw(t, "parameters") {
			f.Parameters = append(f.Parameters, spec.Parameter{Name: fmt.Sprintf("p%d", i), Default: "${yyyyMMdd}", Description: texts.Draw(t, "about")})
		}
		if rapid.Bool().Draw(t, "scheduled") {
			f.Schedule = spec.Schedule{Cron: "0 3 * * *", Timezone: "Asia/Shanghai"}
		}
		for i := range rapid.IntRange(1, 6).Draw(t, "tasks") {
			e := rapid.SampledFrom(all).Draw(t, "executor")
			task := spec.FlowTask{Name: fmt.Sprintf("t%d", i), Executor: e.Name(), With: executortest.Example(e), Description: texts.Draw(t, "of task")}
			if e.Name() == "container" {
				task.With = with("x" + texts.Filter(func(s string) bool { return !containsAny(s, "$\x00") }).Draw(t, "command"))
			} else if e.Name() == "http" {
				task.With = json.RawMessage(`{"url":"https://example.com/<a>&b"}`)
			}
			for j := range i {
				if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
					task.Needs = append(task.Needs, fmt.Sprintf("t%d", j))
				}
			}
			if rapid.Bool().Draw(t, "retried") {
				task.Retry = spec.Retry{Count: 3, Wait: spec.Duration(1e9), Jitter: 0.25}
			}
			f.Tasks = append(f.Tasks, task)
		}
		return f
	})
}

func containsAny(s, chars string) bool {
	for _, r := range s {
		for _, c := range chars {
			if r == c {
				return true
			}
		}
	}
	return false
}

func normal(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	b, _ = json.Marshal(tree)
	return string(b)
}

var schedule = definition.Lookups{CheckSchedule: func(s spec.Schedule) []fault.Field {
	if s.Cron == "wrong" {
		return []fault.Field{{Path: "cron", ID: "shape.empty"}}
	}
	return nil
}}
