package volume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/ent/volumesample"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	sampleEvery  = time.Minute     // how often the kubelets are asked
	pointEvery   = 5 * time.Minute // how often that is kept
	pointsKept   = 24 * time.Hour  // all points; older ones by the hour
	forgetEvery  = time.Hour
	nodeTimeout  = 10 * time.Second
	nodesAtOnce  = 8
	roomAgain    = 5   // percent below the limit before there is room again
	sharedFactor = 1.5 // a file system this much larger than its claim is not the claim's alone
)

// SampleUsage looks at how full volumes are, again and again until ctx ends. It
// runs where one process leads.
func (s *Service) SampleUsage(ctx context.Context) {
	forgot := time.Time{}
	t := time.NewTicker(sampleEvery)
	defer t.Stop()
	for {
		now := time.Now().UTC()
		err := s.Sample(ctx)
		if now.Sub(forgot) > forgetEvery {
			err = errors.Join(err, s.forgetSamples(ctx, now))
			forgot = now
		}
		if err != nil && ctx.Err() == nil {
			slog.Warn("use of volumes not seen", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// Sample looks once at how full volumes are: at what the kubelets measure of
// those that are mounted, and at what the local Kubernetes sums up of folders.
func (s *Service) Sample(ctx context.Context) error {
	if s.Kube == nil || s.Cache == nil || !s.Cache.Synced() {
		return nil
	}
	ctx = authz.AsSystem(ctx)
	rows, err := s.DB.Client.Volume.Query().Where(entvolume.PhaseEQ(entvolume.PhaseBound), entvolume.DesiredNEQ(entvolume.DesiredDeleted)).
		WithTeam(func(q *ent.TeamQuery) { q.Select(entteam.FieldID, entteam.FieldNamespace) }).All(ctx)
	if err != nil {
		return fmt.Errorf("bound volumes: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	measured, err := s.kubelets(ctx)
	folders, err2 := s.folders(ctx)
	errs := []error{err, err2}
	for _, row := range rows {
		at := claimKey{row.Edges.Team.Namespace, row.ObjectName}
		u, ok := folders[at]
		if m, there := measured[at]; there && !ok {
			u, ok = usageOf(m, row.CapacityBytes), true
		}
		if ok && (row.Usage == nil || u.At.After(row.Usage.At)) {
			errs = append(errs, s.keep(ctx, row, u))
		}
	}
	return errors.Join(errs...)
}

type claimKey struct{ namespace, name string }

// kubelets asks every node that is ready. Of a claim that several have mounted
// the newest measure counts. A platform that may not ask is told so once.
func (s *Service) kubelets(ctx context.Context) (map[claimKey]kube.VolumeStats, error) {
	nodes, err := s.Cache.Nodes.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	out, slots := map[claimKey]kube.VolumeStats{}, make(chan struct{}, nodesAtOnce)
	for _, n := range nodes {
		if !ready(n) {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			ctx, stop := context.WithTimeout(ctx, nodeTimeout)
			defer stop()
			list, err := s.Kube.VolumeStats(ctx, n.Name)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case apierrors.IsForbidden(err):
				s.hidden.Do(func() {
					slog.Warn("the platform may not ask kubelets how full volumes are; allow it to get nodes/proxy", "err", err)
				})
			case err != nil:
				errs = append(errs, err)
			}
			for _, v := range list {
				k := claimKey{v.Namespace, v.Claim}
				if old, ok := out[k]; !ok || v.At.After(old.At) {
					out[k] = v
				}
			}
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

func ready(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// usageOf tells whose figures a measure is: a file system much larger than what
// the claim was given is shared with others, as an export of NFS or a disk of
// the node.
func usageOf(m kube.VolumeStats, capacity int64) spec.VolumeUsage {
	u := spec.VolumeUsage{UsedBytes: m.UsedBytes, CapacityBytes: m.CapacityBytes, InodesUsed: m.InodesUsed, Inodes: m.Inodes,
		At: m.At, Source: spec.UsageFilesystem}
	if capacity > 0 && float64(m.CapacityBytes) > sharedFactor*float64(capacity) {
		u.Source = spec.UsageShared
	}
	return u
}

// folders are the sums of the local Kubernetes, which it notes at its
// PersistentVolumes. A folder has no limit of its own: its capacity is what was
// asked for, and nothing enforces it.
func (s *Service) folders(ctx context.Context) (map[claimKey]spec.VolumeUsage, error) {
	list, err := s.Kube.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if apierrors.IsForbidden(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("persistent volumes: %w", err)
	}
	out := map[claimKey]spec.VolumeUsage{}
	for i := range list.Items {
		pv := &list.Items[i]
		if u, ok := folderUsage(pv); ok {
			out[claimKey{pv.Spec.ClaimRef.Namespace, pv.Spec.ClaimRef.Name}] = u
		}
	}
	return out, nil
}

func folderUsage(pv *corev1.PersistentVolume) (spec.VolumeUsage, bool) {
	text := pv.Annotations[manifest.AnnotationFolderUsage]
	if text == "" || pv.Spec.ClaimRef == nil {
		return spec.VolumeUsage{}, false
	}
	var sum struct {
		Bytes  int64     `json:"bytes"`
		Inodes int64     `json:"inodes"`
		At     time.Time `json:"at"`
	}
	if err := json.Unmarshal([]byte(text), &sum); err != nil || sum.At.IsZero() {
		return spec.VolumeUsage{}, false
	}
	return spec.VolumeUsage{UsedBytes: sum.Bytes, CapacityBytes: pv.Spec.Capacity.Storage().Value(), InodesUsed: sum.Inodes,
		At: sum.At.UTC(), Source: spec.UsageFolder}, true
}

// keep writes how full a volume is, a point of its history when one is due, and
// an event when it became nearly full or has room again. Those are what alerts
// go by.
func (s *Service) keep(ctx context.Context, v *ent.Volume, u spec.VolumeUsage) error {
	was := v.NearlyFull
	is, told := fullness(u, was, s.Config.Now().Limits.VolumeFull)
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.Volume.Update().Where(entvolume.ID(v.ID)).SetUsage(&u).SetNearlyFull(is).Save(ctx)
		if err != nil || n == 0 {
			return err
		}
		if told != nil {
			told.TeamID, told.SubjectID, told.Source = v.TeamID, v.ID, platform
			if _, err := history.Add(ctx, tx.Event, *told); err != nil {
				return err
			}
		}
		last, err := tx.VolumeSample.Query().Where(volumesample.VolumeID(v.ID)).Order(ent.Desc(volumesample.FieldAt)).First(ctx)
		switch {
		case ent.IsNotFound(err):
		case err != nil:
			return err
		case u.At.Before(last.At.Add(pointEvery - sampleEvery/2)):
			return nil
		}
		hourly := last == nil || !last.At.Truncate(time.Hour).Equal(u.At.Truncate(time.Hour))
		return tx.VolumeSample.Create().SetVolumeID(v.ID).SetAt(u.At).SetUsedBytes(u.UsedBytes).SetCapacityBytes(u.CapacityBytes).
			SetInodesUsed(u.InodesUsed).SetInodes(u.Inodes).SetSource(volumesample.Source(u.Source)).SetHourly(hourly).Exec(ctx)
	})
	if err != nil {
		return fmt.Errorf("keep the use of volume %s: %w", v.ID, err)
	}
	if told != nil {
		s.published(ctx, v)
		s.Broker.Publish(ctx, event.Message{Topic: "event", ID: v.ID, TeamID: v.TeamID})
	}
	return nil
}

// fullness says whether a volume counts as nearly full, and what to tell when
// that has changed. It has room again a little below the limit, so that one
// that hovers there is told of once.
func fullness(u spec.VolumeUsage, was bool, limit int) (is bool, told *history.Entry) {
	p := u.Percent()
	switch {
	case p >= limit && !was:
		e := history.Entry{Type: "volume-full", Severity: entevent.SeverityWarning, Args: map[string]any{"percent": p, "capacity": quantity.Memory(u.CapacityBytes)}}
		if u.CapacityBytes <= 0 || int(float64(u.UsedBytes)/float64(u.CapacityBytes)*100) < p {
			e.Type, e.Args = "volume-files-full", map[string]any{"percent": p}
		}
		return true, &e
	case p < limit-roomAgain && was:
		return false, &history.Entry{Type: "volume-room", Args: map[string]any{"percent": p}}
	}
	return was, nil
}

// ReasonOf says why a volume is not as it should be: that its disk is on its way
// or gone, or that it is nearly full.
func ReasonOf(v *ent.Volume) *spec.Reason {
	if v.Reason != nil || !v.NearlyFull || v.Usage == nil {
		return v.Reason
	}
	r := &spec.Reason{Code: "volume-nearly-full", Args: map[string]any{"percent": v.Usage.Percent(),
		"used": quantity.Memory(v.Usage.UsedBytes), "capacity": quantity.Memory(v.Usage.CapacityBytes)}}
	if v.Usage.Source == spec.UsageShared {
		r.Code = "volume-disk-nearly-full"
	}
	return r
}

// forgetSamples keeps all points of a day, and one an hour of a month.
func (s *Service) forgetSamples(ctx context.Context, now time.Time) error {
	_, err := s.DB.Client.VolumeSample.Delete().Where(volumesample.Or(
		volumesample.AtLT(now.Add(-historyKept)),
		volumesample.And(volumesample.AtLT(now.Add(-pointsKept)), volumesample.Hourly(false)),
	)).Exec(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("old samples of volumes: %w", err)
	}
	return nil
}
