package files

import (
	"errors"
	"io"
	"mime"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Kinds of entries.
const (
	KindFile   = "file"
	KindFolder = "folder"
	KindLink   = "link"
	KindOther  = "other" // a device, a FIFO or a socket: never opened
)

// Where a link leads, beside the kinds.
const (
	TargetOutside = "outside" // out of the volume: never followed
	TargetBroken  = "broken"
)

// Entry is what a folder holds.
type Entry struct {
	Name       string    `json:"name"` // for showing
	Ref        string    `json:"ref"`  // the exact path
	Kind       string    `json:"kind"`
	Size       int64     `json:"size"`
	Modified   time.Time `json:"modified"`
	Mode       string    `json:"mode"`
	Owner      uint32    `json:"owner"`
	Links      uint64    `json:"links"`
	ETag       string    `json:"etag"`
	Type       string    `json:"type,omitempty"` // media type by its name
	Target     string    `json:"target,omitempty"`
	TargetKind string    `json:"targetKind,omitempty"`
}

// Volume is a folder that nothing leaves.
type Volume struct {
	root     *os.Root
	readOnly bool
	now      func() time.Time

	writes   sync.Mutex // between looking at an ETag and replacing the file
	listings listings
	sessions sessions
}

// Open opens a folder as a volume.
func Open(dir string, readOnly bool) (*Volume, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Volume{root: r, readOnly: readOnly, now: time.Now}, nil
}

// Close gives the folder back.
func (v *Volume) Close() error { return v.root.Close() }

// ReadOnly reports whether nothing may be changed.
func (v *Volume) ReadOnly() bool { return v.readOnly }

// folder opens a folder for looking into it.
func (v *Volume) folder(p string) (*os.File, error) {
	f, err := v.root.OpenFile(p, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	return f, explain(err, p)
}

// lstat looks at a path without following its last part.
func (v *Volume) lstat(p string) (*unix.Stat_t, error) {
	dir, base := split(p)
	d, err := v.folder(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var st unix.Stat_t
	if p == "." {
		err = unix.Fstat(int(d.Fd()), &st)
	} else {
		err = unix.Fstatat(int(d.Fd()), base, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	return &st, explain(err, p)
}

// Stat describes what is at a path; a link is described itself.
func (v *Volume) Stat(p string) (Entry, error) {
	st, err := v.lstat(p)
	if err != nil {
		return Entry{}, err
	}
	return v.entry(p, st), nil
}

func (v *Volume) entry(p string, st *unix.Stat_t) Entry {
	_, base := split(p)
	if p == "." {
		base = "/"
	}
	e := Entry{Name: Show(base), Ref: Ref(p), Kind: kindOf(st), Modified: time.Unix(st.Mtim.Unix()).UTC(),
		Mode: "0" + strconv.FormatUint(uint64(st.Mode&0o7777), 8), Owner: st.Uid, Links: uint64(st.Nlink), ETag: etag(st)}
	switch e.Kind {
	case KindFile:
		e.Size, e.Type = st.Size, mediaType(base)
	case KindLink:
		to, err := v.root.Readlink(p)
		if err == nil {
			e.Target = clip(to)
		}
		e.TargetKind = v.leadsTo(p)
	}
	return e
}

// leadsTo says what a link's end is, if it is in the volume.
func (v *Volume) leadsTo(p string) string {
	info, err := v.root.Stat(p)
	switch {
	case err == nil && info.Mode().IsRegular():
		return KindFile
	case err == nil && info.IsDir():
		return KindFolder
	case err == nil:
		return KindOther
	case strings.HasSuffix(err.Error(), escapes):
		return TargetOutside
	}
	return TargetBroken
}

func kindOf(st *unix.Stat_t) string {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return KindFile
	case unix.S_IFDIR:
		return KindFolder
	case unix.S_IFLNK:
		return KindLink
	}
	return KindOther
}

// etag names a state of a file. The time of the last change of the inode is in
// it, since the other one can be set back.
func etag(st *unix.Stat_t) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, n := range []int64{int64(st.Ino), st.Mtim.Nano(), st.Ctim.Nano(), st.Size} { //nolint:gosec // bits, not amounts
		if i > 0 {
			b.WriteByte('-')
		}
		b.WriteString(strconv.FormatInt(n, 36))
	}
	b.WriteByte('"')
	return b.String()
}

// types that machines without a table of them do not know, or know wrongly.
var types = map[string]string{
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".ipynb": "application/x-ipynb+json", ".py": "text/x-python",
	".md": "text/markdown", ".txt": "text/plain", ".log": "text/plain", ".json": "application/json", ".yaml": "application/yaml",
	".yml": "application/yaml", ".sh": "text/x-shellscript", ".parquet": "application/vnd.apache.parquet", ".zip": "application/zip",
	".gz": "application/gzip", ".tar": "application/x-tar", ".ts": "text/x-typescript", ".go": "text/x-go", ".toml": "application/toml",
}

func mediaType(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if t := types[ext]; t != "" {
		return t
	}
	t, _, _ := strings.Cut(mime.TypeByExtension(ext), ";")
	return t
}

// File opens a file for reading, through links that stay in the volume. What is
// neither file nor folder is refused before it is opened; that nobody puts a
// FIFO in its place meanwhile is seen afterwards, without having waited for it.
func (v *Volume) File(p string) (*os.File, Entry, error) {
	info, err := v.root.Stat(p)
	if err != nil {
		return nil, Entry{}, explain(err, p)
	}
	if info.IsDir() {
		return nil, Entry{}, refuse("files.is-a-folder", p)
	}
	if !info.Mode().IsRegular() {
		return nil, Entry{}, refuse("files.special", p)
	}
	f, err := v.root.OpenFile(p, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, Entry{}, explain(err, p)
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || kindOf(&st) != KindFile {
		f.Close()
		return nil, Entry{}, refuse("files.special", p)
	}
	return f, v.entry(p, &st), nil
}

// head reads at most n bytes from a file's start, and says whether that is all.
func (v *Volume) head(p string, n int64) (data []byte, e Entry, whole bool, err error) {
	f, e, err := v.File(p)
	if err != nil {
		return nil, e, false, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, n+1))
	if err != nil {
		return nil, e, false, explain(err, p)
	}
	if int64(len(data)) > n {
		return data[:n], e, false, nil
	}
	return data, e, true, nil
}

// Space is the file system that a volume is on.
type Space struct {
	Bytes      uint64 `json:"bytes"`
	Free       uint64 `json:"free"`
	Inodes     uint64 `json:"inodes"`
	InodesFree uint64 `json:"inodesFree"`
}

// Space tells how full the file system is.
func (v *Volume) Space() (Space, error) {
	d, err := v.folder(".")
	if err != nil {
		return Space{}, err
	}
	defer d.Close()
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(d.Fd()), &s); err != nil {
		return Space{}, explain(err, ".")
	}
	block := uint64(s.Bsize) //nolint:gosec // never negative
	return Space{Bytes: s.Blocks * block, Free: s.Bavail * block, Inodes: s.Files, InodesFree: s.Ffree}, nil
}

var errStop = errors.New("enough")
