package hostruntime

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/kubernetes/pkg/volume/util/subpath"
)

// Subpaths is the kubelet's way to parts of volumes. Elsewhere it mounts a part before it hands it over, so that a link
// cannot lead out of the volume. This one notes which volume a part belongs to, and the box looks it up there. The zero value is
// ready.
type Subpaths struct {
	mu    sync.Mutex
	parts map[string]subpath.Subpath // by their path
}

var _ subpath.Interface = &Subpaths{}

// PrepareSafeSubpath implements the interface.
func (s *Subpaths) PrepareSafeSubpath(p subpath.Subpath) (string, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts == nil {
		s.parts = map[string]subpath.Subpath{}
	}
	s.parts[p.Path] = p
	return p.Path, func() {}, nil
}

// find gives the volume of a path and the part of it, if it is one.
func (s *Subpaths) find(path string) (volume, part string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.parts[path]
	return p.VolumePath, strings.TrimPrefix(path, p.VolumePath), ok
}

// CleanSubPaths implements the interface.
func (s *Subpaths) CleanSubPaths(podDir, _ string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.parts, func(_ string, p subpath.Subpath) bool { return p.PodDir == podDir })
	return nil
}

// SafeMakeDir implements the interface.
func (s *Subpaths) SafeMakeDir(part, base string, mode os.FileMode) error {
	root, err := os.OpenRoot(base)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.MkdirAll(filepath.Clean(part), mode.Perm())
}
