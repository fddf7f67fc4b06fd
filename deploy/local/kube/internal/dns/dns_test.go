package dns

import (
	"strings"
	"testing"
)

func TestCorefileForwardsOnlyToAResolver(t *testing.T) {
	t.Parallel()
	c := Config{IP: "10.244.255.1", Kubeconfig: "/my data/pki/dns.kubeconfig"}
	tests := map[string]struct {
		resolv string
		want   bool
	}{
		"a name server":   {"search example.com\nnameserver 192.0.2.1\n", true},
		"none":            {"search example.com\n", false},
		"a commented one": {"# nameserver 192.0.2.1\n", false},
		"an empty file":   {"", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := corefile(c, tc.resolv)
			if strings.Contains(got, "forward . /etc/resolv.conf") != tc.want {
				t.Errorf("forwards = %v, want %v:\n%s", !tc.want, tc.want, got)
			}
			for _, part := range []string{"bind 10.244.255.1", `kubeconfig "/my data/pki/dns.kubeconfig"`} {
				if !strings.Contains(got, part) {
					t.Errorf("lacks %q:\n%s", part, got)
				}
			}
		})
	}
}
