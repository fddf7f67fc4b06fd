package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/containernetworking/cni/pkg/skel"
)

// configuration is what containerd gives to the plug-in.
func configuration(socket string) []byte {
	return []byte(`{"cniVersion": "1.0.0", "name": "pods", "type": "goblinlab-policy", "socket": "` + socket + `", "prevResult": {"cniVersion": "1.0.0",
"interfaces": [{"name": "eth0", "sandbox": "/run/netns/x"}], "ips": [{"interface": 0, "address": "10.244.1.7/32", "gateway": "10.244.1.1"}]}}`)
}

// serve answers claims with a status, a moment after the plug-in has asked for the first time, and gives the last claim.
func serve(t *testing.T, socket string, status int, count *atomic.Int32) <-chan claim {
	t.Helper()
	got := make(chan claim, 10)
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		count.Add(1)
		var c claim
		if err := json.NewDecoder(q.Body).Decode(&c); err != nil || q.URL.Path != "/claim" {
			t.Errorf("%s %s: %v", q.Method, q.URL, err)
		}
		got <- c
		http.Error(w, "no packet filter", status)
	})}
	t.Cleanup(func() { _ = server.Close() })
	time.AfterFunc(100*time.Millisecond, func() {
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Error(err)
			return
		}
		_ = server.Serve(l) // ends by Close
	})
	return got
}

func TestAPodIsAnnouncedToAClusterThatIsStarting(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	var count atomic.Int32
	got := serve(t, socket, http.StatusNoContent, &count)
	err := add(&skel.CmdArgs{StdinData: configuration(socket), Args: "IgnoreUnknown=1;K8S_POD_NAMESPACE=red;K8S_POD_NAME=web-0;K8S_POD_INFRA_CONTAINER_ID=abc;K8S_POD_UID=1-2-3"})
	if err != nil {
		t.Fatal(err)
	}
	if want, c := (claim{Namespace: "red", Name: "web-0", UID: "1-2-3", IP: "10.244.1.7"}), <-got; c != want {
		t.Errorf("announced %+v, want %+v", c, want)
	}
}

func TestARefusedPodDoesNotStart(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	var count atomic.Int32
	serve(t, socket, http.StatusServiceUnavailable, &count)
	err := add(&skel.CmdArgs{StdinData: configuration(socket), Args: "K8S_POD_NAMESPACE=red;K8S_POD_NAME=web-0;K8S_POD_UID=1"})
	if err == nil || !strings.Contains(err.Error(), "no packet filter") || count.Load() != 1 {
		t.Errorf("after %d tries: %v", count.Load(), err)
	}
}

func TestWithoutAClusterAPodDoesNotStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := announce(ctx, filepath.Join(t.TempDir(), "s"), claim{}); err == nil {
		t.Error("nobody answered, and the pod was let go")
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	whole := string(configuration("/s"))
	for what, conf := range map[string]string{
		"no JSON":         "x",
		"no socket":       strings.Replace(whole, `"socket": "/s"`, `"socket": ""`, 1),
		"first plug-in":   `{"cniVersion": "1.0.0", "name": "pods", "socket": "/s"}`,
		"no IPv4 address": strings.Replace(whole, "10.244.1.7/32", "fe80::1/64", 1),
	} {
		_, result, err := parse([]byte(conf))
		if err == nil {
			_, err = address(result)
		}
		if err == nil {
			t.Errorf("%s: is accepted", what)
		}
	}
}
