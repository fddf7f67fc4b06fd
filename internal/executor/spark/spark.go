package spark

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/container"
	"github.com/goblinlab/goblinlab/internal/executor/jar"
	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// With are the settings.
type With struct {
	container.Place
	Submit      string            `json:"submit,omitempty"`
	Master      string            `json:"master"`
	DeployMode  string            `json:"deployMode,omitempty"`
	Name        string            `json:"name,omitempty"`
	Conf        map[string]string `json:"conf,omitempty"`
	Application string            `json:"application"`
	Class       string            `json:"class,omitempty"`
	Args        []string          `json:"args,omitempty"`
}

const (
	defaultSubmit = "/opt/spark/bin/spark-submit"
	cluster       = "cluster"
	kubernetes    = "k8s://"
)

// Shape is the shape of the settings.
func (With) Shape() shape.Shape {
	return container.Place{}.Shape().With(
		shape.Optional("submit", shape.Text(1, 1024).About("The program; "+defaultSubmit+" when left out.")),
		shape.Required("master", shape.Text(1, 1024).About("As k8s://https://kubernetes.default.svc.")),
		shape.Optional("deployMode", shape.Choice(cluster, "client").About("cluster when left out.")),
		shape.Optional("name", shape.Text(1, 253)),
		shape.Optional("conf", shape.Map(shape.Text(0, 0), `^spark\.[A-Za-z0-9._-]+$`, 500).About("Properties of Spark.")),
		shape.Required("application", shape.Text(1, 4096).About("The jar or the Python file, as local:///opt/app.jar.")),
		shape.Optional("class", shape.Text(1, 512)),
		shape.Optional("args", container.Words(0)),
	)
}

// Task makes the task, with everything that is wrong with it.
func (w With) Task(in executor.Launch) (spec.Task, []executor.Problem) {
	c := container.With{Place: w.Place, Command: []string{defaultSubmit}}
	if w.Submit != "" {
		c.Command[0] = w.Submit
	}
	mode := w.DeployMode
	if mode == "" {
		mode = cluster
	}
	c.Args = []string{"--master", w.Master, "--deploy-mode", mode}
	if w.Name != "" {
		c.Args = append(c.Args, "--name", w.Name)
	}
	if w.Class != "" {
		c.Args = append(c.Args, "--class", w.Class)
	}
	for _, k := range slices.Sorted(maps.Keys(w.Conf)) {
		c.Args = append(c.Args, "--conf", k+"="+w.Conf[k])
	}
	c.Args = append(append(c.Args, w.Application), w.Args...)
	var bad fault.Fields
	if !strings.HasPrefix(w.Master, kubernetes) || len(w.Master) == len(kubernetes) {
		bad.Add("master", "executor.spark.master", nil)
	}
	if strings.HasPrefix(w.Application, "-") { // it would be read as an option
		bad.Add("application", "executor.spark.application", nil)
	}
	if w.Class != "" && !jar.Class(w.Class) {
		bad.Add("class", "executor.class", nil)
	}
	t, problems := c.Task(in)
	for _, p := range problems {
		if p.Path == "command" {
			p.Path = "submit"
		}
		bad.Add(p.Path, p.ID, p.Args)
	}
	if e := fault.Of(bad.Err()); e != nil {
		return t, e.Fields
	}
	return t, nil
}

// Spark is the executor.
type Spark struct{}

// Name is "spark".
func (Spark) Name() string { return "spark" }

// Schema is the schema of With.
func (Spark) Schema() map[string]any {
	return executor.Schema(With{}.Shape(), json.RawMessage(`{
		"imageId": "img-1", "master": "k8s://https://kubernetes.default.svc", "name": "etl-${yyyyMMdd}",
		"conf": {"spark.kubernetes.container.image": "spark:4.0.0", "spark.executor.instances": "2"},
		"application": "local:///opt/spark/examples/jars/spark-examples.jar", "class": "org.apache.spark.examples.SparkPi",
		"args": ["1000"], "resources": {"cpu": "1", "memory": "2Gi"}}`))
}

// Check tells what is wrong with the settings.
func (Spark) Check(with json.RawMessage) []executor.Problem {
	w, found := shape.Read[With](With{}.Shape(), with)
	_, more := w.Task(executor.Launch{})
	found.Note(more)
	return found.Problems
}

// Task makes the task.
func (Spark) Task(with json.RawMessage, in executor.Launch) (spec.Task, error) {
	w, found := shape.Expanded[With](With{}.Shape(), with)
	t, more := w.Task(in)
	found.Note(more)
	return t, found.Err()
}
