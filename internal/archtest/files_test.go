package archtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

const maxLines = 500

func TestHandWrittenFilesStayShort(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, p := range packages(t) {
		for _, f := range p.GoFiles {
			b, err := os.ReadFile(filepath.Join(p.Dir, f))
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := bytes.Cut(b, []byte("package "))
			if bytes.Contains(head, []byte("DO NOT EDIT")) {
				continue
			}
			seen++
			if n := bytes.Count(b, []byte("\n")); n > maxLines {
				t.Errorf("%s has %d lines; split it by responsibility (at most %d)", filepath.Join(p.Dir, f), n, maxLines)
			}
		}
	}
	if seen == 0 {
		t.Error("no hand-written file was seen")
	}
}
