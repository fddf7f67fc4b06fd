// Package courier brings requests to the files of volumes. It checks who asks,
// sees to it that an agent runs beside the volume, carries the request there and
// writes down what was done.
//
//	request ── Access ──▶ link: agent answers? ──yes──▶ request to the agent
//	                        │ no
//	                        ▼
//	        Job there? ──no──▶ make it ─▶ Secret there? ──no──▶ make it ─▶ pod runs? ─▶ answers?
//
// The Job's name follows from the volume and the mode, so that all requests of
// all replicas share one agent. The agent ends by itself when nobody asks for a
// while, and Kubernetes removes the Job then: nothing depends on us being there.
package courier
