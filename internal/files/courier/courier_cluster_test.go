//go:build cluster

package courier_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/cluster"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/files/courier"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/volume"
	"github.com/goblinlab/goblinlab/internal/work"
)

type lab struct {
	testkit.Cast
	*courier.Service
	t       *testing.T
	db      *db.DB
	kube    *kube.Client
	volumes *volume.Service
	deps    courier.Deps
	ns      string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{t: t, kube: testkit.Cluster(t), db: testkit.DB(t)}
	l.Cast = testkit.NewCast(t, l.db)
	c, queue, broker := config.Default(), work.New(), event.NewLocal()
	cache, err := kube.NewCache(l.kube, func(c kube.Change) {
		if id, ok := l.volumes.OnChange(c); ok {
			queue.Kick(outbox.Volume, id)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	teams := team.New(team.Deps{DB: l.db, Broker: broker, Kicker: queue, Kube: l.kube, Cache: cache, Config: c})
	l.volumes = volume.New(volume.Deps{DB: l.db, Broker: broker, Kicker: queue, Kube: l.kube, Cache: cache, Config: c})
	queue.Register(outbox.Team, teams.Reconcile)
	queue.Register(outbox.Volume, l.volumes.Reconcile)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	go func() { cache.Run(ctx); done <- struct{}{} }()
	go func() { queue.Run(ctx, 4); done <- struct{}{} }()
	if err := cache.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if err := cluster.New(cluster.Deps{DB: l.db, Kube: l.kube, Cache: cache, Config: c}).EnsureObjects(ctx); err != nil {
		t.Fatal(err)
	}
	tm, err := teams.Create(testkit.As(t, l.db, l.Admin), team.CreateInput{Name: "files " + time.Now().Format(time.RFC3339Nano)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.kube.CoreV1().Namespaces().Delete(context.Background(), tm.Namespace, metav1.DeleteOptions{})
		stop()
		<-done
		<-done
	})
	testkit.Join(t, l.db, tm, l.Member, authz.RoleMember)
	testkit.Join(t, l.db, tm, l.Maintainer, authz.RoleMember)
	l.Team, l.ns = tm, tm.Namespace
	l.deps = courier.Deps{DB: l.db, Volumes: l.volumes, Kube: l.kube, Cache: cache, Reacher: &kube.Reacher{Client: l.kube},
		Image: func() string { return testkit.ImageFiles }, Wait: time.Minute}
	l.Service = courier.New(l.deps)
	return l
}

func (l *lab) volume(mode string) *ent.Volume {
	l.t.Helper()
	v, err := l.volumes.Create(testkit.As(l.t, l.db, l.Member), volume.CreateInput{TeamID: l.Team.ID, Name: "data", Size: "1Gi", AccessMode: mode})
	if err != nil {
		l.t.Fatal(err)
	}
	l.eventually("the claim is there", time.Minute, func() error {
		_, err := l.deps.Cache.Claims.PersistentVolumeClaims(l.ns).Get(v.ObjectName)
		return err
	})
	return v
}

func (l *lab) eventually(what string, within time.Duration, f func() error) {
	l.t.Helper()
	var err error
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if err = f(); err == nil {
			return
		}
	}
	l.t.Fatalf("%s: not within %v: %v", what, within, err)
}

// ask gives the answer's text.
func (l *lab) ask(s *courier.Service, who *ent.User, v *ent.Volume, q courier.Request) (string, http.Header, error) {
	if q.Header == nil {
		q.Header = http.Header{}
	}
	ans, err := s.Do(testkit.As(l.t, l.db, who), v.ID, q)
	if err != nil {
		return "", nil, err
	}
	defer ans.Close()
	var b bytes.Buffer
	err = ans.Copy(&b, func() {}, func(err error) any { return err.Error() })
	return b.String(), ans.Header, err
}

func (l *lab) must(text string, _ http.Header, err error) string {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
	return text
}

// left is what there is of agents in the namespace.
func (l *lab) left() error {
	sel := metav1.ListOptions{LabelSelector: manifest.LabelComponent + "=" + manifest.ComponentFiles}
	pods, err1 := l.kube.CoreV1().Pods(l.ns).List(l.t.Context(), sel)
	jobs, err2 := l.kube.BatchV1().Jobs(l.ns).List(l.t.Context(), sel)
	secrets, err3 := l.kube.CoreV1().Secrets(l.ns).List(l.t.Context(), sel)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	if n := len(pods.Items) + len(jobs.Items) + len(secrets.Items); n > 0 {
		return fmt.Errorf("%d pods, %d jobs, %d secrets are left", len(pods.Items), len(jobs.Items), len(secrets.Items))
	}
	return nil
}

func (l *lab) agents() []corev1.Pod {
	l.t.Helper()
	pods, err := l.kube.CoreV1().Pods(l.ns).List(l.t.Context(), metav1.ListOptions{LabelSelector: manifest.LabelComponent + "=" + manifest.ComponentFiles})
	if err != nil {
		l.t.Fatal(err)
	}
	return pods.Items
}

// peak is the most memory of the agents' processes and of this one, as the
// kernel counted it; the local Kubernetes runs on this machine.
func peak(t *testing.T) (agents, own int64) {
	t.Helper()
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range all {
		b, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(b), "goblin-init\x00files\x00") {
			agents = max(agents, status(filepath.Dir(f), "VmHWM:"))
		}
	}
	return agents, status("/proc/self", "VmHWM:")
}

func status(dir, key string) int64 {
	b, _ := os.ReadFile(filepath.Join(dir, "status"))
	for line := range strings.SplitSeq(string(b), "\n") {
		if rest, ok := strings.CutPrefix(line, key); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

// cutting breaks off in the middle.
type cutting struct {
	io.Reader
	left int
}

func (c *cutting) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.Reader.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// P19: files are there whether or not anything runs, an upload survives five
// cuts, neither side keeps it in memory, and nothing is left behind.
func TestP19FilesOfAVolumeThatNothingMounts(t *testing.T) {
	l := newLab(t)
	v := l.volume("ReadWriteMany")
	began := time.Now()
	l.must(l.ask(l.Service, l.Member, v, courier.Request{Method: "GET", Path: "/list"}))
	t.Logf("the first answer came after %v", time.Since(began))

	const size = 200 << 20
	rng := rand.NewChaCha8([32]byte{9})
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(rng, size)); err != nil {
		t.Fatal(err)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	// What is held counts, not what a collector that has time lets lie.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	agentIdle, ownIdle := peak(t)
	body := fmt.Sprintf(`{"path":"model.bin","size":%d,"sha256":"%s"}`, int64(size), sum)
	var u files.Upload
	if err := json.Unmarshal([]byte(l.must(l.ask(l.Service, l.Member, v, courier.Request{Method: "POST", Path: "/uploads", Body: strings.NewReader(body), Size: int64(len(body))}))), &u); err != nil {
		t.Fatal(err)
	}
	rng = rand.NewChaCha8([32]byte{9})
	part := make([]byte, files.MaxChunk)
	have, at, cuts := 0, int64(0), 0
	began = time.Now()
	for at < size {
		if have == 0 { // what follows the offset
			n, err := io.ReadFull(rng, part[:min(files.MaxChunk, size-at)])
			if err != nil {
				t.Fatal(err)
			}
			have = n
		}
		var in io.Reader = bytes.NewReader(part[:have])
		if cuts < 5 && at > int64(cuts)*30<<20 {
			cuts++
			in = &cutting{in, have / 3}
		}
		_, header, err := l.ask(l.Service, l.Member, v, courier.Request{Method: "PATCH", Path: "/uploads/" + u.ID, Body: in, Size: int64(have),
			Header: http.Header{"Upload-Offset": {strconv.FormatInt(at, 10)}}})
		now := at
		if err == nil {
			now, err = strconv.ParseInt(header.Get("Upload-Offset"), 10, 64)
		} else {
			err = json.Unmarshal([]byte(l.must(l.ask(l.Service, l.Member, v, courier.Request{Method: "GET", Path: "/uploads/" + u.ID}))), &u)
			now = u.Offset
		}
		if err != nil {
			t.Fatal(err)
		}
		copy(part, part[now-at:have])
		have -= int(now - at)
		at = now
	}
	took := time.Since(began)
	end := l.must(l.ask(l.Service, l.Member, v, courier.Request{Method: "POST", Path: "/uploads/" + u.ID + "/finish"}))
	if cuts != 5 || !strings.Contains(end, `"sha256":"`+sum) || !strings.Contains(end, `"done":true`) {
		t.Fatalf("after %d cuts: %s", cuts, end)
	}
	down := sha256.New()
	ans, err := l.Do(testkit.As(t, l.db, l.Member), v.ID, courier.Request{Method: "GET", Path: "/content", Query: "path=model.bin", Header: http.Header{}})
	if err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	if err := ans.Copy(down, func() {}, nil); err != nil || hex.EncodeToString(down.Sum(nil)) != sum {
		t.Fatalf("what came back differs: %v", err)
	}
	ans.Close()
	agent, own := peak(t)
	t.Logf("up %.0f MB/s with %d cuts, down %.0f MB/s; agent %d MB above idle, server %d MB", size/1e6/took.Seconds(), cuts,
		size/1e6/time.Since(began).Seconds(), (agent-agentIdle)>>20, (own-ownIdle)>>20)
	if grown := agent - agentIdle + own - ownIdle; grown > 64<<20 {
		t.Errorf("%d MB of memory were taken: agent %d, server %d", grown>>20, (agent-agentIdle)>>20, (own-ownIdle)>>20)
	}
	// From here on nobody asks, as when the server was killed.
	l.eventually("nothing is left", time.Minute, l.left)

	l.must(l.ask(l.Service, l.Member, v, courier.Request{Method: "GET", Path: "/stat", Query: "path=model.bin"}))
	list := l.must(l.ask(l.Service, l.Member, v, courier.Request{Method: "GET", Path: "/list"}))
	if !strings.Contains(list, `"total":1`) {
		t.Errorf("the volume holds %s", list)
	}
}

func TestReplicasShareAnAgentAndFinishWhatAKilledOneBegan(t *testing.T) {
	l := newLab(t)
	v := l.volume("ReadWriteMany")
	// A replica was killed after it made the Job.
	f := manifest.Files{Object: manifest.Object{Namespace: l.ns, Name: manifest.FilesName(v.ID, false), ID: v.ID}, Claim: v.ObjectName, Image: testkit.ImageFiles}
	if _, err := l.kube.BatchV1().Jobs(l.ns).Apply(t.Context(), manifest.FilesJob(f), kube.Apply); err != nil {
		t.Fatal(err)
	}
	other := courier.New(l.deps)
	errs := make(chan error, 8)
	for i := range cap(errs) {
		s := l.Service
		if i%2 == 0 {
			s = other
		}
		go func() {
			_, _, err := l.ask(s, l.Member, v, courier.Request{Method: "GET", Path: "/list"})
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if pods := l.agents(); len(pods) != 1 {
		t.Errorf("%d agents", len(pods))
	}
	// A colleague who may only read gets another one, to which the volume is read-only.
	l.must(l.ask(l.Service, l.Maintainer, v, courier.Request{Method: "GET", Path: "/list"}))
	_, _, err := l.ask(l.Service, l.Maintainer, v, courier.Request{Method: "POST", Path: "/folder", Query: "path=x"})
	if fault.KindOf(err) != fault.Forbidden {
		t.Errorf("a reader writes: %v", err)
	}
	pods := l.agents()
	if len(pods) != 2 {
		t.Fatalf("%d agents", len(pods))
	}
	for _, p := range pods {
		readOnly := strings.HasPrefix(p.Name, "files-ro-")
		c := p.Spec.Containers[0]
		if c.VolumeMounts[0].ReadOnly != readOnly || *c.SecurityContext.AllowPrivilegeEscalation || p.Spec.AutomountServiceAccountToken == nil || *p.Spec.AutomountServiceAccountToken {
			t.Errorf("%s: %+v", p.Name, c)
		}
	}
	// The agent dies in the middle: the next request makes another.
	if err := l.kube.CoreV1().Pods(l.ns).Delete(t.Context(), pods[0].Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	l.eventually("files can be reached again", time.Minute, func() error {
		_, _, err1 := l.ask(l.Service, l.Member, v, courier.Request{Method: "GET", Path: "/list"})
		_, _, err2 := l.ask(l.Service, l.Maintainer, v, courier.Request{Method: "GET", Path: "/list"})
		return errors.Join(err1, err2)
	})
	l.eventually("nothing is left", time.Minute, l.left)
}

// P19: a volume that one node holds is looked at on that node, whatever its taints.
func TestP19TheAgentGoesWhereTheVolumeIs(t *testing.T) {
	l := newLab(t)
	v := l.volume(string(entvolume.AccessModeReadWriteOnce))
	nodes, err := l.kube.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	node := nodes.Items[0].Name
	for _, n := range nodes.Items {
		if len(n.Spec.Taints) > 0 {
			node = n.Name
		}
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "holder", Namespace: l.ns, Labels: map[string]string{manifest.LabelManagedBy: manifest.Manager}},
		Spec: corev1.PodSpec{NodeName: node, Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{Name: "c", Image: testkit.ImageMini, Command: []string{"/bin/sh", "-c", "echo held >/data/held.txt; sleep 600"},
				VolumeMounts: []corev1.VolumeMount{{Name: "v", MountPath: "/data"}}}},
			Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: v.ObjectName}}}}},
	}
	if _, err := l.kube.CoreV1().Pods(l.ns).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	l.eventually("the holder runs", time.Minute, func() error {
		p, err := l.deps.Cache.Pods.Pods(l.ns).Get("holder")
		if err == nil && p.Status.Phase != corev1.PodRunning {
			err = fmt.Errorf("it is %s %v", p.Status.Phase, p.Status.Conditions)
		}
		return err
	})
	l.eventually("its file is seen", time.Minute, func() error {
		text, _, err := l.ask(l.Service, l.Member, v, courier.Request{Method: "GET", Path: "/text", Query: "path=held.txt"})
		if err == nil && !strings.Contains(text, `"text":"held\n"`) {
			err = errors.New(text)
		}
		return err
	})
	for _, p := range l.agents() {
		if p.Spec.NodeName != node {
			t.Errorf("the agent runs on %s, the volume is on %s", p.Spec.NodeName, node)
		}
	}
}

