package devinit

import (
	"slices"
	"sync"
	"time"
)

// State is where an app stands; doc.go draws the changes.
type State string

// The states of an app.
const (
	StateAbsent   State = "absent"   // its program is not in the image
	StateIdle     State = "idle"     // it starts when it is first asked for
	StateStarting State = "starting" // it runs, and does not answer yet
	StateReady    State = "ready"    // it accepts connections
	StateCrashed  State = "crashed"  // it ended and waits for its next start
	StateStopped  State = "stopped"  // the container is being ended
)

// AppStatus is what is told about one app. It holds no secret.
type AppStatus struct {
	Name     string    `json:"name"`
	Port     int       `json:"port"`
	State    State     `json:"state"`
	Restarts int       `json:"restarts"`
	Since    time.Time `json:"since"` // when it came into this state
	Message  string    `json:"message"`
}

// Board holds the state of every app, in the order of the table.
type Board struct {
	mu   sync.Mutex
	now  func() time.Time
	apps []entry
}

type entry struct {
	AppStatus
	served   bool // it was ready at least once
	onDemand bool // nobody waits for it
	pid      int  // 0 while it does not run
}

// NewBoard returns a board on which every app is starting, but those on demand.
func NewBoard(apps []App, now func() time.Time) *Board {
	b := &Board{now: now}
	for _, a := range apps {
		state := StateStarting
		if a.Inner != 0 {
			state = StateAbsent // until its program was found
		}
		b.apps = append(b.apps, entry{onDemand: a.Inner != 0, AppStatus: AppStatus{
			Name: a.Name, Port: a.Port, State: state, Since: stamp(now),
		}})
	}
	return b
}

func stamp(now func() time.Time) time.Time { return now().UTC().Truncate(time.Second) }

// Set notes an app's state and reports whether it is another than before. The
// time changes with the state only.
func (b *Board) Set(name string, state State, message string) (changed bool) {
	b.update(name, func(e *entry) {
		changed = e.State != state
		if changed {
			e.State, e.Since = state, stamp(b.now)
		}
		e.Message = message
		e.served = e.served || state == StateReady
	})
	return changed
}

// Restarted counts one more start after an end.
func (b *Board) Restarted(name string) {
	b.update(name, func(e *entry) { e.Restarts++ })
}

// runs notes an app's process; 0 when it has ended.
func (b *Board) runs(name string, pid int) {
	b.update(name, func(e *entry) { e.pid = pid })
}

// roots are the processes of the apps that run.
func (b *Board) roots() map[int]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[int]string{}
	for _, e := range b.apps {
		if e.pid != 0 {
			out[e.pid] = e.Name
		}
	}
	return out
}

func (b *Board) update(name string, change func(*entry)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.apps {
		if b.apps[i].Name == name {
			change(&b.apps[i])
		}
	}
}

// Apps returns a copy of the state of every app.
func (b *Board) Apps() []AppStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]AppStatus, 0, len(b.apps))
	for _, e := range b.apps {
		out = append(out, e.AppStatus)
	}
	return out
}

// Ready reports whether the instance can be used, and if not, which apps are
// waited for.
//
// At first every present app must have accepted connections. From then on one
// app that serves is enough: a pod that is not ready loses its address, and the
// crash of a notebook server must not take the SSH sessions with it. Apps that
// start on demand do not count.
func (b *Board) Ready() (ok bool, waiting []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	started, serving, present := true, false, false
	for _, e := range b.apps {
		if e.State == StateAbsent || e.onDemand {
			continue
		}
		present = true
		started = started && e.served
		serving = serving || e.State == StateReady
		if e.State != StateReady {
			waiting = append(waiting, e.Name)
		}
	}
	if !present || started && serving {
		return true, nil
	}
	return false, waiting
}

// App returns the state of one app.
func (b *Board) App(name string) (AppStatus, bool) {
	apps := b.Apps()
	i := slices.IndexFunc(apps, func(a AppStatus) bool { return a.Name == name })
	if i < 0 {
		return AppStatus{}, false
	}
	return apps[i], true
}
