package kube

import (
	"errors"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/util/retry"
)

// saysTheSame reports whether a change of what guards a namespace is none of
// what somebody asked for: a quota's use changes with every pod.
func saysTheSame(old, obj any) bool {
	a, errA := meta.Accessor(old)
	b, errB := meta.Accessor(obj)
	if errA != nil || errB != nil || a.GetUID() != b.GetUID() || (a.GetDeletionTimestamp() == nil) != (b.GetDeletionTimestamp() == nil) ||
		!equality.Semantic.DeepEqual(a.GetLabels(), b.GetLabels()) {
		return false
	}
	switch x := old.(type) {
	case *corev1.ResourceQuota:
		y, ok := obj.(*corev1.ResourceQuota)
		return ok && equality.Semantic.DeepEqual(x.Spec, y.Spec)
	case *corev1.LimitRange:
		y, ok := obj.(*corev1.LimitRange)
		return ok && equality.Semantic.DeepEqual(x.Spec, y.Spec)
	case *corev1.ServiceAccount:
		y, ok := obj.(*corev1.ServiceAccount)
		return ok && equality.Semantic.DeepEqual(x.AutomountServiceAccountToken, y.AutomountServiceAccountToken) &&
			equality.Semantic.DeepEqual(x.ImagePullSecrets, y.ImagePullSecrets)
	case *rbacv1.Role:
		y, ok := obj.(*rbacv1.Role)
		return ok && equality.Semantic.DeepEqual(x.Rules, y.Rules)
	case *rbacv1.RoleBinding:
		y, ok := obj.(*rbacv1.RoleBinding)
		return ok && equality.Semantic.DeepEqual(x.Subjects, y.Subjects) && x.RoleRef == y.RoleRef
	case *networkingv1.NetworkPolicy:
		y, ok := obj.(*networkingv1.NetworkPolicy)
		return ok && equality.Semantic.DeepEqual(x.Spec, y.Spec)
	case *corev1.Namespace:
		return true
	}
	return false
}

// Refusal is what a cluster says that will not have something as it is. An
// answer that may be another one the next time – a timeout, too many requests,
// a server or a webhook that is down, a conflict – is no refusal.
func Refusal(err error) (said string, ok bool) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return "", false
	}
	switch s := status.Status(); s.Code {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return s.Message, true
	}
	return "", false
}

// Retry does a write again that met a conflict: the API server counts a quota
// under optimistic locks, and gives up when many write at once (P86).
func Retry(write func() error) error { return retry.RetryOnConflict(retry.DefaultBackoff, write) }
