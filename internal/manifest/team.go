package manifest

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingv1ac "k8s.io/client-go/applyconfigurations/networking/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// The names of a team's objects inside its namespace.
const (
	QuotaName      = "goblinlab"
	LimitRangeName = "goblinlab"
	PolicyDeny     = "goblinlab-default-deny"
	PolicyTeam     = "goblinlab-within-team"
	PolicyGateways = "goblinlab-from-gateways"
	PolicyFiles    = "goblinlab-files"
)

// What a container gets that states nothing.
var defaultContainer = spec.Resources{CPUMilli: 500, MemoryBytes: 512 << 20}

// DefaultContainer are the limits of a container that states none.
func DefaultContainer() spec.Resources { return defaultContainer }

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
func TeamNamespace(t Team) TeamObjects {
	l := t.labels(ComponentTeam, map[string]string{LabelTeamID: t.ID})
	return TeamObjects{
		Namespace:       t.namespace(l),
		ResourceQuota:   t.resourceQuota(l),
		LimitRange:      t.limitRange(l),
		ServiceAccount:  t.serviceAccount(l),
		Role:            t.role(l),
		RoleBinding:     t.roleBinding(l),
		NetworkPolicies: t.networkPolicies(l),
	}
}

// TeamPullSecret holds the credentials of a team's registry in its namespace.
func TeamPullSecret(t Team, p PullSecret) *corev1ac.SecretApplyConfiguration {
	return corev1ac.Secret(p.Name, t.Namespace).
		WithLabels(t.labels(ComponentPull, map[string]string{LabelTeamID: t.ID, LabelSecretID: p.ID})).
		WithType(corev1.SecretTypeDockerConfigJson).
		WithData(map[string][]byte{corev1.DockerConfigJsonKey: p.Config})
}

// namespace enforces "baseline", which allows what sshd needs and no path of a
// node, and warns of what "restricted" would refuse.
func (t Team) namespace(l map[string]string) *corev1ac.NamespaceApplyConfiguration {
	return corev1ac.Namespace(t.Namespace).
		WithLabels(l).
		WithLabels(map[string]string{
			"pod-security.kubernetes.io/enforce": or(t.Security, "baseline"),
			"pod-security.kubernetes.io/warn":    "restricted",
		}).
		WithAnnotations(t.annotations(nil))
}

// Hard is a quota as Kubernetes takes it; what has no limit is absent.
func Hard(q spec.Quota, o spec.Overcommit) corev1.ResourceList {
	l := corev1.ResourceList{}
	if n, ok := spec.Bound(q.CPUMilli); ok {
		l[corev1.ResourceLimitsCPU] = quantity.CPUQuantity(n)
		l[corev1.ResourceRequestsCPU] = quantity.CPUQuantity(Requests(spec.Resources{CPUMilli: n}, o.Least()).CPUMilli)
	}
	if n, ok := spec.Bound(q.MemoryBytes); ok {
		l[corev1.ResourceLimitsMemory] = quantity.BytesQuantity(n + platformBytes)
		l[corev1.ResourceRequestsMemory] = quantity.BytesQuantity(Requests(spec.Resources{MemoryBytes: n}, o.Least()).MemoryBytes)
	}
	if n, ok := spec.Bound(q.StorageBytes); ok {
		l[corev1.ResourceRequestsStorage] = quantity.BytesQuantity(n)
	}
	for name, n := range map[corev1.ResourceName]int64{"requests." + GPUResource: q.GPU,
		corev1.ResourcePersistentVolumeClaims: q.Volumes, corev1.ResourcePods: q.Pods} {
		if n, ok := spec.Bound(n); ok {
			if name == corev1.ResourcePersistentVolumeClaims {
				n += platformClaims
			}
			l[name] = quantity.CountQuantity(n)
		}
	}
	return l
}

// resourceQuota is the backstop of the platform's own admission (P86). A quota
// without any limit is written too, so that lifting the last limit lifts it.
func (t Team) resourceQuota(l map[string]string) *corev1ac.ResourceQuotaApplyConfiguration {
	return corev1ac.ResourceQuota(QuotaName, t.Namespace).
		WithLabels(l).
		WithSpec(corev1ac.ResourceQuotaSpec().WithHard(Hard(t.Quota, t.Overcommit)))
}

