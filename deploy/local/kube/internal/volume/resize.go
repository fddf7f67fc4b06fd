package volume

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// grow serves claims that ask for more than they have. A folder has no size of its own, so it is enough to say yes: first
// on the volume, then on the claim, as a storage system's resizer does.
func grow(ctx context.Context, c kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(c, 10*time.Minute)
	handle := func(o any) {
		claim, ok := o.(*v1.PersistentVolumeClaim)
		if !ok || !wantsMore(claim) {
			return
		}
		if err := growClaim(ctx, c, claim); err != nil {
			slog.Error("cannot grow a volume; trying again later", "namespace", claim.Namespace, "claim", claim.Name, "error", err)
		}
	}
	_, err := factory.Core().V1().PersistentVolumeClaims().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: handle, UpdateFunc: func(_, o any) { handle(o) },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	return nil
}

// wantsMore says whether a bound claim of ours asks for more than it has.
func wantsMore(claim *v1.PersistentVolumeClaim) bool {
	if claim.Status.Phase != v1.ClaimBound || claim.Annotations["volume.kubernetes.io/storage-provisioner"] != Provisioner {
		return false
	}
	want, has := claim.Spec.Resources.Requests[v1.ResourceStorage], claim.Status.Capacity[v1.ResourceStorage]
	return want.Cmp(has) > 0
}

func growClaim(ctx context.Context, c kubernetes.Interface, claim *v1.PersistentVolumeClaim) error {
	capacity := map[string]any{"capacity": map[string]string{"storage": claim.Spec.Resources.Requests.Storage().String()}}
	onVolume, err := json.Marshal(map[string]any{"spec": capacity})
	if err != nil {
		return err
	}
	onClaim, err := json.Marshal(map[string]any{"status": capacity})
	if err != nil {
		return err
	}
	if _, err := c.CoreV1().PersistentVolumes().Patch(ctx, claim.Spec.VolumeName, types.MergePatchType, onVolume, metav1.PatchOptions{}); err != nil {
		return err
	}
	_, err = c.CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(ctx, claim.Name, types.MergePatchType, onClaim, metav1.PatchOptions{}, "status")
	return err
}
