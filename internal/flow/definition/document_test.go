package definition_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/executor/executortest"
	"github.com/goblinlab/goblinlab/internal/flow/definition"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const good = `apiVersion: goblinlab.io/v1
kind: Flow
name: nightly
team: vision
spec:
  description: |
    Loads the day
    before.
  class: online
  parameters:
    - name: day
      default: ${yyyy-MM-dd,-1d}
  schedule:
    cron: 0 3 * * *
    timezone: Asia/Shanghai
    from: "2026-05-17T00:00:00Z"
    misfire:
      policy: all
      limit: 5
  timeout: 1h30m
  tasks:
    - name: extract
      executor: container
      with:
        command:
          - python
          - extract.py
        imageId: img-1
        resources:
          cpu: "4"
          memory: 8Gi
    - name: ready
      executor: check
      with:
        webhdfs:
          path: /data/${param.day}/_SUCCESS
          url: http://nn.example.com:9870
      needs:
        - extract
      when: ${tasks.extract.outputs.rows} != 0
      retry:
        count: 3
        wait: 10s
        jitter: 0.25
`

func TestADocumentIsReadAndPrintedAsItWas(t *testing.T) {
	t.Parallel()
	d, p := definition.Parse([]byte(good))
	if len(p) > 0 {
		t.Fatal(p)
	}
	if p := definition.Check(d.Flow, registry(t), schedule); len(p) > 0 {
		t.Fatal(p)
	}
	if diff := cmp.Diff(good, string(definition.Print(d))); diff != "" {
		t.Error(diff)
	}
}

