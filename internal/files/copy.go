package files

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Copied ends a copy.
type Copied struct {
	Files   int64 `json:"files"`
	Bytes   int64 `json:"bytes"`
	Skipped int64 `json:"skipped"` // devices, FIFOs and sockets
}

// Copy copies a file, a link or a folder with what is in it, within the volume.
// The copy appears whole, or not at all. Links are copied as links.
func (v *Volume) Copy(ctx context.Context, from, to string, replace bool, tell Tell) (Copied, error) {
	if err := v.changeable(to); err != nil {
		return Copied{}, err
	}
	if within(to, from) {
		return Copied{}, refuse("files.into-itself", to)
	}
	if err := v.replaceable(from, to, replace); err != nil {
		return Copied{}, err
	}
	return v.build(to, replace, tell, func(c *builder) error {
		return v.each(ctx, from, func(above int, rel, name string, st *unix.Stat_t) error {
			switch kindOf(st) {
			case KindFolder:
				return c.folder(rel, os.FileMode(st.Mode&0o777))
			case KindLink:
				target, err := readlinkat(above, name)
				if err != nil {
					return err
				}
				return c.link(rel, target)
			case KindFile:
				f, now, err := openFile(above, name)
				if err != nil {
					return err
				}
				defer f.Close()
				return c.file(ctx, rel, f, -1, os.FileMode(now.Mode&0o777), time.Unix(now.Mtim.Unix()))
			}
			c.Skipped++
			return nil
		})
	})
}

// each visits what is at a path, then what is below it; rel is relative to the
// path and empty for itself.
func (v *Volume) each(ctx context.Context, p string, visit func(above int, rel, name string, st *unix.Stat_t) error) error {
	dir, base := split(p)
	d, err := v.folder(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	var st unix.Stat_t
	if err := unix.Fstatat(int(d.Fd()), base, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return explain(err, p)
	}
	if err := visit(int(d.Fd()), "", base, &st); err != nil {
		return explain(err, p)
	}
	if kindOf(&st) != KindFolder {
		return nil
	}
	return walker{ctx: ctx, visit: func(above int, at, name string, st *unix.Stat_t) (bool, error) {
		rel := at
		if p != "." {
			rel = strings.TrimPrefix(at, p+"/")
		}
		err := visit(above, rel, name, st)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errSpecial) || errors.Is(err, unix.ELOOP) {
			return true, nil // gone or changed meanwhile
		}
		return false, explain(err, at)
	}}.walk(v, p)
}

// Unpack makes what a tar holds, which Archive of another volume has written.
func (v *Volume) Unpack(ctx context.Context, to string, replace bool, r io.Reader, tell Tell) (Copied, error) {
	if err := v.changeable(to); err != nil {
		return Copied{}, err
	}
	if err := v.replaceable(".", to, replace); err != nil {
		return Copied{}, err
	}
	return v.build(to, replace, tell, func(c *builder) error {
		t := tar.NewReader(r)
		first := ""
		for {
			h, err := t.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fault.New(fault.Unavailable, "files.broke-off", nil).Wrap(err)
			}
			name, err := clean(strings.TrimSuffix(h.Name, "/"))
			if err != nil {
				return err
			}
			top, rel, _ := strings.Cut(name, "/")
			if first == "" {
				first = top
			}
			if top != first { // one thing, and what is below it
				return bad("files.archive", h.Name)
			}
			mode := os.FileMode(h.Mode & 0o777) //nolint:gosec // nine bits
			switch h.Typeflag {
			case tar.TypeDir:
				err = c.folder(rel, mode)
			case tar.TypeSymlink:
				err = c.link(rel, h.Linkname)
			case tar.TypeReg:
				err = c.file(ctx, rel, t, h.Size, mode, h.ModTime)
			default:
				c.Skipped++
			}
			if err != nil {
				return explain(err, to)
			}
		}
		// A tar that was cut between two of its parts looks whole: what counts is
		// that all of what was sent has come.
		if _, err := io.Copy(io.Discard, r); err != nil {
			return fault.New(fault.Unavailable, "files.broke-off", nil).Wrap(err)
		}
		if first == "" {
			return bad("files.archive", to)
		}
		return nil
	})
}

// builder makes a copy in a folder of its own.
type builder struct {
	Copied
	v        *Volume
	top      string
	uid, gid int // of the folder that the copy goes to
	m        *meter
}

// build has a copy made aside and puts it where it belongs.
func (v *Volume) build(to string, replace bool, tell Tell, fill func(*builder) error) (Copied, error) {
	dir, _ := split(to)
	like, err := v.lstat(dir)
	if err != nil {
		return Copied{}, err
	}
	temp, err := v.stage("copy")
	if err != nil {
		return Copied{}, err
	}
	defer func() { _ = v.root.RemoveAll(temp) }()
	c := &builder{v: v, top: join(temp, "c"), uid: int(like.Uid), gid: int(like.Gid), m: newMeter(tell)}
	if err := fill(c); err != nil {
		return Copied{}, explain(err, to)
	}
	if err := v.place(c.top, to, replace); err != nil {
		return Copied{}, err
	}
	c.Files, c.Bytes = c.m.Files, c.m.Bytes
	return c.Copied, nil
}

func (c *builder) at(rel string) string {
	if rel == "" || rel == "." {
		return c.top
	}
	return join(c.top, rel)
}

// owned gives what was made the owner of the folder that it goes to.
func (c *builder) owned(p string) error {
	if c.uid == os.Geteuid() && c.gid == os.Getegid() {
		return nil
	}
	if err := c.v.root.Lchown(p, c.uid, c.gid); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, unix.EINVAL) {
		return err
	}
	return nil
}

func (c *builder) folder(rel string, mode os.FileMode) error {
	p := c.at(rel)
	if err := c.v.root.Mkdir(p, mode|0o700); err != nil {
		return err
	}
	return errors.Join(c.owned(p), c.m.add(1, 0))
}

func (c *builder) link(rel, target string) error {
	p := c.at(rel)
	if err := c.v.root.Symlink(target, p); err != nil {
		return err
	}
	return errors.Join(c.owned(p), c.m.add(1, 0))
}

// file makes a file from n bytes of r, or from all with -1.
func (c *builder) file(ctx context.Context, rel string, r io.Reader, n int64, mode os.FileMode, modified time.Time) error {
	p := c.at(rel)
	f, err := c.v.root.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	got, err := c.m.pump(ctx, f, r, n)
	if err == nil && n >= 0 && got != n {
		err = io.ErrUnexpectedEOF
	}
	// The mode comes last: a change of the owner takes bits away.
	err = errors.Join(err, c.owned(p), f.Chmod(mode), f.Close())
	if err != nil {
		return err
	}
	return errors.Join(c.v.root.Chtimes(p, modified, modified), c.m.add(1, 0))
}
