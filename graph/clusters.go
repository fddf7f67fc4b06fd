package graph

import (
	"context"

	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/logstore"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func (r *Resolver) cluster(ctx context.Context) (*model.Cluster, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	st, err := r.Cluster.Status(ctx)
	if err != nil {
		return nil, err
	}
	out := &model.Cluster{Reachable: st.Reachable, Version: st.Version,
		Reason: model.NewReason(st.Reason, lang.From(ctx)), Nodes: []*model.NodeShape{}}
	if !selected(ctx).has("nodes") {
		return out, nil
	}
	nodes, err := r.Cluster.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		out.Nodes = append(out.Nodes, &model.NodeShape{Name: n.Name, Pool: n.Pool, Ready: n.Ready,
			CPUMilli: n.CPUMilli, MemoryBytes: n.MemoryBytes, Gpu: int(n.GPU),
			CPUMilliFree: n.Free.CPUMilli, MemoryBytesFree: n.Free.MemoryBytes, GpuFree: int(n.Free.GPU)})
	}
	return out, nil
}

func (r *Resolver) fit(ctx context.Context, teamID string, in model.ResourcesInput, class spec.Class) (*model.Fit, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	if _, err := r.team(ctx, teamID, tree{}); err != nil {
		return nil, err
	}
	limits, err := parseResources(in)
	if err != nil {
		return nil, err
	}
	f, err := r.Cluster.Fit(ctx, teamID, limits, class)
	if err != nil {
		return nil, err
	}
	out := &model.Fit{Nodes: f.Nodes, Reason: model.NewReason(f.Reason, lang.From(ctx))}
	if out.Nodes == nil {
		out.Nodes = []string{}
	}
	return out, nil
}

func parseResources(in model.ResourcesInput) (spec.Resources, error) {
	var f fault.Fields
	out := spec.Resources{
		CPUMilli:    quantity.AddCPU(&f, "resources.cpu", in.CPU, quantity.Limits{}),
		MemoryBytes: quantity.AddMemory(&f, "resources.memory", in.Memory, quantity.Limits{}),
		GPU:         int64(in.Gpu),
	}
	return out, f.Err()
}

func (r *Resolver) log(ctx context.Context, attemptID string, after *string, fromLine *int64, last, limit *int) (*model.LogWindow, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	q := logstore.Query{After: deref(after), FromLine: fromLine}
	var f fault.Fields
	bound := func(path string, n *int, into *int) {
		if n == nil {
			return
		}
		if *n < 1 || *n > logstore.MaxWindow {
			f.Add(path, "api.lines", fault.Args{"value": *n, "limit": logstore.MaxWindow})
		}
		*into = *n
	}
	bound("last", last, &q.Last)
	bound("limit", limit, &q.Limit)
	if err := f.Err(); err != nil {
		return nil, err
	}
	w, err := r.Logs.Window(ctx, attemptID, q)
	if err != nil {
		return nil, err
	}
	return logWindow(ctx, w), nil
}

func (r *Resolver) searchLog(ctx context.Context, attemptID string, q logstore.Search) (*model.LogHits, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	if q.Limit < 1 || q.Limit > logstore.MaxWindow {
		var f fault.Fields
		f.Add("limit", "api.lines", fault.Args{"value": q.Limit, "limit": logstore.MaxWindow})
		return nil, f.Err()
	}
	h, err := r.Logs.Search(ctx, attemptID, q)
	if err != nil {
		return nil, err
	}
	return &model.LogHits{Lines: logLines(ctx, h.Lines), Next: h.Next, End: h.End}, nil
}
