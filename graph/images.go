package graph

import (
	"context"
	"fmt"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/goblinlab/goblinlab/ent"
	entimage "github.com/goblinlab/goblinlab/ent/image"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
)

var imageColumns = map[string][]string{
	"name": {entimage.FieldName}, "reference": {entimage.FieldReference}, "description": {entimage.FieldDescription},
	"framework": {entimage.FieldFramework}, "version": {entimage.FieldFrameworkVersion}, "gpu": {entimage.FieldGpu},
	"development": {entimage.FieldDevelopment}, "apps": {entimage.FieldApps}, "recommended": {entimage.FieldRecommended},
	"deprecated": {entimage.FieldDeprecated}, "sizeBytes": {entimage.FieldSizeBytes}, "reason": {entimage.FieldReference}, "createdAt": {entimage.FieldCreatedAt},
}

var imageAlways = []string{entimage.FieldID, entimage.FieldTeamID}

// imagesByID gives images that the viewer may see, also those that left the catalogue.
func (r *Resolver) imagesByID(ctx context.Context, ids []string, t tree) (map[string]*model.Image, error) {
	out := make(map[string]*model.Image, len(ids))
	if len(ids) == 0 || t == nil {
		return out, nil
	}
	q := r.DB.Client.Image.Query().Where(entimage.IDIn(ids...))
	q.Select(t.columns(imageAlways, imageColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read images: %w", err)
	}
	images, err := r.wrapImages(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	for _, m := range images {
		out[m.ID] = m
	}
	return out, nil
}

func (r *Resolver) wrapImages(ctx context.Context, rows []*ent.Image, t tree) ([]*model.Image, error) {
	teams, err := r.teamsByID(ctx, ids(rows, func(i *ent.Image) string { return deref(i.TeamID) }), t["team"])
	if err != nil {
		return nil, err
	}
	l := lang.From(ctx)
	out := make([]*model.Image, len(rows))
	for i, row := range rows {
		out[i] = &model.Image{Image: row, Team: teams[deref(row.TeamID)], Waits: r.Images.Waits(row.Reference), Lang: l}
	}
	return out, nil
}

func (r *Resolver) image(ctx context.Context, id string, t tree) (*model.Image, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	q := r.DB.Client.Image.Query().Where(entimage.ID(id))
	q.Select(t.columns(imageAlways, imageColumns)...)
	return one(ctx, "image", id, q.All, func(ctx context.Context, rows []*ent.Image) ([]*model.Image, error) {
		return r.wrapImages(ctx, rows, t)
	})
}

func imageKey(i *model.Image) string {
	return cursor("images", strconv.FormatBool(i.Recommended), i.Name, i.ID)
}

func (r *Resolver) listImages(ctx context.Context, first *int, after *string, f *model.ImageFilter) (*model.ImageConnection, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	w, err := newWindow(first, after, "images", 3)
	if err != nil {
		return nil, err
	}
	recommended := false
	if w.after != nil {
		if recommended, err = strconv.ParseBool(w.after[0]); err != nil {
			var bad fault.Fields
			bad.Add("after", "api.cursor", nil)
			return nil, bad.Err()
		}
	}
	t := selected(ctx)
	q := r.DB.Client.Image.Query().Where(entimage.DeletedAtIsNil())
	if f != nil {
		if f.TeamID != nil {
			q.Where(entimage.Or(entimage.TeamIDIsNil(), entimage.TeamID(*f.TeamID)))
		}
		if f.Development != nil {
			q.Where(entimage.Development(*f.Development))
		}
		if f.Gpu != nil {
			q.Where(entimage.Gpu(*f.Gpu))
		}
	}
	total, err := count(ctx, t, q.Clone().Count)
	if err != nil {
		return nil, fmt.Errorf("count images: %w", err)
	}
	q.Where(afterImage(w, recommended)).
		Order(ent.Desc(entimage.FieldRecommended), ent.Asc(entimage.FieldName, entimage.FieldID)).Limit(w.limit + 1)
	q.Select(t.nodes().columns(append([]string{entimage.FieldName, entimage.FieldRecommended}, imageAlways...), imageColumns)...)
	rows, err := q.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list images: %w", err)
	}
	nodes, err := r.wrapImages(ctx, rows, t.nodes())
	if err != nil {
		return nil, err
	}
	c := connect(w, nodes, imageKey)
	c.TotalCount = total
	return &model.ImageConnection{Connection: c}, nil
}

// afterImage keeps what comes after the key: recommended ones first, then by name.
func afterImage(w window, recommended bool) func(*sql.Selector) {
	return func(s *sql.Selector) {
		if w.after == nil {
			return
		}
		name, id := s.C(entimage.FieldName), s.C(entimage.FieldID)
		later := sql.Or(sql.GT(name, w.after[1]), sql.And(sql.EQ(name, w.after[1]), sql.GT(id, w.after[2])))
		same := sql.And(sql.EQ(s.C(entimage.FieldRecommended), recommended), later)
		if recommended {
			s.Where(sql.Or(same, sql.EQ(s.C(entimage.FieldRecommended), false)))
			return
		}
		s.Where(same)
	}
}
