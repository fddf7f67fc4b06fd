package volume

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Want is what the row of a volume says.
type Want struct {
	Desired entvolume.Desired
	Phase   entvolume.Phase // as last written
	PurgeAt *time.Time      // of what is in the trash
	Fresh   bool            // somebody changed the row since the claim was last applied
	Object  manifest.Volume // what the claim is to be
}

// Seen is what the cluster has of a volume.
type Seen struct {
	Claim   *corev1.PersistentVolumeClaim // nil when there is none, as the API server says
	Events  []*corev1.Event               // about it
	Applied bool                          // Claim is the answer to an apply just now
	Refused string                        // the cluster's words to an apply just now that it did not take
}

// Act is what is to be done next.
type Act string

// Acts. All but Rest and Apply end the look at the volume.
const (
	Rest   Act = "rest"   // write the status
	Apply  Act = "apply"  // the claim, then decide again
	Remove Act = "remove" // delete the claim, then look again
	Forget Act = "forget" // the row: its claim is gone
	Purge  Act = "purge"  // its time in the trash is over
	Take   Act = "take"   // the size that the claim has: it cannot be made less
)

// Decision is what to do about a volume, and what to write of it.
type Decision struct {
	Act      Act
	Phase    entvolume.Phase
	Reason   *spec.Reason
	Capacity int64 // what the disk has; 0 while there is none
	Size     int64 // of the claim, to Take
	Settled  bool  // the row's generation was carried out
	After    time.Duration
}

// Decide says what to do next about a volume.
//
// A claim of a bound volume that is gone took its disk along. A new, empty one
// under the old name would hide that, so the volume is lost. A claim that
// somebody edited is put right: labels and annotations always, its size where
// that is possible – one that was made larger cannot be made smaller, so the
// row takes its size and the quota counts it.
func Decide(w Want, s Seen, now time.Time) Decision {
	if w.Desired == entvolume.DesiredDeleted {
		if s.Claim == nil {
			return Decision{Act: Forget, Phase: entvolume.PhaseDeleting}
		}
		return Decision{Act: Remove, Phase: entvolume.PhaseDeleting, Settled: true, Capacity: capacityOf(s.Claim), After: time.Second}
	}
	if w.Desired == entvolume.DesiredTrashed && w.PurgeAt != nil && !w.PurgeAt.After(now) {
		return Decision{Act: Purge, Phase: w.Phase, After: time.Second}
	}
	if s.Refused != "" {
		return refusedApply(w, s)
	}
	if s.Claim == nil && w.Phase != entvolume.PhasePending {
		return Decision{Act: Rest, Phase: entvolume.PhaseLost, Reason: &spec.Reason{Code: "volume-claim-gone"}, Settled: true}
	}
	if !s.Applied && (s.Claim == nil || s.Claim.DeletionTimestamp == nil && (w.Fresh || drifted(s.Claim, w.Object))) {
		return Decision{Act: Apply, Phase: w.Phase}
	}
	d := Decision{Act: Rest, Settled: true, Capacity: capacityOf(s.Claim)}
	d.Phase, d.Reason = observe(s.Claim, s.Events)
	switch {
	case s.Claim.DeletionTimestamp != nil:
		d.Reason, d.After = &spec.Reason{Code: "volume-claim-ending"}, waiting
	case d.Phase == entvolume.PhasePending:
		d.After = waiting
	case d.Phase == entvolume.PhaseBound && d.Reason != nil: // it grows
		d.After = waiting
	}
	return d
}

// refusedApply says what follows from an apply that the cluster did not take.
func refusedApply(w Want, s Seen) Decision {
	d := Decision{Act: Rest, Phase: w.Phase, After: refused, Capacity: capacityOf(s.Claim)}
	has := requestOf(s.Claim)
	switch {
	case s.Claim != nil && has > w.Object.SizeBytes:
		d.Act, d.Size = Take, has
	case s.Claim != nil && has < w.Object.SizeBytes:
		d.Reason = &spec.Reason{Code: "volume-expand-refused", Args: map[string]any{
			"from": quantity.Memory(has), "to": quantity.Memory(w.Object.SizeBytes), "detail": s.Refused}}
	default:
		d.Reason = &spec.Reason{Code: "volume-refused", Args: map[string]any{"detail": s.Refused}}
	}
	return d
}

