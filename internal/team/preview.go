package team

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/instance"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// PreviewInput is a quota that somebody thinks about; an empty TeamID is a new team.
type PreviewInput struct {
	TeamID     string
	Quota      QuotaInput
	Overcommit spec.Overcommit
}

// Preview is what a quota would mean.
type Preview struct {
	Items    []PreviewItem
	Defaults spec.Resources // limits of a container that states none
	Requests spec.Resources // what such a one requests
	// LargestVolume is what one new volume may have at most; 0 for no limit.
	LargestVolume int64
}

// PreviewItem is one resource of it. Amounts are as in UsageItem.
type PreviewItem struct {
	Resource, Unit string
	Used           int64
	Old, New       *int64 // limits; nil for none
	// Excess is how much more is used than would be allowed. Nothing is ended for it.
	Excess int64
	// Holders are who holds something of what is exceeded, largest first, at most 10.
	Holders []Holder
	// Blocked are stopped instances that could start now and could not then, at most 10.
	Blocked []Holder
	// Promised is the sum of all teams' limits with this one, Unlimited how many have none.
	Promised  int64
	Unlimited int
	Capacity  *int64 // of all nodes; nil where nodes do not bound it, or none is known
}

// Preview tells what a quota would change before it is given. capacity is what
// the nodes have together, nil when no node is known. Administrators only.
func (s *Service) Preview(ctx context.Context, in PreviewInput, capacity *spec.Resources) (Preview, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return Preview{}, err
	}
	t := &ent.Team{}
	if in.TeamID != "" {
		if t, err = Visible(ctx, s.DB.Client, in.TeamID); err != nil {
			return Preview{}, err
		}
	}
	if err := v.Check(authz.Platform, in.TeamID); err != nil {
		return Preview{}, err
	}
	var f fault.Fields
	q, o := in.Quota.parse(&f), overcommit(&f, in.Overcommit)
	if err := f.Err(); err != nil {
		return Preview{}, err
	}
	consumers, volumes, err := everything(ctx, s.DB.Client, t.ID)
	if err != nil {
		return Preview{}, err
	}
	sys := authz.AsSystem(ctx)
	stopped, err := s.DB.Client.Instance.Query().Where(instance.TeamID(t.ID), instance.Not(LiveInstance())).All(sys)
	if err != nil {
		return Preview{}, fmt.Errorf("stopped instances: %w", err)
	}
	others, err := s.DB.Client.Team.Query().Where(entteam.IDNEQ(t.ID), entteam.ArchivedAtIsNil()).
		Select(entteam.FieldID, entteam.FieldQuota).All(sys)
	if err != nil {
		return Preview{}, fmt.Errorf("quotas of the other teams: %w", err)
	}
	next := *t
	next.Quota, next.Overcommit = q, o
	out := Preview{LargestVolume: q.StorageBytes, Defaults: manifest.DefaultContainer(),
		Requests: manifest.Requests(manifest.DefaultContainer(), o.For(spec.ClassTest))}
	used := sum(consumers, volumes)
	for i, item := range items(&next, used, nil, consumers, volumes) {
		d := dimensions[i]
		p := PreviewItem{Resource: item.Resource, Unit: item.Unit, Used: item.Used, New: item.Limit}
		if n, ok := spec.Bound(d.of(t.Quota)); ok {
			p.Old = &n
		}
		if item.Limit != nil && item.Used > *item.Limit {
			p.Excess, p.Holders = item.Used-*item.Limit, item.Holders
		}
		p.Blocked = blocked(stopped, d, used, t.Quota, q)
		p.Promised, p.Unlimited = promised(d, q, others)
		if capacity != nil && d.node != nil {
			n := d.node(*capacity)
			p.Capacity = &n
		}
		out.Items = append(out.Items, p)
	}
	return out, nil
}

// dimension is one resource of a quota, in the order of items.
type dimension struct {
	of   func(spec.Quota) int64
	node func(spec.Resources) int64 // nil for what nodes do not bound
}

var dimensions = []dimension{
	{func(q spec.Quota) int64 { return q.CPUMilli }, func(r spec.Resources) int64 { return r.CPUMilli }},
	{func(q spec.Quota) int64 { return q.MemoryBytes }, func(r spec.Resources) int64 { return r.MemoryBytes }},
	{func(q spec.Quota) int64 { return q.GPU }, func(r spec.Resources) int64 { return r.GPU }},
	{func(q spec.Quota) int64 { return q.StorageBytes }, nil},
	{func(q spec.Quota) int64 { return q.Volumes }, nil},
	{func(q spec.Quota) int64 { return q.Pods }, nil},
}

// blocked are the stopped instances that would fit under the old limit and not
// under the new one, beside what is used now.
func blocked(stopped []*ent.Instance, d dimension, used, before, after spec.Quota) []Holder {
	fits := func(need, limit int64) bool {
		most, bound := spec.Bound(limit)
		return !bound || need <= max(most-d.of(used), 0)
	}
	var out []Holder
	for _, i := range stopped {
		need := d.of(preflight.Demand(i.Spec.Resources))
		if need > 0 && fits(need, d.of(before)) && !fits(need, d.of(after)) {
			out = append(out, Holder{i.ID, i.Name, i.OwnerID, need})
		}
	}
	return largest(out)
}

func promised(d dimension, q spec.Quota, others []*ent.Team) (sum int64, unlimited int) {
	limits := []spec.Quota{q}
	for _, t := range others {
		limits = append(limits, t.Quota)
	}
	for _, l := range limits {
		n, bound := spec.Bound(d.of(l))
		if !bound {
			unlimited++
		}
		sum += n
	}
	return sum, unlimited
}

// overcommit reads ratios; 0 counts as 1, and for online work as those above.
func overcommit(f *fault.Fields, in spec.Overcommit) spec.Overcommit {
	o := spec.Overcommit{CPU: ratio(f, "overcommitCpu", in.CPU), Memory: ratio(f, "overcommitMemory", in.Memory)}
	if in.OnlineCPU != 0 {
		o.OnlineCPU = ratio(f, "overcommitOnlineCpu", in.OnlineCPU)
	}
	if in.OnlineMemory != 0 {
		o.OnlineMemory = ratio(f, "overcommitOnlineMemory", in.OnlineMemory)
	}
	return o
}
