package devinit

import (
	"os"
	"path/filepath"
	"testing"
)

// write makes a file with its folders.
func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSeedHome(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		home   []string // files that are there before
		want   bool
		absent bool // the home does not exist
	}{
		"an empty home is seeded":                          {nil, true, false},
		"a home that does not exist yet is made":           {nil, true, true},
		"the folder of a new file system does not count":   {[]string{"lost+found/x"}, true, false},
		"a seed that was interrupted is done again":        {[]string{seedStaging + "/README.md"}, true, false},
		"one file of the user is enough to leave it alone": {[]string{"data.csv"}, false, false},
		"a hidden one too":                                 {[]string{".cache/x"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			skeleton, home := filepath.Join(dir, "skeleton"), filepath.Join(dir, "home")
			write(t, filepath.Join(skeleton, "README.md"), "welcome", 0o644)
			write(t, filepath.Join(skeleton, ".config/app/run.sh"), "#!/bin/sh", 0o755)
			if err := os.Symlink("README.md", filepath.Join(skeleton, "link")); err != nil {
				t.Fatal(err)
			}
			if !tc.absent {
				if err := os.Mkdir(home, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range tc.home {
				write(t, filepath.Join(home, f), "mine", 0o644)
			}
			got, err := SeedHome(home, skeleton)
			if err != nil || got != tc.want {
				t.Fatalf("seeded %t, want %t, error %v", got, tc.want, err)
			}
			checkSeed(t, home, tc.want)
		})
	}
}

// checkSeed looks at the home: all of the skeleton with its modes, or nothing.
func checkSeed(t *testing.T, home string, seeded bool) {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(home, "README.md")); (err == nil) != seeded {
		t.Fatalf("README.md: %v", err)
	}
	if !seeded {
		return
	}
	if got := read(t, filepath.Join(home, "README.md")); got != "welcome" {
		t.Errorf("README.md holds %q", got)
	}
	info, err := os.Stat(filepath.Join(home, ".config/app/run.sh"))
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("run.sh: %v, %v", info, err)
	}
	if link, err := os.Readlink(filepath.Join(home, "link")); err != nil || link != "README.md" {
		t.Errorf("link to %q, %v", link, err)
	}
	if _, err := os.Lstat(filepath.Join(home, seedStaging)); err == nil {
		t.Error("the staging folder is left")
	}
}

func TestSeedHomeStaysSilentWithoutSkeleton(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]bool{"none": false, "an empty one": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			skeleton := filepath.Join(t.TempDir(), "skeleton")
			if make {
				if err := os.Mkdir(skeleton, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if seeded, err := SeedHome(t.TempDir(), skeleton); seeded || err != nil {
				t.Errorf("seeded %t, %v", seeded, err)
			}
		})
	}
}

func TestSeedHomeOnceOnly(t *testing.T) {
	t.Parallel()
	skeleton, home := t.TempDir(), t.TempDir()
	write(t, filepath.Join(skeleton, "a"), "1", 0o644)
	write(t, filepath.Join(skeleton, "b"), "1", 0o644)
	if seeded, err := SeedHome(home, skeleton); !seeded || err != nil {
		t.Fatalf("seeded %t, %v", seeded, err)
	}
	if err := os.Remove(filepath.Join(home, "a")); err != nil {
		t.Fatal(err)
	}
	if seeded, err := SeedHome(home, skeleton); seeded || err != nil {
		t.Fatalf("seeded again: %t, %v", seeded, err)
	}
	if _, err := os.Stat(filepath.Join(home, "a")); err == nil {
		t.Error("what the user deleted came back")
	}
}
