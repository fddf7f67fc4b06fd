package files

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// MaxChunk is how much one request of an upload may bring.
const MaxChunk = 8 << 20

// keepUploads is how long something unfinished is kept.
const keepUploads = 24 * time.Hour

// Upload is one that is under way, or has just ended.
type Upload struct {
	ID      string    `json:"id"`
	Ref     string    `json:"ref"`
	Size    int64     `json:"size"`
	Offset  int64     `json:"offset"`
	SHA256  string    `json:"sha256"`
	Replace bool      `json:"replace"`
	By      string    `json:"by"` // who began it
	Created time.Time `json:"created"`
	Done    bool      `json:"done"`
	Inode   uint64    `json:"inode,omitempty"` // of the file with the data, by which it is known once it is renamed
}

// sessions are the uploads that somebody writes to right now.
type sessions struct {
	mu     sync.Mutex
	active map[string]*holder
}

type holder struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// hold makes ctx the only writer of an upload. An earlier one, whose connection
// may be dead without anybody having noticed, is ended.
func (s *sessions) hold(ctx context.Context, id string) (context.Context, func(), error) {
	for {
		s.mu.Lock()
		h := s.active[id]
		if h == nil {
			ctx, cancel := context.WithCancel(ctx)
			if s.active == nil {
				s.active = map[string]*holder{}
			}
			own := &holder{cancel, make(chan struct{})}
			s.active[id] = own
			s.mu.Unlock()
			return ctx, func() {
				cancel()
				s.mu.Lock()
				delete(s.active, id)
				s.mu.Unlock()
				close(own.done)
			}, nil
		}
		s.mu.Unlock()
		h.cancel()
		select {
		case <-h.done:
		case <-ctx.Done():
			return nil, nil, fault.New(fault.Unavailable, "files.upload-busy", nil)
		case <-time.After(10 * time.Second):
			return nil, nil, fault.New(fault.Unavailable, "files.upload-busy", nil)
		}
	}
}

var (
	uploadID = regexp.MustCompile(`^[A-Z2-7]{26}$`)
	sumForm  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func partPath(id string) string { return join(Hidden, id+".part") }
func metaPath(id string) string { return join(Hidden, id+".json") }

// Begin begins an upload. What can be known to fail at the end fails now.
func (v *Volume) Begin(p string, size int64, sum string, replace bool, by string) (Upload, error) {
	if err := v.changeable(p); err != nil {
		return Upload{}, err
	}
	sum = strings.ToLower(sum)
	var f fault.Fields
	if size < 0 {
		f.Add("size", "files.size", fault.Args{"value": size})
	}
	if sum != "" && !sumForm.MatchString(sum) {
		f.Add("sha256", "files.sum-form", nil)
	}
	if err := f.Err(); err != nil {
		return Upload{}, err
	}
	if err := v.replaceable(".", p, replace); err != nil {
		return Upload{}, err
	}
	space, err := v.Space()
	if err != nil {
		return Upload{}, err
	}
	if space.Bytes > 0 && uint64(size) > space.Free { //nolint:gosec // not negative
		return Upload{}, fault.New(fault.ResourceExhausted, "files.full", at(p))
	}
	if err := v.root.Mkdir(Hidden, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return Upload{}, explain(err, p)
	}
	u := Upload{ID: rand.Text(), Ref: Ref(p), Size: size, SHA256: sum, Replace: replace, By: by, Created: v.now().UTC()}
	part, err := v.root.OpenFile(partPath(u.ID), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return Upload{}, explain(err, p)
	}
	defer part.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(part.Fd()), &st); err != nil {
		return Upload{}, explain(err, p)
	}
	u.Inode = st.Ino
	if err := errors.Join(v.own(part, p, nil), v.save(u)); err != nil {
		_ = v.root.Remove(partPath(u.ID))
		return Upload{}, explain(err, p)
	}
	return u, nil
}

// save writes what an upload is, whole or not at all.
func (v *Volume) save(u Upload) error {
	b, err := json.Marshal(u)
	if err != nil {
		return err
	}
	temp := metaPath(u.ID) + ".new"
	if err := v.root.WriteFile(temp, b, 0o600); err != nil {
		return err
	}
	return v.root.Rename(temp, metaPath(u.ID))
}

const maxMeta = 16 << 10

