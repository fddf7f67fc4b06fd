//go:build cluster

// Package local tries the local Kubernetes as its users do: by its program.
package local

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/testkit/registry"
)

// machine is the running cluster of the tests.
type machine struct {
	bin, kubeconfig string
	ip              string // of the node general
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	testkit.Cluster(t)
	m := &machine{bin: filepath.Join(registry.Root(t), "bin", "local"), kubeconfig: os.Getenv(testkit.EnvKubeconfig)}
	m.ip = m.kubectl(t, "get", "node", "general", "-o", `jsonpath={.status.addresses[?(@.type=="InternalIP")].address}`)
	if net.ParseIP(m.ip) == nil {
		t.Fatalf("the node's address is %q", m.ip)
	}
	return m
}

// try runs goblinlab-local on the cluster's folder, with an input.
func (m *machine) try(t *testing.T, input string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(m.bin, "goblinlab-local"), append(args, "--dir", filepath.Dir(m.kubeconfig))...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (m *machine) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := m.try(t, "", args...)
	if err != nil {
		t.Fatalf("goblinlab-local %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// refused is a call that has to fail, with all of some words.
func (m *machine) refused(t *testing.T, words []string, args ...string) {
	t.Helper()
	out, err := m.try(t, "", args...)
	if err == nil {
		t.Errorf("goblinlab-local %s succeeded:\n%s", strings.Join(args, " "), out)
	}
	for _, w := range words {
		if !strings.Contains(out, w) {
			t.Errorf("goblinlab-local %s lacks %q:\n%s", strings.Join(args, " "), w, out)
		}
	}
	if strings.Contains(out, "exit status") || strings.Contains(out, "rpc error") {
		t.Errorf("goblinlab-local %s tells of its inside:\n%s", strings.Join(args, " "), out)
	}
}

func (m *machine) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(m.bin, "kubectl"), append([]string{"--kubeconfig", m.kubeconfig}, args...)...)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, &problem)
	}
	return strings.TrimSpace(out.String())
}

// nodes are those that have an image, nil when none has.
func (m *machine) nodes(t *testing.T, image string) []string {
	t.Helper()
	var list []struct {
		Name  string
		Nodes []string
	}
	if err := json.Unmarshal([]byte(m.must(t, "image", "ls", "-o", "json")), &list); err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		if i.Name == image {
			return i.Nodes
		}
	}
	return nil
}

func (m *machine) has(t *testing.T, image string, nodes ...string) {
	t.Helper()
	if got := m.nodes(t, image); !slices.Equal(got, nodes) {
		t.Errorf("%s is on %v, want %v", image, got, nodes)
	}
}

var everyNode = []string{"general", "gpu", "online"}

const small = 128 << 10

func TestImagesArePulledAndRemoved(t *testing.T) {
	m := newMachine(t)
	r := registry.Start(t)
	image := r.Push(t, "team/tool", "1", registry.Image(t, small))

	m.must(t, "image", "pull", image, "--node", "gpu")
	m.has(t, image, "gpu")
	if out := m.must(t, "image", "pull", image); strings.Count(out, "pulled in") != 3 {
		t.Errorf("pull on every node says\n%s", out)
	}
	m.has(t, image, everyNode...)
	m.must(t, "image", "rm", image, "--node", "gpu")
	m.has(t, image, "general", "online")
	m.must(t, "image", "rm", image)
	m.has(t, image)

	m.refused(t, []string{image, "none of the nodes general, gpu, online", "image ls"}, "image", "rm", image)
	m.refused(t, []string{`"Not A Name" is not the name of an image`}, "image", "rm", "Not A Name")
	m.refused(t, []string{`"Not A Name" is not the name of an image`}, "image", "pull", "Not A Name")
	m.refused(t, []string{`no node "nowhere"`}, "image", "pull", image, "--node", "nowhere")
	m.refused(t, []string{"node general", r.Addr + "/team/tool:2", "not found"}, "image", "pull", r.Addr+"/team/tool:2")
}

func TestImagesArePulledWithCredentials(t *testing.T) {
	m := newMachine(t)
	r := registry.Start(t)
	for name, b := range map[string]registry.Behaviour{"basic": registry.Basic("ada", "s3cret"), "token": r.Bearer("ada", "s3cret")} {
		image := r.Push(t, name, "1", registry.Image(t, small))
		r.Behave(name, b)
		m.refused(t, []string{image}, "image", "pull", image, "--node", "general")
		m.refused(t, []string{"standard input, which is empty"}, "image", "pull", image, "--user", "ada")
		if out, err := m.try(t, "guess\n", "image", "pull", image, "--node", "general", "--user", "ada"); err == nil || !strings.Contains(out, "401 Unauthorized") {
			t.Errorf("%s: a wrong password: %v\n%s", name, err, out)
		}
		if out, err := m.try(t, "s3cret\n", "image", "pull", image, "--node", "general", "--user", "ada"); err != nil {
			t.Errorf("%s: the right password: %v\n%s", name, err, out)
		}
		m.has(t, image, "general")
		m.must(t, "image", "rm", image)
	}
}

