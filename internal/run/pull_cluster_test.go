//go:build cluster

package run_test

import (
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/testkit/registry"
)

// TestP4ARunTellsItsPull holds the pull of a run's image in its middle.
func TestP4ARunTellsItsPull(t *testing.T) {
	l := newLab(t)
	r := registry.Start(t)
	release := make(chan struct{})
	ref := r.Push(t, "tool", "1", registry.Image(t, 4<<20))
	r.Behave("tool", registry.Held(release))
	image := l.db.Client.Image.Create().SetName("tool").SetReference(ref).SaveX(l.ctx)
	in := l.input(sh("echo pulled"))
	in.ImageID = image.ID
	made := l.run(t, in)
	l.until(t, made.ID, time.Minute, "the node tells how far it is", func(r *ent.Run) bool {
		if code(r) != reason.Pulling {
			return false
		}
		state, _ := r.Reason.Args["state"].(string)
		return strings.Contains(state, " MiB / ")
	})
	close(release)
	done := l.until(t, made.ID, time.Minute, "it ends", over)
	log := l.logged(t, done.Edges.Attempts[0])
	lacks(t, log, "The node pulls the image "+ref+".", "The image "+ref+" was pulled in ", "MiB).", "\npulled\n")
	if size := l.db.Client.Image.GetX(l.ctx, image.ID).SizeBytes; size == nil || *size < 4<<20 {
		t.Errorf("the image's size is %v", size)
	}
}
