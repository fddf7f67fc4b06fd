package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Frozen is the folder of frozen copies in a volume's root. It is not listed,
// and no path leads into it: they are made, read and removed by name alone.
const Frozen = ".goblinlab-frozen"

// Bounds are how much may be frozen at once.
type Bounds struct {
	Files int64 `json:"files"` // files and links
	Bytes int64 `json:"bytes"`
}

// FrozenCopy is what a frozen copy holds.
type FrozenCopy struct {
	Files  int64  `json:"files"` // files and links
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // over sorted names, modes and contents, see digest
}

// The modes of what is frozen: nobody writes, everybody reads, and what somebody
// could execute everybody can. Whose it was does not matter where it runs.
const (
	frozenFile    = 0o444
	frozenProgram = 0o555
	frozenFolder  = 0o555
)

func frozenMode(mode uint32) os.FileMode {
	if mode&0o111 != 0 {
		return frozenProgram
	}
	return frozenFile
}

// FrozenPath is where the frozen copy of a name is, from the volume's root.
func FrozenPath(name string) string { return Frozen + "/" + name }

// Freeze copies a folder as it is now to where the name says, read-only, and
// tells what it holds. The copy appears whole, or not at all; one that is there
// already is measured and not made again, so that Freeze may be repeated after
// an end at any moment. Links are kept as links.
func (v *Volume) Freeze(ctx context.Context, from, name string, most Bounds, tell Tell) (FrozenCopy, error) {
	to, err := v.frozen(name)
	if err != nil {
		return FrozenCopy{}, err
	}
	if _, err := v.lstat(to); err != nil {
		if fault.KindOf(err) != fault.NotFound {
			return FrozenCopy{}, err
		}
		if err := v.freeze(ctx, from, to, most, tell); err != nil {
			return FrozenCopy{}, err
		}
	}
	// Its own mode comes last: a folder that is read-only cannot be moved by
	// everybody.
	if err := v.root.Chmod(to, frozenFolder); err != nil {
		return FrozenCopy{}, explain(err, from)
	}
	return v.measure(ctx, to)
}

// frozen is the path of a copy, whose name is one of the platform's own.
func (v *Volume) frozen(name string) (string, error) {
	if v.readOnly {
		return "", fault.New(fault.Forbidden, "files.read-only", at("."))
	}
	if name == "" || len(name) > maxName || strings.ContainsAny(name, "/\x00") || strings.HasPrefix(name, ".") {
		return "", bad("files.frozen-name", name)
	}
	return FrozenPath(name), nil
}

// freeze makes the copy aside and puts it where it belongs.
func (v *Volume) freeze(ctx context.Context, from, to string, most Bounds, tell Tell) error {
	from, err := v.follow(from)
	if err != nil {
		return err
	}
	st, err := v.lstat(from)
	if err != nil {
		return err
	}
	if kindOf(st) != KindFolder {
		return refuse("files.not-a-folder", from)
	}
	if err := v.root.Mkdir(Frozen, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return explain(err, from)
	}
	_, err = v.build(to, false, tell, func(c *builder) error {
		f := &freezer{builder: c, most: most}
		if err := v.each(ctx, from, func(above int, rel, name string, st *unix.Stat_t) error {
			return f.visit(ctx, above, rel, name, st)
		}); err != nil {
			return err
		}
		for _, dir := range slices.Backward(f.folders) { // the innermost first
			if err := v.root.Chmod(dir, frozenFolder); err != nil {
				return err
			}
		}
		return v.flush()
	})
	if fault.KindOf(err) == fault.Conflict { // somebody else was faster: then that is the copy
		return nil
	}
	return err
}

