// Package ent is the generated data layer; schema/ holds what is written by hand.
package ent
