package check

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/container"
	"github.com/goblinlab/goblinlab/internal/executor/httpcall"
	"github.com/goblinlab/goblinlab/internal/executor/outside"
	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// With are the settings; exactly one of the checks is given.
type With struct {
	Every   spec.Duration   `json:"every,omitzero"`
	For     spec.Duration   `json:"for,omitzero"`
	Flow    *Flow           `json:"flow,omitempty"`
	Path    *Path           `json:"path,omitempty"`
	URL     *httpcall.With  `json:"url,omitempty"`
	WebHDFS *WebHDFS        `json:"webhdfs,omitempty"`
	Command *container.With `json:"command,omitempty"`
}

// Flow waits for a run of another flow.
type Flow struct {
	FlowID string `json:"flowId"`
	Offset string `json:"offset,omitempty"` // from this run's logical time, as "-1d"
	Match  string `json:"match,omitempty"`  // exact, or day: all runs of that day, of which there is one at least
	State  string `json:"state,omitempty"`  // succeeded, or ended
}

// Path waits for a file or folder of a volume.
type Path struct {
	VolumeID  string `json:"volumeId"`
	Path      string `json:"path"`
	NewerThan string `json:"newerThan,omitempty"`
}

// WebHDFS waits for a file or folder of HDFS.
type WebHDFS struct {
	URL  string `json:"url"`
	Path string `json:"path"`
	User string `json:"user,omitempty"`
}

// How flows are matched, and what their state must be.
const (
	exact     = "exact"
	day       = "day"
	succeeded = "succeeded"
	ended     = "ended"
)

// Shape is the shape of the settings.
func (With) Shape() shape.Shape {
	return shape.Object(executor.PaceFields()...).With(
		shape.Optional("flow", shape.Object(
			shape.Required("flowId", shape.Text(1, 100)),
			shape.Optional("offset", shape.Text(0, 100).About("From this run's logical time, as -1d.")),
			shape.Optional("match", shape.Choice(exact, day).About("exact when left out; day takes all runs of that day.")),
			shape.Optional("state", shape.Choice(succeeded, ended).About("succeeded when left out.")),
		)),
		shape.Optional("path", shape.Object(
			shape.Required("volumeId", shape.Text(1, 100)),
			shape.Required("path", shape.Text(1, 1024).About("Inside of the volume, as out/_SUCCESS.")),
			shape.Optional("newerThan", shape.Instant().About("It must have been changed after this time.")),
		)),
		shape.Optional("url", httpcall.With{}.Shape()),
		shape.Optional("webhdfs", shape.Object(
			shape.Required("url", shape.Text(1, 4096).About("As http://namenode:9870.")),
			shape.Required("path", shape.Text(1, 4096).About("Absolute.")),
			shape.Optional("user", shape.Text(1, 256)),
		)),
		shape.Optional("command", container.With{}.Shape()),
	).Exactly("flow", "path", "url", "webhdfs", "command")
}

// problems are what is wrong with the settings beside their shape.
func (w With) problems(g outside.Guard, in executor.Launch) []executor.Problem {
	var out []executor.Problem
	add := func(path, id string, args map[string]any) {
		out = append(out, executor.Problem{Path: path, ID: id, Args: args})
	}
	below := func(prefix string, list []executor.Problem) {
		for _, p := range list {
			p.Path = macro.Join(prefix, p.Path)
			out = append(out, p)
		}
	}
	if w.Flow != nil {
		if _, err := macro.ParseOffset(w.Flow.Offset); err != nil {
			for _, e := range macro.All(err) {
				add("flow.offset", e.ID, e.Args)
			}
		}
	}
	if w.Path != nil && !inside(w.Path.Path) {
		add("path.path", "executor.path", nil)
	}
	if w.URL != nil {
		below("url", w.URL.Problems(g))
	}
	if w.WebHDFS != nil {
		if id := g.CheckURL(w.WebHDFS.URL); id != "" {
			add("webhdfs.url", id, nil)
		} else if strings.ContainsAny(w.WebHDFS.URL, "?#") {
			add("webhdfs.url", "executor.url", nil)
		}
		if !path.IsAbs(w.WebHDFS.Path) || path.Clean(w.WebHDFS.Path) != w.WebHDFS.Path {
			add("webhdfs.path", "executor.hdfs-path", nil)
		}
	}
	if w.Command != nil {
		_, list := w.Command.Task(in)
		below("command", list)
	}
	return out
}

// inside holds for a clean path that stays inside of its volume.
func inside(p string) bool {
	return p != "" && !path.IsAbs(p) && path.Clean(p) == p && p != ".." && !strings.HasPrefix(p, "../") && !strings.ContainsRune(p, 0)
}

// example is one that works.
var example = json.RawMessage(`{"every": "1m", "for": "6h", "flow": {"flowId": "flow-1", "offset": "-1d", "match": "day"}}`)
