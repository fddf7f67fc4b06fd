package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

type conn struct {
	Nodes    []struct{ ID, Name, DisplayName string }
	Edges    []struct{ Cursor string }
	PageInfo struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *string
	}
	TotalCount int
}

// walk reads a list page by page and gives every node's id in order.
func walk(t *testing.T, b *servertest.Browser, field, args string, size int) []string {
	t.Helper()
	q := fmt.Sprintf(`query($first: Int, $after: String) { list: %s(first: $first, after: $after%s) { nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } } }`, field, args)
	var out []string
	var after *string
	for range 1000 {
		var got struct{ List conn }
		b.Get(q, map[string]any{"first": size, "after": after}, &got)
		if got.List.PageInfo.HasPreviousPage != (after != nil) {
			t.Errorf("hasPreviousPage %v after %v", got.List.PageInfo.HasPreviousPage, after)
		}
		for _, n := range got.List.Nodes {
			out = append(out, n.ID)
		}
		if !got.List.PageInfo.HasNextPage {
			return out
		}
		after = got.List.PageInfo.EndCursor
	}
	t.Fatal("the list does not end")
	return nil
}

func TestListsArePagedWithoutGapsOrRepeats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	var instances, images []string
	for i := range 7 {
		instances = append(instances, w.instance().ID)
		// Equal names and the recommended marker make the order hang on every part of the key.
		img := must[*ent.Image](w)(w.DB.Client.Image.Create().SetName([]string{"b", "a"}[i%2]).SetReference("r").
			SetRecommended(i < 3).SetGpu(true).Save(w.sys))
		images = append(images, img.ID)
	}
	slices.Reverse(instances)
	for _, size := range []int{1, 2, 3, 7, 200} {
		if diff := cmp.Diff(instances, walk(t, b, "instances", "", size)); diff != "" {
			t.Errorf("instances by %d: %s", size, diff)
		}
		got := walk(t, b, "images", ", filter: {gpu: true}", size)
		want := []string{images[1], images[0], images[2], images[3], images[5], images[4], images[6]}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("images by %d: %s", size, diff)
		}
		for _, field := range []string{"teams", "users"} {
			if got := walk(t, w.SignIn(t, w.Cast.Admin), field, "", size); len(got) != map[string]int{"teams": 2, "users": 7}[field] {
				t.Errorf("%s by %d: %v", field, size, got)
			}
		}
	}
}

func TestNewRowsDoNotDisturbACursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	old := []string{w.instance().ID, w.instance().ID, w.instance().ID}
	const q = `query($after: String) { list: instances(first: 2, after: $after) { nodes { id } edges { cursor } pageInfo { startCursor endCursor hasNextPage } totalCount } }`
	var first struct{ List conn }
	b.Get(q, nil, &first)
	if first.List.TotalCount != 3 || *first.List.PageInfo.StartCursor != first.List.Edges[0].Cursor || *first.List.PageInfo.EndCursor != first.List.Edges[1].Cursor {
		t.Errorf("page %+v", first.List)
	}
	w.instance()
	if err := w.DB.Client.Instance.DeleteOneID(old[1]).Exec(w.sys); err != nil { // the row of the cursor itself
		t.Fatal(err)
	}
	var second struct{ List conn }
	b.Get(q, map[string]any{"after": *first.List.PageInfo.EndCursor}, &second)
	if len(second.List.Nodes) != 1 || second.List.Nodes[0].ID != old[0] || second.List.PageInfo.HasNextPage {
		t.Errorf("second page %+v, want only %s", second.List, old[0])
	}
}

func TestBadPagesAreRefusedWithTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.instance()
	b := w.SignIn(t, w.Cast.Member)
	var page struct{ List conn }
	b.Get(`{ list: teams { edges { cursor } } }`, nil, &page)
	for name, c := range map[string]struct {
		args, path string
		says       []string
	}{
		"too long":               {`first: 201`, "first", []string{"200", "201"}},
		"none":                   {`first: 0`, "first", []string{"200"}},
		"negative":               {`first: -5`, "first", []string{"200"}},
		"no cursor":              {`after: "page 2"`, "after", nil},
		"a cursor of no base":    {`after: "` + strings.Repeat("A", 5000) + `"`, "after", nil},
		"another list's cursor":  {`after: "` + page.List.Edges[0].Cursor + `"`, "after", nil},
		"a search without bound": {`filter: {search: "` + strings.Repeat("x", 101) + `"}`, "filter.search", []string{"100"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := b.Ask(`{ instances(`+c.args+`) { nodes { id } } }`, nil)
			if a.Code() != "INVALID_ARGUMENT" || len(a.Errors[0].Extensions.Fields) != 1 || a.Errors[0].Extensions.Fields[0].Path != c.path {
				t.Fatalf("%+v", a.Errors)
			}
			for _, s := range c.says {
				if !strings.Contains(a.Errors[0].Message, s) {
					t.Errorf("%q does not name %s", a.Errors[0].Message, s)
				}
			}
		})
	}
}
