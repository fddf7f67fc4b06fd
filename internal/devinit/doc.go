// Package devinit is the start-up program of a development instance: the first
// process of its container.
//
// It starts a small table of apps (JupyterLab, code-server, sshd; TensorBoard
// when it is first asked for), each in a session of its own, and keeps each one running: an app that ends is started again alone,
// later and later, and never takes another with it. It waits for every process
// that loses its parent, seeds an empty home, gives the apps their secrets
// without leaving them in an argument list, an environment or a log, and tells
// over HTTP which app accepts connections, and what it wrote.
//
// The life of one app:
//
//	           program missing
//	 (start) ───────────────────▶ absent
//	    │
//	    ▼          answers           stops answering
//	starting ──────────────▶ ready ──────────────────▶ starting
//	    ▲  │                  │
//	    │  └──── ends ────────┤
//	    │                     ▼
//	    └─── back-off ──── crashed        (any state) ── SIGTERM ──▶ stopped
//
// The parts, from pure to impure: Settings and Secrets (read from the
// environment), backoff, the probes, home, hostkeys, sshd, jupyter (what each
// needs on disk and on its command line), Board (the state that is shown), then
// Reaper (processes), supervisor (one app) and Run (all of them).
package devinit
