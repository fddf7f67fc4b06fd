// Package volume makes a folder of the machine for each claim of the storage class "standard".
//
// All nodes are on one machine, so a volume has no node affinity and can be used from every node, by one pod or by many.
package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

const (
	// Provisioner is the name under which the storage class asks for volumes.
	Provisioner = "goblinlab.io/local-folder"
	// ClassName is the default storage class.
	ClassName = "standard"
)

// folders provisions volumes below one folder.
type folders struct{ root string }

var _ controller.Provisioner = folders{}

// Start makes the storage class and serves its claims until ctx ends.
func Start(ctx context.Context, c kubernetes.Interface, root string) error {
	if err := makeRoot(root); err != nil {
		return err
	}
	if err := ensureClass(ctx, c); err != nil {
		return fmt.Errorf("storage class: %w", err)
	}
	p := controller.NewProvisionController(ctx, c, Provisioner, folders{root: root},
		controller.LeaderElection(false), controller.MetricsPort(0))
	go p.Run(ctx)
	go measure(ctx, c, root)
	return grow(ctx, c)
}

// makeRoot makes the folder of all volumes. Root alone may enter it: any user of the machine could otherwise run a setuid
// program that a container has written, or read what a user of the same number in another container keeps to itself.
func makeRoot(root string) error {
	return errors.Join(os.MkdirAll(root, 0o700), os.Chmod(root, 0o700))
}

func ensureClass(ctx context.Context, c kubernetes.Interface) error {
	reclaim, binding, growing := v1.PersistentVolumeReclaimDelete, storagev1.VolumeBindingImmediate, true
	_, err := c.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name:        ClassName,
			Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
		},
		Provisioner: Provisioner, ReclaimPolicy: &reclaim, VolumeBindingMode: &binding, AllowVolumeExpansion: &growing,
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// Provision makes the folder of a new volume.
func (f folders) Provision(_ context.Context, o controller.ProvisionOptions) (*v1.PersistentVolume, controller.ProvisioningState, error) {
	rel, err := relPath(o.PVC.Namespace, o.PVName)
	if err == nil {
		err = f.create(rel)
	}
	if err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	kind := v1.HostPathDirectory // a folder that vanished is an error, not an empty volume
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: o.PVName},
		Spec: v1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *o.StorageClass.ReclaimPolicy,
			AccessModes:                   o.PVC.Spec.AccessModes,
			MountOptions:                  o.StorageClass.MountOptions,
			Capacity:                      v1.ResourceList{v1.ResourceStorage: o.PVC.Spec.Resources.Requests[v1.ResourceStorage]},
			PersistentVolumeSource: v1.PersistentVolumeSource{
				HostPath: &v1.HostPathVolumeSource{Path: filepath.Join(f.root, rel), Type: &kind},
			},
		},
	}, controller.ProvisioningFinished, nil
}

// Delete removes the folder of a released volume. The path in the object could have been edited: it must be the one that
// Provision would have made.
func (f folders) Delete(_ context.Context, pv *v1.PersistentVolume) error {
	if pv.Spec.HostPath == nil || pv.Spec.ClaimRef == nil {
		return fmt.Errorf("volume %s was not made by %s", pv.Name, Provisioner)
	}
	rel, err := relPath(pv.Spec.ClaimRef.Namespace, pv.Name)
	if err != nil {
		return err
	}
	if want := filepath.Join(f.root, rel); pv.Spec.HostPath.Path != want {
		return fmt.Errorf("volume %s has the path %s instead of %s and is not removed", pv.Name, pv.Spec.HostPath.Path, want)
	}
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(rel)
}

// relPath is namespace/volume. Both are checked although the API server has checked them: a path must not depend on it.
func relPath(namespace, pv string) (string, error) {
	if msgs := validation.IsDNS1123Label(namespace); len(msgs) != 0 {
		return "", fmt.Errorf("namespace %q: %s", namespace, msgs[0])
	}
	if msgs := validation.IsDNS1123Subdomain(pv); len(msgs) != 0 {
		return "", fmt.Errorf("volume name %q: %s", pv, msgs[0])
	}
	return filepath.Join(namespace, pv), nil
}

// create makes the folder, writable for every user because images run as any. It stays inside the root whatever links
// there may be.
func (f folders) create(rel string) error {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir(filepath.Dir(rel), 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := root.Mkdir(rel, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	st, err := root.Lstat(rel)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return fmt.Errorf("%s is not a folder", filepath.Join(f.root, rel))
	}
	return root.Chmod(rel, 0o777) // the mask of the process may have taken bits away
}
