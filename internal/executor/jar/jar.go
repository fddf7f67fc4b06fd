package jar

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/container"
	"github.com/goblinlab/goblinlab/internal/executor/shape"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// With are the settings.
type With struct {
	container.Place
	Jar        string   `json:"jar,omitempty"`
	Volume     *Volume  `json:"volume,omitempty"`
	Java       string   `json:"java,omitempty"`
	JVMOptions []string `json:"jvmOptions,omitempty"`
	MainClass  string   `json:"mainClass,omitempty"`
	Args       []string `json:"args,omitempty"`
}

// Volume is a jar on a volume.
type Volume struct {
	VolumeID string `json:"volumeId"`
	Path     string `json:"path"` // inside of the volume
}

// Shape is the shape of the settings.
func (With) Shape() shape.Shape {
	return container.Place{}.Shape().With(
		shape.Optional("jar", shape.Text(1, 1024).About("The jar's absolute path in the container.")),
		shape.Optional("volume", shape.Object(
			shape.Required("volumeId", shape.Text(1, 100)), shape.Required("path", shape.Text(1, 1024)),
		).About("The jar's volume and its path in there.")),
		shape.Optional("java", shape.Text(1, 1024).About(`The program; "java" when left out.`)),
		shape.Optional("jvmOptions", container.Words(0)),
		shape.Optional("mainClass", shape.Text(1, 512).About("The class to run; the manifest's when left out.")),
		shape.Optional("args", container.Words(0)),
	).Exactly("jar", "volume")
}

var class = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*(\.[\pL_$][\pL\pN_$]*)*$`)

// Class reports whether a text can be the name of a Java class.
func Class(name string) bool { return class.MatchString(name) }

// Task makes the task, with everything that is wrong with it.
func (w With) Task(in executor.Launch) (spec.Task, []executor.Problem) {
	c := container.With{Place: w.Place, Command: []string{"java"}}
	if w.Java != "" {
		c.Command[0] = w.Java
	}
	var bad fault.Fields
	file := w.Jar
	if w.Volume != nil {
		dir, base := "", w.Volume.Path
		if i := strings.LastIndexByte(base, '/'); i >= 0 {
			dir, base = base[:i], base[i+1:]
		}
		file = path.Join(manifest.CodePath, base)
		c.Code = &spec.Code{VolumeID: w.Volume.VolumeID, SubPath: dir}
		if base == "" || base == "." || base == ".." || path.IsAbs(w.Volume.Path) {
			bad.Add("volume.path", "executor.path", nil)
		}
	} else if w.Jar != "" && (!path.IsAbs(w.Jar) || strings.HasSuffix(w.Jar, "/")) {
		bad.Add("jar", "executor.jar", nil)
	}
	if w.MainClass != "" && !Class(w.MainClass) {
		bad.Add("mainClass", "executor.class", nil)
	}
	run := []string{"-jar", file}
	if w.MainClass != "" {
		run = []string{"-cp", file, w.MainClass}
	}
	c.Args = slices.Concat(w.JVMOptions, run, w.Args)
	t, problems := c.Task(in)
	for _, p := range problems {
		bad.Add(renamed(p.Path), p.ID, p.Args)
	}
	if e := fault.Of(bad.Err()); e != nil {
		return t, e.Fields
	}
	return t, nil
}

// renamed is the input that a path of the container's settings was made of.
func renamed(p string) string {
	switch p {
	case "code.volumeId":
		return "volume.volumeId"
	case "code.subPath":
		return "volume.path"
	case "command":
		return "java"
	}
	return p
}

// Jar is the executor.
type Jar struct{}

// Name is "jar".
func (Jar) Name() string { return "jar" }

// Schema is the schema of With.
func (Jar) Schema() map[string]any {
	return executor.Schema(With{}.Shape(), json.RawMessage(`{
		"imageId": "img-1", "volume": {"volumeId": "vol-1", "path": "jobs/etl.jar"}, "jvmOptions": ["-Xmx2g"],
		"mainClass": "com.example.Etl$Main", "args": ["--day", "${yyyyMMdd,-1d}"], "resources": {"cpu": "2", "memory": "4Gi"}}`))
}

// Check tells what is wrong with the settings.
func (Jar) Check(with json.RawMessage) []executor.Problem {
	w, found := shape.Read[With](With{}.Shape(), with)
	_, more := w.Task(executor.Launch{})
	found.Note(more)
	return found.Problems
}

// Task makes the task.
func (Jar) Task(with json.RawMessage, in executor.Launch) (spec.Task, error) {
	w, found := shape.Expanded[With](With{}.Shape(), with)
	t, more := w.Task(in)
	found.Note(more)
	return t, found.Err()
}
