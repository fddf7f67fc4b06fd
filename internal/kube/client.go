// Package kube is the one door to the cluster: the client, what is known of the
// cluster from informers, logs, shells and connections into pods. Beside the
// reconcilers nothing else touches a clientset.
package kube

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/goblinlab/goblinlab/internal/manifest"
)

// Apply are the options of every server-side apply: our field manager, and we
// win conflicts on our fields.
var Apply = metav1.ApplyOptions{FieldManager: manifest.Manager, Force: true}

// Client talks to the cluster.
type Client struct {
	kubernetes.Interface
	REST *rest.Config // protobuf; copy before changing
}

// Connect reads the kubeconfig (empty: $KUBECONFIG, ~/.kube/config, then the
// pod's own account). It does not speak to the cluster yet.
func Connect(kubeconfig string, qps float32, burst int) (*Client, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", err)
	}
	cfg.QPS, cfg.Burst = qps, burst
	cfg.UserAgent = "goblinlab"
	cfg.WarningHandler = rest.NoWarnings{} // root in a development environment is no news
	cfg.ContentType = "application/vnd.kubernetes.protobuf"
	cfg.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("client of the cluster: %w", err)
	}
	return &Client{Interface: c, REST: cfg}, nil
}

// Ping asks whether the cluster's API answers.
func (c *Client) Ping(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	return c.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}
