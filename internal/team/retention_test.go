package team

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func TestOwnersSayHowLongTheirTeamKeepsWhatEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for who, want := range map[*ent.User]fault.Kind{b.Owner: "", b.Admin: "", b.Maintainer: fault.Forbidden, b.Member: fault.Forbidden, b.Viewer: fault.Forbidden, b.Other: fault.NotFound} {
		if _, err := b.SetRetention(b.as(who), b.Team.ID, &spec.Retention{LogDays: 30, RunDays: 90}); kind(err) != want {
			t.Errorf("%s: %v, not %q", who.Email, err, want)
		}
	}
	row, err := b.SetRetention(b.as(b.Owner), b.Team.ID, nil)
	if err != nil || row.Retention != nil {
		t.Errorf("back to the platform's: %+v, %v", row.Retention, err)
	}
	n, err := b.db.Client.Audit.Query().Where(audit.Action("team.retention"), audit.ActorID(b.Owner.ID)).Count(b.as(b.Admin))
	if err != nil || n != 2 {
		t.Errorf("%d entries of the audit log, %v", n, err)
	}
}

func TestWhatIsKeptForHowLongHasBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log, run, most int
		want           []string
	}{
		"for ever":                     {0, 0, 0, nil},
		"as long as the runs":          {0, 30, 0, nil},
		"equal":                        {30, 30, 30, nil},
		"logs alone":                   {7, 0, 0, nil},
		"negative":                     {-1, -2, 0, []string{"retention.logDays team.retention-days", "retention.runDays team.retention-days"}},
		"beyond what a calendar holds": {0, spec.MaxRetention + 1, 0, []string{"retention.runDays team.retention-days"}},
		"above the most":               {61, 90, 60, []string{"retention.logDays team.retention-days", "retention.runDays team.retention-days"}},
		"for ever, above the most":     {0, 0, 60, []string{"retention.runDays team.retention-ever"}},
		"a log longer than its run":    {31, 30, 0, []string{"retention.logDays team.retention-log"}},
	} {
		var got []string
		var f *fault.Error
		if errors.As(checkRetention(spec.Retention{LogDays: c.log, RunDays: c.run}, c.most), &f) {
			for _, x := range f.Fields {
				got = append(got, x.Path+" "+x.ID)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTheMostCountsForWhatWasSaidBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Config.Limits.RunKeep, b.Config.Limits.KeepMost = 10*24*time.Hour, 60*24*time.Hour
	got := b.RetentionOf(&ent.Team{Retention: &spec.Retention{LogDays: 7, RunDays: 400}})
	want := &Retention{Own: &spec.Retention{LogDays: 7, RunDays: 400}, Effective: &spec.Retention{LogDays: 7, RunDays: 60},
		Platform: &spec.Retention{LogDays: 10, RunDays: 10}, MostDays: 60}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
