package agent

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
)

func (a *Agent) routes() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET /ping", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	m.HandleFunc("GET /list", a.plain(a.list))
	m.HandleFunc("GET /stat", a.plain(func(r *http.Request, p string) (any, error) { return a.v.Stat(p) }))
	m.HandleFunc("GET /text", a.plain(func(r *http.Request, p string) (any, error) { return a.v.Text(p, r.FormValue("encoding")) }))
	m.HandleFunc("GET /table", a.plain(func(r *http.Request, p string) (any, error) {
		n, err := number(r, "rows")
		if err != nil {
			return nil, err
		}
		return a.v.Table(p, r.FormValue("encoding"), r.FormValue("delimiter"), n)
	}))
	m.HandleFunc("GET /notebook", a.plain(func(r *http.Request, p string) (any, error) { return a.v.Notebook(p) }))
	m.HandleFunc("GET /content", a.content)
	m.HandleFunc("GET /image", a.image)
	m.HandleFunc("GET /archive", a.archive)
	m.HandleFunc("GET /checksum", a.long(func(ctx context.Context, r *http.Request, p string, l *lines) (any, error) {
		s, err := a.v.Checksum(ctx, p, l.tell)
		return done[files.Sum]{true, s}, err
	}))
	m.HandleFunc("GET /usage", a.long(func(ctx context.Context, r *http.Request, p string, l *lines) (any, error) {
		u, err := a.v.Usage(ctx, p, l.tell)
		return done[files.Usage]{true, u}, err
	}))
	m.HandleFunc("GET /search", a.long(a.search))
	m.HandleFunc("DELETE /entry", a.long(func(ctx context.Context, r *http.Request, p string, l *lines) (any, error) {
		n, err := a.v.Delete(ctx, p, r.FormValue("recursive") == "1", l.tell)
		return map[string]any{"done": true, "removed": n}, err
	}))
	m.HandleFunc("PUT /content", a.write)
	m.HandleFunc("POST /folder", a.folder)
	m.HandleFunc("POST /move", a.move)
	m.HandleFunc("POST /copy", a.copy)
	m.HandleFunc("POST /unpack", a.long(func(ctx context.Context, r *http.Request, p string, l *lines) (any, error) {
		ctx, in := bodyOf(l.w, r.WithContext(ctx))
		// Both directions at once: progress while the tar still comes. The
		// connection is used for nothing else, since not all of it may be read.
		l.w.Header().Set("Connection", "close")
		_ = http.NewResponseController(l.w).EnableFullDuplex()
		c, err := a.v.Unpack(ctx, p, r.FormValue("replace") == "1", in, l.tell)
		return done[files.Copied]{true, c}, err
	}))
	a.frozenRoutes(m)
	a.uploadRoutes(m)
	return m
}

// done is a last line.
type done[T any] struct {
	Done bool `json:"done"`
	Rest T    `json:"-"`
}

// path reads the path of a request.
func path(r *http.Request) (string, error) {
	q, err := url.ParseQuery(r.URL.RawQuery) // unlike Query, it does not pass over what is broken
	if err != nil || len(q["path"]) > 1 {
		return "", fault.New(fault.InvalidArgument, "files.query", nil)
	}
	return files.Path(files.Ref(q.Get("path"))) // the query is decoded already
}

func number(r *http.Request, name string) (int, error) {
	text := r.FormValue(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fault.New(fault.InvalidArgument, "files.number", fault.Args{"name": name})
	}
	return n, nil
}

func (a *Agent) plain(do func(r *http.Request, p string) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := path(r)
		if err != nil {
			fail(w, r, err)
			return
		}
		v, err := do(r, p)
		if err != nil {
			fail(w, r, err)
			return
		}
		answer(w, http.StatusOK, v)
	}
}

func (a *Agent) long(do func(ctx context.Context, r *http.Request, p string, l *lines) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := path(r)
		if err != nil {
			fail(w, r, err)
			return
		}
		l := &lines{w: w}
		v, err := do(r.Context(), r, p, l)
		l.end(r, v, err)
	}
}

func (a *Agent) list(r *http.Request, p string) (any, error) {
	n, err := number(r, "limit")
	if err != nil {
		return nil, err
	}
	return a.v.List(p, r.FormValue("after"), r.FormValue("order"), n)
}

func (a *Agent) search(ctx context.Context, r *http.Request, p string, l *lines) (any, error) {
	n, err := number(r, "limit")
	if err != nil {
		return nil, err
	}
	f, err := a.v.Search(ctx, p, r.FormValue("name"), n, func(e files.Entry) error { return l.put(e) }, l.tell)
	return done[files.Found]{true, f}, err
}

