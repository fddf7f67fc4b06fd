package files

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/goblinlab/goblinlab/internal/fault"
)

func (l *lab) all(p, order string, limit int) (names []string) {
	l.t.Helper()
	for after := ""; ; {
		page := must(l.List(p, after, order, limit))(l.t)
		for _, e := range page.Entries {
			names = append(names, e.Name)
		}
		if after = page.Next; after == "" {
			return names
		}
	}
}

func TestListsInPages(t *testing.T) {
	t.Parallel()
	l := setup(t)
	for _, p := range []string{"b.txt", "a.txt", "z/x", "C/x", Hidden + "/x", "ä"} {
		l.write(p, "x")
	}
	if got := strings.Join(l.all(".", OrderFolders, 2), " "); got != "C z a.txt b.txt ä" {
		t.Error(got)
	}
	if got := strings.Join(l.all(".", OrderName, 1), " "); got != "C a.txt b.txt z ä" {
		t.Error(got)
	}
	first := must(l.List(".", "", OrderName, 2))(t)
	l.write("aa", "new")
	if err := os.Remove(filepath.Join(l.dir, "a.txt")); err != nil { // the cursor's own
		t.Fatal(err)
	}
	if got := must(l.List(".", first.Next, OrderName, 1))(t); got.Entries[0].Name != "aa" || got.Total != 5 {
		t.Errorf("%+v", got)
	}
	_, err := l.List(".", "?", "", 0)
	is(t, err, fault.InvalidArgument, "files.cursor")
	_, err = l.List(".", "", "size", 0)
	is(t, err, fault.InvalidArgument, "files.order")
	_, err = l.List("b.txt", "", "", 0)
	is(t, err, fault.FailedPrecondition, "files.not-a-folder")
	_, err = l.List("nothing", "", "", 0)
	is(t, err, fault.NotFound, "files.missing")
}

func TestAHundredThousandEntries(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes many files")
	}
	l := setup(t)
	const n = 100_000
	for i := range n {
		if err := os.Symlink("x", filepath.Join(l.dir, fmt.Sprintf("f%06d", (i*7919)%n))); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	names := l.all(".", "", MaxPage)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(names) != n || names[0] != "f000000" || names[n-1] != "f099999" {
		t.Errorf("%d names", len(names))
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("%d MB are kept", grown>>20)
	}
	if removed := must(l.Search(t.Context(), ".", "f0999?9", 0, func(Entry) error { return nil }, nil))(t); removed.Scanned != n {
		t.Errorf("%+v", removed)
	}
}