func TestProblemsStandWhereTheyAre(t *testing.T) {
	t.Parallel()
	type at struct {
		what         string
		line, column int
	}
	for name, c := range map[string]struct {
		change [2]string
		want   []at
	}{
		"unknown field":   {[2]string{"  class: online", "  clas: online"}, []at{{"clas shape.unknown", 9, 3}}},
		"unknown in task": {[2]string{"      needs:", "      need:"}, []at{{"tasks[1].need shape.unknown", 38, 7}, {"tasks[1].when macro.not-above", 40, 7}}},
		"in settings":     {[2]string{"imageId:", "imagId:"}, []at{{"tasks[0].with.imageId shape.missing", 24, 7}, {"tasks[0].with.imagId shape.unknown", 28, 9}}},
		"number as text":  {[2]string{`cpu: "4"`, "cpu: 4"}, []at{{"tasks[0].with.resources.cpu shape.type", 30, 11}}},
		"macro":           {[2]string{"- extract.py", "- ${nope}"}, []at{{"tasks[0].with.command[1] macro.unknown", 27, 13}}},
		"alias":           {[2]string{"name: nightly", "name: &a nightly"}, []at{{"name yaml.alias", 3, 7}, {"name shape.type", 3, 1}}},
		"bomb":            {[2]string{"  class: online", "  tags: *a"}, []at{{" yaml.syntax", 0, 0}}},
		"twice":           {[2]string{"  class: online", "  class: online\n  class: test"}, []at{{"class yaml.twice", 10, 3}}},
		"version":         {[2]string{"lab.io/v1", "lab.io/v2"}, []at{{"apiVersion shape.choice", 1, 1}}},
		"special field":   {[2]string{"team: vision", "special: vision"}, []at{{"special shape.unknown", 4, 1}}},
		"cycle":           {[2]string{"    - name: extract\n", "    - name: extract\n      needs: [ready]\n"}, []at{{"tasks[0].needs flow.cycle", 23, 7}}},
		"value":           {[2]string{"jitter: 0.25", "jitter: .inf"}, []at{{"tasks[1].retry.jitter yaml.value", 44, 17}, {"tasks[1].retry.jitter shape.type", 44, 9}}},
		"merge":           {[2]string{"  class: online", "  <<: {class: online}"}, []at{{" yaml.key", 9, 3}}},
		"syntax":          {[2]string{"  class: online", "  class: [online"}, []at{{" yaml.syntax", 9, 1}}},
		"scanner":         {[2]string{"  class: online", "  class: 'online"}, []at{{" yaml.syntax", 9, 1}}},
		"second":          {[2]string{"apiVersion", "---\na: b\n---\napiVersion"}, []at{{" yaml.documents", 3, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, p := definition.Parse([]byte(strings.Replace(good, c.change[0], c.change[1], 1)))
			if d.Name != "" {
				p = append(p, d.Locate(definition.Check(d.Flow, registry(t), schedule))...)
			}
			var got []at
			for i, id := range ids(t, p) {
				got = append(got, at{id, p[i].Line, p[i].Column})
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(at{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	for text, want := range map[string]string{
		"": "yaml.empty", "# nothing": "yaml.empty", "a": "shape.type", "[]": "shape.type", "\x00": "yaml.syntax", strings.Repeat("a", definition.MaxBytes+1): "flow.too-large",
		"a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100): "yaml.deep",
	} {
		if _, p := definition.Parse([]byte(text)); len(p) == 0 || p[0].ID != want || !lang.Has("fault."+want) {
			t.Errorf("%.20q: %v, want %s", text, p, want)
		}
	}
}

func TestPrintedIsReadAsTheSame(t *testing.T) {
	t.Parallel()
	draw := flows(t)
	rapid.Check(t, func(rt *rapid.T) {
		d := definition.Document{Name: "n", Team: rapid.SampledFrom([]string{"", "vision", "null"}).Draw(rt, "team"), Flow: draw.Draw(rt, "flow")}
		text := definition.Print(d)
		back, p := definition.Parse(text)
		if len(p) > 0 {
			rt.Fatalf("%s\n%v", text, p)
		}
		if diff := cmp.Diff(normal(t, d), normal(t, back)); diff != "" {
			rt.Fatalf("%s\n%s", text, diff)
		}
		if again := definition.Print(back); string(again) != string(text) {
			rt.Fatalf("printed differently: %s", cmp.Diff(string(text), string(again)))
		}
	})
}

func TestTheSchemaTakesWhatIsSound(t *testing.T) {
	t.Parallel()
	schema := executortest.Compile(t, definition.Schema(registry(t)))
	tree := func(text []byte) any {
		var v any
		if err := yaml.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var out any
		_ = json.Unmarshal(b, &out)
		return out
	}
	if err := schema.Validate(tree([]byte(good))); err != nil {
		t.Error(err)
	}
	for _, change := range [][2]string{{"imageId", "imagId"}, {"executor: check", "executor: container"}, {"executor: check", "executor: chek"}, {"  class: online", "  clas: online"}, {"lab.io/v1", "lab.io/v2"}, {"1h30m", "90 minutes"}} {
		if schema.Validate(tree([]byte(strings.Replace(good, change[0], change[1], 1)))) == nil {
			t.Errorf("%s is taken", change[1])
		}
	}
	draw := flows(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := definition.Print(definition.Document{Name: "n", Flow: draw.Draw(rt, "flow")})
		if err := schema.Validate(tree(text)); err != nil {
			rt.Fatalf("%s\n%v", text, err)
		}
	})
}

func TestDiff(t *testing.T) {
	t.Parallel()
	a := spec.Flow{Priority: 1, Schedule: spec.Schedule{Cron: "0 3 * * *"}, Tasks: []spec.FlowTask{container("a"), container("b", "a"), container("old")}}
	b := spec.Flow{Priority: 2, Schedule: spec.Schedule{Cron: "0 4 * * *", Timezone: "Asia/Shanghai"}, Tasks: []spec.FlowTask{container("b"), container("new"), {Name: "a", Executor: "container", With: with("<x>")}}}
	var got []string
	for _, c := range definition.Diff(a, b) {
		got = append(got, c.Task+"|"+c.Path+"|"+string(c.Before)+"|"+string(c.After))
	}
	whole := func(name string) string {
		return `{"executor":"container","name":"` + name + `","with":` + string(run) + `}`
	}
	want := []string{
		"|priority|1|2", `|schedule.cron|"0 3 * * *"|"0 4 * * *"`, `|schedule.timezone||"Asia/Shanghai"`,
		`b|needs|["a"]|`, "new|||" + whole("new"), `a|with.command|["a"]|["<x>"]`, "old||" + whole("old") + "|",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Nothing differs from itself, in whatever order; and what is told forwards is told backwards.
func TestDiffIsAntisymmetric(t *testing.T) {
	t.Parallel()
	draw := flows(t)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := draw.Draw(rt, "a"), draw.Draw(rt, "b")
		turned := a
		turned.Tasks = nil
		for i := range a.Tasks {
			turned.Tasks = append(turned.Tasks, a.Tasks[len(a.Tasks)-1-i])
		}
		if d := definition.Diff(a, turned); len(d) > 0 {
			rt.Fatalf("a flow differs from itself: %v", d)
		}
		there, back := map[string]string{}, map[string]string{}
		for _, c := range definition.Diff(a, b) {
			there[c.Task+" "+c.Path] = string(c.Before) + "→" + string(c.After)
		}
		for _, c := range definition.Diff(b, a) {
			back[c.Task+" "+c.Path] = string(c.After) + "→" + string(c.Before)
		}
		if diff := cmp.Diff(there, back); diff != "" {
			rt.Fatal(diff)
		}
		if len(there) == 0 && normal(t, a) != normal(t, b) && len(a.Tasks) == 1 {
			rt.Fatal("two flows differ and nothing is told")
		}
	})
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(good))
	for _, s := range []string{"", "a: &a [*a]", "? {a: b}\n: c", "!!binary aGk=", "a: !!int x", "- - - -", "\xff", "spec: {tasks: [{with: {a: 1}}]}"} {
		f.Add([]byte(s))
	}
	r := registry(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		d, p := definition.Parse(text)
		if len(p) > 0 {
			ids(t, p)
			ids(t, d.Locate(definition.Check(d.Flow, r, schedule)))
			return
		}
		back, again := definition.Parse(definition.Print(d))
		if len(again) > 0 || normal(t, back) != normal(t, d) {
			t.Fatalf("%q is printed %q: %v", text, definition.Print(d), again)
		}
	})
}
