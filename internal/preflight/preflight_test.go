package preflight_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var limits = preflight.Limits{CPUMilli: 32_000, MemoryBytes: 128 << 30, GPU: 8, Paths: []string{"/datasets"}}

func instance(change func(*spec.Instance)) error {
	s := spec.Instance{ImageID: "img-1", Resources: spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30}}
	change(&s)
	return preflight.Instance("a", s, limits)
}

func task(change func(*spec.Task)) error {
	s := spec.Task{
		ImageID: "img-1", Command: []string{"python", "train.py"}, Class: spec.ClassTest,
		Resources: spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30},
		Code:      &spec.Code{VolumeID: "vol-1"},
	}
	change(&s)
	return preflight.Task("a", s, limits)
}

func named(name string) error {
	return preflight.Instance(name, spec.Instance{ImageID: "img-1", Resources: spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30}}, limits)
}

func mounts(list ...spec.Mount) error {
	for i := range list {
		if list[i].VolumeID == "" {
			list[i].VolumeID = "vol-1"
		}
	}
	return instance(func(s *spec.Instance) { s.Mounts = list })
}

func at(path string) error { return mounts(spec.Mount{Path: path}) }
func sub(path string) error {
	return mounts(spec.Mount{Path: "/data", SubPath: path})
}

func env(list ...spec.EnvVar) error {
	return instance(func(s *spec.Instance) { s.Env = list })
}

func ports(numbers ...int32) error {
	return instance(func(s *spec.Instance) {
		for _, n := range numbers {
			s.Ports = append(s.Ports, spec.Port{Name: "p", Number: n})
		}
	})
}

// found is what a check noted, "path: id" each.
func found(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("%v is no fault", err)
	}
	var out []string
	for _, field := range f.Fields {
		out = append(out, field.Path+": "+strings.TrimPrefix(field.ID, "preflight."))
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			text := lang.Text(l, "fault."+field.ID, field.Args)
			if text == "fault."+field.ID || strings.ContainsAny(text, "?{}\n\x00") || len(text) > 600 {
				t.Errorf("in %s it reads %q", l, text)
			}
		}
	}
	return out
}