// The order without memory of the folder is that with it.
func TestALargeFolderIsReadByTheHeap(t *testing.T) {
	t.Parallel()
	less := before(OrderFolders)
	h := &largest{less: less}
	from := item{"3", false}
	for i := range 10 {
		h.offer(item{fmt.Sprint((i * 7) % 10), i%5 == 0}, &from, 3)
	}
	var got []string
	for range 3 {
		got = append([]string{h.items[0].name}, got...)
		h.items[0] = h.items[len(h.items)-1]
		h.items = h.items[:len(h.items)-1]
		if len(h.items) == 2 && h.Less(1, 0) {
			h.Swap(0, 1)
		}
	}
	if strings.Join(got, "") != "467" {
		t.Error(got)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	l := setup(t)
	gb, _ := simplifiedchinese.GBK.NewEncoder().String("数据管理，训练模型的结果如下。")
	u16, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("hello 你好")
	bare, _ := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().String("a text of plain words")
	for name, c := range map[string]struct {
		data, encoding, text string
		editable, binary     bool
	}{
		"empty": {"", "utf-8", "", true, false}, "plain": {"hello\n", "utf-8", "hello\n", true, false}, "Chinese": {"你好", "utf-8", "你好", true, false},
		"a mark": {"\xEF\xBB\xBFa", "utf-8-bom", "a", false, false}, "GBK": {gb, "gb18030", "数据管理，训练模型的结果如下。", false, false},
		"UTF-16": {u16, "utf-16le", "hello 你好", false, false}, "UTF-16 without a mark": {bare, "utf-16be", "a text of plain words", false, false},
		"Latin":  {"caf\xe9 au lait, d\xe9j\xe0 vu", "windows-1252", "café au lait, déjà vu", false, false},
		"binary": {"\x7fELF\x02\x01\x01\x00\x00\x03\x00\x3e", "", "", false, true}, "colours": {"\x1b[31mred\x1b[0m", "utf-8", "\x1b[31mred\x1b[0m", true, false},
	} {
		l.write("f", c.data)
		if got := must(l.Text("f", ""))(t); got.Text != c.text || got.Encoding != c.encoding || got.Editable != c.editable || got.Binary != c.binary || got.Truncated {
			t.Errorf("%s: %+v", name, got)
		}
	}
	l.write("large", strings.Repeat("数", MaxText/3+10))
	if got := must(l.Text("large", ""))(t); !got.Truncated || got.Editable || got.Encoding != "utf-8" || strings.Contains(got.Text, "\uFFFD") {
		t.Errorf("%s %v", got.Encoding, got.Truncated)
	}
	l.write("f", gb)
	if got := must(l.Text("f", "gbk"))(t); !strings.HasPrefix(got.Text, "数据") {
		t.Error(got.Text)
	}
	_, err := l.Text("f", "klingon")
	is(t, err, fault.InvalidArgument, "files.encoding")
}

func TestTable(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("a.csv", "name,note\n\"x, y\",\"two\nlines\"\nshort\n\"bad\"quote,1\n")
	got := must(l.Table("a.csv", "", "", 0))(t)
	if fmt.Sprint(got.Rows) != "[[name note] [x, y two\nlines] [short] [bad\"quote 1]]" && got.Columns != 2 {
		t.Errorf("%q", got.Rows)
	}
	for text, want := range map[string]string{"a;b\n1;2": ";", "a\tb,c\td\n1\t2\t3": "\t", "a|b": "|", "one": ","} {
		l.write("b.txt", text)
		if got := must(l.Table("b.txt", "", "", 0))(t); got.Delimiter != want {
			t.Errorf("%q: %q", text, got.Delimiter)
		}
	}
	l.write("many.csv", strings.Repeat("1,2\n", 3000))
	if got := must(l.Table("many.csv", "", "", 0))(t); len(got.Rows) != maxRows || !got.Truncated {
		t.Errorf("%d rows", len(got.Rows))
	}
	l.write("wide.csv", strings.Repeat("1,", 500)+"\n"+strings.Repeat("x", 5000))
	if got := must(l.Table("wide.csv", "", ",", 5))(t); got.Columns != 501 || len(got.Rows[0]) != maxColumns || len(got.Rows[1][0]) > maxCell+3 {
		t.Errorf("%d columns", got.Columns)
	}
	_, err := l.Table("wide.csv", "", "::", 5)
	is(t, err, fault.InvalidArgument, "files.delimiter")
	l.write("bin", "\x00\x01\x02\x03")
	_, err = l.Table("bin", "", "", 0)
	is(t, err, fault.FailedPrecondition, "files.not-text")
}

func TestNotebook(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("n.ipynb", `{"metadata":{"language_info":{"name":"python"}},"nbformat":4,"cells":[
		{"cell_type":"markdown","source":["# T\n","x"]},
		{"cell_type":"code","execution_count":3,"source":"print(1)","outputs":[
			{"output_type":"stream","name":"stdout","text":["1\n"]},
			{"output_type":"display_data","data":{"image/png":"aGk=\n","text/plain":"fig"}},
			{"output_type":"execute_result","data":{"text/html":["<script>","x"],"text/plain":"p"}},
			{"output_type":"execute_result","data":{"application/json":{"a":1}}},
			{"output_type":"error","ename":"E","evalue":"v","traceback":["t1","t2"]}]}]}`)
	got := must(l.Notebook("n.ipynb"))(t)
	if got.Language != "python" || len(got.Cells) != 2 || got.Cells[0].Source != "# T\nx" || *got.Cells[1].Count != 3 {
		t.Errorf("%+v", got)
	}
	if want := "[{text text/plain 1\n} {image image/png aGk=} {html text/html <script>x} {other application/json } {error text/plain t1\nt2}]"; fmt.Sprint(got.Cells[1].Outputs) != want {
		t.Errorf("%v", got.Cells[1].Outputs)
	}
	for _, text := range []string{"", "{}", "[1]", `{"cells":5}`, "\x00"} {
		l.write("bad.ipynb", text)
		_, err := l.Notebook("bad.ipynb")
		is(t, err, fault.FailedPrecondition, "files.not-notebook")
	}
}

func TestImage(t *testing.T) {
	t.Parallel()
	l := setup(t)
	for text, want := range map[string]string{
		"\x89PNG\r\n\x1a\n": "image/png", "GIF89a": "image/gif", "\xff\xd8\xff": "image/jpeg", "<svg xmlns=": "image/svg+xml",
		"<?xml version=\"1.0\"?>\n<svg>": "image/svg+xml", "<html><svg>": "", "%PDF-1.5": "", "": "", "\x00\x00\x00\x20ftypavif": "image/avif",
	} {
		l.write("i", text)
		f, _, kind, err := l.Image("i")
		if err == nil {
			f.Close()
		}
		if kind != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", text, kind, err)
		}
	}
}