// limitRange gives containers that state nothing, as injected sidecars, limits:
// under a quota of limits a pod without them is refused (P87).
func (t Team) limitRange(l map[string]string) *corev1ac.LimitRangeApplyConfiguration {
	d := t.Defaults
	if d.CPUMilli <= 0 {
		d.CPUMilli = defaultContainer.CPUMilli
	}
	if d.MemoryBytes <= 0 {
		d.MemoryBytes = defaultContainer.MemoryBytes
	}
	d.GPU = 0
	s := corev1ac.LimitRangeSpec().WithLimits(corev1ac.LimitRangeItem().
		WithType(corev1.LimitTypeContainer).
		WithDefault(resourceList(d, 0)).
		WithDefaultRequest(resourceList(Requests(d, t.Overcommit.For(spec.ClassTest)), 0)))
	if t.Quota.StorageBytes > 0 {
		s.WithLimits(corev1ac.LimitRangeItem().
			WithType(corev1.LimitTypePersistentVolumeClaim).
			WithMax(corev1.ResourceList{corev1.ResourceStorage: quantity.BytesQuantity(t.Quota.StorageBytes)}))
	}
	return corev1ac.LimitRange(LimitRangeName, t.Namespace).WithLabels(l).WithSpec(s)
}

func (t Team) serviceAccount(l map[string]string) *corev1ac.ServiceAccountApplyConfiguration {
	sa := corev1ac.ServiceAccount(ServiceAccount, t.Namespace).
		WithLabels(l).
		WithAutomountServiceAccountToken(false)
	for _, name := range t.PullSecrets {
		sa.WithImagePullSecrets(corev1ac.LocalObjectReference().WithName(name))
	}
	return sa
}

// role lets the account see the namespace's Services, by which the parts of a
// distributed task find each other. Nothing else: pods hold their users'
// variables, Secrets their passwords (P94, P95).
func (t Team) role(l map[string]string) *rbacv1ac.RoleApplyConfiguration {
	return rbacv1ac.Role(ServiceAccount, t.Namespace).
		WithLabels(l).
		WithRules(rbacv1ac.PolicyRule().WithAPIGroups("").WithResources("services").WithVerbs("get", "list"))
}

func (t Team) roleBinding(l map[string]string) *rbacv1ac.RoleBindingApplyConfiguration {
	return rbacv1ac.RoleBinding(ServiceAccount, t.Namespace).
		WithLabels(l).
		WithRoleRef(rbacv1ac.RoleRef().WithAPIGroup("rbac.authorization.k8s.io").WithKind("Role").WithName(ServiceAccount)).
		WithSubjects(rbacv1ac.Subject().WithKind("ServiceAccount").WithName(ServiceAccount).WithNamespace(t.Namespace))
}

// networkPolicies deny what comes in, then open it for the team itself and for
// the gateways' namespaces. What goes out is free: users fetch data. The data
// manager's agents are reached by gateways alone, and reach nobody.
func (t Team) networkPolicies(l map[string]string) []*networkingv1ac.NetworkPolicyApplyConfiguration {
	policy := func(name string, from ...*networkingv1ac.NetworkPolicyPeerApplyConfiguration) *networkingv1ac.NetworkPolicyApplyConfiguration {
		s := networkingv1ac.NetworkPolicySpec().
			WithPodSelector(metav1ac.LabelSelector()).
			WithPolicyTypes(networkingv1.PolicyTypeIngress)
		if len(from) > 0 { // a rule without peers would allow everybody
			s.WithIngress(networkingv1ac.NetworkPolicyIngressRule().WithFrom(from...))
		}
		return networkingv1ac.NetworkPolicy(name, t.Namespace).WithLabels(l).WithSpec(s)
	}
	team := policy(PolicyTeam, networkingv1ac.NetworkPolicyPeer().WithPodSelector(metav1ac.LabelSelector()))
	team.Spec.WithPodSelector(metav1ac.LabelSelector().WithMatchExpressions(metav1ac.LabelSelectorRequirement().
		WithKey(LabelComponent).WithOperator(metav1.LabelSelectorOpNotIn).WithValues(ComponentFiles)))
	files := networkingv1ac.NetworkPolicy(PolicyFiles, t.Namespace).WithLabels(l).WithSpec(networkingv1ac.NetworkPolicySpec().
		WithPodSelector(selector(map[string]string{LabelComponent: ComponentFiles})).
		WithPolicyTypes(networkingv1.PolicyTypeEgress))
	list := []*networkingv1ac.NetworkPolicyApplyConfiguration{policy(PolicyDeny), team, files}
	var gateways []*networkingv1ac.NetworkPolicyPeerApplyConfiguration
	for _, labels := range t.Gateways {
		if len(labels) > 0 { // an empty selector would select every namespace
			gateways = append(gateways, networkingv1ac.NetworkPolicyPeer().WithNamespaceSelector(selector(labels)))
		}
	}
	if len(gateways) > 0 {
		list = append(list, policy(PolicyGateways, gateways...))
	}
	return list
}
