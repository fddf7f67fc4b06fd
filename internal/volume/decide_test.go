package volume

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const gib = int64(1) << 30

func decideObject() manifest.Volume {
	return manifest.Volume{Object: manifest.Object{Namespace: "team-a", Name: "data-vol-1", ID: "vol-1", OwnerID: "usr-1", TeamID: "team-1",
		OwnerEmail: "li@example.com", Title: "data", Generation: 3}, AccessMode: "ReadWriteMany", SizeBytes: 20 * gib}
}

// claim is what the cluster has of decideObject.
func decideClaim(change ...func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	labels, annotations := manifest.VolumeMarks(decideObject())
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "data-vol-1", UID: "u", Labels: labels, Annotations: annotations}}
	c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(20*gib, resource.BinarySI)}
	c.Status.Phase = corev1.ClaimBound
	c.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(20*gib, resource.BinarySI)}
	for _, f := range change {
		f(c)
	}
	return c
}

func has(n int64) func(*corev1.PersistentVolumeClaim) {
	return func(c *corev1.PersistentVolumeClaim) {
		c.Status.Capacity[corev1.ResourceStorage] = *resource.NewQuantity(n, resource.BinarySI)
	}
}

func asks(n int64) func(*corev1.PersistentVolumeClaim) {
	return func(c *corev1.PersistentVolumeClaim) {
		c.Spec.Resources.Requests[corev1.ResourceStorage] = *resource.NewQuantity(n, resource.BinarySI)
	}
}

func phased(p corev1.PersistentVolumeClaimPhase) func(*corev1.PersistentVolumeClaim) {
	return func(c *corev1.PersistentVolumeClaim) { c.Status.Phase = p }
}

func condition(t corev1.PersistentVolumeClaimConditionType, message string) func(*corev1.PersistentVolumeClaim) {
	return func(c *corev1.PersistentVolumeClaim) {
		c.Status.Conditions = append(c.Status.Conditions, corev1.PersistentVolumeClaimCondition{Type: t, Status: corev1.ConditionTrue, Message: message})
	}
}

