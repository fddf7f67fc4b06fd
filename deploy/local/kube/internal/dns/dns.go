// Package dns runs the cluster's DNS server, a trimmed CoreDNS, as a supervised child process.
package dns

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/process"
)

// Program is its name in the runtime's folder.
const Program = "coredns"

const startWait = 20 * time.Second

// Config says where the server listens and what it reads.
type Config struct {
	Path       string // of the program
	IP         string // address to answer on
	Kubeconfig string
	File       string // where its configuration is written
	Log        string
	PidFile    string
}

// Start runs the server and returns when it answers for the service "kubernetes".
func Start(ctx context.Context, g *process.Group, c Config) error {
	resolv, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		resolv = nil // a machine without a resolver has cluster names only
	}
	if err := os.WriteFile(c.File, []byte(corefile(c, string(resolv))), 0o644); err != nil {
		return err
	}
	if err := g.Start(ctx, process.Command{
		Name: "DNS", Path: c.Path, Args: []string{"-quiet", "-conf", c.File}, Log: c.Log, PidFile: c.PidFile,
	}); err != nil {
		return err
	}
	return await(ctx, c.IP)
}

// corefile is the configuration: names of the cluster from its API, all others from the machine's resolver.
func corefile(c Config, resolv string) string {
	forward := ""
	if hasNameserver(resolv) {
		forward = "    forward . /etc/resolv.conf\n"
	}
	return fmt.Sprintf(`.:53 {
    bind %s
    errors
    cache 30 {
        disable success cluster.local
        disable denial cluster.local
    }
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        kubeconfig "%s"
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
        ttl 5
    }
%s}
`, c.IP, c.Kubeconfig, forward)
}

func hasNameserver(resolv string) bool {
	for s := bufio.NewScanner(strings.NewReader(resolv)); s.Scan(); {
		if f := strings.Fields(s.Text()); len(f) > 1 && f[0] == "nameserver" {
			return true
		}
	}
	return false
}

func await(ctx context.Context, ip string) error {
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, net.JoinHostPort(ip, "53"))
	}}
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	for {
		try, stop := context.WithTimeout(ctx, time.Second)
		_, err := r.LookupHost(try, "kubernetes.default.svc.cluster.local.")
		stop()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("DNS does not answer: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
