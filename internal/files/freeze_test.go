package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/fault"
)

var roomy = Bounds{Files: 1000, Bytes: 1 << 20}

func TestFreezeKeepsWhatWasThere(t *testing.T) {
	l := setup(t)
	l.write("jobs/train.py", "print(1)")
	l.write("jobs/lib/deep/x.py", "x = 1")
	l.write("jobs/run.sh", "#!/bin/sh")
	l.write("jobs/key", "secret")
	for p, mode := range map[string]os.FileMode{"jobs/run.sh": 0o700, "jobs/key": 0o600} {
		if err := os.Chmod(filepath.Join(l.dir, p), mode); err != nil {
			t.Fatal(err)
		}
	}
	l.link("lib/deep", "jobs/short")
	if err := unix.Mkfifo(filepath.Join(l.dir, "jobs/fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := must(l.Freeze(t.Context(), "jobs", "snap-1", roomy, nil))(t)
	if c.Files != 5 || c.Bytes != int64(len("print(1)x = 1#!/bin/shsecret")) || len(c.SHA256) != 64 {
		t.Errorf("frozen %+v", c)
	}
	l.write("jobs/train.py", "print(2)")
	if got := l.read(Frozen + "/snap-1/train.py"); got != "print(1)" {
		t.Errorf("the copy says %q", got)
	}
	for p, want := range map[string]os.FileMode{"": 0o555, "lib/deep": 0o555, "train.py": 0o444, "run.sh": 0o555, "key": 0o444} {
		info, err := os.Lstat(filepath.Join(l.dir, Frozen, "snap-1", p))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q is %v, %v", p, info, err)
		}
	}
	if to, err := os.Readlink(filepath.Join(l.dir, Frozen, "snap-1/short")); err != nil || to != "lib/deep" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	// Asked again it is the copy that counts, not the folder.
	if again := must(l.Freeze(t.Context(), "jobs", "snap-1", roomy, nil))(t); again != c {
		t.Errorf("again %+v, before %+v", again, c)
	}
	if other := must(l.Freeze(t.Context(), "jobs", "snap-2", roomy, nil))(t); other.SHA256 == c.SHA256 || other.Files != c.Files {
		t.Errorf("another content has %+v", other)
	}
	l.write("jobs/train.py", "print(1)")
	if third := must(l.Freeze(t.Context(), "jobs", "snap-3", roomy, nil))(t); third != c {
		t.Errorf("the same content has %+v, not %+v", third, c)
	}
}

func TestFrozenCopiesAreHidden(t *testing.T) {
	l := setup(t)
	l.write("a.py", "1")
	c := must(l.Freeze(t.Context(), ".", "snap-1", roomy, nil))(t)
	if c.Files != 1 {
		t.Errorf("the root has %+v", c)
	}
	// The whole volume once more: copies are no part of it.
	if again := must(l.Freeze(t.Context(), ".", "snap-2", roomy, nil))(t); again != c {
		t.Errorf("frozen again %+v", again)
	}
	list := must(l.List(".", "", "", 0))(t)
	if len(list.Entries) != 1 || list.Entries[0].Name != "a.py" {
		t.Errorf("listed %+v", list.Entries)
	}
	for _, ref := range []string{Frozen, "/" + Frozen + "/snap-1/a.py", "%2Egoblinlab-frozen"} {
		_, err := Path(ref)
		is(t, err, fault.NotFound, "files.missing")
	}
}

func TestFreezeHasBounds(t *testing.T) {
	l := setup(t)
	l.write("jobs/a", "12345")
	l.write("jobs/b", "12345")
	for _, c := range []struct {
		most Bounds
		id   string
	}{{Bounds{Files: 1, Bytes: 100}, "files.freeze-files"}, {Bounds{Files: 2, Bytes: 9}, "files.freeze-bytes"}} {
		_, err := l.Freeze(t.Context(), "jobs", "snap-1", c.most, nil)
		is(t, err, fault.FailedPrecondition, c.id)
	}
	must(l.Freeze(t.Context(), "jobs", "snap-1", Bounds{Files: 2, Bytes: 10}, nil))(t)
	_, err := l.Freeze(t.Context(), "none", "snap-2", roomy, nil)
	is(t, err, fault.NotFound, "files.missing")
	_, err = l.Freeze(t.Context(), "jobs/a", "snap-2", roomy, nil)
	is(t, err, fault.FailedPrecondition, "files.not-a-folder")
	l.link("jobs", "current")
	must(l.Freeze(t.Context(), "current", "snap-3", roomy, nil))(t)
	l.link(l.away, "away")
	_, err = l.Freeze(t.Context(), "away", "snap-4", roomy, nil)
	is(t, err, fault.FailedPrecondition, "files.outside")
	for _, name := range []string{"", "..", "a/b", ".x", "a\x00"} {
		_, err := l.Freeze(t.Context(), "jobs", name, roomy, nil)
		is(t, err, fault.InvalidArgument, "files.frozen-name")
		is(t, l.Thaw(t.Context(), name, nil), fault.InvalidArgument, "files.frozen-name")
	}
	if left, err := os.ReadDir(filepath.Join(l.dir, Frozen)); err != nil || len(left) != 2 {
		t.Errorf("there are %v, %v", left, err)
	}
}

// An end at any moment leaves nothing that looks whole and is not.
func TestFreezeSurvivesEnds(t *testing.T) {
	l := setup(t)
	l.write("jobs/a", "1")
	l.write("jobs/b/c", "2")
	want := must(l.Freeze(t.Context(), "jobs", "whole", roomy, nil))(t)
	// Killed while it copied: what is left lies aside, under no name.
	l.write(Hidden+"/copy-KILLED/c/a", "1")
	if got := must(l.Freeze(t.Context(), "jobs", "snap-1", roomy, nil))(t); got != want {
		t.Errorf("after a half copy %+v", got)
	}
	// Killed between the rename and the last change of the mode.
	if err := os.Chmod(filepath.Join(l.dir, Frozen, "snap-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := must(l.Freeze(t.Context(), "jobs", "snap-1", roomy, nil))(t); got != want {
		t.Errorf("after the rename %+v", got)
	}
	if info, err := os.Stat(filepath.Join(l.dir, Frozen, "snap-1")); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("it is %v, %v", info.Mode(), err)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if _, err := l.Freeze(gone, "jobs", "snap-2", roomy, nil); err == nil {
		t.Error("frozen for nobody")
	}
	if _, err := os.Stat(filepath.Join(l.dir, Frozen, "snap-2")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a broken copy is there: %v", err)
	}
}

func TestThawRemovesOne(t *testing.T) {
	l := setup(t)
	l.write("jobs/a/b", "1")
	must(l.Freeze(t.Context(), "jobs", "snap-1", roomy, nil))(t)
	must(l.Freeze(t.Context(), "jobs", "snap-2", roomy, nil))(t)
	for range 2 { // one that is gone is success
		if err := l.Thaw(t.Context(), "snap-1", nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := l.read(Frozen + "/snap-2/a/b"); got != "1" {
		t.Errorf("the other one says %q", got)
	}
	if err := l.Thaw(t.Context(), "snap-2", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(l.dir, Frozen)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder stays: %v", err)
	}
	if got := l.read("jobs/a/b"); got != "1" {
		t.Errorf("the code says %q", got)
	}
}

// A digest is the same in whatever order, and another one for whatever differs.
func TestDigestTellsFoldersApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := rapid.Custom(func(t *rapid.T) frozenEntry {
			return frozenEntry{
				Path:    rapid.StringMatching(`[a-c \n:1-3]{1,4}`).Draw(t, "path"),
				Kind:    rapid.SampledFrom([]string{KindFile, KindFolder, KindLink}).Draw(t, "kind"),
				Program: rapid.Bool().Draw(t, "program"), Content: rapid.StringMatching(`[a-c \n:1-3]{0,4}`).Draw(t, "content"),
			}
		})
		distinct := rapid.SliceOfNDistinct(entry, 1, 6, func(e frozenEntry) string { return e.Path })
		a, b := distinct.Draw(t, "a"), distinct.Draw(t, "b")
		if digest(a) != digest(rapid.Permutation(a).Draw(t, "shuffled")) {
			t.Fatal("the order counts")
		}
		same := len(a) == len(b)
		for _, e := range a {
			found := false
			for _, o := range b {
				found = found || o == e
			}
			same = same && found
		}
		if (digest(a) == digest(b)) != same {
			t.Fatalf("%v and %v", a, b)
		}
	})
	if d := digest(nil); d != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" || strings.ToLower(d) != d {
		t.Errorf("nothing has %s", d)
	}
}
