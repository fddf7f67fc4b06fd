// Package ident makes ids and the names of Kubernetes objects.
//
// An id is "<kind>-<xid>", as "ins-cv9q…": unique, sortable by the second it
// was made in, valid inside a DNS label. An object's name is a slug of what a
// person typed, for people's eyes alone, followed by the whole id: two objects
// never share a name because two objects never share an id, whatever their
// owners call them (P25, P39, P40, P41). Names are stored when first made and
// never computed again (P26).
package ident
