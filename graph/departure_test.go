package graph_test

import (
	"maps"
	"testing"

	"github.com/goblinlab/goblinlab/ent/volume"
)

// TestADepartureTellsWhatIsInTheTrash: who gets a volume has to know that it is
// about to go.
func TestADepartureTellsWhatIsInTheTrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kept, trashed := w.volume(), w.volume()
	trashed.Update().SetDesired(volume.DesiredTrashed).ExecX(w.sys)
	var d struct {
		DeparturePreview struct {
			Estates []struct {
				Volumes []struct {
					ID      string
					InTrash bool
				}
			}
		}
	}
	w.SignIn(t, w.Cast.Admin).Get(`query($u: ID!, $t: ID!) { departurePreview(userId: $u, teamId: $t) { estates { volumes { id inTrash } } } }`,
		map[string]any{"u": w.Cast.Member.ID, "t": w.Cast.Team.ID}, &d)
	got := map[string]bool{}
	for _, e := range d.DeparturePreview.Estates {
		for _, v := range e.Volumes {
			got[v.ID] = v.InTrash
		}
	}
	if want := map[string]bool{kept.ID: false, trashed.ID: true}; !maps.Equal(got, want) {
		t.Errorf("the preview marks %v, want %v", got, want)
	}
}
