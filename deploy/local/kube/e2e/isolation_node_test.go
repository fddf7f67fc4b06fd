//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// token asks what somebody could do who got hold of the token of the account of a team's pods.
func (s *scene) token(t *testing.T) {
	as := "--as=system:serviceaccount:" + team + ":goblinlab-workload"
	table := regexp.MustCompile(`(?m)^(\S+) +\[.*\] +\[.*\] +\[(.*)\]$`)
	can := func(namespace string) map[string]string {
		got := map[string]string{}
		for _, m := range table.FindAllStringSubmatch(s.must("auth", "can-i", "--list", "-n", namespace, as), -1) {
			if !strings.HasPrefix(m[1], "selfsubject") && !strings.HasPrefix(m[1], "clustertrustbundles") {
				got[m[1]] = m[2] // everybody may ask who they are, what they may, and for public certificates
			}
		}
		return got
	}
	if diff := cmp.Diff(map[string]string{"services": "get list"}, can(team)); diff != "" {
		t.Errorf("in the own team (-want +got):\n%s", diff)
	}
	for _, namespace := range []string{otherTeam, "default", "kube-system"} {
		if got := can(namespace); len(got) != 0 {
			t.Errorf("in %s: %v", namespace, got)
		}
	}
	token := s.must("-n", team, "create", "token", "goblinlab-workload")
	with := func(args ...string) (string, error) {
		return s.kubectl(append([]string{"--kubeconfig=/dev/null", "--server=" + serverOf(t, s.local), "--insecure-skip-tls-verify", "--token=" + token}, args...)...)
	}
	if _, err := with("-n", team, "get", "services"); err != nil {
		t.Errorf("the token is good for nothing, so it shows nothing: %v", err)
	}
	for _, args := range [][]string{
		{"-n", team, "get", "secrets"}, {"-n", team, "get", "pods"}, {"-n", otherTeam, "get", "services"}, {"get", "nodes"},
		{"-n", team, "exec", "environment", "--", "true"}, {"-n", otherTeam, "exec", "neighbour", "--", "true"},
		{"-n", team, "create", "token", "goblinlab-workload"}, {"-n", team, "delete", "pod", "environment"},
		{"get", "--raw", "/api/v1/nodes/general/proxy/pods"}, {"get", "pv"},
	} {
		if out, err := with(args...); err == nil || !strings.Contains(err.Error(), "orbidden") {
			t.Errorf("%s: %q, %v", strings.Join(args, " "), out, err)
		}
	}
}

// What a pod may reach on its nodes, and what each asks of a caller.
var nodePorts = map[string]string{
	"10.244.0.1:10250":   "kubelet: 401 for strangers",
	"10.244.1.1:10250":   "kubelet: 401 for strangers",
	"10.244.2.1:10250":   "kubelet: 401 for strangers",
	"10.244.1.1:6443":    "API server: 401 for strangers",
	"10.244.2.1:6443":    "API server: 401 for strangers",
	"10.244.255.1:6443":  "API server: 401 for strangers",
	"10.244.255.1:10258": "metrics: 403 for strangers",
	"10.244.255.1:53":    "DNS",
}

// portsOfTheNode asks everything that listens on the machine from a pod.
func (s *scene) portsOfTheNode(t *testing.T) {
	ports := listeners(t)
	out := s.must(append([]string{"-n", team, "exec", "task", "--", "probe", "dial"}, ports...)...)
	t.Logf("of %d ports a pod reaches\n%s", len(ports), out)
	for p := range strings.FieldsSeq(out) {
		what := nodePorts[p]
		if what == "" {
			t.Errorf("a pod reaches %s", p)
		}
		if !strings.Contains(what, "for strangers") {
			continue
		}
		for _, path := range []string{"/", "/pods", "/metrics", "/api", "/logs/", "/debug/pprof/"} {
			_, err := s.kubectl("-n", team, "exec", "task", "--", "probe", "get", "https://"+p+path, "/none")
			if err == nil || !regexp.MustCompile(`probe: 40[134] `).MatchString(err.Error()) {
				t.Errorf("%s%s says to a stranger: %v", p, path, err)
			}
		}
	}
}

// listeners lists the addresses on which programs of the machine listen, seen from a pod.
func listeners(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			if len(f) < 4 || f[3] != "0A" {
				continue
			}
			address, port, _ := strings.Cut(f[1], ":")
			n, err := strconv.ParseUint(port, 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			ip := "10.244.0.1" // what listens on loopback is asked for here as well
			var a, b, c, d byte
			if _, err := fmt.Sscanf(address, "%02X%02X%02X%02X", &d, &c, &b, &a); err == nil && len(address) == 8 && a != 0 && a != 127 {
				ip = fmt.Sprintf("%d.%d.%d.%d", a, b, c, d)
			}
			out = append(out, fmt.Sprintf("%s:%d", ip, n))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
