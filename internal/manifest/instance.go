package manifest

import (
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
)

const (
	instanceGrace = 10 // seconds from SIGTERM to SIGKILL: a shell ignores SIGTERM, nobody should wait for it

	// The start-up probe gives an image ten minutes to answer for the first
	// time; after that readiness alone counts, and an app that ends is the
	// start-up program's business: no probe restarts the container under a user.
	startupFailures = 600
)

// SelectInstance are the labels of the pods of an instance, which its
// StatefulSet and its Service select; builders of other pods for an instance
// have another component.
func SelectInstance(id string) map[string]string {
	return map[string]string{LabelComponent: ComponentInstance, LabelInstanceID: id}
}

func (i Instance) labelSet() map[string]string {
	return i.labels(ComponentInstance, map[string]string{
		LabelInstanceID: i.ID,
		LabelClass:      string(class(i.Class)),
		LabelType:       or(i.Type, TypeEnvironment),
	})
}

func (i Instance) startAnnotations() map[string]string {
	return map[string]string{AnnotationStart: strconv.FormatInt(i.Start, 10), AnnotationImageID: i.ImageID}
}

// StatefulSet runs an instance: one replica, or none while it is stopped. A new
// start changes the template's annotation and so makes a new revision. After a
// change of the template the caller deletes a not-ready pod of the old
// revision, since OrderedReady would wait for it for ever (P16).
func StatefulSet(i Instance) *appsv1ac.StatefulSetApplyConfiguration {
	replicas := int32(0)
	if i.Running {
		replicas = 1
	}
	return appsv1ac.StatefulSet(i.Name, i.Namespace).
		WithLabels(i.labelSet()).
		WithAnnotations(i.annotations(i.startAnnotations())).
		WithOwnerReferences(i.owners()...).
		WithSpec(appsv1ac.StatefulSetSpec().
			WithReplicas(replicas).
			WithServiceName(i.Name).
			WithSelector(selector(SelectInstance(i.ID))).
			WithPodManagementPolicy(appsv1.OrderedReadyPodManagement).
			WithRevisionHistoryLimit(2).
			WithTemplate(i.template()))
}

func (i Instance) template() *corev1ac.PodTemplateSpecApplyConfiguration {
	s := newStorage()
	s.common(i.Container)
	s.token(LoginSecretName(i))
	s.secret("ssh-host-keys", SecretFile{Secret: HostKeySecretName(i), Path: HostKeysPath})
	s.site(i.Container)

	main := i.main(ContainerInstance, i.environment(), s)
	for _, p := range i.ports() {
		main.WithPorts(corev1ac.ContainerPort().WithName(p.name()).WithContainerPort(p.number).WithProtocol(corev1.ProtocolTCP))
	}
	if i.probed() {
		main.WithPorts(corev1ac.ContainerPort().WithName("status").WithContainerPort(PortStatus).WithProtocol(corev1.ProtocolTCP))
		main.WithStartupProbe(readyz().WithPeriodSeconds(1).WithFailureThreshold(startupFailures))
		main.WithReadinessProbe(readyz().WithPeriodSeconds(5).WithFailureThreshold(3))
	}
	annotations := i.startAnnotations()
	annotations[AnnotationGeneration] = strconv.FormatInt(i.Generation, 10)
	annotations[AnnotationSafeToEvict] = "false" // an autoscaler must not take the node under a user (P49)
	if i.ImageID == "" {
		delete(annotations, AnnotationImageID)
	}
	return corev1ac.PodTemplateSpec().
		WithLabels(i.labelSet()).
		WithAnnotations(annotations).
		WithSpec(i.pod(main, s).
			WithRestartPolicy(corev1.RestartPolicyAlways).
			WithTerminationGracePeriodSeconds(instanceGrace).
			WithPriorityClassName(PriorityInteractive))
}

func (i Instance) probed() bool { return i.Probe != ProbeNone }

func readyz() *corev1ac.ProbeApplyConfiguration {
	return corev1ac.Probe().
		WithHTTPGet(corev1ac.HTTPGetAction().WithPath("/readyz").WithPort(intstr.FromInt32(PortStatus))).
		WithTimeoutSeconds(2)
}

func (i Instance) environment() *environment {
	e := &environment{}
	e.value("NOTEBOOK_TAG", i.Name)
	e.value(EnvInstanceID, i.ID)
	i.common(e)
	if i.Spark != nil {
		e.value("SPARK_DRIVER_PORT", strconv.Itoa(int(i.Spark.Driver)))
		e.value("SPARK_DRIVER_BLOCKMANAGER_PORT", strconv.Itoa(int(i.Spark.BlockManager)))
		e.value("SPARK_UI_PORT", strconv.Itoa(int(i.Spark.UI)))
	}
	login := LoginSecretName(i)
	e.secret(EnvPassword, login, EnvPassword, false)
	e.secret(EnvRootPassword, login, EnvRootPassword, false)
	e.value(EnvTokenFile, TokenPath)
	e.users(i.Env, i.SecretEnv)
	i.hidden(e)
	return e
}

