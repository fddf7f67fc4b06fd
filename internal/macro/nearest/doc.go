// Package nearest finds the names that somebody may have meant who wrote one
// that is not known: those that few changed letters away from it, the closest
// first. It is pure, and bounded whatever it is given.
package nearest
