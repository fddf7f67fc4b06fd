//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// manifests holds the objects that GoblinLab makes, which its own tests keep up to date.
const manifests = "../../../../internal/manifest/testdata"

// The namespaces of two teams: that of the manifests, and another.
const (
	team      = "gl-vision-team-d4k1q0c2h5s6u0a3b7gg"
	otherTeam = "gl-other-team-d4k1q0c2h5s6u0a3b7hg"
)

func manifest(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(manifests, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// podOf gives the pod of the first object of a manifest: all that GoblinLab says about what it may do, with our image.
func podOf(t *testing.T, name, file string) *corev1.Pod {
	t.Helper()
	first, _, _ := strings.Cut(manifest(t, file), "\n---\n")
	var spec corev1.PodSpec
	var kind metav1.TypeMeta
	decode(t, first, &kind)
	switch kind.Kind {
	case "StatefulSet":
		var s appsv1.StatefulSet
		decode(t, first, &s)
		spec = s.Spec.Template.Spec
	case "Job":
		var j batchv1.Job
		decode(t, first, &j)
		spec = j.Spec.Template.Spec
	default:
		t.Fatalf("%s begins with a %s", file, kind.Kind)
	}
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: team},
		Spec:       withOurImage(spec),
	}
}

func decode(t *testing.T, doc string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(doc), into); err != nil {
		t.Fatal(err)
	}
}

// withOurImage changes what has nothing to do with isolation: program, size, probes, and files that exist in no volume.
func withOurImage(s corev1.PodSpec) corev1.PodSpec {
	var zero int64
	s.TerminationGracePeriodSeconds = &zero
	s.InitContainers = nil
	c := &s.Containers[0]
	c.Image, c.Command, c.Args, c.WorkingDir = "goblinlab.local/e2e:1", []string{"sleep", "100000"}, nil, "/"
	c.StartupProbe, c.ReadinessProbe, c.LivenessProbe = nil, nil, nil
	size := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m"), corev1.ResourceMemory: resource.MustParse("64Mi")}
	c.Resources = corev1.ResourceRequirements{Limits: size, Requests: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("16Mi")}} // many fit on a small machine
	if c.SecurityContext.RunAsNonRoot != nil && *c.SecurityContext.RunAsNonRoot {
		user := int64(1000)
		c.SecurityContext.RunAsUser = &user
	}
	return s
}

// apply sends objects to the API server.
func (l *local) apply(objects ...any) error {
	var b bytes.Buffer
	for _, o := range objects {
		doc, ok := o.(string)
		if !ok {
			j, err := json.Marshal(o)
			if err != nil {
				return err
			}
			doc = string(j)
		}
		b.WriteString(doc + "\n---\n")
	}
	_, err := l.kubectlWith(b.String(), "apply", "--server-side", "-f", "-")
	return err
}

func (l *local) mustApply(objects ...any) {
	l.t.Helper()
	if err := l.apply(objects...); err != nil {
		l.t.Fatal(err)
	}
}

// makeTeams makes both teams as GoblinLab does, with the Secrets and claims that the pods want.
func (l *local) makeTeams(pods ...*corev1.Pod) {
	l.t.Helper()
	objects := manifest(l.t, "team.yaml")
	// The namespace has to be there before what is in it.
	for _, o := range []string{manifest(l.t, "cluster.yaml"), objects, strings.ReplaceAll(objects, team, otherTeam)} {
		first, _, _ := strings.Cut(o, "\n---\n")
		l.mustApply(first)
		l.mustApply(o)
	}
	for _, p := range pods {
		l.mustApply(wantedBy(p)...)
	}
}

// wantedBy are the Secrets and claims that a pod names.
func wantedBy(p *corev1.Pod) []any {
	var out []any
	secret := func(name string) {
		out = append(out, corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: p.Namespace},
			StringData: map[string]string{"PASSWORD": "x", "ROOT_PASSWORD": "x", "GOBLINLAB_TOKEN": "x"},
		})
	}
	for _, e := range p.Spec.Containers[0].Env {
		if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
			secret(e.ValueFrom.SecretKeyRef.Name)
		}
	}
	for _, v := range p.Spec.Volumes {
		if v.Secret != nil {
			secret(v.Secret.SecretName)
		}
		if v.PersistentVolumeClaim != nil {
			out = append(out, claim(p.Namespace, v.PersistentVolumeClaim.ClaimName))
		}
	}
	return out
}

func claim(namespace, name string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
}

// folderOf gives the folder of a claim on the machine.
func (l *local) folderOf(namespace, claim string) string {
	l.t.Helper()
	l.must("-n", namespace, "wait", "--for=jsonpath={.status.phase}=Bound", "pvc/"+claim, "--timeout=30s")
	pv := l.must("-n", namespace, "get", "pvc", claim, "-o", "jsonpath={.spec.volumeName}")
	return l.must("get", "pv", pv, "-o", "jsonpath={.spec.hostPath.path}")
}

func yamlOf(o any) (string, error) {
	b, err := yaml.Marshal(o)
	return string(b), err
}
