// Package network gives a local cluster its addresses: one per node on an interface of its own, the packet filter rules
// that let pods out, and the way by which pods reach the API server.
package network

import (
	"errors"
	"fmt"
	"net"

	"github.com/vishvananda/netlink"
)

// The address ranges of every local cluster. Only one cluster runs on a machine, so they can be constants.
const (
	PodCIDR     = "10.244.0.0/16"
	ServiceCIDR = "10.96.0.0/16"
	// APIService is the address of the service "kubernetes".
	APIService = "10.96.0.1"
	// APIPort is where the API server is reached on ServiceIP.
	APIPort = 6443
)

// ServiceIndex numbers the address on which DNS and the way to the API server are found. It belongs to no node, so that
// pods keep finding it whatever nodes there are.
const ServiceIndex = 255

// ServiceIP is the address with the number ServiceIndex.
func ServiceIP() net.IP { return Gateway(ServiceIndex) }

// Gateway is the address of node number i. Its pods use it as their gateway.
func Gateway(i int) net.IP { return net.IPv4(10, 244, byte(i), 1).To4() }

// Subnet is the range of the pods of node number i.
func Subnet(i int) string { return fmt.Sprintf("10.244.%d.0/24", i) }

// EnsureLink makes the interface that carries a node's address. It is a bridge, which every kernel has; nothing is
// plugged into it, because pods are routed.
func EnsureLink(name string, ip net.IP) error {
	link, err := netlink.LinkByName(name)
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		if err := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: name}}); err != nil {
			return fmt.Errorf("make interface %s: %w", name, err)
		}
		link, err = netlink.LinkByName(name)
	}
	if err != nil {
		return fmt.Errorf("interface %s: %w", name, err)
	}
	addr := &netlink.Addr{IPNet: &net.IPNet{IP: ip, Mask: net.CIDRMask(32, 32)}}
	if err := netlink.AddrReplace(link, addr); err != nil {
		return fmt.Errorf("address %s of interface %s: %w", ip, name, err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("interface %s: %w", name, err)
	}
	return nil
}

// EnsureServiceRoute sends packets for services to an interface. They never leave by it, because the packet filter gives
// them another destination, but before that the kernel wants a route: a machine without a network has no other.
func EnsureServiceRoute(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("interface %s: %w", name, err)
	}
	_, services, err := net.ParseCIDR(ServiceCIDR)
	if err != nil {
		return err
	}
	route := &netlink.Route{LinkIndex: link.Attrs().Index, Dst: services, Scope: netlink.SCOPE_LINK, Src: ServiceIP()}
	if err := netlink.RouteReplace(route); err != nil {
		return fmt.Errorf("route of services: %w", err)
	}
	return nil
}

// RemoveLink deletes an interface; one that does not exist is no error.
func RemoveLink(name string) error {
	link, err := netlink.LinkByName(name)
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		return nil
	}
	if err != nil {
		return err
	}
	return netlink.LinkDel(link)
}

// Conflict says which interface of the machine already uses one of our ranges; empty when none does.
func Conflict() (string, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return "", err
	}
	for _, l := range links {
		addrs, err := netlink.AddrList(l, netlink.FAMILY_V4)
		if err != nil {
			return "", err
		}
		for _, a := range addrs {
			for _, cidr := range []string{PodCIDR, ServiceCIDR} {
				_, r, err := net.ParseCIDR(cidr)
				if err != nil {
					return "", err
				}
				if r.Contains(a.IP) || a.IPNet.Contains(r.IP) && a.IPNet.IP.String() != "0.0.0.0" {
					return fmt.Sprintf("interface %s has %s, which overlaps %s", l.Attrs().Name, a.IPNet, cidr), nil
				}
			}
		}
	}
	return "", nil
}
