package containerd

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOutputIsHeldUntilItIsRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x-stdout")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	shim, err := os.OpenFile(path, os.O_RDWR, 0) // as a shim does, it reads nothing
	if err != nil {
		t.Fatal(err)
	}
	held := hold(filepath.Join(filepath.Dir(path), "*-std[oe][ur][tr]"))
	if len(held) != 1 {
		t.Fatalf("holds %v", held)
	}
	if _, err := shim.WriteString("last words\n"); err != nil {
		t.Fatal(err)
	}
	shim.Close() // the container has ended
	if held = release(held, nil); len(held) != 1 {
		t.Fatal("let go before anybody came")
	}
	reader, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	self := openIn(strconv.Itoa(os.Getpid()))
	if held = release(held, self); len(held) != 1 {
		t.Fatal("let go of a pipe that is not empty")
	}
	b := make([]byte, 100)
	if n, err := reader.Read(b); err != nil || string(b[:n]) != "last words\n" {
		t.Fatalf("read %q, %v", b[:n], err)
	}
	if held = release(held, self); len(held) != 0 {
		t.Fatal("does not let go")
	}
	if n, err := reader.Read(b); n != 0 || err == nil {
		t.Errorf("the reader does not see the end: %q, %v", b[:n], err)
	}
}
