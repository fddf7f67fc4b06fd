//go:build cluster

package system

import (
	"fmt"
	"testing"
	"time"
)

const instanceFields = `id name state version starts restartToApply node reason { code text advice } timeline { name seconds } apps { name state url } ssh { command port } objectName`

type reason struct {
	Code, Text, Advice string
	Args               map[string]any
}

type instanceView struct {
	ID, Name, State, Node, ObjectName string
	Version, Starts                   int64
	RestartToApply                    bool
	Reason                            *reason
	Timeline                          []struct {
		Name    string
		Seconds *float64
	}
	Apps []struct{ Name, State, URL string }
	SSH  *struct {
		Command string
		Port    int
	}
}

type runView struct {
	ID, State string
	Version   int64
	Reason    *reason
	Attempts  []attemptView
}

type attemptView struct {
	ID, State, Job, Node string
	Number               int
	ExitCode             *int
	Reason               *reason
	Log                  struct {
		Bytes, Lines        int64
		Complete, Truncated bool
	}
}

const runFields = `id state version reason { code text advice args } attempts { id number state exitCode job node reason { code text advice args } log { bytes lines complete truncated } }`

// team is the first team's id and namespace.
func (p *person) team() (id, namespace string) {
	p.t.Helper()
	var d struct {
		Teams struct {
			Nodes []struct{ ID, Namespace string }
		}
	}
	p.do(`{ teams { nodes { id namespace } } }`, nil, &d)
	if len(d.Teams.Nodes) == 0 {
		p.t.Fatal("no team")
	}
	return d.Teams.Nodes[0].ID, d.Teams.Nodes[0].Namespace
}

// image adds a catalogue entry for everyone.
func (p *person) image(reference string, development bool) string {
	p.t.Helper()
	var d struct {
		CreateImage struct{ Image struct{ ID string } }
	}
	p.do(`mutation($i: CreateImageInput!) { createImage(input: $i) { image { id } } }`,
		vars{"i": vars{"name": reference, "reference": reference, "development": development}}, &d)
	return d.CreateImage.Image.ID
}

func small() vars { return vars{"cpu": "100m", "memory": "128Mi", "gpu": 0} }

func (p *person) createInstance(team, image string, more vars) instanceView {
	p.t.Helper()
	in := vars{"teamId": team, "name": "lab", "imageId": image, "resources": small()}
	for k, v := range more {
		in[k] = v
	}
	var d struct {
		CreateInstance struct{ Instance instanceView }
	}
	p.do(`mutation($i: CreateInstanceInput!) { createInstance(input: $i) { instance { `+instanceFields+` } } }`, vars{"i": in}, &d)
	return d.CreateInstance.Instance
}

func (p *person) instance(id string) *instanceView {
	p.t.Helper()
	var d struct{ Instance *instanceView }
	p.do(`query($id: ID!) { instance(id: $id) { `+instanceFields+` } }`, vars{"id": id}, &d)
	return d.Instance
}

// act calls startInstance, stopInstance, restartInstance, stopRun and their like.
func (p *person) act(mutation, id string) {
	p.t.Helper()
	p.do(fmt.Sprintf(`mutation($id: ID!) { %s(id: $id) { __typename } }`, mutation), vars{"id": id}, nil)
}

// until waits for an instance's state.
func (p *person) until(id, state string, limit time.Duration) instanceView {
	p.t.Helper()
	var last *instanceView
	eventually(p.t, limit, "the instance is "+state, func() error {
		last = p.instance(id)
		if last == nil {
			return fmt.Errorf("it is gone")
		}
		if last.State != state {
			return fmt.Errorf("it is %s, %+v", last.State, last.Reason)
		}
		return nil
	})
	return *last
}

func (p *person) runNow(team, image string, command []string, more vars) runView {
	p.t.Helper()
	in := vars{"teamId": team, "name": "script", "imageId": image, "command": command, "resources": small()}
	for k, v := range more {
		in[k] = v
	}
	var d struct{ RunNow struct{ Run runView } }
	p.do(`mutation($i: RunNowInput!) { runNow(input: $i) { run { `+runFields+` } } }`, vars{"i": in}, &d)
	return d.RunNow.Run
}

func (p *person) run(id string) *runView {
	p.t.Helper()
	var d struct{ Run *runView }
	p.do(`query($id: ID!) { run(id: $id) { `+runFields+` } }`, vars{"id": id}, &d)
	return d.Run
}

// ended waits for a run's end.
func (p *person) ended(id string, limit time.Duration) runView {
	p.t.Helper()
	var last *runView
	eventually(p.t, limit, "the run ends", func() error {
		last = p.run(id)
		if last == nil {
			return fmt.Errorf("it is gone")
		}
		switch last.State {
		case "SUCCEEDED", "FAILED", "TIMED_OUT", "STOPPED":
			return nil
		}
		return fmt.Errorf("it is %s, %+v", last.State, last.Reason)
	})
	return *last
}

type logLine struct {
	Number       int64
	Text, Source string
	Partial      bool
}

type window struct {
	Lines    []logLine
	Cursor   string
	Complete bool
}

// wholeLog reads a stored log window by window.
func (p *person) wholeLog(attempt string) []logLine {
	p.t.Helper()
	var out []logLine
	var after any
	for {
		var d struct{ Log window }
		p.do(`query($a: ID!, $after: String) { log(attemptId: $a, after: $after, limit: 5000) { cursor complete lines { number text source partial } } }`,
			vars{"a": attempt, "after": after}, &d)
		out = append(out, d.Log.Lines...)
		if d.Log.Complete || len(d.Log.Lines) == 0 {
			return out
		}
		after = d.Log.Cursor
	}
}

// outputs are the program's own lines.
func outputs(lines []logLine) []string {
	var out []string
	for _, l := range lines {
		if l.Source == "OUTPUT" {
			out = append(out, l.Text)
		}
	}
	return out
}

func wantState(t testing.TB, r runView, state, code string) {
	t.Helper()
	got := ""
	if r.Reason != nil {
		got = r.Reason.Code
	}
	if r.State != state || got != code {
		t.Errorf("run ended %s with reason %q (%+v), want %s with %q", r.State, got, r.Reason, state, code)
	}
}
