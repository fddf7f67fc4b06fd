package files

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// operations are all ways to touch a path.
func (l *lab) operations() map[string]func(p string) error {
	ctx := l.t.Context()
	return map[string]func(p string) error{
		"list":     func(p string) error { _, err := l.List(p, "", "", 0); return err },
		"file":     func(p string) error { f, _, err := l.File(p); closed(f); return err },
		"text":     func(p string) error { _, err := l.Text(p, ""); return err },
		"table":    func(p string) error { _, err := l.Table(p, "", "", 0); return err },
		"notebook": func(p string) error { _, err := l.Notebook(p); return err },
		"image":    func(p string) error { _, _, _, err := l.Image(p); return err },
		"checksum": func(p string) error { _, err := l.Checksum(ctx, p, nil); return err },
		"usage":    func(p string) error { _, err := l.Usage(ctx, p, nil); return err },
		"search": func(p string) error {
			_, err := l.Search(ctx, p, "secret", 0, func(Entry) error { l.t.Error("found outside"); return nil }, nil)
			return err
		},
		"write":      func(p string) error { _, err := l.Write(p, "", []byte("x")); return err },
		"write over": func(p string) error { _, err := l.Write(p, `"x"`, []byte("x")); return err },
		"mkdir":      func(p string) error { _, err := l.Mkdir(p, false); return err },
		"parents":    func(p string) error { _, err := l.Mkdir(p+"/a/b", true); return err },
		"move":       func(p string) error { _, err := l.Move(p+"/secret", "stolen", false); return err },
		"move to":    func(p string) error { _, err := l.Move("mine", p+"/mine", true); return err },
		"copy":       func(p string) error { _, err := l.Copy(ctx, p+"/secret", "stolen", false, nil); return err },
		"copy to":    func(p string) error { _, err := l.Copy(ctx, "mine", p+"/mine", true, nil); return err },
		"delete":     func(p string) error { _, err := l.Delete(ctx, p+"/secret", true, nil); return err },
		"archive":    func(p string) error { return l.Archive(ctx, p+"/secret", Tar, io.Discard) },
		"upload":     func(p string) error { _, err := l.Begin(p+"/new", 1, "", true, "me"); return err },
		"unpack":     func(p string) error { _, err := l.Unpack(ctx, p+"/new", true, strings.NewReader(""), nil); return err },
	}
}

func closed(f *os.File) {
	if f != nil {
		f.Close()
	}
}

func TestNoPathLeavesTheVolume(t *testing.T) {
	t.Parallel()
	for name, ref := range map[string]string{
		"up": "..", "up and down": "../away/secret", "encoded": "%2e%2e%2faway", "within": "a/../../away", "dot": "./a", "at the end": "a/..",
		"NUL": "a%00b", "broken": "%zz", "cut": "a%2",
	} {
		if p, err := Path(ref); err == nil {
			t.Errorf("%s: %q is taken as %q", name, ref, p)
		}
	}
	for ref, want := range map[string]string{"": ".", "/": ".", "//a///b/": "a/b", "/etc/passwd": "etc/passwd", "a%2Fb": "a/b", "...": "...", "..a": "..a", "%FF%0A": "\xff\n", "+": "+"} {
		if got, err := Path(ref); err != nil || got != want {
			t.Errorf("Path(%q) = %q, %v; want %q", ref, got, err, want)
		}
	}
	for _, ref := range []string{Hidden, "/" + Hidden + "/x", "%2Egoblinlab-files"} {
		if _, err := Path(ref); fault.KindOf(err) != fault.NotFound {
			t.Errorf("the hidden folder is reached by %q: %v", ref, err)
		}
	}
}