type port struct {
	app    string // empty for an extra port
	number int32
}

func (p port) name() string {
	if p.app != "" {
		return p.app
	}
	return "p-" + strconv.Itoa(int(p.number))
}

// ports are those of the apps and the extra ones, each number once.
func (i Instance) ports() []port {
	list := []port{
		{"notebook", PortNotebook}, {"sshd", PortSSH}, {"vscode", PortVSCode}, {"tensorboard", PortTensorBoard},
	}
	seen := map[int32]bool{PortStatus: i.probed()}
	for _, p := range list {
		seen[p.number] = true
	}
	for _, p := range i.extra() {
		if !seen[p.number] {
			seen[p.number] = true
			list = append(list, p)
		}
	}
	return list
}

// extra are the user's ports and those at which Spark's executors call back.
func (i Instance) extra() []port {
	var list []port
	for _, p := range i.Ports {
		list = append(list, port{number: p.Number})
	}
	if i.Spark != nil {
		for _, n := range []int32{i.Spark.Driver, i.Spark.BlockManager, i.Spark.UI} {
			list = append(list, port{number: n})
		}
	}
	return list
}

// Service is headless: it gives the pod a name and selects it, ready or not,
// since one app that is down must not take the others off the network.
func Service(i Instance) *corev1ac.ServiceApplyConfiguration {
	spec := corev1ac.ServiceSpec().
		WithClusterIP(corev1.ClusterIPNone).
		WithPublishNotReadyAddresses(true).
		WithSelector(SelectInstance(i.ID))
	for _, p := range i.ports() {
		spec.WithPorts(corev1ac.ServicePort().
			WithName(servicePort(p)).
			WithPort(p.number).
			WithTargetPort(intstr.FromInt32(p.number)).
			WithProtocol(corev1.ProtocolTCP))
	}
	return corev1ac.Service(i.Name, i.Namespace).
		WithLabels(i.labelSet()).
		WithAnnotations(i.annotations(nil)).
		WithOwnerReferences(i.owners()...).
		WithSpec(spec)
}

// servicePort is "port-notebook" for an app and "port-5000" for an extra port.
func servicePort(p port) string {
	return "port-" + or(p.app, strconv.Itoa(int(p.number)))
}

// LoginSecretName is the name of the login Secret of the instance's start; each
// start has its own, so that a pod of an older start keeps the one it has.
func LoginSecretName(i Instance) string { return i.Name + "-login-" + strconv.FormatInt(i.Start, 10) }

// LoginSecret holds the passwords of one start, which the caller made at random.
func LoginSecret(i Instance, l Login) *corev1ac.SecretApplyConfiguration {
	data := map[string][]byte{EnvPassword: []byte(l.Password), EnvRootPassword: []byte(l.RootPassword)}
	if l.Token != "" {
		data[EnvToken] = []byte(l.Token)
	}
	return i.secret(LoginSecretName(i), data).
		WithAnnotations(map[string]string{AnnotationStart: strconv.FormatInt(i.Start, 10)})
}

// HostKeySecretName is the name of the Secret with the SSH host keys.
func HostKeySecretName(i Instance) string { return i.Name + "-ssh-host" }

// HostKeySecret holds the SSH host keys by file name. They outlive every start,
// so that no client is ever told of a changed key (P31).
func HostKeySecret(i Instance, keys map[string][]byte) *corev1ac.SecretApplyConfiguration {
	return i.secret(HostKeySecretName(i), keys)
}

// UserSecretName is the name of the n-th secret that a start asks for.
func UserSecretName(name string, start int64, n int) string {
	return name + "-secret-" + strconv.FormatInt(start, 10) + "-" + strconv.Itoa(n)
}

// InstanceSecret is a secret that a start asks for; it goes with the login Secret.
func InstanceSecret(i Instance, u UserSecret) *corev1ac.SecretApplyConfiguration {
	return i.secret(u.Name, u.Data).
		WithType(u.kind()).
		WithLabels(u.labels()).
		WithAnnotations(u.annotations()).
		WithAnnotations(map[string]string{AnnotationStart: strconv.FormatInt(i.Start, 10)})
}

func (u UserSecret) kind() corev1.SecretType {
	if u.Docker {
		return corev1.SecretTypeDockerConfigJson
	}
	return corev1.SecretTypeOpaque
}

func (u UserSecret) labels() map[string]string {
	l := map[string]string{}
	set(l, LabelSecretID, u.ID)
	return l
}

// annotations say which keys hold what must not be printed: names, no values.
func (u UserSecret) annotations() map[string]string {
	if len(u.Hide) == 0 {
		return nil
	}
	return map[string]string{AnnotationHide: strings.Join(u.Hide, ",")}
}

func (i Instance) secret(name string, data map[string][]byte) *corev1ac.SecretApplyConfiguration {
	return corev1ac.Secret(name, i.Namespace).
		WithLabels(i.labelSet()).
		WithOwnerReferences(i.owners()...).
		WithType(corev1.SecretTypeOpaque).
		WithData(data)
}
