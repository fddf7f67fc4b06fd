package jar_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/executor/executortest"
	"github.com/goblinlab/goblinlab/internal/executor/jar"
)

func TestConforms(t *testing.T) {
	t.Parallel()
	executortest.Conform(t, jar.Jar{}, variants...)
}

func TestCheckTellsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	for with, want := range wrong {
		var got []string
		for _, p := range (jar.Jar{}).Check(json.RawMessage(with)) {
			got = append(got, p.Path+" "+p.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", with, diff)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(executortest.Example(jar.Jar{})))
	for with := range wrong {
		f.Add([]byte(with))
	}
	f.Fuzz(func(t *testing.T, with []byte) { executortest.Sound(t, jar.Jar{}, with) })
}
