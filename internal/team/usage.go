package team

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/predicate"
	"github.com/goblinlab/goblinlab/ent/reservation"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/share"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Usage is a team's quota beside what is used of it.
type Usage struct {
	Items      []UsageItem
	ObservedAt *time.Time // when the cluster last told us anything; nil when it has not yet
}

// UsageItem is one resource of a quota.
type UsageItem struct {
	Resource string // cpu, memory, gpu, storage, volumes or pods
	Unit     string // milli, bytes or count
	Used     int64
	// Requested is what the scheduler counts of Used: limits divided by the
	// overcommit ratio. Nil for what is never shared.
	Requested *int64
	Limit     *int64   // nil when there is no limit
	Holders   []Holder // largest first, at most 10
}

// Holder is an instance, a run or a volume that holds a part of a quota.
type Holder struct {
	ID, Name, OwnerID string
	Amount            int64
}

// Consumer is an instance or a run that is live: its pod is there, or is about to be.
type Consumer struct {
	ID, Name, OwnerID string
	Kind              string // instance or run
	Resources         spec.Resources
	Pod               bool // counts against the quota; what waits for its turn, or for its next attempt, does not
	Class             spec.Class
	Ending            bool // it was asked to end
	Mounts            []spec.Mount
	Home              bool   // mounts its owner's home volume
	Node              string // where its pod is, as far as is known
	HomeID            string // the volume that it mounts as home instead, which it inherited
}

// LiveInstance keeps the instances whose pod is there, or is about to be.
func LiveInstance() predicate.Instance {
	return instance.Or(
		instance.And(instance.DesiredEQ(instance.DesiredRunning), instance.StateNEQ(instance.StateFailed)),
		instance.StateIn(instance.StatePending, instance.StateStarting, instance.StateRunning,
			instance.StateUnhealthy, instance.StateStopping, instance.StateDeleting),
	)
}

// HoldingRun keeps the runs whose pod is there, or is about to be.
func HoldingRun() predicate.Run {
	return run.StateIn(run.StatePending, run.StateRunning, run.StateStopping)
}

// waitingIn are the consumers of teams that were not let in yet. What is live
// without a word of admission counts as let in.
func waitingIn(ctx context.Context, c *ent.Client, teamIDs []string) (map[string]bool, error) {
	ids, err := c.Reservation.Query().Where(reservation.TeamIDIn(teamIDs...), reservation.StateEQ(reservation.StateWaiting)).
		Select(reservation.FieldConsumerID).Strings(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("who waits in teams: %w", err)
	}
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out, nil
}

// Consumers are the live instances and runs of a team.
func Consumers(ctx context.Context, c *ent.Client, teamID string) ([]Consumer, error) {
	all, err := consumersOf(ctx, c, []string{teamID})
	return all[teamID], err
}

// consumersOf are the live instances and runs of teams, by team, in as many
// queries as for one.
func consumersOf(ctx context.Context, c *ent.Client, teamIDs []string) (map[string][]Consumer, error) {
	out := make(map[string][]Consumer, len(teamIDs))
	waiting, err := waitingIn(ctx, c, teamIDs)
	if err != nil {
		return nil, err
	}
	instances, err := c.Instance.Query().Where(instance.TeamIDIn(teamIDs...), LiveInstance()).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("live instances of teams: %w", err)
	}
	for _, i := range instances {
		s := i.Spec
		if i.StartedSpec != nil {
			s = *i.StartedSpec
		}
		out[i.TeamID] = append(out[i.TeamID], Consumer{ID: i.ID, Name: i.Name, OwnerID: i.OwnerID, Kind: "instance", Node: i.Node,
			Resources: s.Resources, Pod: !waiting[i.ID], Class: spec.ClassTest, Ending: i.Desired != instance.DesiredRunning,
			Mounts: s.Mounts, Home: i.Inherited.Home() == "", HomeID: i.Inherited.Home()})
	}
	runs, err := c.Run.Query().Where(run.TeamIDIn(teamIDs...),
		run.StateIn(run.StatePending, run.StateRunning, run.StateRetrying, run.StateStopping)).WithTask().
		WithAttempts(func(q *ent.AttemptQuery) { q.Where(attempt.EndedAtIsNil(), attempt.NodeNEQ("")) }).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("live runs of teams: %w", err)
	}
	for _, r := range runs {
		if r.Edges.Task == nil {
			continue
		}
		s := r.Edges.Task.Spec
		mounts := s.Mounts
		if s.Code != nil {
			mounts = append(slices.Clone(mounts), spec.Mount{VolumeID: s.Code.VolumeID, Path: manifest.CodePath,
				SubPath: s.Code.SubPath, ReadOnly: !s.Code.Writable})
		}
		node := ""
		for _, a := range r.Edges.Attempts {
			node = a.Node
		}
		out[r.TeamID] = append(out[r.TeamID], Consumer{ID: r.ID, Name: r.Name, OwnerID: r.OwnerID, Kind: "run", Node: node,
			Resources: s.Resources, Pod: r.State != run.StateRetrying && !waiting[r.ID], Class: s.Class,
			Ending: r.Desired != run.DesiredRun, Mounts: mounts, Home: r.Inherited.Home() == "", HomeID: r.Inherited.Home()})
	}
	return out, nil
}

