// Package agent serves the files of one mounted volume to the server, and ends
// when nobody has asked for a while. It runs in a pod of its own beside the
// volume; whoever knows the pod's secret may do everything that the mount
// allows: who may do what is decided by the server.
package agent