// Upload tells where an upload stands. Its offset is what has arrived.
func (v *Volume) Upload(id string) (Upload, error) {
	gone := fault.New(fault.NotFound, "files.upload-gone", nil)
	if !uploadID.MatchString(id) {
		return Upload{}, gone
	}
	raw, _, whole, err := v.head(metaPath(id), maxMeta)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return Upload{}, gone
		}
		return Upload{}, err
	}
	var u Upload
	if err := json.Unmarshal(raw, &u); err != nil || !whole || u.ID != id {
		return Upload{}, gone
	}
	if u.Done {
		u.Offset = u.Size
		return u, nil
	}
	st, err := v.lstat(partPath(id))
	if err == nil && kindOf(st) == KindFile {
		u.Offset = st.Size
		return u, nil
	}
	// Killed between the rename and the note of it?
	if p, e := Path(u.Ref); e == nil {
		if st, e := v.lstat(p); e == nil && st.Ino == u.Inode && st.Size == u.Size {
			u.Done, u.Offset = true, u.Size
			return u, nil
		}
	}
	return Upload{}, gone
}

// Uploads are the unfinished ones that somebody began, the oldest first.
func (v *Volume) Uploads(by string) ([]Upload, error) {
	out := []Upload{}
	err := v.hidden(func(name string, _ fs.FileInfo) {
		id, ok := strings.CutSuffix(name, ".json")
		if !ok {
			return
		}
		if u, err := v.Upload(id); err == nil && !u.Done && u.By == by {
			out = append(out, u)
		}
	})
	slices.SortFunc(out, func(a, b Upload) int { return a.Created.Compare(b.Created) })
	return out, err
}

// hidden visits what the hidden folder holds, if there is one.
func (v *Volume) hidden(visit func(name string, info fs.FileInfo)) error {
	d, err := v.folder(Hidden)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return nil
		}
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return explain(err, Hidden)
	}
	for _, name := range names {
		if info, err := v.root.Lstat(join(Hidden, name)); err == nil {
			visit(name, info)
		}
	}
	return nil
}

// WrongOffset says that a chunk does not begin where the upload stands.
type WrongOffset struct{ Is int64 }

// Error says it.
func (e WrongOffset) Error() string { return "the upload stands elsewhere" }

// Append adds what r brings, from an offset on, and gives the new one. What
// arrived before r broke is kept: the error then comes with the new offset.
func (v *Volume) Append(ctx context.Context, id string, offset int64, r io.Reader) (int64, error) {
	if v.readOnly {
		return 0, v.changeable("")
	}
	if !uploadID.MatchString(id) {
		return 0, fault.New(fault.NotFound, "files.upload-gone", nil)
	}
	ctx, release, err := v.sessions.hold(ctx, id)
	if err != nil {
		return 0, err
	}
	defer release()
	u, err := v.Upload(id)
	if err != nil {
		return 0, err
	}
	if u.Offset != offset {
		return u.Offset, WrongOffset{u.Offset}
	}
	if u.Done {
		return u.Offset, nil
	}
	f, err := v.root.OpenFile(partPath(id), os.O_WRONLY|os.O_APPEND|unix.O_NONBLOCK, 0)
	if err != nil {
		return u.Offset, explain(err, partPath(id))
	}
	defer f.Close()
	left := u.Size - offset
	n, err := copyUntil(ctx, f, io.LimitReader(r, min(left, MaxChunk)+1), min(left, MaxChunk))
	if n > 0 {
		if e := unix.Fdatasync(int(f.Fd())); e != nil && err == nil {
			err = e
		}
	}
	return offset + n, explainUpload(err, u)
}

var errTooMuch = errors.New("more than there is room for")

// copyUntil copies at most n bytes: one more is an error, and not written.
func copyUntil(ctx context.Context, w io.Writer, r io.Reader, n int64) (done int64, err error) {
	buf := make([]byte, 64<<10)
	stop := context.AfterFunc(ctx, func() {
		if d, ok := ctx.Value(unblock{}).(func()); ok {
			d()
		}
	})
	defer stop()
	for {
		k, rerr := r.Read(buf)
		if int64(k) > n-done {
			return done, errTooMuch
		}
		if k > 0 {
			written, werr := w.Write(buf[:k])
			done += int64(written)
			if werr != nil {
				return done, werr
			}
		}
		if errors.Is(rerr, io.EOF) {
			return done, nil
		}
		if rerr != nil {
			return done, rerr
		}
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
	}
}

