package executor

import "fmt"

// Registry is the ordered list of executors.
type Registry struct{ list []Executor }

// NewRegistry refuses a name that is taken, and an executor that does nothing.
func NewRegistry(list ...Executor) (Registry, error) {
	r := Registry{}
	for _, e := range list {
		if _, taken := r.Get(e.Name()); taken {
			return Registry{}, fmt.Errorf("two executors are called %q", e.Name())
		}
		_, launches := e.(Launcher)
		_, polls := e.(Poller)
		if !launches && !polls {
			return Registry{}, fmt.Errorf("executor %q neither launches nor polls", e.Name())
		}
		r.list = append(r.list, e)
	}
	return r, nil
}

// Get is the executor of a name.
func (r Registry) Get(name string) (Executor, bool) {
	for _, e := range r.list {
		if e.Name() == name {
			return e, true
		}
	}
	return nil, false
}

// All are the executors in their order.
func (r Registry) All() []Executor { return append([]Executor(nil), r.list...) }

// Names are their names in their order.
func (r Registry) Names() []string {
	out := make([]string, len(r.list))
	for i, e := range r.list {
		out[i] = e.Name()
	}
	return out
}