func TestSpecs(t *testing.T) {
	t.Parallel()
	many := make([]int32, 21)
	for i := range many {
		many[i] = int32(3000 + i)
	}
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"a plain instance":                    {instance(func(*spec.Instance) {}), nil},
		"a plain task":                        {task(func(*spec.Task) {}), nil},
		"a name of any alphabet":              {named("李雷's 训练 <#1> 👩‍👩‍👧"), nil},
		"a name of 100 characters":            {named(strings.Repeat("训", 100)), nil},
		"a name of 101 characters":            {named(strings.Repeat("训", 101)), []string{"name: name.too-long"}},
		"no name":                             {named(""), []string{"name: name.empty"}},
		"a name of spaces":                    {named(" 　"), []string{"name: name.empty"}},
		"a name with a line break":            {named("a\nb"), []string{"name: name.control"}},
		"a name with a NUL":                   {named("a\x00b"), []string{"name: name.control"}},
		"a name that turns the direction":     {named("gpj\u202egnp"), []string{"name: name.control"}},
		"a name that is no text":              {named("a\xff"), []string{"name: name.control"}},
		"no image":                            {instance(func(s *spec.Instance) { s.ImageID = "" }), []string{"imageId: missing"}},
		"too little of each":                  {instance(func(s *spec.Instance) { s.Resources = spec.Resources{CPUMilli: 9, MemoryBytes: 1 << 20, GPU: -1} }), []string{"resources.cpu: cpu.too-small", "resources.memory: memory.too-small", "resources.gpu: gpu.too-small"}},
		"too much of each":                    {instance(func(s *spec.Instance) { s.Resources = spec.Resources{CPUMilli: 32_001, MemoryBytes: 129 << 30, GPU: 9} }), []string{"resources.cpu: cpu.too-large", "resources.memory: memory.too-large", "resources.gpu: gpu.too-large"}},
		"P14 zero GPUs":                       {instance(func(s *spec.Instance) { s.Resources.GPU = 0 }), nil},
		"a mount":                             {at("/data/imagenet"), nil},
		"a mount inside the home":             {at("/home/goblin/data"), nil},
		"a mount in place of the home":        {at("/home/goblin"), nil},
		"a mount that looks like the home":    {at("/home/goblin2"), nil},
		"a mount over the home":               {at("/home"), []string{"mounts[0].path: path.over-home"}},
		"a mount at the root":                 {at("/"), []string{"mounts[0].path: path.root"}},
		"a mount at the root in disguise":     {at("/a/.."), []string{"mounts[0].path: path.root"}},
		"a relative mount":                    {at("data"), []string{"mounts[0].path: path.relative"}},
		"no path":                             {at(""), []string{"mounts[0].path: path.empty"}},
		"a mount with dots":                   {at("/data/../etc"), []string{"mounts[0].path: path.unclean"}},
		"a slash at the end":                  {at("/data/"), []string{"mounts[0].path: path.unclean"}},
		"a colon":                             {at("/da:ta"), []string{"mounts[0].path: path.character"}},
		"a NUL in a path":                     {at("/da\x00ta"), []string{"mounts[0].path: path.character"}},
		"a very long path":                    {at("/" + strings.Repeat("a", 1024)), []string{"mounts[0].path: path.too-long"}},
		"the system's processes":              {at("/proc"), []string{"mounts[0].path: path.system"}},
		"the system's settings":               {at("/etc/ssh"), []string{"mounts[0].path: path.system"}},
		"a name like a system folder":         {at("/etcetera"), nil},
		"the platform's path":                 {at("/datasets"), []string{"mounts[0].path: path.taken"}},
		"inside the platform's path":          {at("/datasets/mine"), []string{"mounts[0].path: path.taken"}},
		"no volume":                           {instance(func(s *spec.Instance) { s.Mounts = []spec.Mount{{Path: "/data"}} }), []string{"mounts[0].volumeId: missing"}},
		"two mounts on one path":              {mounts(spec.Mount{Path: "/a"}, spec.Mount{Path: "/a"}), []string{"mounts[1].path: path.twice"}},
		"a mount inside another":              {mounts(spec.Mount{Path: "/a"}, spec.Mount{Path: "/a/b"}), []string{"mounts[1].path: path.nested"}},
		"a mount over another":                {mounts(spec.Mount{Path: "/a/b"}, spec.Mount{Path: "/a"}), []string{"mounts[1].path: path.nested"}},
		"a mount inside a read-only home":     {mounts(spec.Mount{Path: "/home/goblin", ReadOnly: true}, spec.Mount{Path: "/home/goblin/b"}), []string{"mounts[1].path: path.in-read-only"}},
		"a mount inside a home":               {mounts(spec.Mount{Path: "/home/goblin"}, spec.Mount{Path: "/home/goblin/b"}), nil},
		"mounts side by side":                 {mounts(spec.Mount{Path: "/a"}, spec.Mount{Path: "/ab"}), nil},
		"another home and a mount inside":     {mounts(spec.Mount{Path: "/home/goblin"}, spec.Mount{Path: "/home/goblin/data"}), nil},
		"a folder of the volume":              {sub("projects/a..b"), nil},
		"a folder above the volume":           {sub("../other"), []string{"mounts[0].subPath: subpath.parent"}},
		"a folder above in the middle":        {sub("a/../../b"), []string{"mounts[0].subPath: subpath.parent"}},
		"an absolute folder":                  {sub("/a"), []string{"mounts[0].subPath: subpath.absolute"}},
		"an unclean folder":                   {sub("./a"), []string{"mounts[0].subPath: subpath.unclean"}},
		"a folder with a line break":          {sub("a\nb"), []string{"mounts[0].subPath: subpath.character"}},
		"variables":                           {env(spec.EnvVar{Name: "A_1", Value: "中文 $(X)"}, spec.EnvVar{Name: "java.opts"}), nil},
		"a variable without a name":           {env(spec.EnvVar{}), []string{"env[0].name: env.name"}},
		"a variable with an equals sign":      {env(spec.EnvVar{Name: "A=B"}), []string{"env[0].name: env.name"}},
		"a variable that starts with a digit": {env(spec.EnvVar{Name: "1A"}), []string{"env[0].name: env.name"}},
		"reserved variables":                  {env(spec.EnvVar{Name: "PASSWORD"}, spec.EnvVar{Name: "ROOT_PASSWORD"}, spec.EnvVar{Name: "GOBLINLAB_X"}), []string{"env[0].name: env.reserved", "env[1].name: env.reserved", "env[2].name: env.reserved"}},
		"a variable twice":                    {env(spec.EnvVar{Name: "A"}, spec.EnvVar{Name: "A"}), []string{"env[1].name: env.twice"}},
		"a NUL in a value":                    {env(spec.EnvVar{Name: "A", Value: "\x00"}), []string{"env[0].value: env.nul"}},
		"very large variables":                {env(spec.EnvVar{Name: "A", Value: strings.Repeat("a", 128<<10)}), []string{"env: env.too-large"}},
		"extra ports":                         {ports(1, 5000, 65535), nil},
		"ports out of range":                  {ports(0, -1, 65536), []string{"ports[0].number: port.range", "ports[1].number: port.range", "ports[2].number: port.range"}},
		"a port twice":                        {ports(5000, 5000), []string{"ports[1].number: port.twice"}},
		"ports of the apps":                   {ports(8888, 8080, 22, 6006, 9999), []string{"ports[0].number: port.app", "ports[1].number: port.app", "ports[2].number: port.app", "ports[3].number: port.app", "ports[4].number: port.app"}},
		"twenty ports":                        {ports(many[:20]...), nil},
		"twenty-one ports":                    {ports(many...), []string{"ports: port.too-many"}},
		"no command":                          {task(func(s *spec.Task) { s.Command = nil }), []string{"command: command.empty"}},
		"an empty program":                    {task(func(s *spec.Task) { s.Command = []string{""} }), []string{"command: command.empty"}},
		"empty arguments are fine":            {task(func(s *spec.Task) { s.Args = []string{"", "$(x)", "`rm`"} }), nil},
		"a NUL in an argument":                {task(func(s *spec.Task) { s.Args = []string{"a", "b\x00"} }), []string{"args: command.nul"}},
		"a command that is too large":         {task(func(s *spec.Task) { s.Args = []string{strings.Repeat("a", 64<<10)} }), []string{"command: command.too-large"}},
		"a relative working directory":        {task(func(s *spec.Task) { s.WorkingDir = "src" }), []string{"workingDir: path.relative"}},
		"a mount over the code":               {task(func(s *spec.Task) { s.Mounts = []spec.Mount{{VolumeID: "v", Path: "/code/x"}} }), []string{"mounts[0].path: path.taken"}},
		"the code's place without code":       {task(func(s *spec.Task) { s.Code, s.Mounts = nil, []spec.Mount{{VolumeID: "v", Path: "/code"}} }), nil},
		"code from above the volume":          {task(func(s *spec.Task) { s.Code.SubPath = ".." }), []string{"code.subPath: subpath.parent"}},
		"code of no volume":                   {task(func(s *spec.Task) { s.Code.VolumeID = "" }), []string{"code.volumeId: missing"}},
		"no class":                            {task(func(s *spec.Task) { s.Class = "" }), []string{"class: class"}},
		"a hundred retries":                   {task(func(s *spec.Task) { s.Retries = 100 }), nil},
		"a hundred and one":                   {task(func(s *spec.Task) { s.Retries = 101 }), []string{"retries: retries"}},
		"negative retries":                    {task(func(s *spec.Task) { s.Retries = -1 }), []string{"retries: retries"}},
		"a timeout of thirty days":            {task(func(s *spec.Task) { s.Timeout = 30 * 24 * time.Hour }), nil},
		"a timeout beyond":                    {task(func(s *spec.Task) { s.Timeout = 30*24*time.Hour + 1 }), []string{"timeoutSeconds: timeout"}},
		"a timeout below a second":            {task(func(s *spec.Task) { s.Timeout = time.Millisecond }), []string{"timeoutSeconds: timeout"}},
		"a negative timeout":                  {task(func(s *spec.Task) { s.Timeout = -time.Second }), []string{"timeoutSeconds: timeout"}},
		"a negative pending timeout":          {task(func(s *spec.Task) { s.Pending = -time.Second }), []string{"pendingTimeoutSeconds: timeout"}},
		"everything at once, for the form":    {preflight.Task("", spec.Task{}, limits), []string{"name: name.empty", "imageId: missing", "command: command.empty", "resources.cpu: cpu.too-small", "resources.memory: memory.too-small", "class: class"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, found(t, c.err)); diff != "" {
				t.Error(diff)
			}
			if c.err != nil && fault.KindOf(c.err) != fault.InvalidArgument {
				t.Errorf("the kind is %s", fault.KindOf(c.err))
			}
		})
	}
}

