package manifest

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// ServiceAccount is the one that a team's pods run as; its token is never mounted.
const ServiceAccount = "goblinlab-workload"

// What sshd and root in a development environment need: owners and modes of
// files, other users, low ports, sshd's chroot and its audit record. All of
// them are within the Pod Security level "baseline".
var rootCapabilities = []string{
	"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL",
	"NET_BIND_SERVICE", "SETGID", "SETUID", "SYS_CHROOT",
}

func capabilities(base, more []string) *corev1ac.CapabilitiesApplyConfiguration {
	c := corev1ac.Capabilities().WithDrop("ALL")
	names := slices.Concat(base, more)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		c.WithAdd(corev1.Capability(name))
	}
	return c
}

// main is the container that does the work.
func (c Container) main(name string, env *environment, s *storage) *corev1ac.ContainerApplyConfiguration {
	sc := corev1ac.SecurityContext().WithAllowPrivilegeEscalation(c.Escalation && !c.Restricted)
	if c.Restricted {
		sc.WithRunAsNonRoot(true).WithCapabilities(capabilities(nil, c.Profile.Security.Capabilities))
	} else {
		sc.WithCapabilities(capabilities(rootCapabilities, c.Profile.Security.Capabilities))
	}
	out := corev1ac.Container().
		WithName(name).
		WithImage(c.Image).
		WithImagePullPolicy(corev1.PullIfNotPresent).
		WithEnv(env.list...).
		WithResources(requirements(c.Resources, c.Overcommit, c.EphemeralStorage)).
		WithVolumeMounts(s.mounts...).
		WithTerminationMessagePolicy(corev1.TerminationMessageFallbackToLogsOnError).
		WithSecurityContext(sc)
	if len(c.Command) > 0 {
		out.WithCommand(verbatim(c.Command)...)
	}
	if len(c.Args) > 0 {
		out.WithArgs(verbatim(c.Args)...)
	}
	return out
}

// pod puts the main container into a pod with everything that the site adds.
func (c Container) pod(main *corev1ac.ContainerApplyConfiguration, s *storage) *corev1ac.PodSpecApplyConfiguration {
	p := corev1ac.PodSpec().
		WithServiceAccountName(ServiceAccount).
		WithAutomountServiceAccountToken(false).
		WithEnableServiceLinks(false). // a team's Services would flood the environment
		WithSecurityContext(c.podSecurity()).
		WithContainers(main).
		WithVolumes(s.volumes...)
	for _, sc := range c.Profile.Sidecars {
		p.WithInitContainers(sidecar(sc, c))
	}
	secrets := slices.Concat(c.PullSecrets, c.Profile.PullSecrets)
	slices.Sort(secrets)
	for _, name := range slices.Compact(secrets) {
		p.WithImagePullSecrets(corev1ac.LocalObjectReference().WithName(name))
	}
	for _, a := range c.Profile.HostAliases {
		p.WithHostAliases(corev1ac.HostAlias().WithIP(a.IP).WithHostnames(a.Names...))
	}
	if c.Profile.Security.UserNamespaces {
		p.WithHostUsers(false)
	}
	if c.Profile.RuntimeClass != "" {
		p.WithRuntimeClassName(c.Profile.RuntimeClass)
	}
	if c.Profile.SchedulerName != "" {
		p.WithSchedulerName(c.Profile.SchedulerName)
	}
	if len(c.Scheduling.NodeSelector) > 0 {
		p.WithNodeSelector(c.Scheduling.NodeSelector)
	}
	if c.Resources.GPU > 0 { // pods without a GPU never enter GPU nodes
		t := c.Scheduling.gpu()
		p.WithTolerations(toleration(t.Key, t.Value))
	}
	return p
}

func (c Container) podSecurity() *corev1ac.PodSecurityContextApplyConfiguration {
	s := c.Profile.Security
	sc := corev1ac.PodSecurityContext().
		WithSeccompProfile(corev1ac.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))
	if s.RunAsUser != nil {
		sc.WithRunAsUser(*s.RunAsUser)
	}
	if s.RunAsGroup != nil {
		sc.WithRunAsGroup(*s.RunAsGroup)
	}
	if s.FSGroup != nil {
		sc.WithFSGroup(*s.FSGroup).WithFSGroupChangePolicy(corev1.FSGroupChangeOnRootMismatch)
	}
	if len(s.Groups) > 0 {
		sc.WithSupplementalGroups(s.Groups...)
	}
	return sc
}

func (s Scheduling) gpu() Taint {
	return Taint{Key: or(s.GPU.Key, GPUResource), Value: or(s.GPU.Value, "true")}
}

func (s Scheduling) online() Pool {
	p := Pool{Key: or(s.Online.Key, "node-pool"), Value: or(s.Online.Value, "online"), Weight: s.Online.Weight}
	if p.Weight < 1 || p.Weight > 100 {
		p.Weight = 100
	}
	return p
}

func toleration(key, value string) *corev1ac.TolerationApplyConfiguration {
	return corev1ac.Toleration().
		WithKey(key).
		WithOperator(corev1.TolerationOpEqual).
		WithValue(value).
		WithEffect(corev1.TaintEffectNoSchedule)
}

// place lets online work into its pool and makes it prefer it, so that it
// overflows to ordinary nodes when the pool is full. Test work cannot enter.
func (s Scheduling) place(p *corev1ac.PodSpecApplyConfiguration, c spec.Class) {
	if class(c) != spec.ClassOnline {
		return
	}
	pool := s.online()
	p.WithTolerations(toleration(pool.Key, pool.Value))
	p.WithAffinity(corev1ac.Affinity().WithNodeAffinity(corev1ac.NodeAffinity().
		WithPreferredDuringSchedulingIgnoredDuringExecution(corev1ac.PreferredSchedulingTerm().
			WithWeight(pool.Weight).
			WithPreference(corev1ac.NodeSelectorTerm().WithMatchExpressions(corev1ac.NodeSelectorRequirement().
				WithKey(pool.Key).
				WithOperator(corev1.NodeSelectorOpIn).
				WithValues(pool.Value))))))
}

func selector(labels map[string]string) *metav1ac.LabelSelectorApplyConfiguration {
	return metav1ac.LabelSelector().WithMatchLabels(labels)
}
