package definition_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/flow/definition"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	task := func(change func(*spec.FlowTask)) spec.Flow {
		x := container("b", "a")
		change(&x)
		return spec.Flow{Parameters: []spec.Parameter{{Name: "day"}}, Tasks: []spec.FlowTask{container("a"), x, container("c", "b")}}
	}
	many := spec.Flow{}
	for i := range definition.MaxTasks + 1 {
		many.Tasks = append(many.Tasks, spec.FlowTask{Name: fmt.Sprintf("t%d", i), Executor: "container", With: json.RawMessage(`{}`)})
	}
	for name, c := range map[string]struct {
		flow spec.Flow
		want []string
	}{
		"sound":            {task(func(*spec.FlowTask) {}), nil},
		"nothing":          {spec.Flow{}, []string{"tasks shape.type"}},
		"no task":          {spec.Flow{Tasks: []spec.FlowTask{}}, []string{"tasks shape.few"}},
		"too many":         {many, []string{"tasks shape.many"}},
		"too large":        {task(func(x *spec.FlowTask) { x.With = with(strings.Repeat("x", definition.MaxBytes)) }), []string{" flow.too-large"}},
		"no settings":      {task(func(x *spec.FlowTask) { x.With = nil }), []string{"tasks[1].with shape.type"}},
		"broken settings":  {task(func(x *spec.FlowTask) { x.With = json.RawMessage(`{`) }), []string{"tasks[1].with shape.json"}},
		"unknown executor": {task(func(x *spec.FlowTask) { x.Executor = "contaner" }), []string{"tasks[1].executor flow.executor"}},
		"choices": {task(func(x *spec.FlowTask) {
			x.Trigger = "always"
			x.Priority = 101
			x.Retry = spec.Retry{Count: 101, Jitter: 2}
		}),
			[]string{"tasks[1].trigger shape.choice", "tasks[1].retry.count shape.range", "tasks[1].retry.jitter shape.range", "tasks[1].priority shape.range"}},
		"waits": {task(func(x *spec.FlowTask) {
			x.Retry = spec.Retry{Wait: spec.Duration(time.Minute), Most: spec.Duration(time.Second)}
		}), []string{"tasks[1].retry.most flow.retry-most"}},
		"timeout": {task(func(x *spec.FlowTask) { x.Timeout = spec.Duration(1000 * time.Hour) }), []string{"tasks[1].timeout shape.span-range"}},
		"needs":   {task(func(x *spec.FlowTask) { x.Needs = []string{"a", "a", "b", "aa"} }), []string{"tasks[1].needs[1] flow.needs-twice", "tasks[1].needs[2] flow.needs-itself", "tasks[1].needs[3] flow.needs-unknown"}},
		"names":   {task(func(x *spec.FlowTask) { x.Name = "a"; x.Needs = nil; x.Group = "a b" }), []string{"tasks[1].name flow.task-twice", "tasks[2].needs[0] flow.needs-unknown", "tasks[1].group flow.name"}},
		"cycle": {spec.Flow{Tasks: []spec.FlowTask{container("a", "c"), container("b", "a"), container("c", "b"), container("d", "c"), container("e", "f"), container("f", "e")}},
			[]string{"tasks[0].needs flow.cycle", "tasks[4].needs flow.cycle"}},
		"macros": {task(func(x *spec.FlowTask) {
			x.With = with("日${nope} ${param.dya} ${tasks.c.outputs.k} ${tasks.a.outputs.k}")
		}),
			[]string{"tasks[1].with.command[0] macro.unknown"}},
		"names in macros": {task(func(x *spec.FlowTask) { x.With = with("${param.dya} ${tasks.c.outputs.k} ${tasks.a.outputs.k}") }),
			[]string{"tasks[1].with.command[0] macro.unknown-param", "tasks[1].with.command[0] macro.not-above"}},
		"when":       {task(func(x *spec.FlowTask) { x.When = "${param.day} = x" }), []string{"tasks[1].when flow.when"}},
		"when's own": {task(func(x *spec.FlowTask) { x.When = "${param.dya} == ${tasks.c.outputs.k}" }), []string{"tasks[1].when macro.unknown-param", "tasks[1].when macro.not-above"}},
		"parameters": {spec.Flow{Schedule: spec.Schedule{Cron: "wrong"}, Tasks: []spec.FlowTask{container("a")}, Parameters: []spec.Parameter{{Name: "a", Required: true}, {Name: "a", Default: "${param.a}"}, {Name: "1", Default: "${"}}},
			[]string{"parameters[0].default flow.parameter-default", "parameters[1].name flow.parameter-twice", "parameters[1].default macro.not-here", "parameters[2].name flow.name", "parameters[2].default macro.unterminated", "schedule.cron shape.empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, ids(t, definition.Check(c.flow, registry(t), schedule))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheCycleIsNamed(t *testing.T) {
	t.Parallel()
	p := definition.Check(spec.Flow{Tasks: []spec.FlowTask{container("x", "c"), container("a", "c"), container("b", "a"), container("c", "b")}}, registry(t), schedule)
	if len(p) != 1 || p[0].Args["value"] != "c → b → a → c" {
		t.Errorf("%v", p)
	}
}

func TestPositionsInsideOfText(t *testing.T) {
	t.Parallel()
	p := definition.Check(spec.Flow{Tasks: []spec.FlowTask{{Name: "a", Executor: "container", With: with("日本 ${nope}"), When: "日 == ${nope}"}}}, registry(t), schedule)
	if len(p) != 2 || p[0].Args["position"] != 6 || p[1].Args["position"] != 8 {
		t.Errorf("%v", p)
	}
}

func TestWhatIsDrawnIsSound(t *testing.T) {
	t.Parallel()
	draw := flows(t)
	r := registry(t)
	rapid.Check(t, func(rt *rapid.T) {
		f := draw.Draw(rt, "flow")
		for _, p := range definition.Check(f, r, schedule) {
			if !strings.HasPrefix(p.ID, "macro.unknown-param") { // the examples' own
				rt.Fatalf("%s %s %v", p.Path, p.ID, p.Args)
			}
		}
	})
}

// A flow whose tasks go in circles is told so, and nobody else is.
func TestCyclesAreFoundWhereNoOrderIs(t *testing.T) {
	t.Parallel()
	r := registry(t)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(rt, "n")
		var f spec.Flow
		for i := range n {
			x := container(fmt.Sprintf("t%d", i))
			for j := range n {
				if i != j && rapid.IntRange(0, 4).Draw(rt, "edge") == 0 {
					x.Needs = append(x.Needs, fmt.Sprintf("t%d", j))
				}
			}
			f.Tasks = append(f.Tasks, x)
		}
		told := false
		for _, p := range definition.Check(f, r, schedule) {
			told = told || p.ID == "flow.cycle"
		}
		if ok := ordered(f); told == ok {
			rt.Fatalf("can be ordered: %v, told of a circle: %v", ok, told)
		}
	})
}

// ordered reports whether the tasks can be taken one by one, each after all that it needs.
func ordered(f spec.Flow) bool {
	taken := map[string]bool{}
	for range f.Tasks {
		for _, x := range f.Tasks {
			if !slices.ContainsFunc(x.Needs, func(n string) bool { return !taken[n] }) {
				taken[x.Name] = true
			}
		}
	}
	return len(taken) == len(f.Tasks)
}
