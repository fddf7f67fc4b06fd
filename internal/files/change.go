package files

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// MaxText is how much is written at once by Write, and shown by Text.
const MaxText = 1 << 20

// changeable refuses changes of what may only be read, and of the root.
func (v *Volume) changeable(p string) error {
	if v.readOnly {
		return fault.New(fault.Forbidden, "files.read-only", at(p))
	}
	if p == "." {
		return fault.New(fault.FailedPrecondition, "files.root", nil)
	}
	return nil
}

// Write puts a small text into a file, whole or not at all. ifMatch is the ETag
// of the state that was edited, or empty for a file that must not be there yet.
// A link is followed: what it leads to is written.
func (v *Volume) Write(p, ifMatch string, data []byte) (Entry, error) {
	if err := v.changeable(p); err != nil {
		return Entry{}, err
	}
	if len(data) > MaxText {
		return Entry{}, fault.New(fault.InvalidArgument, "files.text-large", fault.Args{"limit": MaxText >> 20})
	}
	p, err := v.follow(p)
	if err != nil {
		return Entry{}, err
	}
	v.writes.Lock()
	defer v.writes.Unlock()
	old, err := v.lstat(p)
	switch {
	case err != nil && fault.KindOf(err) == fault.NotFound:
		if ifMatch != "" {
			return Entry{}, clashes("files.changed", p)
		}
		old = nil
	case err != nil:
		return Entry{}, err
	case kindOf(old) != KindFile:
		return Entry{}, refuse("files.special", p)
	case ifMatch == "":
		return Entry{}, clashes("files.exists", p)
	case etag(old) != ifMatch:
		return Entry{}, clashes("files.changed", p)
	}
	temp, err := v.stage("write")
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = v.root.RemoveAll(temp) }()
	f, err := v.root.OpenFile(join(temp, "text"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return Entry{}, explain(err, p)
	}
	_, err = f.Write(data)
	err = errors.Join(err, v.own(f, p, old), f.Sync(), f.Close())
	if err != nil {
		return Entry{}, explain(err, p)
	}
	if err := v.place(join(temp, "text"), p, old != nil); err != nil {
		return Entry{}, err
	}
	return v.Stat(p)
}

// follow gives the end of links at a path; where there is none, the path.
func (v *Volume) follow(p string) (string, error) {
	for range 16 {
		to, err := v.root.Readlink(p)
		if err != nil {
			return p, nil // no link: whatever else is wrong shows later
		}
		if strings.HasPrefix(to, "/") {
			return "", refuse("files.outside", p)
		}
		dir, _ := split(p)
		if to = path.Join(dir, to); to == ".." || strings.HasPrefix(to, "../") {
			return "", refuse("files.outside", p)
		}
		if p, err = clean(to); err != nil {
			return "", err
		}
	}
	return "", refuse("files.link-loop", p)
}

// own gives a new file the mode and the owner of the one that it replaces, or
// the owner of its folder: what root's data manager makes must be usable for
// whoever's folder it is.
func (v *Volume) own(f *os.File, p string, old *unix.Stat_t) error {
	like := old
	if like == nil {
		dir, _ := split(p)
		st, err := v.lstat(dir)
		if err != nil {
			return err
		}
		like = st
	}
	if int(like.Uid) != os.Geteuid() || int(like.Gid) != os.Getegid() {
		// Where the server of the files does not allow it, they stay ours.
		if err := f.Chown(int(like.Uid), int(like.Gid)); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, unix.EINVAL) {
			return err
		}
	}
	if old != nil {
		return f.Chmod(os.FileMode(old.Mode & 0o777))
	}
	return nil
}

// stage makes a folder of its own in the hidden one, on the same file system as
// what it is for; what is left there after a kill is cleaned after a day.
func (v *Volume) stage(what string) (string, error) {
	if err := v.root.Mkdir(Hidden, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", explain(err, Hidden)
	}
	dir := join(Hidden, what+"-"+rand.Text())
	return dir, explain(v.root.Mkdir(dir, 0o700), dir)
}

// place renames, atomically. Without replace it fails where there is something.
func (v *Volume) place(from, to string, replace bool) error {
	fromDir, fromName := split(from)
	toDir, toName := split(to)
	a, err := v.folder(fromDir)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := v.folder(toDir)
	if err != nil {
		return err
	}
	defer b.Close()
	var flags uint
	if !replace {
		flags = unix.RENAME_NOREPLACE
	}
	err = unix.Renameat2(int(a.Fd()), fromName, int(b.Fd()), toName, flags)
	if !replace && (errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS)) { // a file system that knows only the plain one
		var st unix.Stat_t
		if unix.Fstatat(int(b.Fd()), toName, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			return clashes("files.exists", to)
		}
		err = unix.Renameat(int(a.Fd()), fromName, int(b.Fd()), toName)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return missing(from)
		}
		return explain(err, to)
	}
	_ = b.Sync() // so that the name is there after a power cut, too
	return nil
}

