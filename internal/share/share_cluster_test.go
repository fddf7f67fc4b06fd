//go:build cluster

package share_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	entshare "github.com/goblinlab/goblinlab/ent/share"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/share"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// TestP23AShareLivesAndEnds is the life of a share between two teams on a real
// cluster: it is read, cannot be written, is written once that was granted, and
// is gone after its end, with the data where it was (P20, P22, P23).
func TestP23AShareLivesAndEnds(t *testing.T) {
	l := newLab(t)
	vol := l.data()
	own := spec.Mount{VolumeID: vol.ID, Path: "/data"}
	lacks(t, l.says(l.Team, l.Member, "mkdir -p /data/set && echo treasure > /data/set/a && echo written", own), "succeeded", "written")

	p, err := l.shares.Preview(l.as(l.Member), share.Target{VolumeID: vol.ID, Kind: entshare.GranteeKindUser, Grantee: l.Other.Email, Mode: entshare.ModeReadOnly}, l.volumes.UsedBy)
	if err != nil || !p.AcrossTeams || p.Reason != nil {
		t.Fatalf("the local Kubernetes can share: %+v, %v", p, err)
	}
	sh, err := l.shares.Offer(l.as(l.Member), share.OfferInput{Target: share.Target{VolumeID: vol.ID, Kind: entshare.GranteeKindUser, Grantee: l.Other.Email, Mode: entshare.ModeReadOnly}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.shares.Accept(l.as(l.Other), sh.ID, l.OtherTeam.ID); err != nil {
		t.Fatal(err)
	}
	l.stop() // killed in between: the next process finds what is to do
	l.start()
	sh = l.ready(sh.ID)

	read := spec.Mount{VolumeID: sh.ID, Path: "/shared", ReadOnly: true}
	said := l.says(l.OtherTeam, l.Other, "cat /shared/set/a; echo mine > /shared/evil || echo refused; echo over > /shared/set/a || echo refused again", read)
	lacks(t, said, "treasure", "Read-only file system", "refused", "refused again")
	deep := read
	deep.SubPath = "set"
	lacks(t, l.says(l.OtherTeam, l.Other, "ls /shared", deep), "succeeded", "\na\n")

	// Somebody deletes the volume object by hand: it is made anew on the same storage.
	if err := l.kube.CoreV1().PersistentVolumeClaims(l.OtherTeam.Namespace).Delete(l.sys, sh.ReadOnlyName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	l.eventually("the claim is made anew", func() error {
		c, err := l.kube.CoreV1().PersistentVolumeClaims(l.OtherTeam.Namespace).Get(l.sys, sh.ReadOnlyName, metav1.GetOptions{})
		if err == nil && (c.DeletionTimestamp != nil || c.Status.Phase != corev1.ClaimBound) {
			err = fmt.Errorf("%s", c.Status.Phase)
		}
		return err
	})
	l.ready(sh.ID)
	lacks(t, l.says(l.OtherTeam, l.Other, "cat /shared/set/a", read), "treasure")

	// A change to read and write works for what starts from then on.
	if _, err := l.shares.Change(l.as(l.Member), share.ChangeInput{ID: sh.ID, Mode: modeOf(entshare.ModeReadWrite)}); err != nil {
		t.Fatal(err)
	}
	l.ready(sh.ID)
	write := spec.Mount{VolumeID: sh.ID, Path: "/shared"}
	lacks(t, l.says(l.OtherTeam, l.Other, "echo theirs > /shared/set/b && cat /shared/set/b", write), "succeeded", "theirs")

	// And back: what runs and could write starts again, reading.
	i, err := l.instances.Create(l.as(l.Other), instance.CreateInput{TeamID: l.OtherTeam.ID, Name: "lab", ImageID: l.image.ID,
		Resources: instance.Resources{CPU: "200m", Memory: "128Mi"}, Mounts: []spec.Mount{write}, Start: true})
	if err != nil {
		t.Fatal(err)
	}
	i = l.running(i.ID, 1)
	if _, err := l.shares.Change(l.as(l.Member), share.ChangeInput{ID: sh.ID, Mode: modeOf(entshare.ModeReadOnly)}); fields(err) != "share.in-use" {
		t.Fatalf("P20: under who writes: %v", err)
	}
	if _, err := l.shares.Change(l.as(l.Member), share.ChangeInput{ID: sh.ID, Mode: modeOf(entshare.ModeReadOnly), Restart: true}); err != nil {
		t.Fatal(err)
	}
	i = l.running(i.ID, 2)
	found := false
	for _, v := range l.pod(i).Spec.Volumes {
		if c := v.PersistentVolumeClaim; c != nil && c.ClaimName == sh.ReadOnlyName {
			found = c.ReadOnly
		}
	}
	if !found {
		t.Errorf("P22: the restarted pod does not mount the read-only claim as a read-only volume: %+v", l.pod(i).Spec.Volumes)
	}

	// The end: named first, then carried out, killed in between.
	r := l.begin(l.OtherTeam, l.Other, "while true; do sleep 1; done", read)
	l.eventually("the run runs", func() error {
		if got := l.db.Client.Run.GetX(l.sys, r.ID); got.State != "running" {
			return fmt.Errorf("%s %+v", got.State, got.Reason)
		}
		return nil
	})
	end, err := l.shares.PreviewEnd(l.as(l.Member), sh.ID)
	if err != nil || len(end.UsedBy) != 2 {
		t.Fatalf("P20: %+v, %v", end, err)
	}
	if err := l.volumes.Delete(l.as(l.Member), vol.ID, vol.Name); fields(err) != "volume.in-use" {
		t.Errorf("P20: deleted under the grantee: %v", err)
	}
	if _, err := l.shares.Revoke(l.as(l.Member), sh.ID, true, entshare.AfterRestart); err != nil {
		t.Fatal(err)
	}
	l.stop()
	l.start()
	l.eventually("the run is stopped", func() error {
		if got := l.db.Client.Run.GetX(l.sys, r.ID); !stopped(got) {
			return fmt.Errorf("%s %+v", got.State, got.Reason)
		}
		return nil
	})
	i = l.running(i.ID, 3)
	if len(i.Spec.Mounts) != 0 {
		t.Errorf("the instance still asks for %+v", i.Spec.Mounts)
	}
	l.gone(sh)
	if got := l.db.Client.Share.GetX(l.sys, sh.ID); got.State != entshare.StateRevoked || got.Reason == nil || got.Reason.Code != "share-revoked" {
		t.Errorf("%+v", got)
	}
	if _, err := volume.Mounted(l.sys, l.db.Client, l.OtherTeam.ID, l.Other.ID, []spec.Mount{read}); err != nil {
		t.Error(err)
	}
	lacks(t, l.says(l.Team, l.Member, "cat /data/set/a /data/set/b; ls -A /data", own), "succeeded", "treasure", "theirs")
	pv, err := l.kube.CoreV1().PersistentVolumeClaims(l.Team.Namespace).Get(l.sys, vol.ObjectName, metav1.GetOptions{})
	if err != nil || pv.Status.Phase != corev1.ClaimBound {
		t.Errorf("the volume itself: %v, %v", pv, err)
	}
}