// attach names a download; what is no ASCII is encoded as RFC 6266 says.
func attach(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

func (a *Agent) content(w http.ResponseWriter, r *http.Request) {
	p, err := path(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	f, e, err := a.v.File(p)
	if err != nil {
		fail(w, r, err)
		return
	}
	defer f.Close()
	attach(w, e.Name)
	serve(w, r, e, "application/octet-stream", f)
}

func (a *Agent) image(w http.ResponseWriter, r *http.Request) {
	p, err := path(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	f, e, kind, err := a.v.Image(p)
	if err != nil {
		fail(w, r, err)
		return
	}
	defer f.Close()
	attach(w, e.Name)
	serve(w, r, e, kind, f)
}

func serve(w http.ResponseWriter, r *http.Request, e files.Entry, kind string, f io.ReadSeeker) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", e.ETag)
	if strings.Contains(r.Header.Get("Range"), ",") { // several at once cost more than the whole
		r.Header.Del("Range")
	}
	http.ServeContent(w, r, "", e.Modified, f)
}

func (a *Agent) archive(w http.ResponseWriter, r *http.Request) {
	p, err := path(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	format := r.FormValue("format")
	if format != files.Zip && format != files.Tar {
		fail(w, r, a.v.Archive(r.Context(), p, format, io.Discard))
		return
	}
	e, err := a.v.Stat(p)
	if err != nil {
		fail(w, r, err)
		return
	}
	name := e.Name
	if p == "." {
		name = "volume"
	}
	attach(w, name+"."+format)
	w.Header().Set("Content-Type", map[string]string{files.Zip: "application/zip", files.Tar: "application/x-tar"}[format])
	if r.Method == http.MethodHead {
		return
	}
	if err := a.v.Archive(r.Context(), p, format, w); err != nil {
		// Too late for words: it breaks off, so that nobody takes it for whole.
		if !errors.Is(err, context.Canceled) {
			slog.Warn("archive broke off", "err", err)
		}
		panic(http.ErrAbortHandler)
	}
}

func (a *Agent) write(w http.ResponseWriter, r *http.Request) {
	p, err := path(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	match, none := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	if (match == "") == (none == "") || none != "" && none != "*" || match == "*" {
		fail(w, r, fault.New(fault.InvalidArgument, "files.precondition", nil))
		return
	}
	_, in := bodyOf(w, r)
	data, err := io.ReadAll(io.LimitReader(in, files.MaxText+1))
	if err != nil {
		fail(w, r, fault.New(fault.Unavailable, "files.broke-off", nil).Wrap(err))
		return
	}
	e, err := a.v.Write(p, match, data)
	if err != nil {
		fail(w, r, err)
		return
	}
	w.Header().Set("ETag", e.ETag)
	status := http.StatusOK
	if none != "" {
		status = http.StatusCreated
	}
	answer(w, status, e)
}

func (a *Agent) folder(w http.ResponseWriter, r *http.Request) {
	p, err := path(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	e, err := a.v.Mkdir(p, r.FormValue("parents") == "1")
	if err != nil {
		fail(w, r, err)
		return
	}
	answer(w, http.StatusCreated, e)
}

// Transfer asks for a move or a copy; the paths are refs.
type Transfer struct {
	From     string `json:"from"`
	To       string `json:"to"`
	ToVolume string `json:"toVolume,omitempty"` // the server's: it has been to both
	Replace  bool   `json:"replace"`
}

func (t *Transfer) paths() error {
	for _, p := range []*string{&t.From, &t.To} {
		clean, err := files.Path(*p)
		if err != nil {
			return err
		}
		*p = clean
	}
	return nil
}

func (a *Agent) transfer(r *http.Request) (Transfer, error) {
	var t Transfer
	if err := decode(r, &t); err != nil {
		return t, err
	}
	return t, t.paths()
}

func (a *Agent) move(w http.ResponseWriter, r *http.Request) {
	t, err := a.transfer(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	e, err := a.v.Move(t.From, t.To, t.Replace)
	if err != nil {
		fail(w, r, err)
		return
	}
	answer(w, http.StatusOK, e)
}

func (a *Agent) copy(w http.ResponseWriter, r *http.Request) {
	t, err := a.transfer(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	l := &lines{w: w}
	c, err := a.v.Copy(r.Context(), t.From, t.To, t.Replace, l.tell)
	l.end(r, done[files.Copied]{true, c}, err)
}
