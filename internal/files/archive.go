package files

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Formats of archives.
const (
	Zip = "zip"
	Tar = "tar"
)

// Archive streams what is at a path, and what is below it. Links stay links;
// what is neither file, folder nor link is left out.
func (v *Volume) Archive(ctx context.Context, p, format string, w io.Writer) error {
	var a archive
	switch format {
	case Zip:
		z := zip.NewWriter(w)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
		a = &zipArchive{z}
	case Tar:
		a = &tarArchive{tar.NewWriter(w)}
	default:
		return fault.New(fault.InvalidArgument, "files.format", fault.Args{"value": clip(format)})
	}
	_, top := split(p)
	if p == "." {
		top = "volume"
	}
	m := newMeter(nil)
	err := v.each(ctx, p, func(above int, rel, name string, st *unix.Stat_t) error {
		at := top
		if rel != "" {
			at = top + "/" + rel
		}
		modified := time.Unix(st.Mtim.Unix())
		mode := os.FileMode(st.Mode & 0o777)
		switch kindOf(st) {
		case KindFolder:
			return a.folder(at, mode, modified)
		case KindLink:
			to, err := readlinkat(above, name)
			if err != nil {
				return err
			}
			return a.link(at, to, modified)
		case KindFile:
			f, now, err := openFile(above, name)
			if err != nil {
				return err
			}
			defer f.Close()
			out, err := a.file(at, now.Size, mode, modified)
			if err != nil {
				return err
			}
			n, err := m.pump(ctx, out, f, now.Size)
			if err == nil && n != now.Size {
				err = fault.New(fault.Unavailable, "files.changed-meanwhile", fault.Args{"path": clip(at)})
			}
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.close()
}

type archive interface {
	folder(name string, mode os.FileMode, modified time.Time) error
	link(name, to string, modified time.Time) error
	file(name string, size int64, mode os.FileMode, modified time.Time) (io.Writer, error)
	close() error
}

type zipArchive struct{ w *zip.Writer }

func (a *zipArchive) make(name string, method uint16, mode os.FileMode, modified time.Time) (io.Writer, error) {
	h := &zip.FileHeader{Name: name, Method: method, Modified: modified}
	h.SetMode(mode)
	return a.w.CreateHeader(h)
}

func (a *zipArchive) folder(name string, mode os.FileMode, modified time.Time) error {
	_, err := a.make(name+"/", zip.Store, mode|os.ModeDir, modified)
	return err
}

func (a *zipArchive) link(name, to string, modified time.Time) error {
	w, err := a.make(name, zip.Store, os.ModeSymlink|0o777, modified)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, to)
	return err
}

// packed are the ends of names of what is compressed already.
var packed = []string{".gz", ".tgz", ".zip", ".xz", ".zst", ".bz2", ".7z", ".jpg", ".jpeg", ".png", ".webp", ".mp4", ".mkv", ".mp3", ".parquet", ".npz", ".whl", ".safetensors"}

func (a *zipArchive) file(name string, _ int64, mode os.FileMode, modified time.Time) (io.Writer, error) {
	method := zip.Deflate
	lower := strings.ToLower(name)
	for _, end := range packed {
		if strings.HasSuffix(lower, end) {
			method = zip.Store
		}
	}
	return a.make(name, method, mode, modified)
}

func (a *zipArchive) close() error { return a.w.Close() }

type tarArchive struct{ w *tar.Writer }

func (a *tarArchive) folder(name string, mode os.FileMode, modified time.Time) error {
	return a.w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: int64(mode), ModTime: modified, Format: tar.FormatPAX})
}

func (a *tarArchive) link(name, to string, modified time.Time) error {
	return a.w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: to, Mode: 0o777, ModTime: modified, Format: tar.FormatPAX})
}

func (a *tarArchive) file(name string, size int64, mode os.FileMode, modified time.Time) (io.Writer, error) {
	return a.w, a.w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: int64(mode), ModTime: modified, Format: tar.FormatPAX})
}

func (a *tarArchive) close() error { return a.w.Close() }
