// Package metrics runs the metrics server, which gives `kubectl top` and autoscalers what nodes and pods use now, as a
// supervised child process, and makes the API server pass its API on.
package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	apireg "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/process"
)

// Program is its name in the runtime's folder.
const Program = "metrics-server"

const (
	name      = "metrics-server"
	namespace = metav1.NamespaceSystem
	apiName   = "v1beta1.metrics.k8s.io"
	port      = 10258
	// resolution is how often the kubelets are asked.
	resolution = 15 * time.Second
	startWait  = 30 * time.Second
)

// Config says where the server listens and what it reads.
type Config struct {
	Path    string // of the program
	IP      net.IP // address to answer on
	PKI     string // folder of certificates and kubeconfigs
	Log     string
	PidFile string
}

// Start runs the server until ctx ends and returns when the API server has found it.
func Start(ctx context.Context, g *process.Group, c Config) error {
	cert, key, ca, err := pki.Serving(c.PKI, name, c.IP, name+"."+namespace+".svc")
	if err != nil {
		return fmt.Errorf("certificate of the metrics server: %w", err)
	}
	kubeconfig := pki.Kubeconfig(c.PKI, pki.Metrics)
	if err := g.Start(ctx, process.Command{
		Name: "metrics server", Path: c.Path, Log: c.Log, PidFile: c.PidFile,
		Args: []string{
			"--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
			"--bind-address=" + c.IP.String(), "--secure-port=" + strconv.Itoa(port), "--tls-cert-file=" + cert, "--tls-private-key-file=" + key,
			"--kubelet-certificate-authority=" + filepath.Join(c.PKI, "ca.crt"), "--kubelet-preferred-address-types=InternalIP",
			"--metric-resolution=" + resolution.String(), "--profiling=false",
		},
		Env: []string{"GOGC=50"}, // memory is dearer here than the little that it computes
	}); err != nil {
		return err
	}
	return register(ctx, kubeconfig, c.IP.String(), ca)
}

// register makes the API server pass the metrics API on, and waits until it does: until then every client that asks for
// the list of APIs is told of an error.
func register(ctx context.Context, kubeconfig, ip string, ca []byte) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	core, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	agg, err := aggregator.NewForConfig(cfg)
	if err != nil {
		return err
	}
	if err := awaitListening(ctx, net.JoinHostPort(ip, strconv.Itoa(port))); err != nil {
		return err
	}
	if err := applyService(ctx, core, ip); err != nil {
		return fmt.Errorf("service of the metrics server: %w", err)
	}
	if err := applyAPI(ctx, agg, ca); err != nil {
		return fmt.Errorf("API of the metrics server: %w", err)
	}
	return awaitAvailable(ctx, agg)
}

func awaitListening(ctx context.Context, address string) error {
	deadline := time.After(startWait)
	for {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-deadline:
			return fmt.Errorf("the metrics server does not listen after %s: %w", startWait, err)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// applyService makes a service without a selector: the server is no pod.
func applyService(ctx context.Context, c kubernetes.Interface, ip string) error {
	portName, tcp, ready, number := "https", v1.ProtocolTCP, true, int32(port)
	service := &v1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1.ServiceSpec{Ports: []v1.ServicePort{{Name: portName, Port: 443, Protocol: tcp}}},
	}
	if _, err := c.CoreV1().Services(namespace).Create(ctx, service, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: name}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{ip}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}}},
		Ports:       []discoveryv1.EndpointPort{{Name: &portName, Protocol: &tcp, Port: &number}},
	}
	_, err := c.DiscoveryV1().EndpointSlices(namespace).Create(ctx, slice, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = c.DiscoveryV1().EndpointSlices(namespace).Update(ctx, slice, metav1.UpdateOptions{})
	}
	return err
}

func applyAPI(ctx context.Context, c aggregator.Interface, ca []byte) error {
	want := apireg.APIServiceSpec{
		Service: &apireg.ServiceReference{Namespace: namespace, Name: name},
		Group:   "metrics.k8s.io", Version: "v1beta1", GroupPriorityMinimum: 100, VersionPriority: 100, CABundle: ca,
	}
	apis := c.ApiregistrationV1().APIServices()
	_, err := apis.Create(ctx, &apireg.APIService{ObjectMeta: metav1.ObjectMeta{Name: apiName}, Spec: want}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	patch, err := json.Marshal(map[string]any{"spec": want})
	if err != nil {
		return err
	}
	_, err = apis.Patch(ctx, apiName, types.MergePatchType, patch, metav1.PatchOptions{}) // its status changes all the time
	return err
}

func awaitAvailable(ctx context.Context, c aggregator.Interface) error {
	deadline := time.After(startWait)
	for {
		api, err := c.ApiregistrationV1().APIServices().Get(ctx, apiName, metav1.GetOptions{})
		why := ""
		if err == nil {
			for _, x := range api.Status.Conditions {
				if x.Type == apireg.Available && x.Status == apireg.ConditionTrue {
					return nil
				}
				why = x.Message
			}
		}
		select {
		case <-deadline:
			return fmt.Errorf("the metrics API is not available after %s: %s %w", startWait, why, orTimeout(err))
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func orTimeout(err error) error {
	if err != nil {
		return err
	}
	return os.ErrDeadlineExceeded
}