// everything ignores what the viewer sees: a quota is the whole team's.
func everything(ctx context.Context, c *ent.Client, teamID string) ([]Consumer, []*ent.Volume, error) {
	consumers, volumes, err := everythingOf(ctx, c, []string{teamID})
	return consumers[teamID], volumes[teamID], err
}

// everythingOf is everything of several teams, by team, in as many queries as for one.
func everythingOf(ctx context.Context, c *ent.Client, teamIDs []string) (map[string][]Consumer, map[string][]*ent.Volume, error) {
	ctx = authz.AsSystem(ctx)
	consumers, err := consumersOf(ctx, c, teamIDs)
	if err != nil {
		return nil, nil, err
	}
	rows, err := c.Volume.Query().Where(volume.TeamIDIn(teamIDs...)).All(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("volumes of teams: %w", err)
	}
	volumes := make(map[string][]*ent.Volume, len(teamIDs))
	for _, v := range rows {
		volumes[v.TeamID] = append(volumes[v.TeamID], v)
	}
	claims, err := claimsOf(ctx, c, teamIDs)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range claims {
		volumes[v.TeamID] = append(volumes[v.TeamID], v)
	}
	return consumers, volumes, nil
}

// Claims are the shares of other teams' volumes that a team mounts, as the
// volumes without a size that they are to its quota: each is a claim in its
// namespace, and its bytes count where the volume is.
func Claims(ctx context.Context, c *ent.Client, teamID string) ([]*ent.Volume, error) {
	return claimsOf(ctx, c, []string{teamID})
}

// claimsOf are the claims of several teams, in one query.
func claimsOf(ctx context.Context, c *ent.Client, teamIDs []string) ([]*ent.Volume, error) {
	rows, err := c.Share.Query().Where(share.TeamIDIn(teamIDs...), share.AcceptedAtNotNil(),
		share.Or(share.StateEQ(share.StateAccepted), share.ReadyEQ(true))).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("shares in teams: %w", err)
	}
	var out []*ent.Volume
	for _, r := range rows {
		if r.FromTeamID != r.TeamID {
			out = append(out, &ent.Volume{ID: r.ID, Name: r.VolumeName, OwnerID: r.AcceptedBy, TeamID: r.TeamID})
		}
	}
	return out, nil
}

func sum(consumers []Consumer, volumes []*ent.Volume) spec.Quota {
	var q spec.Quota
	for _, c := range consumers {
		if !c.Pod {
			continue
		}
		d := preflight.Demand(c.Resources)
		q.CPUMilli += d.CPUMilli
		q.MemoryBytes += d.MemoryBytes
		q.GPU += d.GPU
		q.Pods += d.Pods
	}
	for _, v := range volumes {
		q.StorageBytes += v.SizeBytes
		q.Volumes++
	}
	return q
}

const maxHolders = 10

// Usage tells what is used of the quota – as the cluster counts it, where it
// counts it – and by whom. The viewer must be able to see the team.
func (s *Service) Usage(ctx context.Context, t *ent.Team) (Usage, error) {
	all, err := s.Usages(ctx, []*ent.Team{t})
	return all[t.ID], err
}

