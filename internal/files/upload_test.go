package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/fault"
)

func sum(b []byte) string { h := sha256.Sum256(b); return hex.EncodeToString(h[:]) }

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// cutAfter breaks after n bytes, as a connection does.
func cutAfter(b []byte, n int) io.Reader {
	return io.MultiReader(bytes.NewReader(b[:n]), errReader{})
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestAnUploadSurvivesCuts(t *testing.T) {
	t.Parallel()
	l := setup(t)
	data := random(3 << 20)
	u := must(l.Begin("model.bin", int64(len(data)), strings.ToUpper(sum(data)), false, "me"))(t)
	for _, n := range []int{1, 100_000, 0, 1 << 20, 77} {
		before := must(l.Upload(u.ID))(t).Offset
		got, err := l.Append(t.Context(), u.ID, before, cutAfter(data[before:], n))
		is(t, err, fault.Unavailable, "files.broke-off")
		if got != before+int64(n) {
			t.Errorf("%d of %d bytes were kept", got-before, n)
		}
		// The process is killed: another one knows the same.
		l.Volume = must(Open(l.dir, false))(t)
	}
	_, err := l.Append(t.Context(), u.ID, 0, bytes.NewReader(data))
	var wrong WrongOffset
	if !errors.As(err, &wrong) || wrong.Is != 1+100_000+1<<20+77 {
		t.Errorf("%v", err)
	}
	if list := must(l.Uploads("me"))(t); len(list) != 1 || list[0].Offset != wrong.Is {
		t.Errorf("%+v", list)
	}
	if list := must(l.Uploads("somebody else"))(t); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	_, _, err = l.Finish(t.Context(), u.ID, nil)
	is(t, err, fault.FailedPrecondition, "files.upload-short")
	if _, err := l.Append(t.Context(), u.ID, wrong.Is, bytes.NewReader(data[wrong.Is:])); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(l.dir, "model.bin")); err == nil {
		t.Error("it is there before it is whole")
	}
	for range 2 { // the answer of the first may have been lost
		e, got, err := l.Finish(t.Context(), u.ID, nil)
		if err != nil || got != sum(data) || e.Size != int64(len(data)) {
			t.Fatalf("%+v, %s, %v", e, got, err)
		}
	}
	if l.read("model.bin") != string(data) {
		t.Error("the file differs")
	}
	if page := must(l.List(".", "", "", 0))(t); len(page.Entries) != 1 {
		t.Errorf("%+v", page)
	}
	if err := l.Clean(true); err != nil {
		t.Fatal(err)
	}
	if names, _ := os.ReadDir(l.dir); len(names) != 1 {
		t.Errorf("left: %v", names)
	}
}

func TestAKillBetweenRenameAndNote(t *testing.T) {
	t.Parallel()
	l := setup(t)
	u := must(l.Begin("f", 2, "", false, "me"))(t)
	if _, err := l.Append(t.Context(), u.ID, 0, strings.NewReader("ok")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(l.dir, partPath(u.ID)), filepath.Join(l.dir, "f")); err != nil {
		t.Fatal(err)
	}
	if e, _, err := l.Finish(t.Context(), u.ID, nil); err != nil || e.Size != 2 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestBadUploads(t *testing.T) {
	t.Parallel()
	l := setup(t)
	l.write("there", "old")
	l.write("dir/x", "x")
	_, err := l.Begin("there", 1, "", false, "me")
	is(t, err, fault.Conflict, "files.exists")
	_, err = l.Begin("dir", 1, "", true, "me")
	is(t, err, fault.Conflict, "files.folder-there")
	_, err = l.Begin("no/where", 1, "", false, "me")
	is(t, err, fault.NotFound, "files.missing")
	_, err = l.Begin("x", -1, "short", false, "me")
	if f := fault.Of(err); f == nil || len(f.Fields) != 2 {
		t.Error(err)
	}
	_, err = l.Begin("x", 1<<60, "", false, "me")
	is(t, err, fault.ResourceExhausted, "files.full")

	u := must(l.Begin("there", 3, sum([]byte("abc")), true, "me"))(t)
	n, err := l.Append(t.Context(), u.ID, 0, strings.NewReader("abcd"))
	is(t, err, fault.InvalidArgument, "files.upload-too-much")
	if n != 0 {
		t.Errorf("%d bytes were kept", n)
	}
	if _, err := l.Append(t.Context(), u.ID, 0, strings.NewReader("abX")); err != nil {
		t.Fatal(err)
	}
	_, _, err = l.Finish(t.Context(), u.ID, nil)
	is(t, err, fault.Conflict, "files.checksum")
	if l.read("there") != "old" {
		t.Error("a broken upload replaced a file")
	}
	_, err = l.Upload(u.ID)
	is(t, err, fault.NotFound, "files.upload-gone")
	for _, id := range []string{"", "../there", strings.Repeat("A", 26), "a"} {
		_, err = l.Append(t.Context(), id, 0, strings.NewReader(""))
		is(t, err, fault.NotFound, "files.upload-gone")
		_, _, err = l.Finish(t.Context(), id, nil)
		is(t, err, fault.NotFound, "files.upload-gone")
		is(t, l.Abandon(t.Context(), id), fault.NotFound, "files.upload-gone")
	}
	u = must(l.Begin("there", 3, "", true, "me"))(t)
	if err := l.Abandon(t.Context(), u.ID); err != nil {
		t.Fatal(err)
	}
	u = must(l.Begin("new", 0, "", false, "me"))(t)
	l.write("new", "somebody was faster")
	_, _, err = l.Finish(t.Context(), u.ID, nil)
	is(t, err, fault.Conflict, "files.exists")
}

// A dead connection must not keep its successor away.
func TestANewWriterEndsTheOldOne(t *testing.T) {
	t.Parallel()
	l := setup(t)
	u := must(l.Begin("f", 4, "", false, "me"))(t)
	pr, pw := io.Pipe()
	ctx := WithUnblock(t.Context(), func() { _ = pr.CloseWithError(context.Canceled) })
	old := make(chan int64, 1)
	go func() {
		n, _ := l.Append(ctx, u.ID, 0, pr)
		old <- n
	}()
	if _, err := pw.Write([]byte("ab")); err != nil {
		t.Fatal(err)
	}
	var wrong WrongOffset
	_, err := l.Append(t.Context(), u.ID, 0, strings.NewReader("abcd"))
	if !errors.As(err, &wrong) || wrong.Is != 2 || <-old != 2 {
		t.Fatal(err)
	}
	if n, err := l.Append(t.Context(), u.ID, 2, strings.NewReader("cd")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
}

func TestWhatIsOldIsCleaned(t *testing.T) {
	t.Parallel()
	l := setup(t)
	u := must(l.Begin("f", 4, "", false, "me"))(t)
	l.write(Hidden+"/copy-X/c/deep", "left by a kill")
	if err := l.Clean(true); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Upload(u.ID); err != nil {
		t.Errorf("an upload of today is gone: %v", err)
	}
	l.now = func() time.Time { return time.Now().Add(keepUploads + time.Hour) }
	if err := l.Clean(true); err != nil {
		t.Fatal(err)
	}
	if names, _ := os.ReadDir(l.dir); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
}
