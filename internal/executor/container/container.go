package container

import (
	"encoding/json"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Place is where a program runs: everything about a container but what runs in it.
type Place struct {
	ImageID    string           `json:"imageId"`
	WorkingDir string           `json:"workingDir,omitempty"`
	Env        []spec.EnvVar    `json:"env,omitempty"`
	Secrets    []spec.SecretUse `json:"secrets,omitempty"`
	Resources  Resources        `json:"resources"`
	Mounts     []spec.Mount     `json:"mounts,omitempty"`
}

// Resources are limits as people write them.
type Resources struct {
	CPU    string `json:"cpu"`    // "4", "500m"
	Memory string `json:"memory"` // "8Gi"
	GPU    int64  `json:"gpu,omitempty"`
}

// With are the settings.
type With struct {
	Place
	Command []string   `json:"command"`
	Args    []string   `json:"args,omitempty"`
	Code    *spec.Code `json:"code,omitempty"`
}

const maxWords = 1000 // entries of an argument array

// Words is the shape of an argument array.
func Words(least int64) shape.Shape { return shape.List(shape.Text(0, 0), least, maxWords) }

// Shape is the shape of a Place.
func (Place) Shape() shape.Shape {
	id := shape.Text(1, 100)
	return shape.Object(
		shape.Required("imageId", id.About("The image's id.")),
		shape.Optional("workingDir", shape.Text(1, 0).About("An absolute path; the image's own when left out.")),
		shape.Optional("env", shape.List(shape.Object(
			shape.Required("name", shape.Text(1, 0)), shape.Required("value", shape.Text(0, 0)),
		), 0, maxWords).About("Variables.")),
		shape.Optional("secrets", shape.List(shape.Object(
			shape.Required("secretId", id),
			shape.Required("as", shape.Choice(string(spec.SecretAsAuto), string(spec.SecretAsFile), string(spec.SecretAsEnv))),
			shape.Optional("at", shape.Text(0, 0)),
		), 0, preflight.MaxSecrets).About("Secrets, by their ids.")),
		shape.Required("resources", shape.Object(
			shape.Required("cpu", shape.Text(1, 32).About(`As "4" or "500m".`)),
			shape.Required("memory", shape.Text(1, 32).About(`As "8Gi".`)),
			shape.Optional("gpu", shape.Integer(0, 1024)),
		).About("Limits.")),
		shape.Optional("mounts", shape.List(shape.Object(
			shape.Required("volumeId", id), shape.Required("path", shape.Text(1, 0)),
			shape.Optional("readOnly", shape.Bool()), shape.Optional("subPath", shape.Text(0, 0)),
		), 0, 100).About("Volumes at paths of the container.")),
	)
}

// Shape is the shape of the settings.
func (With) Shape() shape.Shape {
	return Place{}.Shape().With(
		shape.Required("command", Words(1).About("The program and its arguments; no shell sees them.")),
		shape.Optional("args", Words(0).About("Appended to the command.")),
		shape.Optional("code", shape.Object(
			shape.Required("volumeId", shape.Text(1, 100)),
			shape.Optional("subPath", shape.Text(0, 0)),
			shape.Optional("writable", shape.Bool()),
			shape.Optional("freeze", shape.Bool().About("Run what was there when the version was saved, whatever becomes of the folder.")),
		).About("A folder of a volume, mounted at /code; the program starts in it.")),
	)
}

// Task makes the task, with everything that is wrong with it.
func (w With) Task(in executor.Launch) (spec.Task, []executor.Problem) {
	var f fault.Fields
	t := spec.Task{
		ImageID: w.ImageID, Command: w.Command, Args: w.Args, WorkingDir: w.WorkingDir, Env: w.Env, Secrets: w.Secrets,
		Mounts: w.Mounts, Code: w.Code, Class: in.Class, Timeout: in.Timeout, Pending: in.Pending, Retries: in.Retries,
		Resources: spec.Resources{GPU: w.Resources.GPU},
	}
	if t.Class == "" {
		t.Class = spec.ClassTest
	}
	t.Resources.CPUMilli = quantity.AddCPU(&f, "resources.cpu", w.Resources.CPU, quantity.Limits{})
	t.Resources.MemoryBytes = quantity.AddMemory(&f, "resources.memory", w.Resources.Memory, quantity.Limits{})
	checked := t
	if checked.Resources.CPUMilli == 0 { // one complaint is enough
		checked.Resources.CPUMilli = preflight.MinCPUMilli
	}
	if checked.Resources.MemoryBytes == 0 {
		checked.Resources.MemoryBytes = preflight.MinMemoryBytes
	}
	preflight.CheckTask(&f, "", checked, in.Limits)
	if c := w.Code; c != nil && c.Freeze && c.Writable {
		f.Add("code.writable", "executor.freeze-writable", nil)
	}
	preflight.CheckSecrets(&f, "", w.Secrets, w.Mounts, in.Limits.Paths)
	if e := fault.Of(f.Err()); e != nil {
		return t, e.Fields
	}
	return t, nil
}

// Container is the executor.
type Container struct{}

// Name is "container".
func (Container) Name() string { return "container" }

// Schema is the schema of With.
func (Container) Schema() map[string]any {
	return executor.Schema(With{}.Shape(), json.RawMessage(`{
		"imageId": "img-1", "command": ["python", "train.py"], "args": ["--day", "${yyyy-MM-dd,-1d}"],
		"env": [{"name": "RUN", "value": "${run.id}"}], "secrets": [{"secretId": "sec-1", "as": "auto"}],
		"resources": {"cpu": "4", "memory": "8Gi", "gpu": 1},
		"mounts": [{"volumeId": "vol-1", "path": "/data", "subPath": "in/${yyyyMMdd,-1d}", "readOnly": true}],
		"code": {"volumeId": "vol-2", "subPath": "project"}}`))
}

// Check tells what is wrong with the settings.
func (Container) Check(with json.RawMessage) []executor.Problem {
	w, found := shape.Read[With](With{}.Shape(), with)
	_, more := w.Task(executor.Launch{})
	found.Note(more)
	return found.Problems
}

// Task makes the task.
func (Container) Task(with json.RawMessage, in executor.Launch) (spec.Task, error) {
	w, found := shape.Expanded[With](With{}.Shape(), with)
	t, more := w.Task(in)
	found.Note(more)
	return t, found.Err()
}
