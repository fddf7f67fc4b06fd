package devinit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	killsEvery = time.Second            // the kernel's count is read
	settle     = 100 * time.Millisecond // the kernel counts first, and the process ends then
	giveUp     = 3 * time.Second        // until a kill is told of somebody unknown
	maxKills   = 10                     // are remembered
)

// Kill is a process that the kernel killed since the container's memory was used up.
type Kill struct {
	Number  int64     `json:"number"`  // counts the kills of this container
	At      time.Time `json:"at"`      // when it was noticed
	App     string    `json:"app"`     // below which it ran; empty for one that no app started, as a web terminal's
	Process string    `json:"process"` // its name; empty if it came and went between two looks
	Limit   int64     `json:"limit"`   // bytes; 0: unknown
	Peak    int64     `json:"peak"`    // bytes, of the whole container; 0: unknown

	pid int
}

// MemoryStatus is what is told about the container's memory, in bytes; 0 is unknown or without a limit.
type MemoryStatus struct {
	Limit int64  `json:"limit"`
	Used  int64  `json:"used"`
	Peak  int64  `json:"peak"`  // since the container's start
	Kills []Kill `json:"kills"` // the newest last
}

// killWatch notices what the kernel kills. The kernel tells a container how many
// there were, and not who: what was there a moment ago, and is not any more, was
// it, the largest first, as the kernel chooses.
//
// Where the kernel kills the whole container at once (memory.oom.group, as the
// kubelet sets it on version 2 unless told otherwise) this process goes with it,
// and nobody in the container is left to tell.
type killWatch struct {
	memory *cgroup // nil: the kernel shows none
	roots  func() map[int]string
	list   func() (map[int]proc, error)
	now    func() time.Time
	log    func(app, message string)

	mu      sync.Mutex
	count   int64        // the kernel's
	told    int64        // of them
	seen    map[int]proc // at the last look
	before  map[int]proc // before the first kill that is not told yet; nil without one
	noticed time.Time    // that one
	kills   []Kill
}

// newKillWatch watches the container's cgroup, as far as the kernel shows one below root.
func newKillWatch(root string, board *Board, out *Output) *killWatch {
	w := &killWatch{memory: memoryCgroup(root), roots: board.roots, list: processes, now: time.Now, log: func(app, message string) {
		if app == "" {
			app = "goblin-init"
		}
		_, _ = out.about(app).Write([]byte(message))
	}}
	if w.memory != nil {
		w.count = w.memory.killed()
		w.told = w.count
	}
	return w
}

// run looks until ctx ends.
func (w *killWatch) run(ctx context.Context) {
	tick := time.NewTicker(killsEvery)
	defer tick.Stop()
	for {
		w.look()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look notes who was killed since the last look.
func (w *killWatch) look() {
	if w.memory == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	killed := w.memory.killed()
	if killed > w.count {
		time.Sleep(settle)
		if w.before == nil {
			w.before, w.noticed = w.seen, w.now()
		}
	}
	alive, err := w.list()
	if err != nil {
		return
	}
	apps := w.roots()
	for pid, p := range alive {
		if old, ok := w.seen[pid]; ok && old.since == p.since && old.app != "" {
			p.app = old.app // also when its parent has ended since
		} else {
			p.app = appOf(pid, alive, apps)
		}
		alive[pid] = p
	}
	w.count, w.seen = killed, alive
	w.tell(w.gone(alive))
}

// gone are the processes that are not there any more, the largest first.
func (w *killWatch) gone(alive map[int]proc) []proc {
	var out []proc
	for _, pid := range slices.Sorted(maps.Keys(w.before)) {
		if p, ok := alive[pid]; !ok || p.since != w.before[pid].since {
			out = append(out, w.before[pid])
		}
	}
	slices.SortStableFunc(out, func(a, b proc) int { return cmp.Compare(b.pages, a.pages) })
	return out
}

// tell notes each kill of which it is known who it was, or that nobody will know.
func (w *killWatch) tell(gone []proc) {
	for w.told < w.count {
		switch {
		case len(gone) > 0:
			w.note(gone[0])
			gone = gone[1:]
		case w.now().Sub(w.noticed) >= giveUp:
			w.note(proc{})
		default:
			return
		}
	}
}

// note is one kill; of nobody known without a number.
func (w *killWatch) note(p proc) {
	w.told++
	k := Kill{Number: w.told, At: stamp(w.now), App: p.app, Process: p.name,
		Limit: w.memory.number(w.memory.limit), Peak: w.memory.number(w.memory.peak), pid: p.pid}
	who := "a process"
	if p.pid != 0 {
		who = fmt.Sprintf("%s (process %d)", p.name, p.pid)
		delete(w.before, p.pid)
	}
	w.kills = append(slices.Clone(w.kills[max(0, len(w.kills)-maxKills+1):]), k)
	if w.told == w.count {
		w.before = nil
	}
	w.log(k.App, fmt.Sprintf("%s was killed: the container's memory was used up, %s of %s", who, megabytes(k.Peak), megabytes(k.Limit)))
}

// victim reports whether the kernel killed the process of an app for want of
// memory. It may have come and gone between two looks.
func (w *killWatch) victim(app string, pid int) bool {
	w.look()
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.kills, func(k Kill) bool { return k.pid == pid }) {
		return true
	}
	if w.memory == nil || w.told == w.count {
		return false
	}
	w.note(proc{pid: pid, name: app, app: app})
	return true
}

// status is what is known of the memory.
func (w *killWatch) status() MemoryStatus {
	if w.memory == nil {
		return MemoryStatus{Kills: []Kill{}}
	}
	w.look()
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.memory
	return MemoryStatus{Limit: m.number(m.limit), Used: m.number(m.used), Peak: m.number(m.peak), Kills: append([]Kill{}, w.kills...)}
}

// appOf is the app below whose process another one runs.
func appOf(pid int, all map[int]proc, apps map[int]string) string {
	for range len(all) + 1 { // a process and its parent are not read at one instant
		if app, ok := apps[pid]; ok {
			return app
		}
		p, ok := all[pid]
		if !ok {
			return ""
		}
		pid = p.parent
	}
	return ""
}
