package pki

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

const server = "https://127.0.0.1:6443"

func TestClusterMakesCertificatesThatVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Cluster(dir, server, []net.IP{net.IPv4(127, 0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	verify(t, dir, "ca", "apiserver", "127.0.0.1", x509.ExtKeyUsageServerAuth)
	verify(t, dir, "ca", "apiserver", "kubernetes.default.svc", x509.ExtKeyUsageServerAuth)
	verify(t, dir, "ca", "apiserver-kubelet-client", "", x509.ExtKeyUsageClientAuth)
	verify(t, dir, "front-proxy-ca", "front-proxy-client", "", x509.ExtKeyUsageClientAuth)
	for component := range identities {
		cfg, err := clientcmd.BuildConfigFromFlags("", Kubeconfig(dir, component))
		if err != nil {
			t.Fatalf("%s: %v", component, err)
		}
		if cfg.Host != server {
			t.Errorf("%s: server is %q, want %q", component, cfg.Host, server)
		}
		if _, err := tls.X509KeyPair(cfg.CertData, cfg.KeyData); err != nil {
			t.Errorf("%s: %v", component, err)
		}
	}
}

func TestNodeIsANodeOnItsAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Cluster(dir, server, nil); err != nil {
		t.Fatal(err)
	}
	files, err := Node(dir, server, "gpu", net.IPv4(10, 244, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	c := verify(t, dir, "ca", "kubelet-server-gpu", "10.244.1.1", x509.ExtKeyUsageServerAuth)
	if c.Subject.CommonName != "system:node:gpu" || len(c.Subject.Organization) != 1 || c.Subject.Organization[0] != "system:nodes" {
		t.Errorf("subject is %v", c.Subject)
	}
	if _, err := tls.LoadX509KeyPair(files.ServingCert, files.ServingKey); err != nil {
		t.Error(err)
	}
}

func TestASecondStartKeepsAuthoritiesAndTokenKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := []string{"ca.crt", "ca.key", "front-proxy-ca.crt", "sa.key", "sa.pub"}
	before := map[string]string{}
	for range 2 {
		if err := Cluster(dir, server, nil); err != nil {
			t.Fatal(err)
		}
		for _, name := range kept {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if old, ok := before[name]; ok && old != string(b) {
				t.Errorf("%s was made again", name)
			}
			before[name] = string(b)
		}
	}
}

func TestKeysArePrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Cluster(dir, server, nil); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.key", "*.kubeconfig"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, p := range paths {
			st, err := os.Stat(p)
			if err != nil {
				t.Fatal(err)
			}
			if st.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", p, st.Mode().Perm())
			}
		}
	}
}

func TestLoadRefusesDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"ca.crt", "ca.key"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("not PEM"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(dir, "ca"); err == nil {
		t.Error("was accepted")
	}
}

// verify checks a certificate against its authority for a host and a use.
func verify(t *testing.T, dir, authority, name, host string, use x509.ExtKeyUsage) *x509.Certificate {
	t.Helper()
	a, err := Load(dir, authority)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.PEM)
	if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, KeyUsages: []x509.ExtKeyUsage{use}}); err != nil {
		t.Errorf("%s for %q: %v", name, host, err)
	}
	return pair.Leaf
}