// An agent answers the platform alone: the team's own pods do not get to it.
func TestNobodyElseReachesAnAgent(t *testing.T) {
	l := newLab(t)
	v := l.volume("ReadWriteMany")
	pod := func(name, script string) {
		t.Helper()
		_, err := l.kube.CoreV1().Pods(l.ns).Create(t.Context(), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: l.ns, Labels: map[string]string{manifest.LabelManagedBy: manifest.Manager}},
			Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "c", Image: testkit.ImageMini, Command: []string{"/bin/sh", "-c", script}}}},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	port := strconv.Itoa(int(manifest.PortFiles))
	pod("peer", "mkdir /tmp/w; echo here >/tmp/w/index.html; httpd -f -p "+port+" -h /tmp/w")
	peer := ""
	l.eventually("the peer runs", time.Minute, func() error {
		p, err := l.kube.CoreV1().Pods(l.ns).Get(t.Context(), "peer", metav1.GetOptions{})
		if err == nil && (p.Status.Phase != corev1.PodRunning || p.Status.PodIP == "") {
			err = fmt.Errorf("it is %s", p.Status.Phase)
		}
		if err == nil {
			peer = p.Status.PodIP
		}
		return err
	})
	l.must(l.ask(l.Service, l.Member, v, courier.Request{Method: "GET", Path: "/list"}))
	agent := l.agents()[0].Status.PodIP
	try := func(ip string) string {
		return `printf 'GET / HTTP/1.0\r\n\r\n' | nc -w 3 ` + ip + " " + port + ` 2>&1; echo "code=$?"; `
	}
	pod("intruder", "for i in 1 2 3 4 5; do "+try(peer)+"sleep 1; done; echo ===; "+try(agent)+"echo end")
	text := ""
	l.eventually("the intruder has tried", time.Minute, func() error {
		// The agent must be there while it is tried.
		if _, _, err := l.ask(l.Service, l.Member, v, courier.Request{Method: "GET", Path: "/list"}); err != nil {
			return err
		}
		b, err := l.kube.CoreV1().Pods(l.ns).GetLogs("intruder", &corev1.PodLogOptions{}).DoRaw(t.Context())
		text = string(b)
		if err == nil && !strings.Contains(text, "end") {
			err = errors.New(text)
		}
		return err
	})
	before, after, _ := strings.Cut(text, "===")
	if !strings.Contains(before, "here") {
		t.Errorf("it does not even reach its team's pod: %s", text)
	}
	if strings.Contains(after, "HTTP/") || !strings.Contains(after, "code=1\n") {
		t.Errorf("it reaches the agent: %s", text)
	}
}