func TestTasksOfAFlowCarryTheirPrefix(t *testing.T) {
	t.Parallel()
	var f fault.Fields
	preflight.CheckTask(&f, "tasks[2].", spec.Task{
		ImageID: "i", Command: []string{"a"}, Class: spec.ClassOnline, Resources: spec.Resources{CPUMilli: 10, MemoryBytes: 1},
		Mounts: []spec.Mount{{VolumeID: "v", Path: "x"}}, Env: []spec.EnvVar{{Name: ""}},
	}, limits)
	want := []string{"tasks[2].resources.memory: memory.too-small", "tasks[2].mounts[0].path: path.relative", "tasks[2].env[0].name: env.name"}
	if diff := cmp.Diff(want, found(t, f.Err())); diff != "" {
		t.Error(diff)
	}
}

// Whatever passes makes a pod whose mounts the API server takes: each path once.
func TestWhatPassesMountsEachPathOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s spec.Instance
		for range rapid.IntRange(0, 5).Draw(t, "mounts") {
			s.Mounts = append(s.Mounts, spec.Mount{
				VolumeID: "v", Path: rapid.StringMatching(`(/(a|b|home|goblin|etc|\.\.|\.)){0,3}/?`).Draw(t, "path"),
			})
		}
		var f fault.Fields
		preflight.CheckInstance(&f, s, preflight.Limits{})
		if err := f.Err(); err != nil && strings.Contains(err.Error(), "[mounts") {
			t.Skip("refused")
		}
		i := manifest.Instance{Container: manifest.Container{Home: "home"}}
		for _, m := range s.Mounts {
			i.Mounts = append(i.Mounts, manifest.Mount{Claim: m.VolumeID, Path: m.Path})
		}
		seen := map[string]bool{}
		for _, m := range manifest.StatefulSet(i).Spec.Template.Spec.Containers[0].VolumeMounts {
			if seen[*m.MountPath] {
				t.Fatalf("%s is mounted twice", *m.MountPath)
			}
			seen[*m.MountPath] = true
		}
		for _, m := range s.Mounts {
			if !seen[m.Path] {
				t.Fatalf("%s is not mounted", m.Path)
			}
		}
	})
}
