// Package shape describes values of JSON once, and makes both of it: the JSON
// schema (draft 2020-12) that is published, and the check that names what is
// wrong in the user's language – unknown fields with the nearest known ones,
// missing ones, values of the wrong type, out of their range or not among the
// choices – everything at once, by path. It is pure.
//
//	raw ──Read──▶ shape's problems + a pruned tree ──▶ the struct ──▶ the owner's own checks
//
// The tree is pruned of what is wrong, so that the rest can be decoded and
// looked at too; Told drops what would be said about the same input twice.
//
// What the check takes, the schema takes. Texts of a step's settings may hold
// macros; then their values are looked at when they were expanded (Expanded).
package shape
