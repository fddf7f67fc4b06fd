package files

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// lab is a volume beside which there is something that it must not reach.
type lab struct {
	*Volume
	t    *testing.T
	dir  string // of the volume
	away string // a folder outside, with the file secret
}

func setup(t *testing.T) *lab {
	t.Helper()
	base := t.TempDir()
	l := &lab{t: t, dir: filepath.Join(base, "volume"), away: filepath.Join(base, "away")}
	for _, d := range []string{l.dir, l.away} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(l.away, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := Open(l.dir, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	l.Volume = v
	return l
}

func (l *lab) write(p, text string) {
	l.t.Helper()
	full := filepath.Join(l.dir, p)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) read(p string) string {
	l.t.Helper()
	b, err := os.ReadFile(filepath.Join(l.dir, p))
	if err != nil {
		l.t.Fatal(err)
	}
	return string(b)
}

func (l *lab) link(target, p string) {
	l.t.Helper()
	if err := os.Symlink(target, filepath.Join(l.dir, p)); err != nil {
		l.t.Fatal(err)
	}
}

// special makes a FIFO and a socket: to open the first for reading waits for ever.
func (l *lab) special() {
	l.t.Helper()
	if err := unix.Mkfifo(filepath.Join(l.dir, "fifo"), 0o666); err != nil {
		l.t.Fatal(err)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = unix.Close(fd) })
	l.t.Chdir(l.dir) // the path of a socket is short
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: "socket"}); err != nil {
		l.t.Fatal(err)
	}
}

func is(t *testing.T, err error, kind fault.Kind, id string) {
	t.Helper()
	f := fault.Of(err)
	if f == nil || f.Kind != kind || f.ID != id {
		t.Errorf("error is %v, want %s %s", err, kind, id)
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