// drifted reports whether somebody changed of a claim what is ours to say.
func drifted(c *corev1.PersistentVolumeClaim, v manifest.Volume) bool {
	labels, annotations := manifest.VolumeMarks(v)
	for k, want := range labels {
		if c.Labels[k] != want {
			return true
		}
	}
	for k, want := range annotations {
		if c.Annotations[k] != want {
			return true
		}
	}
	return requestOf(c) != v.SizeBytes
}

func requestOf(c *corev1.PersistentVolumeClaim) int64 {
	if c == nil {
		return 0
	}
	return c.Spec.Resources.Requests.Storage().Value()
}

// capacityOf is what the disk has; a bound claim has always some.
func capacityOf(c *corev1.PersistentVolumeClaim) int64 {
	if c == nil || c.Status.Phase != corev1.ClaimBound {
		return 0
	}
	return c.Status.Capacity.Storage().Value()
}

// observe reads the phase of a claim, and why it waits.
func observe(claim *corev1.PersistentVolumeClaim, events []*corev1.Event) (entvolume.Phase, *spec.Reason) {
	newest := newestEvent(claim, events)
	switch claim.Status.Phase {
	case corev1.ClaimBound:
		return entvolume.PhaseBound, growing(claim, newest)
	case corev1.ClaimLost:
		return entvolume.PhaseLost, &spec.Reason{Code: "volume-disk-lost"}
	}
	switch {
	case newest == nil:
		return entvolume.PhasePending, nil
	case newest.Reason == "WaitForFirstConsumer", newest.Reason == "WaitForPodScheduled":
		return entvolume.PhasePending, &spec.Reason{Code: "volume-waits-for-pod"}
	case newest.Type == corev1.EventTypeWarning:
		return entvolume.PhasePending, &spec.Reason{Code: "volume-provisioning", Args: map[string]any{"detail": strings.TrimSpace(newest.Message)}}
	}
	return entvolume.PhasePending, nil
}

func newestEvent(claim *corev1.PersistentVolumeClaim, events []*corev1.Event) *corev1.Event {
	var newest *corev1.Event
	for _, e := range events {
		if e.InvolvedObject.UID == claim.UID && (newest == nil || history.LastTime(e).After(history.LastTime(newest))) {
			newest = e
		}
	}
	return newest
}

// growing says how far the expansion of a bound claim is; nil when its disk has
// what it asks for. What went wrong counts more than what goes on.
func growing(c *corev1.PersistentVolumeClaim, newest *corev1.Event) *spec.Reason {
	has, wants := capacityOf(c), requestOf(c)
	if has >= wants {
		return nil
	}
	code, detail := "volume-expanding", ""
	for _, k := range c.Status.Conditions {
		if k.Status != corev1.ConditionTrue {
			continue
		}
		switch k.Type {
		case corev1.PersistentVolumeClaimControllerResizeError, corev1.PersistentVolumeClaimNodeResizeError:
			code, detail = "volume-expand-failed", strings.TrimSpace(k.Message)
		case corev1.PersistentVolumeClaimFileSystemResizePending:
			if code == "volume-expanding" {
				code = "volume-expand-waits"
			}
		}
	}
	switch c.Status.AllocatedResourceStatuses[corev1.ResourceStorage] {
	case corev1.PersistentVolumeClaimControllerResizeInfeasible, corev1.PersistentVolumeClaimNodeResizeInfeasible:
		code = "volume-expand-failed"
	}
	if newest != nil && newest.Type == corev1.EventTypeWarning && strings.Contains(newest.Reason, "Resize") {
		code = "volume-expand-failed"
		if detail == "" {
			detail = strings.TrimSpace(newest.Message)
		}
	}
	args := map[string]any{"from": quantity.Memory(has), "to": quantity.Memory(wants)}
	if code == "volume-expand-failed" {
		args["detail"] = detail
	}
	return &spec.Reason{Code: code, Args: args}
}
