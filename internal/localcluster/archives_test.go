package localcluster

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestWhereAnArchiveStands(t *testing.T) {
	t.Parallel()
	me, gone := os.Getpid(), 1<<22+7 // beyond what Linux gives out by default on 64 bits
	for name, c := range map[string]struct {
		told     string
		archive  bool
		imported bool
		want     Progress
	}{
		"nothing":                      {want: Progress{Stage: Missing}},
		"it is built":                  {told: fmt.Sprintf(`{"state":"building","step":"pack dev","pid":%d}`, me), want: Progress{Stage: Building, Step: "pack dev"}},
		"its builder was killed":       {told: fmt.Sprintf(`{"state":"building","step":"pack dev","pid":%d}`, gone), want: Progress{Stage: Failed, Step: "pack dev"}},
		"its build failed":             {told: `{"state":"failed","step":"install Debian","pid":1}`, want: Progress{Stage: Failed, Step: "install Debian"}},
		"it was built and deleted":     {told: `{"state":"done","step":"","pid":1}`, want: Progress{Stage: Missing}},
		"half a file":                  {told: `{"state":"buil`, want: Progress{Stage: Missing}},
		"it is there":                  {told: `{"state":"done","step":"","pid":1}`, archive: true, want: Progress{Stage: Importing}},
		"it is imported":               {archive: true, imported: true, want: Progress{Stage: There, Bytes: 3}},
		"it is imported and renewed":   {told: fmt.Sprintf(`{"state":"building","step":"x","pid":%d}`, me), archive: true, imported: true, want: Progress{Stage: There, Bytes: 3}},
		"there, and its renewal fails": {told: `{"state":"failed","step":"x","pid":1}`, archive: true, imported: true, want: Progress{Stage: There, Bytes: 3}},
	} {
		dir := t.TempDir()
		tar := filepath.Join(dir, "dev.tar")
		if c.told != "" {
			write(t, filepath.Join(dir, "dev.json"), c.told)
		}
		var imported os.FileInfo
		if c.archive {
			write(t, tar, "tar")
		}
		if c.imported {
			imported = stat(t, tar)
		}
		if got, _ := look(dir, Archive{Name: "dev"}, imported); got != c.want {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
		if !c.imported {
			continue
		}
		write(t, tar, "another")
		if got, _ := look(dir, Archive{Name: "dev"}, imported); got.Stage != Importing {
			t.Errorf("%s, then made anew: %+v", name, got)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	i, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return i
}