// Usages tells it of several teams, by id, in as many queries as of one.
func (s *Service) Usages(ctx context.Context, teams []*ent.Team) (map[string]Usage, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(teams))
	for i, t := range teams {
		if ids[i] = t.ID; !v.May(authz.Read, t.ID) {
			return nil, fault.Missing("team", t.ID)
		}
	}
	consumers, volumes, err := everythingOf(ctx, s.DB.Client, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[string]Usage, len(teams))
	for _, t := range teams {
		c, disks := consumers[t.ID], volumes[t.ID]
		seen, at := s.observed(t.Namespace)
		out[t.ID] = Usage{ObservedAt: at, Items: items(t, sum(c, disks), seen, c, disks)}
	}
	return out, nil
}

// observed is what the cluster's quota controller counted.
func (s *Service) observed(namespace string) (corev1.ResourceList, *time.Time) {
	if s.Cache == nil {
		return nil, nil
	}
	q, err := s.Cache.Quotas.ResourceQuotas(namespace).Get(manifest.QuotaName)
	if err != nil || q.Status.Hard == nil {
		return nil, nil
	}
	at := s.Cache.LastSeen().UTC()
	return q.Status.Used, &at
}

func items(t *ent.Team, rows spec.Quota, seen corev1.ResourceList, consumers []Consumer, volumes []*ent.Volume) []UsageItem {
	limit, requested := t.Quota, requests(consumers, t.Overcommit)
	of := func(f func(spec.Resources) int64) []Holder {
		var out []Holder
		for _, c := range consumers {
			if n := f(c.Resources); c.Pod && n > 0 {
				out = append(out, Holder{c.ID, c.Name, c.OwnerID, n})
			}
		}
		return largest(out)
	}
	disks := func(f func(*ent.Volume) int64) []Holder {
		var out []Holder
		for _, v := range volumes {
			if n := f(v); n > 0 {
				out = append(out, Holder{v.ID, v.Name, v.OwnerID, n})
			}
		}
		return largest(out)
	}
	item := func(resource, unit string, name corev1.ResourceName, limit, used int64, holders []Holder) UsageItem {
		if q, ok := seen[name]; ok {
			if used = q.Value(); unit == "milli" {
				used = q.MilliValue()
			}
		}
		i := UsageItem{Resource: resource, Unit: unit, Used: used, Holders: holders}
		if n, ok := spec.Bound(limit); ok {
			i.Limit = &n
		}
		return i
	}
	// The namespace also holds claims of platform volumes, which are not the team's: of storage the rows are the truth.
	list := []UsageItem{
		item("cpu", "milli", corev1.ResourceLimitsCPU, limit.CPUMilli, rows.CPUMilli, of(func(r spec.Resources) int64 { return r.CPUMilli })),
		item("memory", "bytes", corev1.ResourceLimitsMemory, limit.MemoryBytes, rows.MemoryBytes, of(func(r spec.Resources) int64 { return r.MemoryBytes })),
		item("gpu", "count", "requests."+manifest.GPUResource, limit.GPU, rows.GPU, of(func(r spec.Resources) int64 { return r.GPU })),
		item("storage", "bytes", "", limit.StorageBytes, rows.StorageBytes, disks(func(v *ent.Volume) int64 { return v.SizeBytes })),
		item("volumes", "count", "", limit.Volumes, rows.Volumes, disks(func(*ent.Volume) int64 { return 1 })),
		item("pods", "count", corev1.ResourcePods, limit.Pods, rows.Pods, of(func(spec.Resources) int64 { return 1 })),
	}
	list[0].Requested, list[1].Requested = &requested.CPUMilli, &requested.MemoryBytes
	return list
}

// requests are what the scheduler counts of consumers' limits.
func requests(consumers []Consumer, o spec.Overcommit) spec.Resources {
	var sum spec.Resources
	for _, c := range consumers {
		if c.Pod {
			r := manifest.Requests(c.Resources, o.For(c.Class))
			sum.CPUMilli += r.CPUMilli
			sum.MemoryBytes += r.MemoryBytes
		}
	}
	return sum
}

func largest(h []Holder) []Holder {
	slices.SortStableFunc(h, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.ID, b.ID))
	})
	return h[:min(len(h), maxHolders)]
}