func TestWritesLoseNothing(t *testing.T) {
	t.Parallel()
	l := setup(t)
	e := must(l.Write("new.txt", "", []byte("one")))(t)
	_, err := l.Write("new.txt", "", []byte("again"))
	is(t, err, fault.Conflict, "files.exists")
	if err := os.Chmod(filepath.Join(l.dir, "new.txt"), 0o750); err != nil {
		t.Fatal(err)
	}
	e = must(l.Stat("new.txt"))(t)
	second := must(l.Write("new.txt", e.ETag, []byte("two")))(t)
	if second.Mode != "0750" {
		t.Errorf("the mode is now %s", second.Mode)
	}
	_, err = l.Write("new.txt", e.ETag, []byte("three"))
	is(t, err, fault.Conflict, "files.changed")
	_, err = l.Write("gone.txt", e.ETag, []byte("three"))
	is(t, err, fault.Conflict, "files.changed")
	_, err = l.Write("a/b/c.txt", "", nil)
	is(t, err, fault.NotFound, "files.missing")
	_, err = l.Write("large", "", make([]byte, MaxText+1))
	is(t, err, fault.InvalidArgument, "files.text-large")
	if l.read("new.txt") != "two" {
		t.Error(l.read("new.txt"))
	}
	if err := l.Clean(true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(l.dir, Hidden)); !os.IsNotExist(err) {
		t.Errorf("the hidden folder stays: %v", err)
	}
}

