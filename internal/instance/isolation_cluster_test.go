//go:build cluster

package instance

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestTeamsAreKeptApart sends packets from pods of two teams to an instance of one of them.
func TestTeamsAreKeptApart(t *testing.T) {
	t.Parallel()
	own, other := newLab(t, team.QuotaInput{}), newLab(t, team.QuotaInput{})
	i, neighbour := own.until(own.start().ID, Running), other.until(other.start().ID, Running)
	for _, c := range []struct {
		what string
		from *lab
		to   string
		open bool
	}{
		{"an instance of the own team", own, door(i.PodIP), true},
		{"an instance of another team", other, door(i.PodIP), false},
		{"the same, the other way round", own, door(neighbour.PodIP), false},
		{"the API server, since ways out are free", other, "kubernetes.default.svc.cluster.local 443", true},
	} {
		if out := c.from.tries(c.to); out != map[bool]string{true: "open", false: "shut"}[c.open] {
			t.Errorf("%s: the way to %s is %q", c.what, c.to, out)
		}
	}
}

// door is where the start-up program of an instance answers.
func door(ip string) string { return fmt.Sprint(ip, " ", manifest.PortStatus) }

// tries runs a pod of the team that tries a way, given as host and port, and says whether it is open.
func (l *lab) tries(way string) string {
	l.t.Helper()
	host, port, _ := strings.Cut(way, " ")
	// The resolver of a static program wants a C library beside it, so a name is asked for separately.
	script := fmt.Sprintf(`host=%s; case $host in *.local) host=$(nslookup -type=a $host | awk '/^Address/ {a=$2} END {print a}');; esac
nc -w 2 $host %s </dev/null >/dev/null 2>&1 && echo open || echo shut`, host, port)
	no := false
	pods := l.kube.CoreV1().Pods(l.ns)
	p, err := pods.Create(l.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "tries-"},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: &no, RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "main", Image: testkit.ImageMini, ImagePullPolicy: corev1.PullNever, Command: []string{"sh", "-c", script}}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	l.eventually("a try ends", func() error {
		p, err = pods.Get(l.t.Context(), p.Name, metav1.GetOptions{})
		if err == nil && p.Status.Phase != corev1.PodSucceeded {
			err = fmt.Errorf("is %s", p.Status.Phase)
		}
		return err
	})
	out, err := pods.GetLogs(p.Name, &corev1.PodLogOptions{}).DoRaw(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