type unblock struct{}

// WithUnblock gives a context a way to end a read that waits for a dead connection.
func WithUnblock(ctx context.Context, end func()) context.Context {
	return context.WithValue(ctx, unblock{}, end)
}

func explainUpload(err error, u Upload) error {
	p, _ := Path(u.Ref)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTooMuch):
		return fault.New(fault.InvalidArgument, "files.upload-too-much", fault.Args{"path": clip(p), "size": u.Size, "chunk": MaxChunk >> 20})
	case isDisk(err):
		return explain(err, p)
	}
	return fault.New(fault.Unavailable, "files.broke-off", nil).Wrap(err)
}

// Finish checks an upload and gives it its name. It may be asked again.
func (v *Volume) Finish(ctx context.Context, id string, tell Tell) (Entry, string, error) {
	if v.readOnly {
		return Entry{}, "", v.changeable("")
	}
	if !uploadID.MatchString(id) {
		return Entry{}, "", fault.New(fault.NotFound, "files.upload-gone", nil)
	}
	ctx, release, err := v.sessions.hold(ctx, id)
	if err != nil {
		return Entry{}, "", err
	}
	defer release()
	u, err := v.Upload(id)
	if err != nil {
		return Entry{}, "", err
	}
	p, err := Path(u.Ref)
	if err != nil {
		return Entry{}, "", err
	}
	if !u.Done {
		if err := v.settle(ctx, &u, p, tell); err != nil {
			return Entry{}, "", err
		}
	}
	e, err := v.Stat(p)
	return e, u.SHA256, err
}

func (v *Volume) settle(ctx context.Context, u *Upload, p string, tell Tell) error {
	if u.Offset != u.Size {
		return fault.New(fault.FailedPrecondition, "files.upload-short", fault.Args{"path": clip(p), "offset": u.Offset, "size": u.Size})
	}
	f, _, err := v.File(partPath(u.ID))
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := newMeter(tell).pump(ctx, h, f, -1); err != nil {
		return explain(err, p)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if u.SHA256 != "" && sum != u.SHA256 {
		v.forget(u.ID) // it cannot become right any more
		return fault.New(fault.Conflict, "files.checksum", fault.Args{"path": clip(p), "want": u.SHA256, "got": sum})
	}
	if err := f.Sync(); err != nil {
		return explain(err, p)
	}
	v.writes.Lock()
	defer v.writes.Unlock()
	if err := v.replaceable(".", p, u.Replace); err != nil {
		return err
	}
	if err := v.place(partPath(u.ID), p, u.Replace); err != nil {
		return err
	}
	u.Done, u.SHA256 = true, sum
	return explain(v.save(*u), p)
}

// Abandon ends an upload and removes what has arrived.
func (v *Volume) Abandon(ctx context.Context, id string) error {
	if v.readOnly {
		return v.changeable("")
	}
	if _, err := v.Upload(id); err != nil {
		return err
	}
	_, release, err := v.sessions.hold(ctx, id)
	if err != nil {
		return err
	}
	defer release()
	v.forget(id)
	return nil
}

func (v *Volume) forget(id string) {
	for _, p := range []string{partPath(id), metaPath(id), metaPath(id) + ".new"} {
		_ = v.root.Remove(p)
	}
}

// Clean removes what nobody has come back for within a day, with last also the
// notes of uploads that ended, and the hidden folder when nothing is in it.
func (v *Volume) Clean(last bool) error {
	if v.readOnly {
		return nil
	}
	err := v.hidden(func(name string, info fs.FileInfo) {
		p := join(Hidden, name)
		old := v.now().Sub(info.ModTime()) > keepUploads
		if id, ok := strings.CutSuffix(name, ".json"); ok {
			u, err := v.Upload(id)
			if part, e := v.root.Lstat(partPath(id)); e == nil {
				old = v.now().Sub(part.ModTime()) > keepUploads // written to meanwhile
			}
			if old || last && err == nil && u.Done {
				v.forget(id)
			}
			return
		}
		if id, ok := strings.CutSuffix(name, ".part"); ok && old {
			if _, err := v.root.Lstat(metaPath(id)); err == nil {
				return // goes with what tells of it
			}
		}
		if old {
			_ = v.root.RemoveAll(p)
		}
	})
	if last {
		_ = v.root.Remove(Hidden) // fails while something is in it
	}
	return err
}