func TestRegistriesAreTrustedAsSet(t *testing.T) {
	m := newMachine(t)
	plain, secure, other := registry.Start(t, registry.On(m.ip)), registry.Start(t, registry.On(m.ip), registry.TLS()), registry.Start(t, registry.TLS())
	image := secure.Push(t, "tool", "1", registry.Image(t, small))
	pull := []string{"image", "pull", image, "--node", "general"}
	m.refused(t, []string{"certificate signed by unknown authority"}, pull...)
	m.refused(t, []string{"no certificate in PEM"}, "registry", "set", secure.Addr, "--ca", "/dev/null")
	for _, c := range []struct {
		name, want string
		set        []string
	}{
		{"its authority", "", []string{"--ca", secure.CA}},
		{"another authority", "certificate signed by unknown authority", []string{"--ca", other.CA}},
		{"no check", "", []string{"--skip-verify"}},
	} {
		m.must(t, append([]string{"registry", "set", secure.Addr}, c.set...)...)
		if c.want != "" {
			m.refused(t, []string{c.want}, pull...)
			continue
		}
		m.must(t, pull...)
		m.must(t, "image", "rm", image)
	}
	if out := m.must(t, "registry", "ls"); !strings.Contains(out, secure.Addr) {
		t.Errorf("registry ls lacks %s:\n%s", secure.Addr, out)
	}
	m.must(t, "registry", "rm", secure.Addr)
	m.refused(t, []string{"certificate signed by unknown authority"}, pull...)
	m.refused(t, []string{"has no settings"}, "registry", "rm", secure.Addr)

	image = plain.Push(t, "tool", "1", registry.Image(t, small))
	m.refused(t, []string{"server gave HTTP response to HTTPS client"}, "image", "pull", image, "--node", "general")
	m.must(t, "registry", "set", plain.Addr, "--http")
	m.must(t, "image", "pull", image, "--node", "general")
	m.must(t, "image", "rm", image)
	m.must(t, "registry", "rm", plain.Addr)
}

func TestMirrorsAreAskedFirst(t *testing.T) {
	m := newMachine(t)
	mirror, origin := registry.Start(t), registry.Start(t)
	copied := registry.Image(t, small)
	image := origin.Push(t, "copied", "1", copied)
	mirror.Push(t, "copied", "1", copied)
	only := origin.Push(t, "only", "1", registry.Image(t, small))
	m.must(t, "registry", "set", origin.Addr, "--mirror", "http://"+mirror.Addr, "--http")
	t.Cleanup(func() {
		if out, err := exec.Command(filepath.Join(m.bin, "goblinlab-local"), "registry", "rm", origin.Addr, "--dir", filepath.Dir(m.kubeconfig)).CombinedOutput(); err != nil {
			t.Errorf("registry rm: %v\n%s", err, out)
		}
	})
	m.must(t, "image", "pull", image, "--node", "general")
	if mirror.Asked("copied") == 0 || origin.Asked("copied") != 0 {
		t.Errorf("the mirror was asked %d times, the registry %d times", mirror.Asked("copied"), origin.Asked("copied"))
	}
	m.must(t, "image", "pull", only, "--node", "general")
	if mirror.Asked("only") == 0 || origin.Asked("only") == 0 {
		t.Errorf("what the mirror lacks: it was asked %d times, the registry %d times", mirror.Asked("only"), origin.Asked("only"))
	}
	m.must(t, "image", "rm", image, only)
}

func TestPruneKeepsWhatIsUsedAndWhatCameWithTheStart(t *testing.T) {
	m := newMachine(t)
	r := registry.Start(t)
	used := r.Push(t, "used", "1", registry.Image(t, small))
	second := r.Push(t, "used", "2", registry.Image(t, small))
	unused := r.Push(t, "unused", "1", registry.Image(t, small))
	waiting := r.Push(t, "waiting", "1", registry.Image(t, small))
	for _, i := range []string{used, second, unused, waiting} {
		m.must(t, "image", "pull", i, "--node", "general")
	}
	pod := func(name, image, command string) {
		m.kubectl(t, "run", name, "--image", image, "--restart=Always", "--overrides",
			`{"spec":{"nodeName":"general","terminationGracePeriodSeconds":0}}`, "--command", "--", "/bin/sh", "-c", command)
		t.Cleanup(func() {
			cmd := exec.Command(filepath.Join(m.bin, "kubectl"), "--kubeconfig", m.kubeconfig, "delete", "pod", name, "--now", "--ignore-not-found")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	pod("prune-used", used, "sleep 600")
	pod("prune-waiting", waiting, "exit 1") // has a container now and then only
	m.kubectl(t, "wait", "--for=condition=Ready", "pod/prune-used", "--timeout=60s")
	m.refused(t, []string{used, "is used by the pod default/prune-used", "delete the pod first"}, "image", "rm", used)

	m.refused(t, []string{"goblinlab.local/pause:1 is used by the pod "}, "image", "rm", "goblinlab.local/pause:1", "--node", "general")
	out := m.must(t, "image", "prune")
	for _, gone := range []string{second, unused} {
		m.has(t, gone)
		if !strings.Contains(out, gone) {
			t.Errorf("prune does not name %s:\n%s", gone, out)
		}
	}
	m.has(t, used, "general")
	m.has(t, waiting, "general")
	for _, kept := range []string{"goblinlab.local/pause:1", testkit.ImageMini, testkit.ImageDev} {
		m.has(t, kept, everyNode...)
	}
	if out := m.must(t, "image", "prune"); !strings.Contains(out, "nothing to remove") {
		t.Errorf("a second prune says\n%s", out)
	}
	// What the kubelet's own collection passes over is what it is told to be pinned.
	m.kubectl(t, "delete", "pod", "prune-used", "prune-waiting", "--now")
	for end := time.Now().Add(time.Minute); ; time.Sleep(300 * time.Millisecond) {
		if out, err := m.try(t, "", "image", "rm", used, waiting); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatalf("after its pod was deleted: %v\n%s", err, out)
		}
	}
}