// Mkdir makes a folder, with those above it if asked.
func (v *Volume) Mkdir(p string, parents bool) (Entry, error) {
	if err := v.changeable(p); err != nil {
		return Entry{}, err
	}
	made := ""
	parts := strings.Split(p, "/")
	for i, part := range parts {
		made = strings.TrimPrefix(made+"/"+part, "/")
		last := i == len(parts)-1
		if !last && !parents {
			continue
		}
		err := v.root.Mkdir(made, 0o755)
		switch {
		case errors.Is(err, fs.ErrExist) && parents:
			if info, err := v.root.Stat(made); err == nil && !info.IsDir() {
				return Entry{}, refuse("files.not-a-folder", made)
			}
			continue
		case err != nil:
			return Entry{}, explain(err, made)
		}
		d, err := v.folder(made)
		if err != nil {
			return Entry{}, err
		}
		err = v.own(d, made, nil)
		d.Close()
		if err != nil {
			return Entry{}, explain(err, made)
		}
	}
	return v.Stat(p)
}

// Move renames, within the volume. A folder is never replaced, and never moved into itself.
func (v *Volume) Move(from, to string, replace bool) (Entry, error) {
	for _, p := range []string{from, to} {
		if err := v.changeable(p); err != nil {
			return Entry{}, err
		}
	}
	if within(to, from) {
		return Entry{}, refuse("files.into-itself", to)
	}
	if err := v.replaceable(from, to, replace); err != nil {
		return Entry{}, err
	}
	if err := v.place(from, to, replace); err != nil {
		return Entry{}, err
	}
	return v.Stat(to)
}

// replaceable refuses to put something in the place of a folder.
func (v *Volume) replaceable(from, to string, replace bool) error {
	if _, err := v.lstat(from); err != nil {
		return err
	}
	st, err := v.lstat(to)
	switch {
	case err != nil && fault.KindOf(err) == fault.NotFound:
		dir, _ := split(to)
		_, err := v.lstat(dir)
		return err
	case err != nil:
		return err
	case !replace:
		return clashes("files.exists", to)
	case kindOf(st) == KindFolder:
		return clashes("files.folder-there", to)
	}
	return nil
}

// Delete removes what is at a path; a folder with something in it only if
// recursive. It does not follow links, and stops at the first thing that cannot go.
func (v *Volume) Delete(ctx context.Context, p string, recursive bool, tell Tell) (removed int64, err error) {
	if err := v.changeable(p); err != nil {
		return 0, err
	}
	st, err := v.lstat(p)
	if err != nil {
		return 0, err
	}
	m := newMeter(tell)
	if kindOf(st) == KindFolder && recursive {
		if err := v.empty(ctx, p, m); err != nil {
			return m.Files, err
		}
	}
	if err := v.root.Remove(p); err != nil {
		if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, fs.ErrExist) {
			return m.Files, clashes("files.not-empty", p)
		}
		return m.Files, explain(err, p)
	}
	return m.Files + 1, nil
}

func (v *Volume) empty(ctx context.Context, p string, m *meter) error {
	dir, base := split(p)
	above, err := v.folder(dir)
	if err != nil {
		return err
	}
	defer above.Close()
	d, err := openFolder(int(above.Fd()), base)
	if err != nil {
		return explain(err, p)
	}
	defer d.Close()
	return empty(ctx, d, p, m, 0)
}

// empty removes what is in a folder, each folder by its own name in the one above.
func empty(ctx context.Context, d *os.File, p string, m *meter, depth int) error {
	if depth > maxDepth {
		return refuse("files.deep", p)
	}
	for {
		names, err := d.Readdirnames(walkBatch)
		if err != nil && !errors.Is(err, io.EOF) {
			return explain(err, p)
		}
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := removeIn(ctx, d, p, name, m, depth); err != nil {
				return err
			}
		}
		if len(names) == 0 {
			return nil
		}
		// What was removed may have moved others in front of where we read.
		if _, err := d.Seek(0, io.SeekStart); err != nil {
			return explain(err, p)
		}
	}
}

func removeIn(ctx context.Context, d *os.File, p, name string, m *meter, depth int) error {
	err := unix.Unlinkat(int(d.Fd()), name, 0)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
		sub, e := openFolder(int(d.Fd()), name)
		if e != nil {
			if errors.Is(e, unix.ENOTDIR) { // it was no folder after all
				e = err
			}
			return explain(e, join(p, name))
		}
		e = empty(ctx, sub, join(p, name), m, depth+1)
		sub.Close()
		if e != nil {
			return e
		}
		err = unix.Unlinkat(int(d.Fd()), name, unix.AT_REMOVEDIR)
	}
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return explain(err, join(p, name))
	}
	return m.add(1, 0)
}
