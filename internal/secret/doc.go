// Package secret keeps the credentials of people and teams: git tokens and SSH
// keys, registries, keytabs, and plain names with values. What a secret holds
// goes in and is never given back; it goes on into the containers of instances
// and runs alone.
//
// A person's secret works in each of their teams, in what they themselves own.
// A team's is used by its members, and made, replaced and deleted by its
// maintainers. Nobody else sees that there is one, an administrator neither for
// a person's.
//
//	create, replace ─▶ values sealed under a data key of the secret (envelope)
//	an instance or a run names it ─▶ refused unless its owner may have it
//	its start: Deliver ─▶ opened, checked again, a Kubernetes Secret of the start
//	its end ─▶ that Secret goes with the other objects of the start
//
// Replacing and deleting count from the next start; what was started before is
// marked outdated.
package secret
