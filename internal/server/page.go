package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// page serves the built page from memory: each file is read, hashed and
// compressed when it is first asked for.
type page struct {
	files fs.FS

	mu    sync.Mutex
	known map[string]*asset
}

type asset struct {
	body, packed []byte // packed is nil when it is not worth it
	tag, kind    string
	name         string
}

func newPage(files fs.FS) *page { return &page{files: files, known: map[string]*asset{}} }

// Files below this folder carry their content's hash in their name.
const hashed = "assets/"

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	a, err := p.get(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.HasPrefix(name, hashed) && (path.Ext(name) == "" || name == "index.html") {
		a, err = p.get("index.html") // a route of the page's own
		if errors.Is(err, fs.ErrNotExist) {
			http.Error(w, "The page was not built into this program: run `make page` and build again.", http.StatusServiceUnavailable)
			return
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		http.NotFound(w, r)
		return
	case err != nil:
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	a.serve(w, r)
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	if strings.HasPrefix(a.name, hashed) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	body, tag := a.body, a.tag
	if a.packed != nil {
		h.Add("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && r.Header.Get("Range") == "" {
			body, tag = a.packed, a.tag+"-gz"
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range") // thousands of tiny parts are only ever an attack; the whole is an answer, too
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

func (p *page) get(name string) (*asset, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.known[name]; a != nil {
		return a, nil
	}
	if p.files == nil || !fs.ValidPath(name) {
		return nil, fs.ErrNotExist
	}
	info, err := fs.Stat(p.files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	b, err := fs.ReadFile(p.files, name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	a := &asset{name: name, body: b, tag: hex.EncodeToString(sum[:12]), kind: mime.TypeByExtension(path.Ext(name))}
	if a.kind == "" {
		a.kind = http.DetectContentType(b)
	}
	a.packed = pack(b)
	p.known[name] = a
	return a, nil
}

// pack compresses; nil when that gains less than a tenth.
func pack(b []byte) []byte {
	if len(b) < 512 {
		return nil
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := z.Write(b); err != nil {
		return nil
	}
	if err := z.Close(); err != nil || out.Len() > len(b)*9/10 {
		return nil
	}
	return out.Bytes()
}