func endingClaim(c *corev1.PersistentVolumeClaim) {
	c.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	soon, past := now.Add(time.Hour), now.Add(-time.Second)
	const (
		present, trashed, deleted = entvolume.DesiredPresent, entvolume.DesiredTrashed, entvolume.DesiredDeleted
		pending, bound, lost      = entvolume.PhasePending, entvolume.PhaseBound, entvolume.PhaseLost
		going                     = entvolume.PhaseDeleting
	)
	event := func(reason, message string) []*corev1.Event {
		return []*corev1.Event{{Type: "Warning", Reason: reason, Message: message, InvolvedObject: corev1.ObjectReference{UID: "u"}, LastTimestamp: metav1.NewTime(now)}}
	}
	rest := func(p entvolume.Phase, capacity int64, r *spec.Reason, after time.Duration) Decision {
		return Decision{Act: Rest, Phase: p, Capacity: capacity, Reason: r, Settled: true, After: after}
	}
	grows := func(code string, more map[string]any) *spec.Reason {
		args := map[string]any{"from": "10 GiB", "to": "20 GiB"}
		for k, v := range more {
			args[k] = v
		}
		return &spec.Reason{Code: code, Args: args}
	}
	for name, c := range map[string]struct {
		want Want
		seen Seen
		out  Decision
	}{
		"a new one is made":                    {Want{Desired: present, Phase: pending, Fresh: true}, Seen{}, Decision{Act: Apply, Phase: pending}},
		"and waits for its disk":               {Want{Desired: present, Phase: pending, Fresh: true}, Seen{Claim: decideClaim(phased(corev1.ClaimPending)), Applied: true}, rest(pending, 0, nil, waiting)},
		"and is bound":                         {Want{Desired: present, Phase: pending}, Seen{Claim: decideClaim()}, rest(bound, 20*gib, nil, 0)},
		"one that was changed is applied":      {Want{Desired: present, Phase: bound, Fresh: true}, Seen{Claim: decideClaim()}, Decision{Act: Apply, Phase: bound}},
		"a bound claim that is gone is lost":   {Want{Desired: present, Phase: bound}, Seen{}, Decision{Act: Rest, Phase: lost, Reason: &spec.Reason{Code: "volume-claim-gone"}, Settled: true}},
		"and stays lost, never made anew":      {Want{Desired: present, Phase: lost, Fresh: true}, Seen{}, Decision{Act: Rest, Phase: lost, Reason: &spec.Reason{Code: "volume-claim-gone"}, Settled: true}},
		"a disk that is lost":                  {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(phased(corev1.ClaimLost))}, rest(lost, 0, &spec.Reason{Code: "volume-disk-lost"}, 0)},
		"a label that somebody took":           {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(func(c *corev1.PersistentVolumeClaim) { delete(c.Labels, manifest.LabelVolumeID) })}, Decision{Act: Apply, Phase: bound}},
		"a name that somebody changed":         {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(func(c *corev1.PersistentVolumeClaim) { c.Annotations[manifest.AnnotationName] = "x" })}, Decision{Act: Apply, Phase: bound}},
		"a label of somebody else's is theirs": {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(func(c *corev1.PersistentVolumeClaim) { c.Labels["backup"] = "yes" })}, rest(bound, 20*gib, nil, 0)},
		"a size that somebody changed":         {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(asks(30 * gib))}, Decision{Act: Apply, Phase: bound}},
		"that cannot be put right is taken":    {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(asks(30*gib), has(30*gib)), Refused: "no"}, Decision{Act: Take, Phase: bound, Size: 30 * gib, Capacity: 30 * gib, After: refused}},
		"an expansion that is refused":         {Want{Desired: present, Phase: bound, Fresh: true}, Seen{Claim: decideClaim(asks(10*gib), has(10*gib)), Refused: "class"}, Decision{Act: Rest, Phase: bound, Capacity: 10 * gib, After: refused, Reason: grows("volume-expand-refused", map[string]any{"detail": "class"})}},
		"a claim that is refused":              {Want{Desired: present, Phase: pending, Fresh: true}, Seen{Refused: "quota"}, Decision{Act: Rest, Phase: pending, After: refused, Reason: &spec.Reason{Code: "volume-refused", Args: map[string]any{"detail": "quota"}}}},
		"one that grows":                       {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(has(10*gib), condition(corev1.PersistentVolumeClaimResizing, ""))}, rest(bound, 10*gib, grows("volume-expanding", nil), waiting)},
		"one whose files follow later":         {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(has(10*gib), condition(corev1.PersistentVolumeClaimFileSystemResizePending, ""))}, rest(bound, 10*gib, grows("volume-expand-waits", nil), waiting)},
		"one that fails to grow":               {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(has(10*gib), condition(corev1.PersistentVolumeClaimFileSystemResizePending, ""), condition(corev1.PersistentVolumeClaimControllerResizeError, " no space "))}, rest(bound, 10*gib, grows("volume-expand-failed", map[string]any{"detail": "no space"}), waiting)},
		"one that fails by an event":           {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(has(10 * gib)), Events: event("VolumeResizeFailed", "no driver")}, rest(bound, 10*gib, grows("volume-expand-failed", map[string]any{"detail": "no driver"}), waiting)},
		"one that cannot ever": {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(has(10*gib), func(c *corev1.PersistentVolumeClaim) {
			c.Status.AllocatedResourceStatuses = map[corev1.ResourceName]corev1.ClaimResourceStatus{corev1.ResourceStorage: corev1.PersistentVolumeClaimControllerResizeInfeasible}
		})}, rest(bound, 10*gib, grows("volume-expand-failed", map[string]any{"detail": ""}), waiting)},
		"more than was asked for is fine":       {Want{Desired: present, Phase: bound}, Seen{Claim: decideClaim(has(32 * gib))}, rest(bound, 32*gib, nil, 0)},
		"a claim that somebody deletes":         {Want{Desired: present, Phase: bound, Fresh: true}, Seen{Claim: decideClaim(endingClaim)}, rest(bound, 20*gib, &spec.Reason{Code: "volume-claim-ending"}, waiting)},
		"the trash keeps the claim":             {Want{Desired: trashed, Phase: bound, PurgeAt: &soon}, Seen{Claim: decideClaim()}, rest(bound, 20*gib, nil, 0)},
		"the trash makes one that waits":        {Want{Desired: trashed, Phase: pending, PurgeAt: &soon, Fresh: true}, Seen{}, Decision{Act: Apply, Phase: pending}},
		"the trash gives up after its time":     {Want{Desired: trashed, Phase: bound, PurgeAt: &past}, Seen{Claim: decideClaim()}, Decision{Act: Purge, Phase: bound, After: time.Second}},
		"to the second":                         {Want{Desired: trashed, Phase: bound, PurgeAt: &now}, Seen{Claim: decideClaim()}, Decision{Act: Purge, Phase: bound, After: time.Second}},
		"deleted: its claim goes":               {Want{Desired: deleted, Phase: going}, Seen{Claim: decideClaim()}, Decision{Act: Remove, Phase: going, Settled: true, Capacity: 20 * gib, After: time.Second}},
		"deleted: whatever the trash said":      {Want{Desired: deleted, Phase: going, PurgeAt: &past}, Seen{}, Decision{Act: Forget, Phase: going}},
		"deleted: never made anew":              {Want{Desired: deleted, Phase: going, Fresh: true}, Seen{}, Decision{Act: Forget, Phase: going}},
		"an old event of another claim is none": {Want{Desired: present, Phase: pending}, Seen{Claim: decideClaim(phased(corev1.ClaimPending)), Events: []*corev1.Event{{Type: "Warning", Reason: "ProvisioningFailed", InvolvedObject: corev1.ObjectReference{UID: "older"}}}}, rest(pending, 0, nil, waiting)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.want.Object = decideObject()
			if diff := cmp.Diff(c.out, Decide(c.want, c.seen, now)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDecideComesToRest carries decisions out on a model of a claim: whatever
// it begins with, an apply is answered and nothing goes round.
func TestDecideComesToRest(t *testing.T) {
	t.Parallel()
	for _, claim := range []*corev1.PersistentVolumeClaim{nil, decideClaim(), decideClaim(asks(1*gib), has(1*gib)), decideClaim(asks(90*gib), has(90*gib))} {
		for _, fresh := range []bool{true, false} {
			for _, takes := range []bool{true, false} {
				w := Want{Desired: entvolume.DesiredPresent, Phase: entvolume.PhasePending, Fresh: fresh, Object: decideObject()}
				s := Seen{Claim: claim}
				acts := []Act{}
				for range 4 {
					d := Decide(w, s, time.Now())
					acts = append(acts, d.Act)
					if d.Act != Apply {
						break
					}
					if takes {
						s.Claim, s.Applied = decideClaim(), true
					} else {
						s.Refused = "no"
					}
				}
				if last := acts[len(acts)-1]; last != Rest && last != Take {
					t.Errorf("fresh %v, takes %v: %v", fresh, takes, acts)
				}
			}
		}
	}
}
