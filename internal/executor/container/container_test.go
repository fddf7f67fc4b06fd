package container_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/executor/container"
	"github.com/goblinlab/goblinlab/internal/executor/executortest"
)

func TestConforms(t *testing.T) {
	t.Parallel()
	executortest.Conform(t, container.Container{}, variants...)
}

func TestCheckTellsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	for with, want := range wrong {
		var got []string
		for _, p := range (container.Container{}).Check(json.RawMessage(with)) {
			got = append(got, p.Path+" "+p.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", with, diff)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(executortest.Example(container.Container{})))
	for with := range wrong {
		f.Add([]byte(with))
	}
	f.Fuzz(func(t *testing.T, with []byte) { executortest.Sound(t, container.Container{}, with) })
}
