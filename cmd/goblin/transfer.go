package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

var parents = url.Values{"parents": {"1"}}

func as(err error, target any) bool { return errors.As(err, target) }

// uploadAll copies a file or a folder into a volume.
func (t *transfer) uploadAll(ctx context.Context, from string, to remote, folder bool) error {
	info, err := os.Stat(from)
	if err != nil {
		return failf(exitFailed, "%w", err)
	}
	abs, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	if !strings.HasSuffix(from, "/.") { // DIR/. is what is in it, as with cp
		if to, err = t.into(ctx, to, filepath.Base(abs), folder); err != nil {
			return err
		}
	}
	switch {
	case info.Mode().IsRegular():
		return t.upload(ctx, from, to)
	case !info.IsDir():
		return failf(exitFailed, "%s is neither a file nor a folder", printable(from))
	case !t.recursive:
		return failf(exitUsage, "%s is a folder; copy it with -r", printable(from))
	}
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		at := to
		if rel != "." {
			at = to.in(filepath.ToSlash(rel))
		}
		switch {
		case d.IsDir():
			if at.path == "" {
				return nil
			}
			return again(ctx, nil, func() error { return at.ask(ctx, http.MethodPost, "/folder", parents, nil, nil) })
		case d.Type().IsRegular():
			return t.upload(ctx, p, at)
		}
		t.skipped++
		t.warn("goblin: %s is no file and is left out", printable(p))
		return nil
	})
}

// upload copies a file, from where an earlier try has stopped.
func (t *transfer) upload(ctx context.Context, from string, to remote) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	sum := hex.EncodeToString(h.Sum(nil))
	t.tell.begin(from, 0, size)
	err = t.put(ctx, f, to, size, sum)
	if isStatus(err, http.StatusConflict) || isStatus(err, http.StatusPreconditionFailed) {
		if t.isSame(ctx, to, size, sum) {
			t.same++
			return nil
		}
		if !t.force {
			return fmt.Errorf("%s: %w Use --force to replace it", printable(from), err)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", printable(from), err)
	}
	t.files++
	t.bytes += size
	return nil
}

func (t *transfer) isSame(ctx context.Context, to remote, size int64, sum string) bool {
	e, err := to.stat(ctx)
	if err != nil || e == nil || e.Kind != "file" || e.Size != size {
		return false
	}
	got, err := to.checksum(ctx)
	return err == nil && got == sum
}

func (t *transfer) put(ctx context.Context, f *os.File, to remote, size int64, sum string) error {
	if size <= smallBytes && !t.force {
		b := make([]byte, size)
		if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return again(ctx, nil, func() error {
			res, err := to.send(ctx, http.MethodPut, "/content", nil, bytes.NewReader(b), size, "If-None-Match", "*")
			if err == nil {
				err = res.Body.Close()
			}
			return err
		})
	}
	u, err := t.session(ctx, to, size, sum)
	if err != nil {
		return err
	}
	t.tell.begin(f.Name(), u.Offset, size)
	way := "/uploads/" + u.ID
	for u.Offset < size {
		before := u.Offset
		err := again(ctx, func() bool { return u.Offset > before }, func() error {
			before = u.Offset
			return t.chunk(ctx, f, to, way, u, size)
		})
		if err != nil {
			return err
		}
	}
	var done struct{ SHA256 string }
	if err := again(ctx, nil, func() error { return to.long(ctx, http.MethodPost, way+"/finish", nil, &done) }); err != nil {
		return err
	}
	if done.SHA256 != sum {
		return failf(exitFailed, "it arrived with the SHA-256 %s, not %s", done.SHA256, sum)
	}
	return nil
}

// session is the upload that was begun for the file, or a new one.
func (t *transfer) session(ctx context.Context, to remote, size int64, sum string) (*remoteUpload, error) {
	var list struct{ Uploads []remoteUpload }
	if err := again(ctx, nil, func() error { return to.ask(ctx, http.MethodGet, "/uploads", nil, nil, &list) }); err != nil {
		return nil, err
	}
	for _, u := range list.Uploads {
		if u.Ref == ref(to.path) && u.Size == size && u.SHA256 == sum {
			return &u, nil
		}
	}
	var u remoteUpload
	err := again(ctx, nil, func() error {
		return to.ask(ctx, http.MethodPost, "/uploads", nil, map[string]any{"path": ref(to.path), "size": size, "sha256": sum, "replace": t.force}, &u)
	})
	return &u, err
}

// chunk sends the next part; whatever happens, u stands where the server does.
func (t *transfer) chunk(ctx context.Context, f *os.File, to remote, way string, u *remoteUpload, size int64) error {
	n := min(size-u.Offset, chunkBytes)
	counted := &counter{r: io.NewSectionReader(f, u.Offset, n), t: t.tell}
	res, err := to.send(ctx, http.MethodPatch, way, nil, counted, n, "Upload-Offset", strconv.FormatInt(u.Offset, 10))
	if err == nil {
		u.Offset += n
		return res.Body.Close()
	}
	t.tell.add(-counted.n)
	var no *refused
	if errors.As(err, &no) {
		if no.status == http.StatusConflict && no.offset >= 0 {
			u.Offset = no.offset
			return nil
		}
		if !passing(err) {
			return err
		}
	}
	var at remoteUpload
	if e := to.ask(ctx, http.MethodGet, way, nil, nil, &at); e == nil {
		t.tell.add(at.Offset - u.Offset)
		u.Offset = at.Offset
	}
	return err
}

