package httpcall

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/outside"
	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// With are the settings.
type With struct {
	Method  string            `json:"method,omitempty"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Expect  Expect            `json:"expect"`
	Timeout spec.Duration     `json:"timeout,omitzero"`
}

// Expect is what an answer must be.
type Expect struct {
	Status       []int  `json:"status,omitempty"` // any of 200 to 299 when empty
	BodyContains string `json:"bodyContains,omitempty"`
	JSON         *JSON  `json:"json,omitempty"`
}

// JSON is a value that must stand in a body of JSON.
type JSON struct {
	Pointer string `json:"pointer"` // RFC 6901
	Equals  string `json:"equals"`
}

// Shape is the shape of the settings.
func (With) Shape() shape.Shape {
	return shape.Object(
		shape.Optional("method", shape.Choice("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE").About("GET when left out.")),
		shape.Required("url", shape.Text(1, 4096)),
		shape.Optional("headers", shape.Map(shape.Text(0, 8192), "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", 50)),
		shape.Optional("body", shape.Text(0, 64<<10)),
		shape.Optional("expect", shape.Object(
			shape.Optional("status", shape.List(shape.Integer(100, 599), 0, 50).About("Any of 200 to 299 when left out.")),
			shape.Optional("bodyContains", shape.Text(1, 4096)),
			shape.Optional("json", shape.Object(
				shape.Required("pointer", shape.Text(0, 1024).About("Where in the answer, as /data/0/state.")),
				shape.Required("equals", shape.Text(0, 4096)),
			)),
		)),
		shape.Optional("timeout", shape.Span(1e9, outside.MaxTimeout).About("30s when left out.")),
	)
}

// Headers that say how the request is sent, which is ours to say.
var ours = []string{"host", "content-length", "transfer-encoding", "connection", "upgrade", "trailer", "te", "keep-alive", "proxy-connection"}

var (
	headerText = regexp.MustCompile(`^[\t\x20-\x7e\x{80}-\x{10ffff}]*$`)
	pointer    = regexp.MustCompile(`^(/([^/~]|~[01])*)*$`)
)

// Problems are what is wrong with the settings beside their shape.
func (w With) Problems(g outside.Guard) []executor.Problem {
	var out []executor.Problem
	add := func(path, id string, args map[string]any) {
		out = append(out, executor.Problem{Path: path, ID: id, Args: args})
	}
	if id := g.CheckURL(w.URL); id != "" {
		add("url", id, nil)
	}
	for name, value := range w.Headers {
		switch {
		case slices.Contains(ours, strings.ToLower(name)):
			add("headers."+name, "executor.header.ours", map[string]any{"name": name})
		case !headerText.MatchString(value):
			add("headers."+name, "executor.header.text", map[string]any{"name": name})
		}
	}
	slices.SortFunc(out, func(a, b executor.Problem) int { return strings.Compare(a.Path, b.Path) })
	if w.Expect.JSON != nil && !pointer.MatchString(w.Expect.JSON.Pointer) {
		add("expect.json.pointer", "executor.pointer", nil)
	}
	return out
}

// Do makes the call; a reason says why its answer is not what is expected.
func (w With) Do(ctx context.Context, g outside.Guard) (outside.Response, *spec.Reason) {
	method := w.Method
	if method == "" {
		method = "GET"
	}
	resp, why := g.Do(ctx, outside.Call{Method: method, URL: w.URL, Headers: w.Headers, Body: w.Body, Timeout: w.Timeout.Std()})
	if why != nil {
		return resp, why
	}
	return resp, w.Expect.judge(resp)
}

// judge says nothing of the body: it may hold what nobody else may read.
func (e Expect) judge(r outside.Response) *spec.Reason {
	expected := "200-299"
	ok := r.Status >= 200 && r.Status <= 299
	if len(e.Status) > 0 {
		ok = slices.Contains(e.Status, r.Status)
		var all []string
		for _, s := range e.Status {
			all = append(all, strconv.Itoa(s))
		}
		expected = strings.Join(all, ", ")
	}
	switch {
	case !ok:
		return &spec.Reason{Code: "call-status", Args: map[string]any{"status": r.Status, "expected": expected}}
	case !bytes.Contains(r.Body, []byte(e.BodyContains)):
		return &spec.Reason{Code: "call-body"}
	case e.JSON != nil && !e.JSON.in(r.Body):
		return &spec.Reason{Code: "call-json", Args: map[string]any{"pointer": e.JSON.Pointer}}
	}
	return nil
}

func (j JSON) in(body []byte) bool {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return false
	}
	if j.Pointer != "" {
		for part := range strings.SplitSeq(j.Pointer[1:], "/") {
			part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
			switch x := v.(type) {
			case map[string]any:
				var ok bool
				if v, ok = x[part]; !ok {
					return false
				}
			case []any:
				i, err := strconv.Atoi(part)
				if err != nil || i < 0 || i >= len(x) {
					return false
				}
				v = x[i]
			default:
				return false
			}
		}
	}
	switch x := v.(type) {
	case string:
		return x == j.Equals
	case json.Number:
		return x.String() == j.Equals
	case bool:
		return strconv.FormatBool(x) == j.Equals
	case nil:
		return j.Equals == "null"
	}
	return false
}

// HTTP is the executor.
type HTTP struct{ Guard outside.Guard }

// Name is "http".
func (HTTP) Name() string { return "http" }

// Schema is the schema of With.
func (HTTP) Schema() map[string]any {
	return executor.Schema(With{}.Shape(), json.RawMessage(`{
		"method": "POST", "url": "https://example.com/jobs/${param.job}", "headers": {"Content-Type": "application/json"},
		"body": "{\"day\":\"${yyyy-MM-dd,-1d}\"}", "expect": {"status": [200, 202], "json": {"pointer": "/state", "equals": "ok"}}, "timeout": "1m"}`))
}

// Check tells what is wrong with the settings.
func (h HTTP) Check(with json.RawMessage) []executor.Problem {
	w, found := shape.Read[With](With{}.Shape(), with)
	found.Note(w.Problems(h.Guard))
	return found.Problems
}

// Poll makes the call once: it is done or has failed.
func (h HTTP) Poll(ctx context.Context, with json.RawMessage, _ executor.Ask) (executor.Verdict, error) {
	w, found := shape.Expanded[With](With{}.Shape(), with)
	found.Note(w.Problems(h.Guard))
	if err := found.Err(); err != nil {
		return executor.Verdict{}, err
	}
	resp, why := w.Do(ctx, h.Guard)
	if why != nil {
		return executor.Fail(*why), nil
	}
	return executor.Verdict{Answer: executor.Done, Outputs: map[string]string{"status": strconv.Itoa(resp.Status)}}, nil
}

// Pace is that of anybody else: there is one poll.
func (HTTP) Pace(json.RawMessage) executor.Pace { return executor.PaceOf(0, 0) }