func TestNoLinkLeavesTheVolume(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{
		"absolute": "", "relative": "../away", "by a detour": "sub/../../away", "through another link": "other",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := setup(t)
			l.write("mine", "mine")
			l.write("sub/x", "x")
			if target == "" {
				target = l.away
			}
			l.link("../away", "other")
			l.link(target, "out")
			for op, do := range l.operations() {
				if err := do("out"); err == nil {
					t.Errorf("%s goes through a link that leaves", op)
				}
			}
			if e := must(l.Stat("out"))(t); e.Kind != KindLink || e.TargetKind != TargetOutside {
				t.Errorf("the link is shown as %+v", e)
			}
			if names, _ := os.ReadDir(l.away); len(names) != 1 {
				t.Errorf("outside is now %v", names)
			}
			if b, _ := os.ReadFile(filepath.Join(l.away, "secret")); string(b) != "secret" {
				t.Error("the secret was changed")
			}
			// The link itself may go; what it leads to stays.
			if _, err := l.Delete(t.Context(), "out", true, nil); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(l.away, "secret")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLinksThatStayAreFollowedByReadersAlone(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("data/a.txt", "hello")
	l.link("data", "d")
	l.link("data/a.txt", "f")
	l.link("nowhere", "broken")
	l.link("loop", "loop")
	if got := must(l.Text("d/a.txt", ""))(t); got.Text != "hello" {
		t.Error(got)
	}
	if got := must(l.Text("f", ""))(t); got.Text != "hello" {
		t.Error(got)
	}
	for p, want := range map[string]string{"d": KindFolder, "f": KindFile, "broken": TargetBroken, "loop": TargetBroken} {
		if e := must(l.Stat(p))(t); e.TargetKind != want {
			t.Errorf("%s leads to %s", p, e.TargetKind)
		}
	}
	e := must(l.Stat("data/a.txt"))(t)
	must(l.Write("f", e.ETag, []byte("new")))(t)
	if l.read("data/a.txt") != "new" || must(l.Stat("f"))(t).Kind != KindLink {
		t.Error("a link was replaced instead of what it leads to")
	}
	if n := must(l.Delete(t.Context(), "d", true, nil))(t); n != 1 {
		t.Error(n)
	}
	if l.read("data/a.txt") != "new" {
		t.Error("deleting a link deleted what it leads to")
	}
}

func TestSpecialFilesAreNeverOpened(t *testing.T) {
	l := setup(t)
	l.special()
	for _, p := range []string{"fifo", "socket"} {
		if e := must(l.Stat(p))(t); e.Kind != KindOther {
			t.Errorf("%s is %s", p, e.Kind)
		}
		for _, op := range []string{"file", "text", "table", "notebook", "image", "checksum", "list", "usage", "write", "write over"} {
			done := make(chan error, 1)
			go func() { done <- l.operations()[op](p) }()
			select {
			case err := <-done:
				if err == nil {
					t.Errorf("%s of a %s works", op, p)
				}
			case <-time.After(5 * time.Second):
				t.Fatalf("%s of a %s waits for ever", op, p)
			}
		}
	}
	l.write("dir/a", "a")
	must(l.Move("fifo", "dir/fifo", false))(t)
	got := must(l.Copy(t.Context(), "dir", "copy", false, nil))(t)
	if got.Skipped != 1 || l.read("copy/a") != "a" {
		t.Errorf("copied %+v", got)
	}
	if err := l.Archive(t.Context(), "dir", Zip, io.Discard); err != nil {
		t.Error(err)
	}
	if n := must(l.Delete(t.Context(), "dir", true, nil))(t); n != 3 {
		t.Error(n)
	}
}

// Somebody swaps a folder for a link that leaves, again and again, while others work in it.
func TestRacesDoNotLeaveTheVolume(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("a/secret", "mine")
	l.write("mine", "mine")
	l.link("../away", "b")
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		for ctx.Err() == nil {
			_ = os.Rename(filepath.Join(l.dir, "a"), filepath.Join(l.dir, "c"))
			_ = os.Rename(filepath.Join(l.dir, "b"), filepath.Join(l.dir, "a"))
			_ = os.Rename(filepath.Join(l.dir, "a"), filepath.Join(l.dir, "b"))
			_ = os.Rename(filepath.Join(l.dir, "c"), filepath.Join(l.dir, "a"))
		}
	}()
	for ctx.Err() == nil {
		if text, err := l.Text("a/secret", ""); err == nil && text.Text == "secret" {
			t.Fatal("read outside")
		}
		_, _ = l.Copy(ctx, "mine", "a/mine", true, nil)
		_, _ = l.Delete(ctx, "a/mine", true, nil)
		_, _ = l.Mkdir("a/sub", false)
		_, _ = l.Delete(ctx, "a/sub", true, nil)
	}
	<-swapped
	if names, _ := os.ReadDir(l.away); len(names) != 1 {
		t.Errorf("outside is now %v", names)
	}
}

func TestReadOnlyChangesNothing(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("mine", "mine")
	v, err := Open(l.dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	l.Volume = v
	ops := l.operations()
	for _, op := range []string{"write", "write over", "mkdir", "parents", "move", "move to", "copy to", "delete", "upload", "unpack"} {
		if err := ops[op]("new"); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("%s: %v", op, err)
		}
	}
	if names, _ := os.ReadDir(l.dir); len(names) != 1 {
		t.Errorf("it holds %v", names)
	}
}

func TestTheRootStays(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("mine", "mine")
	_, err := l.Delete(t.Context(), ".", true, nil)
	is(t, err, fault.FailedPrecondition, "files.root")
	_, err = l.Move(".", "x", false)
	is(t, err, fault.FailedPrecondition, "files.root")
	_, err = l.Move("mine", ".", true)
	is(t, err, fault.FailedPrecondition, "files.root")
}

var oddNames = []string{"\xff\xfe", "new\nline", "tab\t", `quote"'`, "100%", "%41", "a b", "中文 🚀", "-rf", "~", "...", "a\\b", "\u202egnp.exe", strings.Repeat("n", 255), "?*[x]", "#;&=+"}

func TestNamesOfAnyBytesAreCarried(t *testing.T) {
	t.Parallel()
	l := setup(t)
	for _, n := range oddNames {
		l.write("dir/"+n, n)
	}
	page := must(l.List("dir", "", "", 0))(t)
	if len(page.Entries) != len(oddNames) {
		t.Errorf("%d entries", len(page.Entries))
	}
	for _, e := range page.Entries {
		if !utf8.ValidString(e.Name) || strings.ContainsAny(e.Name, "\n\t\u202e") {
			t.Errorf("%q is shown", e.Name)
		}
		p, err := Path(e.Ref)
		if err != nil {
			t.Fatal(err)
		}
		if got := "dir/" + l.read(p); got != p {
			t.Errorf("%q leads to %q", e.Ref, got)
		}
		must(l.Copy(t.Context(), p, p[:4]+"copy", true, nil))(t)
		if "dir/"+l.read("dir/copy") != p {
			t.Errorf("copy of %q", p)
		}
	}
	pr, pw := io.Pipe()
	go func() { pw.CloseWithError(l.Archive(t.Context(), "dir", Tar, pw)) }()
	must(l.Unpack(t.Context(), "again", false, pr, nil))(t)
	for _, n := range oddNames {
		if l.read("again/"+n) != n {
			t.Errorf("%q did not survive a tar", n)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, n := range oddNames {
		f.Add(Ref("dir/" + n))
	}
	f.Add("../%2e%2e/..%2f")
	f.Fuzz(func(t *testing.T, ref string) {
		p, err := Path(ref)
		if err != nil {
			return
		}
		if p != "." && (strings.HasPrefix(p, "/") || strings.Contains("/"+p+"/", "/../") || strings.Contains("/"+p+"/", "/./") || strings.Contains(p, "//") || strings.ContainsRune(p, 0)) {
			t.Fatalf("%q became %q", ref, p)
		}
		again, err := Path(Ref(p))
		if err != nil || again != p {
			t.Fatalf("%q became %q, then %q (%v)", ref, p, again, err)
		}
		if s := Show(p); !utf8.ValidString(s) {
			t.Fatalf("%q is shown as %q", p, s)
		}
	})
}
