// Package manifest builds the Kubernetes objects of GoblinLab: pure functions
// from plain values to typed apply configurations, which the caller applies
// with server-side apply under the field manager Manager.
//
// The structs carry what is stored and frozen: object names as they were first
// made, ids, the generation, the number of the start. Equal input gives equal
// output, so that applying twice changes nothing. What stands in a pod template
// was frozen when that start or attempt was made; a display name stands on the
// owning object alone, so that renaming restarts nothing.
//
// Nothing here reads the clock, a cluster or the database. No secret value
// reaches a label, an annotation or a variable: pods name Secrets by reference.
//
// Two rules hold for what users typed. Kubernetes expands "$(NAME)" and "$$" in
// commands, arguments and variables; every "$" is doubled, so that programs see
// exactly what was written. And each variable stands once: a user's variable
// replaces the platform's of the same name, save the reserved ones.
//
// Each case has a golden file in testdata, complete and with its namespace, so
// that a test elsewhere can send them to a real API server.
package manifest
