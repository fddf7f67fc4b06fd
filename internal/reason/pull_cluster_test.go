//go:build cluster

package reason_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/testkit/registry"
)

// puller makes pods whose images come from registries of the test.
type puller struct {
	kube *kube.Client
	ns   string
	dir  string // of the local Kubernetes
	node string // address of the node general, which is none of loopback
}

func newPuller(t *testing.T) *puller {
	t.Helper()
	p := &puller{kube: testkit.Cluster(t), dir: filepath.Dir(os.Getenv(testkit.EnvKubeconfig))}
	n, err := p.kube.CoreV1().Nodes().Get(t.Context(), "general", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			p.node = a.Address
		}
	}
	ns, err := p.kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "pull-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.ns = ns.Name
	t.Cleanup(func() { _ = p.kube.CoreV1().Namespaces().Delete(context.Background(), p.ns, metav1.DeleteOptions{}) })
	return p
}

// pod starts one on a node.
func (p *puller) pod(t *testing.T, node, image string, secrets ...string) string {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "p-"}, Spec: corev1.PodSpec{
		NodeName: node, TerminationGracePeriodSeconds: new(int64), Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		Containers: []corev1.Container{{Name: manifest.ContainerInstance, Image: image, ImagePullPolicy: corev1.PullIfNotPresent, Command: []string{"/bin/sleep", "600"}}},
	}}
	for _, s := range secrets {
		pod.Spec.ImagePullSecrets = append(pod.Spec.ImagePullSecrets, corev1.LocalObjectReference{Name: s})
	}
	made, err := p.kube.CoreV1().Pods(p.ns).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.kube.CoreV1().Pods(p.ns).Delete(context.Background(), made.Name, metav1.DeleteOptions{}) })
	return made.Name
}

// fill leaves a node a megabyte for what it pulls: what its runtime writes goes
// into a file system of that size, which is laid over what is there already.
func (p *puller) fill(t *testing.T, node string) {
	t.Helper()
	id := sha256.Sum256([]byte(p.dir))
	enter := func(args ...string) error {
		all := append([]string{"--mount=/run/goblinlab-" + hex.EncodeToString(id[:4]) + "/ns/" + node}, args...)
		out, err := exec.Command("nsenter", all...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("nsenter %s: %w: %s", strings.Join(all, " "), err, out)
		}
		return nil
	}
	const store = "/var/lib/containerd/io.containerd.content.v1.content"
	script := `set -e; s=$(mktemp -d /tmp/full.XXXXXX); mount -t tmpfs -o size=1m tmpfs $s; mkdir $s/upper $s/work
mount -t overlay -o lowerdir=` + store + `,upperdir=$s/upper,workdir=$s/work overlay ` + store + `; umount --lazy $s; rmdir $s`
	if err := enter("sh", "-c", script); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := enter("umount", "--lazy", store); err != nil {
			t.Error(err)
		}
	})
}

// secret holds credentials for a registry, as kubectl would write them.
func (p *puller) secret(t *testing.T, name, addr, user, password string) {
	t.Helper()
	_, err := p.kube.CoreV1().Secrets(p.ns).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Type: corev1.SecretTypeDockerConfigJson,
		StringData: map[string]string{corev1.DockerConfigJsonKey: fmt.Sprintf(`{"auths":{%q:{"username":%q,"password":%q}}}`, addr, user, password)},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// why is what the product would say of a pod now, and whether it runs.
func (p *puller) why(t *testing.T, name string) (*spec.Reason, bool) {
	t.Helper()
	pod, err := p.kube.CoreV1().Pods(p.ns).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.kube.CoreV1().Events(p.ns).List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
	if err != nil {
		t.Fatal(err)
	}
	e := reason.Evidence{Now: time.Now(), Pod: pod}
	for _, ev := range list.Items {
		e.Events = append(e.Events, reason.Event{Kind: "Pod", Name: name, Type: ev.Type, Reason: ev.Reason, Message: ev.Message, Count: int(ev.Count), Last: ev.LastTimestamp.Time})
	}
	r := reason.Instance(e)
	return r, r == nil
}

// until waits until a pod's reason has a code, or until it runs, without one.
func (p *puller) until(t *testing.T, name, code string) *spec.Reason {
	t.Helper()
	last := ""
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		r, runs := p.why(t, name)
		if runs && code == "" || !runs && r.Code == code {
			return r
		}
		if last = "it runs"; !runs {
			last = lang.Text(lang.English, "reason."+r.Code, r.Args) + " " + fmt.Sprint(*r)
		}
	}
	t.Fatalf("want %q; %s", code, last)
	return nil
}

