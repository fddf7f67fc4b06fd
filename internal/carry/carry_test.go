package carry_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/carry"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestMountsAreLeftOutOrReadOnlyAndNeverSilently(t *testing.T) {
	t.Parallel()
	mounts := []spec.Mount{{VolumeID: "vol-1", Path: "/a"}, {VolumeID: "vol-2", Path: "/b"}, {VolumeID: "shr-3", Path: "/c"}, {VolumeID: "vol-4", Path: "/d", SubPath: "x"}}
	found := []fault.Field{
		{Path: "mounts[1].volumeId", ID: "volume.missing"}, {Path: "mounts[2].volumeId", ID: "share.read-only"},
		{Path: "mounts[10].volumeId", ID: "volume.missing"}, {Path: "imageId", ID: "instance.image-missing"},
	}
	kept, notes := carry.Mounts(mounts, found)
	want := []spec.Mount{{VolumeID: "vol-1", Path: "/a"}, {VolumeID: "shr-3", Path: "/c", ReadOnly: true}, {VolumeID: "vol-4", Path: "/d", SubPath: "x"}}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got)\n%s", diff)
	}
	wantNotes := []carry.Note{{How: carry.LeftOut, What: "/b", Why: &found[0]}, {How: carry.ReadOnly, What: "/c", Why: &found[1]}}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Errorf("notes (-want +got)\n%s", diff)
	}
}

func TestSecretsVariablesAndImages(t *testing.T) {
	t.Parallel()
	found := []fault.Field{{Path: "secrets[0].secretId", ID: "secret.missing"}, {Path: "env[1].name", ID: "preflight.env.name"}, {Path: "imageId", ID: "instance.image-not-development"}}
	uses, notes := carry.Secrets([]spec.SecretUse{{SecretID: "sec-1"}, {SecretID: "sec-2", As: spec.SecretAsEnv, At: "KEY"}}, found)
	if len(uses) != 1 || uses[0].SecretID != "sec-2" || len(notes) != 1 || notes[0].What != "sec-1" || notes[0].Why.ID != "secret.missing" {
		t.Errorf("secrets: %v, %v", uses, notes)
	}
	env, notes := carry.Env([]spec.EnvVar{{Name: "A"}, {Name: "1B"}}, found)
	if len(env) != 1 || env[0].Name != "A" || len(notes) != 1 || notes[0].What != "1B" {
		t.Errorf("variables: %v, %v", env, notes)
	}
	if id, notes := carry.Image("img-1", "mini", found); id != "" || len(notes) != 1 || notes[0].What != "mini" {
		t.Errorf("image: %q, %v", id, notes)
	}
	if id, notes := carry.Image("img-1", "mini", found[:2]); id != "img-1" || notes != nil {
		t.Errorf("image: %q, %v", id, notes)
	}
}

func TestResourcesComeDownToEveryLimit(t *testing.T) {
	t.Parallel()
	least := spec.Resources{CPUMilli: 10, MemoryBytes: 16 << 20}
	had := spec.Resources{CPUMilli: 8000, MemoryBytes: 32 << 30, GPU: 8}
	for name, c := range map[string]struct {
		limits []spec.Quota
		want   spec.Resources
		notes  []string
	}{
		"no limits":            {[]spec.Quota{{}, {}}, had, nil},
		"the platform's":       {[]spec.Quota{{CPUMilli: 4000, GPU: 2}, {}}, spec.Resources{CPUMilli: 4000, MemoryBytes: 32 << 30, GPU: 2}, []string{"resources.cpu", "resources.gpu"}},
		"the lower of two":     {[]spec.Quota{{GPU: 4}, {GPU: 1, MemoryBytes: 1 << 30}}, spec.Resources{CPUMilli: 8000, MemoryBytes: 1 << 30, GPU: 1}, []string{"resources.memory", "resources.gpu"}},
		"none allowed":         {[]spec.Quota{{GPU: spec.None, CPUMilli: spec.None}}, spec.Resources{CPUMilli: 10, MemoryBytes: 32 << 30}, []string{"resources.cpu", "resources.gpu"}},
		"more than was wanted": {[]spec.Quota{{CPUMilli: 16000, MemoryBytes: 64 << 30, GPU: 9}}, had, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, notes := carry.Lower(had, []fault.Field{{Path: "resources.gpu", ID: "preflight.gpu.too-large"}}, least, c.limits...)
			var paths []string
			for _, n := range notes {
				paths = append(paths, n.What)
				if (n.Why != nil) != (n.What == "resources.gpu") {
					t.Errorf("%s is explained by %v", n.What, n.Why)
				}
			}
			if got != c.want || !cmp.Equal(paths, c.notes) {
				t.Errorf("%+v with %v, not %+v with %v", got, paths, c.want, c.notes)
			}
		})
	}
}

func TestALineIsReadable(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"python train.py --day 2026-11-29":            carry.Line("", nil, []string{"python", "train.py", "--day", "2026-11-29"}),
		"cd /code && A=1 B='x y' sh -c 'echo \"$A\"'": carry.Line("/code", []spec.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "x y"}}, []string{"sh", "-c", `echo "$A"`}),
		"'a=b' '' 'it'\\''s'":                         carry.Line("", nil, []string{"a=b", "", "it's"}),
	} {
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

// A shell reads back exactly the words that the task had, by the eval that the page tells people to type.
func TestAShellReadsALineBack(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune(" \t\n'\"\\$`!*?[]{}()<>|&;#~=%a中")), rapid.Rune().Filter(func(r rune) bool { return r != 0 })))
		words := rapid.SliceOfN(word, 0, 5).Draw(t, "words")
		value := word.Draw(t, "value")
		script := `printf '%s\0' "$V" "$@"`
		line := carry.Line("/", []spec.EnvVar{{Name: "V", Value: value}}, append([]string{sh, "-c", script, "sh"}, words...))
		cmd := exec.Command(sh, "-c", `eval "$TASK_COMMAND"`)
		cmd.Env = []string{"TASK_COMMAND=" + line}
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		want := strings.Join(append([]string{value}, words...), "\x00") + "\x00"
		if out.String() != want {
			t.Fatalf("%q came back as %q", want, out.String())
		}
	})
}
