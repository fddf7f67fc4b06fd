//go:build cluster

package system

import (
	"net"

	"k8s.io/client-go/rest"
)

type netAddr = net.Addr

// jsonConfig is for the dynamic client, which speaks no protobuf.
func jsonConfig(c *rest.Config) *rest.Config {
	out := rest.CopyConfig(c)
	out.ContentType, out.AcceptContentTypes = "application/json", "application/json"
	return out
}
