package macro_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/macro"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func values(t *testing.T) macro.Values {
	return macro.Values{
		Time: time.Date(2026, 3, 31, 17, 5, 9, 0, time.UTC), Zone: zone(t, "Asia/Shanghai"), // 1 April there
		Params: map[string]string{"day": "monday", "evil": "${run.id}$$", "empty": ""},
		RunID:  "run-1", FlowID: "flow-1", FlowName: "nightly", TaskName: "load", Attempt: 2,
		Outputs: map[string]map[string]string{"extract": {"rows": "42"}},
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		"plain":                         "plain",
		"$5 and $HOME and $":            "$5 and $HOME and $",
		"$$":                            "$",
		"$${yyyy}":                      "${yyyy}",
		"$$${yyyy}":                     "$2026",
		"${yyyyMMdd}":                   "20260401",
		"${yyyy-MM-dd}":                 "2026-04-01",
		"${yyyy-MM-dd HH:mm:ss}":        "2026-04-01 01:05:09",
		"${yyyy-MM-dd'T'HH:mm:ss}":      "2026-04-01T01:05:09",
		"${yy年MM月dd日}":                  "26年04月01日",
		"${yyyy0101}":                   "20260101",
		"${yyyy''MM}":                   "2026'04",
		"${yyyy'o''clock, {x}'}":        "2026o'clock, {x}",
		"${yyyy-MM-dd,-1d}":             "2026-03-31",
		"${yyyy-MM-dd, -1d}":            "2026-03-31",
		"${yyyyMMdd,-1M,+2d}":           "20260303",
		"${HH,-1h}":                     "00",
		"${yyyyMMddHH,-2h}":             "2026033123",
		"${yyyyMMdd,-1w}":               "20260325",
		"${yyyyMMdd,+1y}":               "20270401",
		"${mm:ss,+55m,-10s}":            "59:59",
		"${unix}":                       "1774976709",
		"${unix,-1d}":                   "1774890309",
		"${week}":                       "2026-W14",
		"${yearday}":                    "091",
		"${param.day}/${run.id}":        "monday/run-1",
		"${param.evil}":                 "${run.id}$$",
		"${param.empty}":                "",
		"${run.logicalTime}":            "2026-04-01T01:05:09+08:00",
		"${flow.id} ${flow.name}":       "flow-1 nightly",
		"${task.name}-${task.attempt}":  "load-2",
		"${tasks.extract.outputs.rows}": "42",
		"}{ ${yyyy}}":                   "}{ 2026}",
	} {
		tpl, err := macro.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := tpl.Expand(values(t)); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestWhatCannotBeReadSaysWhere(t *testing.T) {
	t.Parallel()
	type wrong struct {
		ID       string
		At       int
		Position any
	}
	for text, want := range map[string][]wrong{
		"a ${yyyy":                {{"macro.unterminated", 2, 3}},
		"日 ${":                    {{"macro.unterminated", 4, 3}},
		"${}":                     {{"macro.empty", 0, 1}},
		"${ }":                    {{"macro.empty", 0, 1}},
		"${HOME}":                 {{"macro.unknown", 2, 3}},
		"${command}":              {{"macro.unknown", 2, 3}},
		"${1}":                    {{"macro.unknown", 2, 3}},
		"${yyyy-MM-DD}":           {{"macro.letters", 10, 11}},
		"${YYYY-MM-dd}":           {{"macro.letters", 2, 3}},
		"${yyyyMMddT}":            {{"macro.letters", 10, 11}},
		"${yyyy'T}":               {{"macro.quote", 6, 7}},
		"${yyyy,1d}":              {{"macro.offset", 7, 8}},
		"${yyyy,-1D}":             {{"macro.offset", 7, 8}},
		"${yyyy,-1d,}":            {{"macro.offset", 11, 12}},
		"${yyyy,-1234567d}":       {{"macro.offset", 7, 8}},
		"${,-1d}":                 {{"macro.unknown", 2, 3}},
		"${run.ID}":               {{"macro.unknown", 2, 3}},
		"${run}":                  {{"macro.unknown", 2, 3}},
		"${param}":                {{"macro.form", 2, 3}},
		"${param.a.b}":            {{"macro.form", 2, 3}},
		"${param.1}":              {{"macro.form", 2, 3}},
		"${tasks.a.output.b}":     {{"macro.form", 2, 3}},
		"${run.id,-1d}":           {{"macro.offset-on-name", 8, 9}},
		"${yyyy${MM}}":            {{"macro.nested", 6, 7}},
		"${yyyy\n}":               {{"macro.control", 0, 1}},
		"${yyyy\xff}":             {{"macro.control", 0, 1}},
		"${HOME} ${} and ${param": {{"macro.unknown", 2, 3}, {"macro.empty", 8, 9}, {"macro.unterminated", 16, 17}},
	} {
		_, err := macro.Parse(text)
		var got []wrong
		for _, e := range macro.All(err) {
			got = append(got, wrong{e.ID, e.At, e.Args["position"]})
			inWords(t, e)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// inWords wants a sentence in both languages that leaves no argument out.
func inWords(t *testing.T, e *macro.Error) {
	t.Helper()
	for _, l := range []lang.Lang{lang.English, lang.Chinese} {
		if s := lang.Text(l, "fault."+e.ID, e.Args); s == "fault."+e.ID || strings.Contains(s, "?") {
			t.Errorf("%s in %s reads %q", e.ID, l, s)
		}
	}
}

func TestCheckKnowsWhatATextMayName(t *testing.T) {
	t.Parallel()
	task := macro.Scope{Params: []string{"day", "month"}, Above: []string{"extract"}, Tasks: []string{"extract", "load", "later"}}
	for _, c := range []struct {
		text  string
		scope macro.Scope
		want  string
		at    int
		near  []string
	}{
		{"${param.day} ${tasks.extract.outputs.rows} ${task.name} ${yyyy}", task, "", 0, nil},
		{"x ${param.dya}", task, "macro.unknown-param", 4, []string{"day"}},
		{"${tasks.later.outputs.rows}", task, "macro.not-above", 2, []string{"extract"}},
		{"${tasks.extrct.outputs.rows}", task, "macro.unknown-task", 2, []string{"extract"}},
		{"${flow.name} ${run.id}", macro.Scope{Default: true}, "", 0, nil},
		{"${param.day}", macro.Scope{Default: true}, "macro.not-here", 2, nil},
		{"${task.name}", macro.Scope{Default: true}, "macro.not-here", 2, nil},
		{"${tasks.a.outputs.b}", macro.Scope{Default: true}, "macro.not-here", 2, nil},
	} {
		tpl, err := macro.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		all := macro.All(macro.Check(tpl, c.scope))
		switch {
		case c.want == "" && all == nil:
		case len(all) != 1 || all[0].ID != c.want || all[0].At != c.at:
			t.Errorf("%q: %v, want %s at %d", c.text, all, c.want, c.at)
		default:
			inWords(t, all[0])
			if diff := cmp.Diff(c.near, all[0].Args["nearest"]); diff != "" {
				t.Errorf("%q: %s", c.text, diff)
			}
		}
	}
}

func TestWhatIsMissingAtTheStartIsSaid(t *testing.T) {
	t.Parallel()
	v := values(t)
	v.Params["big"] = strings.Repeat("x", macro.MaxText/2)
	for text, want := range map[string]string{
		"${tasks.extract.outputs.bytes}":   "macro.missing",
		"${tasks.other.outputs.rows}":      "macro.missing",
		"${param.other}":                   "macro.missing",
		"${yyyy,-9999y}":                   "macro.year",
		"${yyyy,+999999y}":                 "macro.year",
		"${param.big}${param.big}":         "",
		"${param.big}${param.big}!":        "macro.too-large",
		strings.Repeat("x", macro.MaxText): "",
	} {
		tpl, err := macro.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tpl.Expand(v)
		all := macro.All(err)
		if want == "" && err == nil {
			continue
		}
		if len(all) != 1 || all[0].ID != want {
			t.Errorf("%.40q: %v, want %q", text, err, want)
			continue
		}
		inWords(t, all[0])
	}
}

func TestStepsOfTheCalendar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, from, offset, want string }{
		{"UTC", "2026-03-31T12:00:00Z", "-1M", "2026-02-28T12:00:00Z"},
		{"UTC", "2028-03-31T12:00:00Z", "-1M", "2028-02-29T12:00:00Z"},
		{"UTC", "2028-02-29T12:00:00Z", "+1y", "2029-02-28T12:00:00Z"},
		{"UTC", "2026-01-31T12:00:00Z", "+13M", "2027-02-28T12:00:00Z"},
		{"UTC", "2026-01-15T12:00:00Z", "-1M", "2025-12-15T12:00:00Z"},
		{"UTC", "2026-03-31T12:00:00Z", "-1M,+1M", "2026-03-28T12:00:00Z"},
		{"UTC", "2026-03-01T00:00:00Z", "-1d", "2026-02-28T00:00:00Z"},
		{"America/New_York", "2026-03-07T12:00:00-05:00", "+1d", "2026-03-08T12:00:00-04:00"},  // 23 hours
		{"America/New_York", "2026-03-07T12:00:00-05:00", "+24h", "2026-03-08T13:00:00-04:00"}, // elapsed
		{"America/New_York", "2026-03-07T02:30:00-05:00", "+1d", "2026-03-08T03:30:00-04:00"},  // clocks skip 2:30
		{"America/New_York", "2026-03-09T02:30:00-04:00", "-1d", "2026-03-08T03:30:00-04:00"},
		{"Asia/Beirut", "2026-03-28T00:15:00+02:00", "+1d", "2026-03-29T01:15:00+03:00"}, // there is no midnight
		{"Asia/Beirut", "2026-03-30T00:15:00+03:00", "-1d", "2026-03-29T01:15:00+03:00"},
		{"Asia/Shanghai", "2026-05-17T09:00:00+08:00", "-1w", "2026-05-10T09:00:00+08:00"},
		{"Asia/Shanghai", "2026-05-17T09:00:00+08:00", "", "2026-05-17T09:00:00+08:00"},
	} {
		from, err := time.Parse(time.RFC3339, c.from)
		if err != nil {
			t.Fatal(err)
		}
		o, err := macro.ParseOffset(c.offset)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := o.Apply(from.In(zone(t, c.zone)))
		if s := got.Format(time.RFC3339); !ok || s != c.want {
			t.Errorf("%s %s in %s is %s, want %s", c.from, c.offset, c.zone, s, c.want)
		}
	}
}

func TestTrees(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"command":["a","${yyyy}"],"env":[{"name":"A","value":"<${param.day}>"}],"n":12345678901234567890,"on":true,"none":null}`)
	out, err := macro.ExpandTree(raw, values(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"command":["a","2026"],"env":[{"name":"A","value":"<monday>"}],"n":12345678901234567890,"none":null,"on":true}`; string(out) != want {
		t.Errorf("got %s", out)
	}
	found := macro.CheckTree(json.RawMessage(`{"${yyyy}":1,"b":["${","x ${param.no} ${}"],"a":{"c.d":"${HOME}"}}`), macro.Scope{})
	var got []string
	for _, l := range found {
		f := l.Field("with")
		got = append(got, f.Path+" "+f.ID)
	}
	want := []string{"with.${yyyy} macro.key", "with.a.c.d macro.unknown", "with.b[0] macro.unterminated", "with.b[1] macro.empty"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := macro.ExpandTree(json.RawMessage(`{"a":["${param.no}"]}`), values(t)); !errors.As(err, new(macro.Located)) || !strings.HasPrefix(err.Error(), "a[0]: macro.missing") {
		t.Errorf("the missing value is told by %v", err)
	}
	sample, open, err := macro.Sample(json.RawMessage(`{"a":"${yyyyMMdd}","b":"/x/${param.p}","c":"${","d":"e"}`))
	if err != nil || string(sample) != `{"a":"20260517","b":"/x/param-p","c":"${","d":"e"}` {
		t.Errorf("the sample is %s, %v", sample, err)
	}
	if diff := cmp.Diff(map[string]bool{"b": true, "c": true}, open); diff != "" {
		t.Error(diff)
	}
	many := `["` + strings.Repeat(`${param.big}","`, 40) + `"]`
	v := values(t)
	v.Params["big"] = strings.Repeat("x", 30<<10)
	if _, err := macro.ExpandTree(json.RawMessage(many), v); err == nil {
		t.Error("a tree of 1.2 MB is expanded")
	}
}
