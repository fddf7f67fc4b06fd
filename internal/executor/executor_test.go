package executor_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/container"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
)

func TestOutputs(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]map[string]string{
		"":    nil,
		" \n": nil,
		"{}":  {},
		` {"rows": 42, "big": 12345678901234567890, "half": 0.50, "ok": true, "no": false, "path": "/a ${b}"} `: {
			"rows": "42", "big": "12345678901234567890", "half": "0.50", "ok": "true", "no": "false", "path": "/a ${b}",
		},
	} {
		got, err := executor.ParseOutputs(message)
		if err != nil {
			t.Errorf("%q: %v", message, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", message, diff)
		}
	}
	for message, want := range map[string]string{
		"done":           "outputs.json",
		`{"a":1}{"b":2}`: "outputs.json",
		`[1]`:            "outputs.object",
		`null`:           "outputs.object",
		`{"a":null}`:     "outputs.value",
		`{"a":{"b":1}}`:  "outputs.value",
		`{"a":[]}`:       "outputs.value",
		`{"1a":1}`:       "outputs.name",
		`{"a.b":1}`:      "outputs.name",
		`{"a":1,"a":2}`:  "outputs.twice",
		`{"a":"` + strings.Repeat("x", executor.MaxOutputs) + `"}`: "outputs.too-large",
	} {
		_, err := executor.ParseOutputs(message)
		f := fault.Of(err)
		if f == nil || f.ID != want || !lang.Has("fault."+want) {
			t.Errorf("%.40q: %v, want %s", message, err, want)
		}
	}
}

func FuzzOutputs(f *testing.F) {
	f.Add(`{"rows":1}`)
	f.Add(`{"a":{`)
	f.Fuzz(func(t *testing.T, message string) {
		out, err := executor.ParseOutputs(message)
		if (err != nil) != (fault.Of(err) != nil) {
			t.Fatalf("the error is no fault: %v", err)
		}
		if err != nil && len(out) > 0 {
			t.Fatal("outputs beside an error")
		}
	})
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	r, err := executor.NewRegistry(container.Container{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Get("container"); !ok || !cmp.Equal(r.Names(), []string{"container"}) || len(r.All()) != 1 {
		t.Error("the registry does not hold what it was given")
	}
	if _, ok := r.Get("Container"); ok {
		t.Error("a name is found in another case")
	}
	if _, err := executor.NewRegistry(container.Container{}, container.Container{}); err == nil {
		t.Error("one name is taken twice")
	}
}
