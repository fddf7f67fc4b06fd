package hostruntime

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/box"
)

// pod is a sandbox. It has no process: what pods share here, the machine shares.
type pod struct {
	ID      string
	Config  *cri.PodSandboxConfig
	Created int64 // in nanoseconds, as everything of the interface
	Stopped bool
}

// container is one container, from its creation to its removal.
type container struct {
	ID       string
	Pod      string
	Config   *cri.ContainerConfig
	Mounts   []box.Mount
	Created  int64
	Started  int64
	Finished int64
	ExitCode int32
	Reason   string
	Message  string

	box  *box.Box
	gone chan struct{} // closed when its end is recorded
}

const recordFile = "record.json"

// newID makes an id that is short enough for a socket's path.
func newID() string { return strings.ToLower(rand.Text()[:13]) }

// save writes a record so that a kill leaves the old or the new one.
func save(dir string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, recordFile)
	if err := os.WriteFile(path+".new", b, 0o600); err != nil { // it has the pod's secrets
		return err
	}
	return os.Rename(path+".new", path)
}

// load reads the records of an earlier process and finds what still runs.
func (r *Runtime) load() error {
	err := eachRecord(filepath.Dir(r.podDir("x")), func(b []byte) error {
		var p pod
		if err := json.Unmarshal(b, &p); err != nil {
			return err
		}
		r.pods[p.ID] = &p
		return nil
	})
	if err != nil {
		return err
	}
	return eachRecord(filepath.Dir(r.containerDir("x")), func(b []byte) error {
		c := &container{gone: make(chan struct{})}
		if err := json.Unmarshal(b, c); err != nil {
			return err
		}
		r.containers[c.ID] = c
		r.find(c)
		return nil
	})
}

// eachRecord gives the records below a folder. A folder without one is what a kill left of a removal or a creation.
func eachRecord(dir string, use func([]byte) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name(), recordFile))
		if errors.Is(err, os.ErrNotExist) {
			err = os.RemoveAll(filepath.Join(dir, e.Name()))
		} else if err == nil {
			err = use(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// find takes a container over that ran when its record was written.
func (r *Runtime) find(c *container) {
	if c.Finished != 0 {
		close(c.gone)
		return
	}
	if c.Started == 0 {
		return
	}
	if b, err := box.Open(r.files(c)); err == nil {
		c.box = b
		go r.follow(c)
		return
	}
	r.recordEnd(c, box.Ended(r.files(c)))
	close(c.gone)
}

// Running gives the containers of a runtime that run, whether or not the runtime does.
func Running(c Config) ([]*box.Box, error) {
	r := &Runtime{Config: c}
	var out []*box.Box
	err := eachRecord(filepath.Dir(r.containerDir("x")), func(b []byte) error {
		c := &container{}
		if err := json.Unmarshal(b, c); err != nil {
			return err
		}
		if b, err := box.Open(r.files(c)); err == nil {
			out = append(out, b)
		}
		return nil
	})
	return out, err
}
