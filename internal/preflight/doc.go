// Package preflight refuses what cannot work before anything is created: a
// spec that is not sound, a request that no node could ever hold (P10, P11),
// one that the team's quota does not allow (P3), a second consumer of a volume
// that takes one (P21). The checks are pure and answer with *fault.Error, whose
// fields carry the paths of the contract's inputs and whose words name the
// value, the limit and what to do.
package preflight
