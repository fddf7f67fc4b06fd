package logstore_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/logstore"
)

func TestARemovedLogSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	w := b.writer(t)
	b.write(t, w, outputs(0, 100))
	at := time.Date(2026, 12, 24, 3, 0, 0, 0, time.UTC)
	if err := b.db.Tx(b.ctx, func(tx *ent.Tx) error { return logstore.Retire(b.ctx, tx, at, 30, []string{b.attempt.ID}) }); err != nil {
		t.Fatal(err)
	}
	told := func(what string, err error) {
		t.Helper()
		f := fault.Of(err)
		if f == nil || f.ID != "log.removed" {
			t.Fatalf("%s: %v", what, err)
		}
		if text := lang.Text(lang.English, "fault."+f.ID, f.Args); !strings.Contains(text, "2026-12-24 after 30 days") {
			t.Errorf("%s says %q", what, text)
		}
	}
	_, err := b.store.Window(b.member, b.attempt.ID, logstore.Query{})
	told("a window", err)
	_, err = b.store.Search(b.member, b.attempt.ID, logstore.Search{Text: "line"})
	told("a search", err)
	told("a download", b.store.WriteTo(b.member, b.attempt.ID, &bytes.Buffer{}, logstore.Form{}))
	for _, err := range b.store.Follow(b.member, b.attempt.ID, "") {
		told("following", err)
	}
	if err := w.Write(b.ctx, outputs(100, 1)); !errors.Is(err, logstore.ErrComplete) {
		t.Errorf("a late line: %v", err)
	}
}

func TestTheFolderOfALogGoesWithIt(t *testing.T) {
	t.Parallel()
	b := setup(t, 0)
	b.store.InFolder(b.dir)
	b.write(t, b.writer(t), outputs(0, 100))
	folder := filepath.Join(b.dir, "logs", b.attempt.ID)
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	for range 2 { // and again, when there is none
		if err := b.store.Delete(b.ctx, b.attempt.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}

func TestTheFolderOfAStore(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"file:///var/blobs?create_dir=true": "/var/blobs", "file://./blobs": "blobs", "s3://bucket?region=x": "", "mem://": "", "::": "",
	} {
		if got := logstore.FolderOf(url); got != want {
			t.Errorf("%s: %q, not %q", url, got, want)
		}
	}
}
