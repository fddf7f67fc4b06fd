package pki

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Names of the components' kubeconfigs, to be used with Kubeconfig.
const (
	Admin             = "admin"
	Addons            = "addons"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Proxy             = "kube-proxy"
	DNS               = "dns"
	Metrics           = "metrics-server"
)

// Kubeconfig is the path of a component's kubeconfig.
func Kubeconfig(dir, component string) string { return filepath.Join(dir, component+".kubeconfig") }

// identities are the users that the parts of the cluster act as. The groups and names that start with system: have
// their roles from Kubernetes itself.
var identities = map[string]Subject{
	Admin:             {CommonName: "goblinlab-local:admin", Organizations: []string{"system:masters"}},
	Addons:            {CommonName: "goblinlab-local:addons", Organizations: []string{"system:masters"}},
	DNS:               {CommonName: "goblinlab-local:dns", Organizations: []string{"system:masters"}},
	Metrics:           {CommonName: "goblinlab-local:metrics", Organizations: []string{"system:masters"}},
	ControllerManager: {CommonName: "system:kube-controller-manager"},
	Scheduler:         {CommonName: "system:kube-scheduler"},
	Proxy:             {CommonName: "system:kube-proxy"},
}

// Cluster makes everything but the nodes' part in dir. The API server answers at server and under the given addresses.
func Cluster(dir, server string, apiIPs []net.IP) error {
	ca, err := LoadOrCreate(dir, "ca")
	if err != nil {
		return err
	}
	front, err := LoadOrCreate(dir, "front-proxy-ca")
	if err != nil {
		return err
	}
	if err := serviceAccountKey(dir); err != nil {
		return err
	}
	api := Subject{CommonName: "kube-apiserver", IPs: apiIPs, DNSNames: []string{
		"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}}
	if _, _, err := ca.Issue(dir, "apiserver", api); err != nil {
		return err
	}
	toKubelet := Subject{CommonName: "kube-apiserver-kubelet-client", Organizations: []string{"system:masters"}}
	if _, _, err := ca.Issue(dir, "apiserver-kubelet-client", toKubelet); err != nil {
		return err
	}
	if _, _, err := front.Issue(dir, "front-proxy-client", Subject{CommonName: "front-proxy-client"}); err != nil {
		return err
	}
	for component, who := range identities {
		if err := writeKubeconfig(ca, dir, component, server, who); err != nil {
			return err
		}
	}
	return nil
}

// Serving makes the certificate of a server of the cluster and names its files, with the authority that vouches for it.
func Serving(dir, name string, ip net.IP, dns string) (cert, key string, caPEM []byte, err error) {
	ca, err := Load(dir, "ca")
	if err != nil {
		return "", "", nil, err
	}
	stem := name + "-serving"
	if _, _, err := ca.Issue(dir, stem, Subject{CommonName: name, IPs: []net.IP{ip}, DNSNames: []string{dns}}); err != nil {
		return "", "", nil, err
	}
	return filepath.Join(dir, stem+".crt"), filepath.Join(dir, stem+".key"), ca.PEM, nil
}

// NodeFiles are the credentials of one node.
type NodeFiles struct{ Kubeconfig, ServingCert, ServingKey, ClientCA string }

// Node makes the credentials of the node of that name and address.
func Node(dir, server, name string, ip net.IP) (NodeFiles, error) {
	ca, err := Load(dir, "ca")
	if err != nil {
		return NodeFiles{}, err
	}
	who := Subject{CommonName: "system:node:" + name, Organizations: []string{"system:nodes"}}
	client := "kubelet-" + name
	if err := writeKubeconfig(ca, dir, client, server, who); err != nil {
		return NodeFiles{}, err
	}
	serving := "kubelet-server-" + name
	who.IPs, who.DNSNames = []net.IP{ip, net.IPv4(127, 0, 0, 1)}, []string{name, "localhost"}
	if _, _, err := ca.Issue(dir, serving, who); err != nil {
		return NodeFiles{}, err
	}
	at := func(file string) string { return filepath.Join(dir, file) }
	return NodeFiles{Kubeconfig: Kubeconfig(dir, client), ServingCert: at(serving + ".crt"), ServingKey: at(serving + ".key"), ClientCA: at("ca.crt")}, nil
}

// serverName is the name by which every client knows the API server's certificate, whatever way leads there.
const serverName = "127.0.0.1"

func writeKubeconfig(ca *Authority, dir, component, server string, who Subject) error {
	cert, key, err := ca.Issue(dir, component, who)
	if err != nil {
		return fmt.Errorf("certificate of %s: %w", component, err)
	}
	const name = "goblinlab-local"
	c := clientcmdapi.NewConfig()
	c.Clusters[name] = &clientcmdapi.Cluster{Server: server, TLSServerName: serverName, CertificateAuthorityData: ca.PEM}
	c.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	c.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	c.CurrentContext = name
	b, err := clientcmd.Write(*c)
	if err != nil {
		return err
	}
	return WriteFile(Kubeconfig(dir, component), b, 0o600)
}

// CopyAdmin writes the administrator's kubeconfig to path.
func CopyAdmin(dir, path string) error {
	b, err := os.ReadFile(Kubeconfig(dir, Admin))
	if err != nil {
		return err
	}
	return WriteFile(path, b, 0o600)
}

// RemoveNode removes the credentials of a node.
func RemoveNode(dir, name string) error {
	var errs []error
	for _, stem := range []string{"kubelet-" + name, "kubelet-server-" + name} {
		for _, path := range []string{filepath.Join(dir, stem+".crt"), filepath.Join(dir, stem+".key"), Kubeconfig(dir, stem)} {
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
