package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

func TestALaterNodeGetsWhatTheOthersGot(t *testing.T) {
	t.Parallel()
	l := layout.Layout{Dir: t.TempDir()}
	var paths []string
	for _, name := range []string{"start.tar", "a b.tar", "gone.tar"} {
		path := filepath.Join(l.Dir, name)
		paths = append(paths, path)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &run{layout: l, UpOptions: UpOptions{Images: paths[:1]}}
	for _, files := range [][]string{paths[1:], paths[:2]} { // one of them twice
		if err := remember(l, files); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := remembered(l); err != nil || len(got) != 3 {
		t.Errorf("remembered %q, %v", got, err)
	}
	if err := os.Remove(paths[2]); err != nil {
		t.Fatal(err)
	}
	got, err := r.archives()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(paths[1:2], got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
