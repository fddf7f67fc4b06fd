package model

import (
	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Secret is a credential, without what it holds.
type Secret struct {
	*ent.Secret
	Team      *Team
	CreatedBy *User
	ChangedBy *User
	UsedBy    []*SecretUser // when selected
	Can       *SecretPermissions
}

// Keys are the names of what it holds.
func (s *Secret) Keys() []spec.SecretKey {
	out := list(s.Secret.Keys)
	for i := range out {
		out[i].Principals = list(out[i].Principals)
	}
	return out
}

// SecretUse is a secret that something gets.
type SecretUse struct {
	spec.SecretUse
	Secret *Secret // when the viewer may know of it
}

func secretUses(in []spec.SecretUse, known map[string]*Secret) []*SecretUse {
	out := make([]*SecretUse, len(in))
	for i, u := range in {
		out[i] = &SecretUse{SecretUse: u, Secret: known[u.SecretID]}
	}
	return out
}
