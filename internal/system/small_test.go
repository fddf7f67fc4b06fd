//go:build cluster

package system

import (
	"net"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

type netAddr = net.Addr

// jsonConfig is for the dynamic client, which speaks no protobuf.
func jsonConfig(c *rest.Config) *rest.Config {
	out := rest.CopyConfig(c)
	out.ContentType, out.AcceptContentTypes = "application/json", "application/json"
	return out
}

// now deletes without a grace period.
func now() metav1.DeleteOptions {
	zero := int64(0)
	return metav1.DeleteOptions{GracePeriodSeconds: &zero}
}
