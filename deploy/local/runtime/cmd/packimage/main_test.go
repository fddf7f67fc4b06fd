package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTheSameFolderGivesTheSameArchive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "root")
	if err := os.MkdirAll(filepath.Join(folder, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(folder, "bin", "tool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("tool", filepath.Join(folder, "bin", "link")); err != nil {
		t.Fatal(err)
	}
	var archives [2][]byte
	for i := range archives {
		out := filepath.Join(dir, "image.tar")
		if err := pack(out, "example.com/x:1", []string{"/bin/tool"}, folder); err != nil {
			t.Fatal(err)
		}
		var err error
		if archives[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(tool, time.Time{}, time.Unix(int64(i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("two archives of one folder differ")
	}
	if !bytes.Contains(archives[0], []byte(`"io.containerd.image.name":"example.com/x:1"`)) {
		t.Error("the archive does not name the image")
	}
}
