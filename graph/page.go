package graph

import (
	"encoding/base64"
	"encoding/json"

	"entgo.io/ent/dialect/sql"

	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Bounds of a page.
const (
	defaultPage = 50
	maxPage     = 200
	maxCursor   = 2048 // bytes
	maxSearch   = 100  // bytes
)

// window is the part of a list that was asked for: at most limit rows after a key.
type window struct {
	kind  string
	limit int
	after []string // the key of the row before; nil for the start
}

// newWindow checks a page's arguments. Kind and keys say what a cursor of this
// list looks like, so that another list's is refused.
func newWindow(first *int, after *string, kind string, keys int) (window, error) {
	w := window{kind: kind, limit: defaultPage}
	var f fault.Fields
	if first != nil {
		w.limit = *first
	}
	if w.limit < 1 || w.limit > maxPage {
		f.Add("first", "api.first", fault.Args{"value": w.limit, "limit": maxPage})
	}
	if after != nil && *after != "" {
		var ok bool
		if w.after, ok = parseCursor(*after, kind, keys); !ok {
			f.Add("after", "api.cursor", nil)
		}
	}
	return w, f.Err()
}

// cursor writes a key: opaque to clients, and free of anything that they do not see anyway.
func cursor(kind string, keys ...string) string {
	b, err := json.Marshal(append([]string{kind}, keys...))
	if err != nil {
		return "" // strings always encode
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseCursor(s, kind string, keys int) ([]string, bool) {
	if len(s) > maxCursor {
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, false
	}
	var parts []string
	if err := json.Unmarshal(b, &parts); err != nil || len(parts) != keys+1 || parts[0] != kind {
		return nil, false
	}
	return parts[1:], true
}

// connect cuts what was read with one row more than the page down to the page,
// and says where it stands.
func connect[T any](w window, nodes []T, key func(T) string) model.Connection[T] {
	info := &model.PageInfo{HasPreviousPage: w.after != nil}
	if len(nodes) > w.limit {
		nodes, info.HasNextPage = nodes[:w.limit], true
	}
	if len(nodes) > 0 {
		start, end := key(nodes[0]), key(nodes[len(nodes)-1])
		info.StartCursor, info.EndCursor = &start, &end
	}
	return model.NewConnection(nodes, info, key)
}

// beyond keeps rows after the key (a, b) in ascending order of two columns.
func beyond(w window, a, b string) func(*sql.Selector) {
	return func(s *sql.Selector) {
		if w.after != nil {
			s.Where(sql.Or(sql.GT(s.C(a), w.after[0]), sql.And(sql.EQ(s.C(a), w.after[0]), sql.GT(s.C(b), w.after[1]))))
		}
	}
}

// ids of rows, each once, without empty ones.
func ids[T any](rows []T, id func(T) string) []string {
	seen := make(map[string]struct{}, len(rows))
	var out []string
	for _, r := range rows {
		s := id(r)
		if _, dup := seen[s]; s == "" || dup {
			continue
		}
		seen[s] = struct{}{}
		out = append(out, s)
	}
	return out
}

// deref is a text that may be missing.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
