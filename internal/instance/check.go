package instance

import (
	"context"
	"errors"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func (s *Service) limits() preflight.Limits {
	l := s.Config.Now().Limits
	return preflight.Limits{CPUMilli: l.CPUMilli, MemoryBytes: l.MemoryBytes, GPU: l.GPU}
}

// parse reads limits as people type them. What cannot be read is noted, and
// stands at the least that is allowed for the checks that follow, so that one
// mistake is told once.
func (s *Service) parse(f *fault.Fields, r Resources) spec.Resources {
	out := spec.Resources{
		CPUMilli:    quantity.AddCPU(f, "resources.cpu", r.CPU, quantity.Limits{}),
		MemoryBytes: quantity.AddMemory(f, "resources.memory", r.Memory, quantity.Limits{}),
		GPU:         r.GPU,
	}
	if out.CPUMilli == 0 {
		out.CPUMilli = preflight.MinCPUMilli
	}
	if out.MemoryBytes == 0 {
		out.MemoryBytes = preflight.MinMemoryBytes
	}
	return out
}

// checkFit refuses what no node could ever hold (P10, P11).
func (s *Service) checkFit(ctx context.Context, f *fault.Fields, t *ent.Team, r spec.Resources) error {
	nodes, err := s.Cluster.Shapes(ctx)
	if err != nil {
		return err
	}
	before := map[string]bool{} // a size that is refused already needs no second sentence
	var own *fault.Error
	if errors.As(f.Err(), &own) {
		for _, field := range own.Fields {
			before[field.Path] = true
		}
	}
	var fit fault.Fields
	preflight.CheckFit(&fit, "", manifest.Requests(r, t.Overcommit.For(spec.ClassTest)), preflight.Placement{Class: spec.ClassTest}, nodes)
	var wrong *fault.Error
	if errors.As(fit.Err(), &wrong) {
		for _, field := range wrong.Fields {
			if !before[field.Path] {
				f.Add(field.Path, field.ID, field.Args)
			}
		}
	}
	return nil
}

// clip makes what somebody typed fit into a message.
func clip(text string) string {
	const most = 80
	text = strings.ToValidUTF8(text, "\uFFFD")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
