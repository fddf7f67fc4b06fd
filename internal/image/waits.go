package image

import "github.com/goblinlab/goblinlab/internal/spec"

// The reasons why an image of this machine cannot be used yet.
const (
	Building    = "image-building"     // args: step
	Importing   = "image-importing"    // it is put on the nodes
	BuildFailed = "image-build-failed" // args: step
	NotBuilt    = "image-not-built"
)

// Waits says why an image cannot be used yet: it is built on this machine, or
// on its way to the nodes. Nil for what comes from a registry, and when it is there.
func (s *Service) Waits(reference string) *spec.Reason {
	why, ok := s.waits.Load(reference)
	if !ok {
		return nil
	}
	return why.(*spec.Reason)
}

// SetWaits keeps the answer of Waits; nil when the image can be used.
func (s *Service) SetWaits(reference string, why *spec.Reason) {
	if why == nil {
		s.waits.Delete(reference)
		return
	}
	s.waits.Store(reference, why)
}
