// Package e2e starts a real cluster and tries what the platform needs of it. It needs root and the built programs, and is
// built only with the tag e2e:
//
//	make -C deploy/local e2e
package e2e
