package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
)

// memory is a packet filter that remembers what it was given last.
type memory struct {
	mu     sync.Mutex
	script string
	err    error
}

func (*memory) chains() []string { return nil }

func (m *memory) restore(script string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.script = script
	}
	return m.err
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func (m *memory) drops(ip string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Contains(m.script, "-A GOBLINLAB-INGRESS -d "+ip+"/32")
}

func object(name, ip string, phase v1.PodPhase) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "red", Name: name, UID: types.UID("uid-of-" + name)},
		Status:     v1.PodStatus{PodIP: ip, Phase: phase},
	}
}

func claimOf(name, ip string) Claim {
	return Claim{Namespace: "red", Name: name, UID: "uid-of-" + name, IP: netip.MustParseAddr(ip)}
}

// under runs an enforcer in a cluster whose namespace red denies what comes in.
func under(t *testing.T, dir string) (*Enforcer, *memory, kubernetes.Interface) {
	t.Helper()
	client := fake.NewClientset(
		&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "red"}},
		&networkingv1.NetworkPolicy{
			ObjectMeta: metav1.ObjectMeta{Namespace: "red", Name: "deny"},
			Spec:       networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}},
		},
		object("old", "10.244.0.9", v1.PodRunning), object("starting", "", v1.PodPending), object("done", "10.244.0.8", v1.PodSucceeded),
	)
	m := &memory{}
	e, err := newEnforcer(t.Context(), Config{
		Client: client, Claims: filepath.Join(dir, "claims"), Trouble: filepath.Join(dir, "trouble"), DNS: dnsIP,
	}, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.apply(); err != nil {
		t.Fatal(err)
	}
	return e, m, client
}

func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if check() {
			return
		}
	}
	t.Fatal("not within 10 s: " + what)
}

func TestAPodIsHeldBackUntilItsRulesAreInForce(t *testing.T) {
	t.Parallel()
	e, m, _ := under(t, t.TempDir())
	if !m.drops("10.244.0.9") || m.drops("10.244.0.8") {
		t.Error("at first the pod that runs must be isolated, and not the one that ended")
	}
	m.fail(errors.New("no packet filter"))
	go e.run(t.Context())
	admitted := make(chan error, 1)
	go func() { admitted <- e.admit(t.Context(), claimOf("starting", "10.244.0.2")) }()
	eventually(t, "the trouble is told", func() bool {
		b, _ := os.ReadFile(e.Trouble)
		return string(b) == "no packet filter"
	})
	select {
	case err := <-admitted:
		t.Fatalf("the pod was let go without rules: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	m.fail(nil)
	if err := <-admitted; err != nil || !m.drops("10.244.0.2") {
		t.Errorf("admitted with %v, isolated %v", err, m.drops("10.244.0.2"))
	}
	if _, err := os.Stat(e.Trouble); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the trouble that is over: %v", err)
	}
}

func TestAPodThatIsNotKnownIsNotLetGo(t *testing.T) {
	t.Parallel()
	e, _, client := under(t, t.TempDir())
	go e.run(t.Context())
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	again := claimOf("starting", "10.244.0.2")
	again.UID = "of an earlier pod of the name"
	if err := e.admit(short, again); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a pod that is no more: %v", err)
	}
	admitted := make(chan error, 1)
	go func() { admitted <- e.admit(t.Context(), claimOf("late", "10.244.0.3")) }()
	if _, err := client.CoreV1().Pods("red").Create(t.Context(), object("late", "", v1.PodPending), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := <-admitted; err != nil {
		t.Errorf("a pod that is seen a moment later: %v", err)
	}
}

func TestChangesTakeEffect(t *testing.T) {
	t.Parallel()
	e, m, client := under(t, t.TempDir())
	go e.run(t.Context())
	if err := client.NetworkingV1().NetworkPolicies("red").Delete(t.Context(), "deny", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pod is open", func() bool { return !m.drops("10.244.0.9") })
}

func TestClaimsOutliveTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, _, _ := under(t, dir)
	ctx, kill := context.WithCancel(t.Context())
	go e.run(ctx)
	if err := e.admit(ctx, claimOf("starting", "10.244.0.2")); err != nil {
		t.Fatal(err)
	}
	kill()
	_, m, _ := under(t, dir) // in which the pod's status has no address still
	if !m.drops("10.244.0.2") {
		t.Error("after a start the pod is open until its status tells the address")
	}
}

func TestAddressesGoToTheirLastPod(t *testing.T) {
	t.Parallel()
	a, b := netip.MustParseAddr("10.244.0.2"), netip.MustParseAddr("10.244.0.3")
	c, err := loadClaims(filepath.Join(t.TempDir(), "claims"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []Claim{claimOf("one", a.String()), claimOf("one", b.String()), claimOf("two", a.String())} {
		if err := c.add(n); err != nil {
			t.Fatal(err)
		}
	}
	own := object("own", "10.244.0.4", v1.PodRunning)
	machine := object("machine", "10.244.0.1", v1.PodRunning)
	machine.Spec.HostNetwork = true
	list := []*v1.Pod{object("one", a.String(), v1.PodRunning), object("two", "", v1.PodPending), object("stale", b.String(), v1.PodRunning), own, machine}
	got := map[string]string{}
	for _, p := range withAddresses(list, c.by) {
		got[p.Name] = p.IP.String()
	}
	if len(got) != 3 || got["one"] != b.String() || got["two"] != a.String() || got["own"] != "10.244.0.4" {
		t.Errorf("pods have %v", got)
	}
	if err := c.keep(func(uid string) bool { return uid == "uid-of-two" }); err != nil || len(c.by) != 1 {
		t.Errorf("kept %v, %v", c.by, err)
	}
}

func TestClaimsAreChecked(t *testing.T) {
	t.Parallel()
	e, _, _ := under(t, t.TempDir())
	go e.run(t.Context())
	for body, want := range map[string]int{
		`{"namespace":"red","name":"starting","uid":"uid-of-starting","ip":"10.244.0.2"}`: http.StatusNoContent,
		`{"namespace":"red","name":"starting","uid":"","ip":"10.244.0.2"}`:                http.StatusBadRequest,
		`{"namespace":"red","name":"starting","uid":"uid-of-starting","ip":"fe80::1"}`:    http.StatusBadRequest,
		`nothing`: http.StatusBadRequest,
	} {
		w := httptest.NewRecorder()
		e.handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, claimPath, bytes.NewBufferString(body)))
		if w.Code != want {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}

func TestTrimKeepsWhatMatters(t *testing.T) {
	t.Parallel()
	whole := object("web", "10.244.0.2", v1.PodRunning)
	whole.Labels = map[string]string{"app": "web"}
	whole.Annotations = map[string]string{"large": strings.Repeat("x", 1000)}
	whole.Spec.Containers = []v1.Container{{Image: "x", Ports: []v1.ContainerPort{{Name: "http", ContainerPort: 80, Protocol: v1.ProtocolTCP}}}}
	slim, err := trim(whole)
	if err != nil {
		t.Fatal(err)
	}
	if matters(whole, slim) {
		t.Error("a trimmed pod differs in what matters")
	}
	if b, err := json.Marshal(slim); err != nil || len(b) > 400 || !bytes.Contains(b, []byte(`"http"`)) {
		t.Errorf("trimmed: %s, %v", b, err)
	}
	other := whole.DeepCopy()
	other.Labels["app"] = "job"
	if !matters(whole, other) {
		t.Error("another label does not matter")
	}
}