// TestP18PullsTellTheirTrueReason fails pulls in every way that we know, with a
// real kubelet and runtime, and reads what they say.
func TestP18PullsTellTheirTrueReason(t *testing.T) {
	t.Parallel()
	p := newPuller(t)
	plain, far, secure := registry.Start(t), registry.Start(t, registry.On(p.node)), registry.Start(t, registry.On(p.node), registry.TLS())
	small := func(r *registry.Registry, repository string, b registry.Behaviour) string {
		ref := r.Push(t, repository, "1", registry.Image(t, 128<<10))
		r.Behave(repository, b)
		return ref
	}
	p.secret(t, "right", plain.Addr, "ada", "s3cret")
	p.secret(t, "wrong", plain.Addr, "ada", "guess")
	broken := small(plain, "broken", registry.Cut(1<<30))
	for name, c := range map[string]struct {
		image, code string
		secrets     []string
		holds       string // in the sentence
	}{
		"no such tag":                         {image: strings.TrimSuffix(small(plain, "tags", nil), "1") + "2", code: reason.ImageNotFound},
		"no such repository":                  {image: plain.Addr + "/nobody/nothing:1", code: reason.ImageNotFound},
		"basic, no credentials":               {image: small(plain, "basic/none", registry.Basic("ada", "s3cret")), code: reason.ImageDenied},
		"basic, wrong credentials":            {image: small(plain, "basic/wrong", registry.Basic("ada", "s3cret")), code: reason.ImageCredentials, secrets: []string{"wrong"}, holds: "Secret wrong"},
		"basic, right credentials":            {image: small(plain, "basic/right", registry.Basic("ada", "s3cret")), secrets: []string{"right"}},
		"token, no credentials":               {image: small(plain, "token/none", plain.Bearer("ada", "s3cret")), code: reason.ImageDenied},
		"token, wrong credentials":            {image: small(plain, "token/wrong", plain.Bearer("ada", "s3cret")), code: reason.ImageCredentials, secrets: []string{"wrong"}},
		"token, right credentials":            {image: small(plain, "token/right", plain.Bearer("ada", "s3cret")), secrets: []string{"wrong", "right"}},
		"a Secret that is not there":          {image: small(plain, "basic/missing", registry.Basic("ada", "s3cret")), code: reason.ImageSecretMissing, secrets: []string{"nowhere"}, holds: "Secret nowhere,"},
		"a missing Secret that is not needed": {image: small(plain, "open", nil), secrets: []string{"nowhere"}},
		"forbidden":                           {image: small(plain, "forbidden", registry.Answer(http.StatusForbidden, "DENIED", "not yours")), code: reason.ImageDenied},
		"too many requests":                   {image: small(plain, "many", registry.Answer(http.StatusTooManyRequests, "TOOMANYREQUESTS", "You have reached your pull rate limit.")), code: reason.ImageRateLimited},
		"an error of the registry":            {image: small(plain, "error", registry.Answer(http.StatusInternalServerError, "UNKNOWN", "database is locked")), code: reason.ImageRegistry},
		"a registry that is being moved":      {image: small(plain, "gateway", registry.Answer(http.StatusBadGateway, "UNKNOWN", "")), code: reason.ImageRegistry},
		"cut each time":                       {image: broken, code: reason.ImageInterrupted},
		"nobody listens":                      {image: "127.0.0.1:1/nobody/nothing:1", code: reason.ImageNoNetwork},
		"no such host":                        {image: "registry.invalid/nobody/nothing:1", code: reason.ImageNoHost},
		"an authority that nobody knows":      {image: small(secure, "unknown", nil), code: reason.ImageTLS},
		"plain HTTP where HTTPS is due":       {image: small(far, "http", nil), code: reason.ImagePlainHTTP},
		"slow":                                {image: small(plain, "slow", registry.Trickling(20*time.Millisecond))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := p.pod(t, "general", c.image, c.secrets...)
			r := p.until(t, pod, c.code)
			if r == nil {
				return
			}
			text := lang.Text(lang.English, "reason."+r.Code, r.Args)
			t.Log(text)
			if !strings.Contains(text, c.image) || !strings.Contains(text, c.holds) {
				t.Errorf("%q lacks %q or %q", text, c.image, c.holds)
			}
		})
	}
	t.Run("no space on the node", func(t *testing.T) {
		t.Parallel()
		p.fill(t, "online")
		image := plain.Push(t, "large", "1", registry.Image(t, 2<<20))
		r := p.until(t, p.pod(t, "online", image), reason.NodeDiskFull)
		t.Log(lang.Text(lang.English, "reason."+r.Code, r.Args))
	})
	t.Run("cut once, then whole", func(t *testing.T) {
		t.Parallel()
		image := small(plain, "healed", registry.Cut(1<<30))
		pod := p.pod(t, "general", image)
		p.until(t, pod, reason.ImageInterrupted)
		plain.Behave("healed", nil)
		p.until(t, pod, "")
	})
}
