package files

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// maxDepth bounds the folders that a walk holds open, one below the other.
const maxDepth = 800

// walker visits what is below a folder, each folder before what is in it. A
// folder is opened by its own name in the one above, never by a path, and links
// are not followed: nobody can lead a walk away by moving folders around.
type walker struct {
	ctx context.Context
	// visit gets the folder above, the path, the name in the folder; skip leaves a folder out.
	visit func(above int, p, name string, st *unix.Stat_t) (skip bool, err error)
}

const walkBatch = 256

// walk visits what is in the folder at a path, but not the folder itself.
func (w walker) walk(v *Volume, p string) error {
	d, err := v.folder(p)
	if err != nil {
		return err
	}
	defer d.Close()
	return w.in(d, p, 0)
}

func (w walker) in(d *os.File, p string, depth int) error {
	if depth > maxDepth {
		return refuse("files.deep", p)
	}
	for {
		names, err := d.Readdirnames(walkBatch)
		for _, name := range names {
			if err := w.ctx.Err(); err != nil {
				return err
			}
			if p == "." && hidden(name) {
				continue
			}
			if err := w.one(d, p, name, depth); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || err == nil && len(names) == 0 {
			return nil
		}
		if err != nil {
			return explain(err, p)
		}
	}
}

func (w walker) one(d *os.File, p, name string, depth int) error {
	var st unix.Stat_t
	at := join(p, name)
	if err := unix.Fstatat(int(d.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if errors.Is(err, unix.ENOENT) {
			return nil // gone meanwhile
		}
		return explain(err, at)
	}
	skip, err := w.visit(int(d.Fd()), at, name, &st)
	if err != nil || skip || kindOf(&st) != KindFolder {
		return err
	}
	sub, err := openFolder(int(d.Fd()), name)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil // changed meanwhile
	}
	if err != nil {
		return explain(err, at)
	}
	defer sub.Close()
	return w.in(sub, at, depth+1)
}

// openFolder opens a folder by its name in another one.
func openFolder(above int, name string) (*os.File, error) {
	fd, err := unix.Openat(above, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// openFile opens a file by its name in a folder: what is no file, or a link, is errSpecial.
func openFile(above int, name string) (*os.File, *unix.Stat_t, error) {
	fd, err := unix.Openat(above, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		f.Close()
		return nil, nil, err
	}
	if kindOf(&st) != KindFile {
		f.Close()
		return nil, nil, errSpecial
	}
	return f, &st, nil
}

var errSpecial = errors.New("neither file nor folder")

func readlinkat(above int, name string) (string, error) {
	b := make([]byte, maxPath+1)
	n, err := unix.Readlinkat(above, name, b)
	if err != nil {
		return "", err
	}
	return string(b[:n]), nil
}
