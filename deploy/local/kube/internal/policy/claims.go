package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
)

// Claim says that a pod got an address. The CNI plug-in makes it, and waits, before any container of the pod starts. The
// pod's status tells the same, but only seconds later.
type Claim struct {
	Namespace string     `json:"namespace"`
	Name      string     `json:"name"`
	UID       string     `json:"uid"`
	IP        netip.Addr `json:"ip"`
}

// Validate checks what the plug-in sent.
func (c Claim) Validate() error {
	if c.Namespace == "" || c.Name == "" || c.UID == "" {
		return fmt.Errorf("claim %+v: namespace, name and uid must be given", c)
	}
	if !c.IP.Is4() {
		return fmt.Errorf("claim %+v: ip must be an IPv4 address", c)
	}
	return nil
}

// claims are those of the pods that exist, by address. They are kept in a file, so that the next start after a kill knows
// the pods whose status was not written yet.
type claims struct {
	file string
	by   map[netip.Addr]Claim
}

func loadClaims(file string) (*claims, error) {
	c := &claims{file: file, by: map[netip.Addr]Claim{}}
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &c.by); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// add notes a claim. A pod has one address: that of a sandbox which was made anew replaces the one before.
func (c *claims) add(n Claim) error {
	for ip, old := range c.by {
		if old.UID == n.UID {
			delete(c.by, ip)
		}
	}
	c.by[n.IP] = n
	return c.write()
}

// keep forgets the claims of pods that are not among these.
func (c *claims) keep(exists func(uid string) bool) error {
	gone := false
	for ip, old := range c.by {
		if !exists(old.UID) {
			delete(c.by, ip)
			gone = true
		}
	}
	if !gone {
		return nil
	}
	return c.write()
}

func (c *claims) write() error {
	b, err := json.Marshal(c.by)
	if err != nil {
		return err
	}
	return pki.WriteFile(c.file, b, 0o600)
}
