package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWordsForTheLocalKubernetes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ args, mine, rest string }{
		"nothing":                     {"", "", "--dir D"},
		"a command":                   {"status -o json", "", "--dir D status -o json"},
		"a command in a command":      {"node add n --gpus 2", "", "--dir D node add n --gpus 2"},
		"a folder of its own":         {"down --dir /x", "", "down --dir /x"},
		"the same in one word":        {"down --dir=/x", "", "down --dir=/x"},
		"our folder":                  {"down --data /y", "--data /y", "--dir D down"},
		"our folder in one word":      {"--data=/y down --grace 0s", "--data=/y", "--dir D down --grace 0s"},
		"our flag without its value":  {"down --data", "--data", "--dir D down"},
		"other programs":              {"--cluster.localbin /b status", "--cluster.localbin /b", "--dir D status"},
		"nothing after two dashes":    {"image import -- --data /y --dir", "", "--dir D image import -- --data /y --dir"},
		"a flag that begins like one": {"up --database x", "", "--dir D up --database x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine, rest := divide(strings.Fields(c.args))
			if !slices.Equal(mine, strings.Fields(c.mine)) {
				t.Errorf("our flags are %q, want %q", mine, c.mine)
			}
			if rest = withDir(rest, "D"); !slices.Equal(rest, strings.Fields(c.rest)) {
				t.Errorf("the words are %q, want %q", rest, c.rest)
			}
		})
	}
}

// TestLocalBecomesTheProgram runs "goblinlab local" with a program that says how it was called.
func TestLocalBecomesTheProgram(t *testing.T) {
	if os.Getenv("GOBLINLAB_TEST_MAIN") != "" {
		os.Args = append(os.Args[:1], strings.Fields(os.Getenv("GOBLINLAB_TEST_MAIN"))...)
		main()
		return
	}
	t.Parallel()
	dir := t.TempDir()
	run := func(words string) (string, error) {
		cmd := exec.Command(os.Args[0], "-test.run=TestLocalBecomesTheProgram$")
		cmd.Env = append(os.Environ(), "GOBLINLAB_TEST_MAIN=local --data "+dir+"/data --cluster.localbin "+dir+" "+words)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("status")
	if err == nil || !strings.Contains(out, "make local") || !strings.Contains(out, filepath.Join(dir, "goblinlab-local")) {
		t.Errorf("without the program: %v\n%s", err, out)
	}
	script := "#!/bin/sh\necho \"$GOBLINLAB_LOCAL_CALLED_AS: $*\"\nexit 3\n"
	if err := os.WriteFile(filepath.Join(dir, "goblinlab-local"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err = run("node stop gpu --grace 0s")
	if want := "goblinlab local: --dir " + dir + "/data/cluster node stop gpu --grace 0s\n"; out != want {
		t.Errorf("it was called %q, want %q", out, want)
	}
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("its exit code 3 became %v", err)
	}
}
