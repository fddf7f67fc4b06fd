//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// effect is how long a policy may take to be in force.
const effect = 2 * time.Second

// networkPoliciesHold tries each kind of rule with real packets. It leaves a policy behind for the steps after it.
func networkPoliciesHold(t *testing.T, l *local) {
	if out, err := l.tool("status"); err != nil || !strings.Contains(out, "network policies  enforced") {
		t.Errorf("status: %v\n%s", err, out)
	}
	l.must("apply", "-f", "testdata/network.yaml")
	l.must("-n", "red", "wait", "--for=condition=Ready", "pod/web", "pod/friend", "--timeout=60s")
	l.must("-n", "blue", "wait", "--for=condition=Ready", "pod/stranger", "--timeout=60s")
	n := network{l, map[string]string{
		"web": l.podIP("red", "web"), "friend": l.podIP("red", "friend"), "stranger": l.podIP("blue", "stranger"),
		"service": l.must("-n", "red", "get", "service", "web", "-o", "jsonpath={.spec.clusterIP}"),
	}}
	all := map[string]bool{"friend web:8080": true, "friend web:8081": true, "friend service:80": true, "stranger web:8080": true, "friend stranger:8080": true}
	n.want("without policies", all)

	n.apply("deny", `{podSelector: {}, policyTypes: [Ingress]}`)
	n.want("ingress denied", map[string]bool{"friend web:8080": false, "friend service:80": false, "stranger web:8080": false,
		"web service:80":         true,  // itself
		"web stranger:8080":      true,  // out, and the answer back
		"stranger stranger:8080": true}) // not in the namespace
	n.machineReaches()
	n.probesPass()

	n.apply("team", `{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}`)
	n.want("the namespace allowed", map[string]bool{"friend web:8080": true, "friend web:8081": true, "friend service:80": true, "stranger web:8080": false})

	n.apply("team", `{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {colour: blue}}}]}]}`)
	n.want("another namespace allowed", map[string]bool{"friend web:8080": false, "stranger web:8080": true})
	l.must("label", "namespace", "blue", "colour=green", "--overwrite")
	n.want("its label changed", map[string]bool{"stranger web:8080": false})
	l.must("label", "namespace", "blue", "colour=blue", "--overwrite")

	n.apply("team", `{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.244.0.0/16, except: [`+n.ip["stranger"]+`/32]}}]}]}`)
	n.want("a block with an exception", map[string]bool{"friend web:8080": true, "stranger web:8080": false})

	n.apply("team", `{podSelector: {}, ingress: [{ports: [{port: http}]}]}`)
	n.want("a named port", map[string]bool{"friend web:8080": true, "friend web:8081": false, "friend service:80": true, "stranger web:8080": true})
	n.apply("team", `{podSelector: {}, ingress: [{ports: [{port: 8081, endPort: 8090}]}]}`)
	n.want("a range of ports", map[string]bool{"friend web:8080": false, "friend web:8081": true})

	n.connectionStays()

	n.apply("deny", `{podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}},
podSelector: {matchLabels: {k8s-app: kube-dns}}}], ports: [{protocol: UDP, port: 53}]}]}`)
	n.want("nothing but DNS goes out", map[string]bool{"friend web:8080": false, "friend service:80": false, "friend stranger:8080": false, "stranger web:8080": true,
		"friend " + l.serviceIP("kubernetes") + ":443": false, "friend 10.244.255.1:6443": false, "friend 10.244.0.1:10250": false})
	if out, err := l.kubectl("-n", "red", "exec", "friend", "--", "nslookup", "-type=a", "web.red.svc.cluster.local"); err != nil || !strings.Contains(out, n.ip["service"]) {
		t.Errorf("DNS: %q, %v", out, err)
	}
	n.startsShut()
	n.staysShut()

	n.remove("deny")
	n.want("without policies again", all)
	n.startsOpen()
	n.apply("deny", `{podSelector: {}, policyTypes: [Ingress, Egress]}`)
}

// network is where the pods of the step are.
type network struct {
	*local
	ip map[string]string
}

func (l *local) podIP(namespace, name string) string {
	l.t.Helper()
	return l.must("-n", namespace, "get", "pod", name, "-o", "jsonpath={.status.podIP}")
}

// apply makes or replaces a policy of the namespace red.
func (n network) apply(name, spec string) {
	n.t.Helper()
	cmd := exec.Command(bin+"/kubectl", "--kubeconfig", n.dir+"/kubeconfig", "apply", "-f", "-")
	cmd.Stdin = strings.NewReader("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: " + name + ", namespace: red}\nspec: " + spec + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("policy %s: %v: %s", name, err, out)
	}
}

func (n network) remove(name string) {
	n.t.Helper()
	n.must("-n", "red", "delete", "networkpolicy", name)
}

// want checks which ways are open, each "FROM TO:PORT", within the time that a change may take.
func (n network) want(what string, ways map[string]bool) {
	n.t.Helper()
	start := time.Now()
	for way, open := range ways {
		from, to, _ := strings.Cut(way, " ")
		for {
			tried := time.Now()
			if n.reaches(from, to) == open {
				break
			}
			if tried.After(start.Add(effect)) {
				n.t.Fatalf("%s: %s is open: %v, want %v, after %s\n%s", what, way, !open, open, effect, n.rules())
			}
		}
	}
}

func (n network) rules() string {
	out, _ := exec.Command("iptables-save", "-t", "mangle").CombinedOutput()
	return string(out)
}

func (n network) reaches(from, to string) bool {
	n.t.Helper()
	namespace := "red"
	if from == "stranger" {
		namespace = "blue"
	}
	out, _ := n.kubectl("-n", namespace, "exec", from, "--", "sh", "-c", n.request(to)) // what is shut is an error
	return strings.Contains(out, "open")
}