func TestMoveCopyDelete(t *testing.T) {
	t.Parallel()
	l := setup(t)
	ctx := t.Context()
	l.write("a/b/c.txt", "c")
	l.write("a/run.sh", "#!")
	if err := os.Chmod(filepath.Join(l.dir, "a/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.link("b/c.txt", "a/l")
	got := must(l.Copy(ctx, "a", "copy", false, nil))(t)
	if got != (Copied{Files: 5, Bytes: 3}) || l.read("copy/b/c.txt") != "c" || must(l.Stat("copy/run.sh"))(t).Mode != "0755" || must(l.Stat("copy/l"))(t).Kind != KindLink {
		t.Errorf("%+v", got)
	}
	if a, b := must(l.Stat("a/run.sh"))(t), must(l.Stat("copy/run.sh"))(t); !a.Modified.Equal(b.Modified) {
		t.Error("the copy is younger")
	}
	_, err := l.Copy(ctx, "a", "copy", false, nil)
	is(t, err, fault.Conflict, "files.exists")
	_, err = l.Copy(ctx, "a", "copy", true, nil)
	is(t, err, fault.Conflict, "files.folder-there")
	_, err = l.Copy(ctx, "a", "a/b/x", false, nil)
	is(t, err, fault.FailedPrecondition, "files.into-itself")
	_, err = l.Move("a", "a/b/x", false)
	is(t, err, fault.FailedPrecondition, "files.into-itself")
	_, err = l.Move("nothing", "x", false)
	is(t, err, fault.NotFound, "files.missing")
	_, err = l.Move("a", "no/x", false)
	is(t, err, fault.NotFound, "files.missing")
	must(l.Move("copy", "a/moved", false))(t)
	must(l.Copy(ctx, "a/run.sh", "a/b/c.txt", true, nil))(t)
	if l.read("a/b/c.txt") != "#!" {
		t.Error("not replaced")
	}
	_, err = l.Delete(ctx, "a", false, nil)
	is(t, err, fault.Conflict, "files.not-empty")
	if n := must(l.Delete(ctx, "a", true, nil))(t); n != 10 {
		t.Errorf("%d were removed", n)
	}
	_, err = l.Delete(ctx, "a", true, nil)
	is(t, err, fault.NotFound, "files.missing")
	must(l.Mkdir("x/y/z", true))(t)
	must(l.Mkdir("x/y/z", true))(t)
	_, err = l.Mkdir("x", false)
	is(t, err, fault.Conflict, "files.exists")
	_, err = l.Mkdir("p/q", false)
	is(t, err, fault.NotFound, "files.missing")
	for i := range 3000 {
		l.write(fmt.Sprintf("many/%d/x", i), "")
	}
	if n := must(l.Delete(ctx, "many", true, nil))(t); n != 6001 {
		t.Errorf("%d were removed", n)
	}
}

func TestUsageAndSearch(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("big/data", strings.Repeat("x", 100_000))
	if err := os.Link(filepath.Join(l.dir, "big/data"), filepath.Join(l.dir, "big/again")); err != nil {
		t.Fatal(err)
	}
	l.write("small/x/Model.bin", "x")
	u := must(l.Usage(t.Context(), ".", nil))(t)
	if len(u.Items) != 2 || u.Items[0].Ref != "big" || u.Items[0].Inodes != 2 || u.Inodes != 5 || u.Bytes < 100_000 || u.Bytes > 150_000 || u.Volume.Bytes == 0 {
		t.Errorf("%+v", u)
	}
	for pattern, want := range map[string]string{"model": "small/x/Model.bin", "*.BIN": "small/x/Model.bin", "[x": "", "d?ta": "big/data", "x": "small/x"} {
		var found []string
		must(l.Search(t.Context(), ".", pattern, 0, func(e Entry) error { p, _ := Path(e.Ref); found = append(found, p); return nil }, nil))(t)
		if strings.Join(found, " ") != want {
			t.Errorf("%s finds %v", pattern, found)
		}
	}
	if f := must(l.Search(t.Context(), ".", "*", 2, func(Entry) error { return nil }, nil))(t); !f.Truncated {
		t.Errorf("%+v", f)
	}
	_, err := l.Search(t.Context(), ".", "", 2, nil, nil)
	is(t, err, fault.InvalidArgument, "files.search")
}

func TestArchives(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("d/a.txt", "hello")
	l.link("a.txt", "d/l")
	var b bytes.Buffer
	if err := l.Archive(t.Context(), "d", Zip, &b); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || f.Name == "d/a.txt" && string(text) != "hello" || f.Name == "d/l" && string(text) != "a.txt" {
			t.Errorf("%s: %q, %v", f.Name, text, err)
		}
	}
	if len(names) != 3 {
		t.Error(names)
	}
	is(t, l.Archive(t.Context(), "d", "rar", io.Discard), fault.InvalidArgument, "files.format")
	if err := l.Archive(t.Context(), ".", Tar, io.Discard); err != nil {
		t.Error(err)
	}
}

func TestATarThatBreaksOffBetweenItsPartsIsNotWhole(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("d/a.txt", "hello")
	l.write("d/b.txt", "hello")
	var b bytes.Buffer
	if err := l.Archive(t.Context(), "d", Tar, &b); err != nil {
		t.Fatal(err)
	}
	for cut := 512; cut < b.Len(); cut += 512 {
		_, err := l.Unpack(t.Context(), "again", false, cutAfter(b.Bytes(), cut), nil)
		is(t, err, fault.Unavailable, "files.broke-off")
	}
	if got := l.all(".", "", 0); len(got) != 1 {
		t.Errorf("there is %v", got)
	}
	must(l.Unpack(t.Context(), "again", false, &b, nil))(t)
}