// counter tells of what is read.
type counter struct {
	r io.Reader
	t *progress
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.t.add(int64(n))
	return n, err
}

// downloadAll copies a file or a folder out of a volume.
func (t *transfer) downloadAll(ctx context.Context, from remote, to string) error {
	e, err := from.stat(ctx)
	if err != nil {
		return err
	}
	if e == nil {
		return failf(exitFailed, "there is no /%s in the volume", printable(from.path))
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() && from.path != "" {
		to = filepath.Join(to, path.Base(from.path))
	} else if strings.HasSuffix(to, "/") && from.path != "" {
		if err := os.MkdirAll(to, 0o777); err != nil { //nolint:gosec // as cp makes folders; the umask narrows it
			return failf(exitFailed, "%w", err)
		}
		to = filepath.Join(to, path.Base(from.path))
	}
	switch {
	case e.Kind == "folder" && !t.recursive:
		return failf(exitUsage, "/%s is a folder; copy it with -r", printable(from.path))
	case e.Kind == "folder":
		return t.downloadFolder(ctx, from, to)
	case e.Kind == "other":
		return failf(exitFailed, "/%s is neither a file nor a folder", printable(from.path))
	}
	return t.download(ctx, from, to)
}

func (t *transfer) downloadFolder(ctx context.Context, from remote, to string) error {
	if err := os.MkdirAll(to, 0o777); err != nil { //nolint:gosec // as cp makes folders; the umask narrows it
		return failf(exitFailed, "%w", err)
	}
	return from.list(ctx, func(name string, e remoteEntry) error {
		local := filepath.Join(to, name)
		switch e.Kind {
		case "folder":
			return t.downloadFolder(ctx, from.in(name), local)
		case "file":
			return t.download(ctx, from.in(name), local)
		}
		t.skipped++
		t.warn("goblin: /%s is no file and is left out", printable(from.in(name).path))
		return nil
	})
}

// download copies a file beside its place, checks it and renames it.
func (t *transfer) download(ctx context.Context, from remote, to string) error {
	fail := func(err error) error { return fmt.Errorf("/%s: %w", printable(from.path), err) }
	if info, err := os.Lstat(to); err == nil {
		sum := ""
		if info.Mode().IsRegular() {
			if e, err := from.stat(ctx); err == nil && e != nil && e.Size == info.Size() {
				sum, _ = from.checksum(ctx)
			}
		}
		if local, err := sumOf(to); err == nil && sum != "" && local == sum {
			t.same++
			return nil
		}
		if !t.force || info.IsDir() {
			return failf(exitFailed, "%s is there already and differs; use --force to replace it", printable(to))
		}
	}
	part := filepath.Join(filepath.Dir(to), "."+clipBytes(filepath.Base(to), 200)+".goblin-part")
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666) //nolint:gosec // as cp makes files; the umask narrows it
	if err != nil {
		return failf(exitFailed, "%w", err)
	}
	defer f.Close()
	// Beside the part stands which state of the file it is of.
	tagFile := part + ".etag"
	var have int64
	err = again(ctx, func() bool {
		now, err := f.Seek(0, io.SeekEnd)
		moved := err == nil && now > have
		have = now
		return moved
	}, func() error { return t.fetch(ctx, f, from, tagFile) })
	if err != nil {
		return fail(err)
	}
	sum, err := sumOf(part)
	if err != nil {
		return fail(err)
	}
	want, err := from.checksum(ctx)
	if err != nil {
		return fail(err)
	}
	if sum != want {
		_ = os.Remove(part)
		_ = os.Remove(tagFile)
		return fail(failf(exitFailed, "it changed while it was copied, or arrived with the SHA-256 %s, not %s; run it again", sum, want))
	}
	info, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	if err := errors.Join(f.Sync(), os.Rename(part, to)); err != nil {
		return fail(err)
	}
	_ = os.Remove(tagFile)
	t.files++
	t.bytes += info.Size()
	return nil
}

// fetch goes on with a download where its part ends, if the file is still the same.
func (t *transfer) fetch(ctx context.Context, f *os.File, from remote, tagFile string) error {
	at, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	var headers []string
	if tag, err := os.ReadFile(tagFile); err == nil && at > 0 {
		headers = []string{"Range", fmt.Sprintf("bytes=%d-", at), "If-Range", string(tag)}
	}
	res, err := from.send(ctx, http.MethodGet, "/content", nil, nil, 0, headers...)
	if isStatus(err, http.StatusRequestedRangeNotSatisfiable) { // it has all of it
		return nil
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusPartialContent {
		at = 0
		if err := f.Truncate(0); err != nil {
			return err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := os.WriteFile(tagFile, []byte(res.Header.Get("ETag")), 0o600); err != nil {
			return err
		}
	}
	t.tell.begin(from.path, at, at+max(res.ContentLength, 0))
	n, err := io.Copy(f, &counter{r: res.Body, t: t.tell})
	var disk *fs.PathError
	if errors.As(err, &disk) {
		return err
	}
	if err != nil {
		return failf(exitUnreachable, "%s broke off: %w", from.c.address, err)
	}
	if res.ContentLength >= 0 && n != res.ContentLength {
		return failf(exitUnreachable, "%s broke off: %w", from.c.address, io.ErrUnexpectedEOF)
	}
	return nil
}

func sumOf(p string) (string, error) {
	f, err := os.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func clipBytes(s string, n int) string { return s[:min(len(s), n)] }