// request is a command that says "open" when a server answers.
func (n network) request(to string) string {
	host, port, _ := strings.Cut(to, ":")
	if ip, ok := n.ip[host]; ok {
		host = ip
	}
	return fmt.Sprintf(`printf 'GET /name HTTP/1.0\r\n\r\n' | timeout 1 nc %s %s | grep -q . && echo open || echo shut`, host, port)
}

// machineReaches asks a pod as the platform's server does, by the pod's address and by the service's.
func (n network) machineReaches() {
	n.t.Helper()
	for _, at := range []string{n.ip["web"] + ":8080", n.ip["service"]} {
		r, err := http.Get("http://" + at + "/name")
		if err != nil {
			n.t.Fatal(err)
		}
		r.Body.Close()
	}
}

// probesPass looks whether the kubelet's probes still reach the pod, and a new one.
func (n network) probesPass() {
	n.t.Helper()
	time.Sleep(3 * time.Second) // three probes, of which one that fails is enough
	n.must("-n", "red", "wait", "--for=condition=Ready", "pod/web", "--timeout=1s")
}

// connectionStays shows that a connection outlives the policy which would refuse it now.
func (n network) connectionStays() {
	n.t.Helper()
	n.apply("team", `{podSelector: {}, ingress: [{ports: [{port: 7000}, {port: 8081}]}]}`)
	n.want("the port of the connection", map[string]bool{"friend web:8080": false, "friend web:8081": true})
	say := exec.Command(bin+"/kubectl", "--kubeconfig", n.dir+"/kubeconfig", "-n", "red", "exec", "friend", "--",
		"sh", "-c", "(echo one; sleep 6; echo two) | timeout 10 nc "+n.ip["web"]+" 7000")
	if err := say.Start(); err != nil {
		n.t.Fatal(err)
	}
	eventually(n.t, 5*time.Second, "the first word", func() error { return n.heard("one") })
	n.remove("team")
	n.want("the connection would be refused", map[string]bool{"friend web:8081": false})
	eventually(n.t, 10*time.Second, "the second word", func() error { return n.heard("one\ntwo") })
	_ = say.Wait() // its end says nothing
}

func (n network) heard(want string) error {
	out, err := n.kubectl("-n", "red", "exec", "web", "--", "cat", "/tmp/heard")
	if out != want {
		return fmt.Errorf("heard %q, %w", out, err)
	}
	return nil
}

// runs a pod in the namespace red whose program tries a way from its first moment on, and gives what it saw.
func (n network) tries(name, to string, times int) string {
	n.t.Helper()
	n.must("-n", "red", "run", name, "--image=goblinlab.local/e2e:1", "--restart=Never", "--command", "--",
		"sh", "-c", fmt.Sprintf("i=0; while [ $i -lt %d ]; do %s; i=$((i+1)); done", times, n.request(to)))
	n.must("-n", "red", "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/"+name, "--timeout=60s")
	out := n.must("-n", "red", "logs", name)
	n.must("-n", "red", "delete", "pod", name)
	return out
}

// startsShut shows that a policy holds for a new pod from its first moment on.
func (n network) startsShut() {
	n.t.Helper()
	for i := range 3 {
		if out := n.tries(fmt.Sprintf("shut-%d", i), "stranger:8080", 4); strings.Contains(out, "open") || strings.Count(out, "shut") != 4 {
			n.t.Errorf("a new pod saw\n%s", out)
		}
	}
}

// startsOpen shows that a new pod need not wait until others know it.
func (n network) startsOpen() {
	n.t.Helper()
	n.apply("team", `{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}`)
	n.want("the namespace allowed", map[string]bool{"friend web:8080": true, "stranger web:8080": false})
	if out := n.tries("open", "web:8080", 1); out != "open" {
		n.t.Errorf("a new pod saw %q at first", out)
	}
	n.remove("team")
}

// staysShut kills the cluster's program and starts it again while a pod tries a way that is shut, and looks whether rules
// that somebody takes away come back.
func (n network) staysShut() {
	n.t.Helper()
	n.must("-n", "red", "run", "trier", "--image=goblinlab.local/e2e:1", "--restart=Never", "--command", "--",
		"sh", "-c", "while true; do "+n.request("stranger:8080")+"; done")
	n.must("-n", "red", "wait", "--for=condition=Ready", "pod/trier", "--timeout=30s")
	n.stop(syscall.SIGKILL)
	before := n.rules()
	time.Sleep(3 * time.Second)
	if after := n.rules(); !strings.Contains(before, n.ip["friend"]) || strings.Count(before, "\n-A") != strings.Count(after, "\n-A") {
		n.t.Errorf("rules after the kill:\n%s\nand later:\n%s", before, after)
	}
	n.up()
	if out := n.must("-n", "red", "logs", "trier"); strings.Contains(out, "open") || strings.Count(out, "shut") < 5 {
		n.t.Errorf("while the program was away and came back a pod saw\n%s", out)
	}
	n.must("-n", "red", "delete", "pod", "trier", "--grace-period=1")
	if out, err := exec.Command("iptables", "-t", "mangle", "-F", "FORWARD").CombinedOutput(); err != nil {
		n.t.Fatalf("%v: %s", err, out)
	}
	if !n.reaches("friend", "stranger:8080") {
		n.t.Error("without the rules the way is shut all the same, so this shows nothing")
	}
	eventually(n.t, 20*time.Second, "the rules that were taken away", func() error {
		if n.reaches("friend", "stranger:8080") {
			return fmt.Errorf("the way is open")
		}
		return nil
	})
}
