// Package carry takes what one container is made of over to another: from a run
// that failed to an instance that looks into it, from an instance to a task of a
// flow. The checks of where it goes find what is wrong with it; what they found
// decides here, purely, what stays, what is changed, and what is said of it, so
// that nothing is dropped silently:
//
//	want ──► checks of where it goes ──► found ──► Fit ──► what stays + notes
package carry