// flush has all of the volume's files on the disk before one is called whole.
func (v *Volume) flush() error {
	d, err := v.folder(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return unix.Syncfs(int(d.Fd()))
}

// freezer is a builder within bounds.
type freezer struct {
	*builder
	most    Bounds
	files   int64
	bytes   int64
	folders []string
}

func (f *freezer) visit(ctx context.Context, above int, rel, name string, st *unix.Stat_t) error {
	switch kindOf(st) {
	case KindFolder:
		if rel != "" { // the top is moved first
			f.folders = append(f.folders, f.at(rel))
		}
		return f.folder(rel, 0o700)
	case KindLink:
		target, err := readlinkat(above, name)
		if err != nil {
			return err
		}
		return errors.Join(f.one(), f.link(rel, target))
	case KindFile:
		if err := f.one(); err != nil {
			return err
		}
		if f.bytes+st.Size > f.most.Bytes {
			return f.tooLarge()
		}
		file, now, err := openFile(above, name)
		if err != nil {
			return err
		}
		defer file.Close()
		before := f.m.Bytes
		left := f.most.Bytes - f.bytes
		err = f.file(ctx, rel, io.LimitReader(file, left+1), -1, frozenMode(now.Mode), time.Unix(now.Mtim.Unix()))
		if f.bytes += f.m.Bytes - before; f.bytes > f.most.Bytes { // it grew meanwhile
			return f.tooLarge()
		}
		return err
	}
	return nil // a device, a FIFO or a socket is no code
}

func (f *freezer) one() error {
	if f.files++; f.files > f.most.Files {
		return fault.New(fault.FailedPrecondition, "files.freeze-files", fault.Args{"limit": f.most.Files})
	}
	return nil
}

func (f *freezer) tooLarge() error {
	return fault.New(fault.FailedPrecondition, "files.freeze-bytes", fault.Args{"limit": f.most.Bytes >> 20})
}

// measure reads a frozen copy and tells what it holds.
func (v *Volume) measure(ctx context.Context, p string) (FrozenCopy, error) {
	out := FrozenCopy{}
	var list []frozenEntry
	err := v.each(ctx, p, func(above int, rel, name string, st *unix.Stat_t) error {
		e := frozenEntry{Path: rel, Kind: kindOf(st)}
		switch e.Kind {
		case KindFile:
			f, now, err := openFile(above, name)
			if err != nil {
				return err
			}
			defer f.Close()
			h := sha256.New()
			n, err := newMeter(nil).pump(ctx, h, f, -1)
			if err != nil {
				return err
			}
			e.Program, e.Content = now.Mode&0o111 != 0, hex.EncodeToString(h.Sum(nil))
			out.Files, out.Bytes = out.Files+1, out.Bytes+n
		case KindLink:
			target, err := readlinkat(above, name)
			if err != nil {
				return err
			}
			e.Content = target
			out.Files++
		}
		if rel != "" {
			list = append(list, e)
		}
		return nil
	})
	out.SHA256 = digest(list)
	return out, err
}

// frozenEntry is one entry of a frozen folder, as its digest has it.
type frozenEntry struct {
	Path    string
	Kind    string
	Program bool   // it can be executed
	Content string // SHA-256 of a file, target of a link
}

// digest is the SHA-256 over entries, whatever their order: of each its kind,
// whether it can be executed, its path and its content, each with its length, so
// that no two different folders say the same.
func digest(list []frozenEntry) string {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b frozenEntry) int { return strings.Compare(a.Path, b.Path) })
	h := sha256.New()
	for _, e := range list {
		program := "-"
		if e.Program {
			program = "x"
		}
		fmt.Fprintf(h, "%s %s %d:%s %d:%s\n", e.Kind, program, len(e.Path), e.Path, len(e.Content), e.Content)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Thaw removes a frozen copy; one that is gone is success.
func (v *Volume) Thaw(ctx context.Context, name string, tell Tell) error {
	p, err := v.frozen(name)
	if err != nil {
		return err
	}
	st, err := v.lstat(p)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if kindOf(st) != KindFolder { // none of ours
		return explain(v.root.Remove(p), p)
	}
	// What is in a folder that is read-only can be removed by root alone.
	if err := v.root.Chmod(p, 0o700); err != nil {
		return explain(err, p)
	}
	err = walker{ctx: ctx, visit: func(_ int, at, _ string, st *unix.Stat_t) (bool, error) {
		if kindOf(st) != KindFolder {
			return false, nil
		}
		return false, explain(v.root.Chmod(at, 0o700), at)
	}}.walk(v, p)
	if err != nil {
		return err
	}
	if err := v.empty(ctx, p, newMeter(tell)); err != nil {
		return err
	}
	if err := v.root.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain(err, p)
	}
	_ = v.root.Remove(Frozen) // fails while something is in it
	return nil
}
