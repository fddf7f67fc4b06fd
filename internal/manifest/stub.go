package manifest

import (
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	networkingv1ac "k8s.io/client-go/applyconfigurations/networking/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"
	schedulingv1ac "k8s.io/client-go/applyconfigurations/scheduling/v1"
)

// StatefulSet is the one that runs an instance.
func StatefulSet(i Instance) *appsv1ac.StatefulSetApplyConfiguration { return nil }

// Service is the headless Service of an instance.
func Service(i Instance) *corev1ac.ServiceApplyConfiguration { return nil }

// LoginSecretName is the name of the login Secret of the instance's start.
func LoginSecretName(i Instance) string { return "" }

// LoginSecret holds the passwords of one start.
func LoginSecret(i Instance, l Login) *corev1ac.SecretApplyConfiguration { return nil }

// HostKeySecretName is the name of the Secret with the SSH host keys.
func HostKeySecretName(i Instance) string { return "" }

// HostKeySecret holds the SSH host keys by file name; they outlive every start (P31).
func HostKeySecret(i Instance, keys map[string][]byte) *corev1ac.SecretApplyConfiguration { return nil }

// Job is the one of an attempt.
func Job(a Attempt) *batchv1ac.JobApplyConfiguration { return nil }

// PersistentVolumeClaim is the one of a volume.
func PersistentVolumeClaim(v Volume) *corev1ac.PersistentVolumeClaimApplyConfiguration { return nil }

// TeamObjects are the objects of a team, in the order in which they are applied.
type TeamObjects struct {
	Namespace       *corev1ac.NamespaceApplyConfiguration
	ResourceQuota   *corev1ac.ResourceQuotaApplyConfiguration
	LimitRange      *corev1ac.LimitRangeApplyConfiguration
	ServiceAccount  *corev1ac.ServiceAccountApplyConfiguration
	Role            *rbacv1ac.RoleApplyConfiguration
	RoleBinding     *rbacv1ac.RoleBindingApplyConfiguration
	NetworkPolicies []*networkingv1ac.NetworkPolicyApplyConfiguration
}

// TeamNamespace builds the objects of a team.
func TeamNamespace(t Team) TeamObjects { return TeamObjects{} }

// PriorityClasses are those of the cluster.
func PriorityClasses() []*schedulingv1ac.PriorityClassApplyConfiguration { return nil }
