package agent

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
)

// MarshalJSON puts what came out beside "done".
func (d done[T]) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(d.Rest)
	if err != nil || len(b) < 2 || b[0] != '{' {
		return nil, errors.Join(err, errors.New("a last line is an object"))
	}
	if string(b) == "{}" {
		return []byte(`{"done":true}`), nil
	}
	return append([]byte(`{"done":true,`), b[1:]...), nil
}

// NewUpload asks for an upload.
type NewUpload struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	Replace bool   `json:"replace"`
}

func (a *Agent) uploadRoutes(m *http.ServeMux) {
	m.HandleFunc("POST /uploads", a.begin)
	m.HandleFunc("GET /uploads", func(w http.ResponseWriter, r *http.Request) {
		list, err := a.v.Uploads(r.Header.Get(HeaderActor))
		if err != nil {
			fail(w, r, err)
			return
		}
		answer(w, http.StatusOK, map[string]any{"uploads": list})
	})
	m.HandleFunc("GET /uploads/{id}", func(w http.ResponseWriter, r *http.Request) {
		u, err := a.upload(r)
		if err != nil {
			fail(w, r, err)
			return
		}
		stands(w, u)
		answer(w, http.StatusOK, u)
	})
	m.HandleFunc("PATCH /uploads/{id}", a.append)
	m.HandleFunc("POST /uploads/{id}/finish", func(w http.ResponseWriter, r *http.Request) {
		if _, err := a.upload(r); err != nil {
			fail(w, r, err)
			return
		}
		l := &lines{w: w}
		e, sum, err := a.v.Finish(r.Context(), r.PathValue("id"), l.tell)
		l.end(r, map[string]any{"done": true, "entry": e, "sha256": sum}, err)
	})
	m.HandleFunc("DELETE /uploads/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, err := a.upload(r)
		if err == nil {
			err = a.v.Abandon(r.Context(), r.PathValue("id"))
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// upload is that of a request, if the person has begun it.
func (a *Agent) upload(r *http.Request) (files.Upload, error) {
	u, err := a.v.Upload(r.PathValue("id"))
	if err == nil && u.By != r.Header.Get(HeaderActor) {
		err = fault.New(fault.NotFound, "files.upload-gone", nil)
	}
	return u, err
}

func stands(w http.ResponseWriter, u files.Upload) {
	w.Header().Set(HeaderOffset, strconv.FormatInt(u.Offset, 10))
	w.Header().Set(HeaderLength, strconv.FormatInt(u.Size, 10))
}

func (a *Agent) begin(w http.ResponseWriter, r *http.Request) {
	var in NewUpload
	if err := decode(r, &in); err != nil {
		fail(w, r, err)
		return
	}
	p, err := files.Path(in.Path)
	if err != nil {
		fail(w, r, err)
		return
	}
	u, err := a.v.Begin(p, in.Size, in.SHA256, in.Replace, r.Header.Get(HeaderActor))
	if err != nil {
		fail(w, r, err)
		return
	}
	stands(w, u)
	answer(w, http.StatusCreated, u)
}

func (a *Agent) append(w http.ResponseWriter, r *http.Request) {
	offset, err := strconv.ParseInt(r.Header.Get(HeaderOffset), 10, 64)
	if err != nil || offset < 0 {
		fail(w, r, fault.New(fault.InvalidArgument, "files.offset", nil))
		return
	}
	if _, err := a.upload(r); err != nil {
		fail(w, r, err)
		return
	}
	ctx, in := bodyOf(w, r)
	now, err := a.v.Append(ctx, r.PathValue("id"), offset, in)
	w.Header().Set(HeaderOffset, strconv.FormatInt(now, 10))
	var wrong files.WrongOffset
	switch {
	case errors.As(err, &wrong):
		fail(w, r, fault.New(fault.Conflict, "files.upload-offset", fault.Args{"offset": wrong.Is, "given": offset}))
	case err != nil:
		fail(w, r, err)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
