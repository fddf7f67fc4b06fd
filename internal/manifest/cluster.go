package manifest

import (
	corev1 "k8s.io/api/core/v1"
	schedulingv1ac "k8s.io/client-go/applyconfigurations/scheduling/v1"
)

// The priority classes.
const (
	PriorityInteractive = "goblinlab-interactive"
	PriorityOnline      = "goblinlab-online"
	PriorityTest        = "goblinlab-test"
	PriorityIdle        = "goblinlab-idle"
)

// PriorityClasses are those of the cluster. Kubernetes never changes the value
// or the policy of one that exists, so these are settled.
//
// Interactive stands above online with the policy Never: nothing of the
// platform can preempt an environment that somebody works in (P90), and it
// takes nobody's place either. An idle one gives its place up by being stopped,
// not by being killed. Online work may take the place of test work, test work
// that of idle work, which takes nobody's.
func PriorityClasses() []*schedulingv1ac.PriorityClassApplyConfiguration {
	class := func(name string, value int32, policy corev1.PreemptionPolicy, what string) *schedulingv1ac.PriorityClassApplyConfiguration {
		return schedulingv1ac.PriorityClass(name).
			WithLabels(Object{}.labels(ComponentCluster, nil)).
			WithValue(value).
			WithGlobalDefault(false).
			WithPreemptionPolicy(policy).
			WithDescription(what)
	}
	return []*schedulingv1ac.PriorityClassApplyConfiguration{
		class(PriorityInteractive, 1_000_000, corev1.PreemptNever, "Development environments: never preempted, never preempting."),
		class(PriorityOnline, 900_000, corev1.PreemptLowerPriority, "Scheduled production tasks: may preempt test and idle work."),
		class(PriorityTest, 500_000, corev1.PreemptLowerPriority, "Trial runs: may preempt idle work."),
		class(PriorityIdle, 100_000, corev1.PreemptNever, "Work that nobody waits for."),
	}
}
