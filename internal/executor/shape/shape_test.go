package shape_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/executor/executortest"
	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/spec"
)

type thing struct {
	Name  string            `json:"name"`
	Mode  string            `json:"mode,omitempty"`
	Wait  spec.Duration     `json:"wait,omitzero"`
	At    *time.Time        `json:"at,omitempty"`
	Count int               `json:"count,omitempty"`
	Part  float64           `json:"part,omitempty"`
	On    bool              `json:"on,omitempty"`
	Conf  map[string]string `json:"conf,omitempty"`
	Items []thing           `json:"items,omitempty"`
	Left  json.RawMessage   `json:"left,omitempty"`
	Right json.RawMessage   `json:"right,omitempty"`
}

func form(depth int) shape.Shape {
	s := shape.Object(
		shape.Required("name", shape.Text(1, 5)),
		shape.Optional("mode", shape.Choice("fast", "slow")),
		shape.Optional("wait", shape.Span(time.Second, time.Hour)),
		shape.Optional("at", shape.Instant()),
		shape.Optional("count", shape.Integer(-3, 3)),
		shape.Optional("part", shape.Number(0, 1)),
		shape.Optional("on", shape.Bool()),
		shape.Optional("conf", shape.Map(shape.Text(0, 3), "^a", 2)),
		shape.Optional("left", shape.Any()),
		shape.Optional("right", shape.Any()),
	).Exactly("left", "right")
	if depth > 0 {
		s = s.With(shape.Optional("items", shape.List(form(depth-1), 1, 2)))
	}
	return s
}

// value draws what almost fits.
func value(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		pick := []any{"fast", "slow", "", "abcdef", "a", "90s", "1h30m", "2h", "1d", "2026-05-17T10:30:00Z", "2026-05-17T1:30:00Z", "2026-05-17T10:30:00,5Z", "2026-05-17T10:30:00+25:00", "x ${yyyy}", "${param.x}", "${", nil, true, 0, 2, 4, -4, 0.5, map[string]any{}, map[string]any{"a": "x", "b": "y"}}
		if depth == 0 || rapid.IntRange(0, 2).Draw(t, "kind") > 0 {
			return rapid.SampledFrom(pick).Draw(t, "value")
		}
		m := map[string]any{"name": "n", "left": map[string]any{}}
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			name := rapid.SampledFrom([]string{"name", "mode", "wait", "at", "count", "part", "on", "conf", "items", "left", "right", "nmae"}).Draw(t, "name")
			if name == "items" {
				m[name] = []any{value(depth-1).Draw(t, "item")}
				continue
			}
			m[name] = value(depth-1).Draw(t, name)
		}
		return m
	})
}

// What the check takes, the published schema takes; what it does not take is
// still read without a panic.
func TestTheSchemaTakesWhatTheCheckTakes(t *testing.T) {
	t.Parallel()
	schema := executortest.Compile(t, form(2).Schema())
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		_, found := shape.Read[thing](form(2), raw)
		var tree any
		if err := json.Unmarshal(raw, &tree); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(tree); len(found.Problems) == 0 && err != nil {
			t.Fatalf("%s is taken, and the schema says %v", raw, err)
		}
		if len(found.Problems) == 0 {
			taken++
		}
	})
	if taken == 0 {
		t.Error("nothing was taken")
	}
}

func TestAProblemIsToldOnce(t *testing.T) {
	t.Parallel()
	_, found := shape.Read[thing](form(1), json.RawMessage(`{"left":{},"mode":"x","wait":"${param.w}"}`))
	found.Add("name", "again", nil)
	found.Add("name.x", "again", nil)
	found.Add("wait", "unknown yet", nil)
	found.Add("count", "new", nil)
	found.Add("names", "new", nil)
	var got []string
	for _, p := range found.Problems {
		got = append(got, p.Path+" "+p.ID)
	}
	if s := fmt.Sprint(got); s != "[name shape.missing mode shape.choice count new names new]" {
		t.Error(s)
	}
	if !found.Open("wait") || found.Open("mode") || found.Err() == nil {
		t.Error("what is open is not known")
	}
}

// Text that was expanded is no template any more.
func TestExpandedTextIsWhatItIs(t *testing.T) {
	t.Parallel()
	v, found := shape.Expanded[thing](form(1), json.RawMessage(`{"name":"${a}","left":{}}`))
	if v.Name != "${a}" || len(found.Problems) > 0 {
		t.Errorf("%q, %v", v.Name, found.Problems)
	}
	if _, found := shape.Expanded[thing](form(1), json.RawMessage(`{"name":"n","mode":"${a}","left":{}}`)); len(found.Problems) != 1 {
		t.Errorf("%v", found.Problems)
	}
}
