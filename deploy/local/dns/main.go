// Command coredns is CoreDNS with the plug-ins that a local cluster needs: names of the cluster from its API, all other
// names from the machine's resolver.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/kubernetes"
)

func main() {
	// The order in which a query passes the plug-ins.
	dnsserver.Directives = []string{"bind", "errors", "cache", "kubernetes", "forward"}
	coremain.Run()
}
