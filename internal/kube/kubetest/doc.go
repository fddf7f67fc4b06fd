// Package kubetest is an API server in memory for tests that kill processes by
// the hundred: as much of Kubernetes as the service of runs meets, over HTTP, so
// that processes of their own share one.
//
//	apply Job ──► pod, pending ──► running ──(Life)──► ended; the Job is complete or failed
//
// It is no judge of what Kubernetes does; tests that ask for that run on the
// local one. It keeps books of what really ran: a pod begins and ends here and
// nowhere else, so that "never twice at once" is read from what happened, and not
// from rows that say so.
package kubetest
