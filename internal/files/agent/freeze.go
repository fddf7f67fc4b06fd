package agent

import (
	"context"
	"net/http"

	"github.com/goblinlab/goblinlab/internal/files"
)

// The paths of what the platform alone asks for.
const (
	PathFreeze = "/freeze"
	PathThaw   = "/thaw"
)

func (a *Agent) frozenRoutes(m *http.ServeMux) {
	m.HandleFunc("POST "+PathFreeze, a.long(func(ctx context.Context, r *http.Request, p string, l *lines) (any, error) {
		most, err := boundsOf(r)
		if err != nil {
			return nil, err
		}
		c, err := a.v.Freeze(ctx, p, r.FormValue("name"), most, l.tell)
		return done[files.FrozenCopy]{true, c}, err
	}))
	m.HandleFunc("POST "+PathThaw, a.long(func(ctx context.Context, r *http.Request, _ string, l *lines) (any, error) {
		return done[struct{}]{true, struct{}{}}, a.v.Thaw(ctx, r.FormValue("name"), l.tell)
	}))
}

func boundsOf(r *http.Request) (files.Bounds, error) {
	n, err := number(r, "files")
	if err != nil {
		return files.Bounds{}, err
	}
	b, err := number(r, "bytes")
	return files.Bounds{Files: int64(n), Bytes: int64(b)}, err
}
