package team

import (
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestTeamsHaveNamesThatPeopleTellApart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := b.as(b.Admin)
	row, err := b.Create(ctx, CreateInput{Name: " \u00a0Deep   Learning\u3000"})
	if err != nil || row.Name != "Deep Learning" {
		t.Fatalf("%q, %v", row.Name, err)
	}
	for name, c := range map[string]struct{ name, want string }{
		"the same":            {"Deep Learning", "team.name-taken"},
		"case":                {"deep learning", "team.name-alike"},
		"blanks":              {"  deep  \u2003LEARNING ", "team.name-alike"},
		"a Cyrillic letter":   {"Dеep Learning", "team.name-alike"},
		"full width":          {"Ｄeep Learning", "team.name-alike"},
		"a zero-width space":  {"Deep\u200b Learning", "team.name-invisible"},
		"a line break":        {"Deep\nLearning", "preflight.name.control"},
		"a turn of direction": {"\u202eDeep Learning", "preflight.name.control"},
		"blanks alone":        {" \u3000 ", "preflight.name.empty"},
		"a filler alone":      {"\u3164", "team.name-invisible"},
	} {
		for how, err := range map[string]error{
			"made":    second(b.Create(ctx, CreateInput{Name: c.name})),
			"renamed": second(b.Update(ctx, UpdateInput{ID: b.Team.ID, Name: &c.name})),
		} {
			if kind(err) != fault.InvalidArgument || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v", name, how, err)
			}
		}
	}
	if _, err := b.Create(ctx, CreateInput{Name: "deep learning"}); !strings.Contains(said(err), "“Deep Learning”") {
		t.Errorf("it is not said for which: %q", said(err))
	}
	if row, err = b.Update(ctx, UpdateInput{ID: row.ID, Name: text("DEEP learning")}); err != nil || row.Name != "DEEP learning" {
		t.Errorf("its own name in other letters: %v", err)
	}
	if _, err := b.Create(ctx, CreateInput{Name: "lab ❤\ufe0f"}); err != nil {
		t.Errorf("a picture: %v", err)
	}
	// Whoever may not know of a team hears that the name is taken, not by whom.
	var f fault.Fields
	if err := b.checkFree(b.as(b.Member), &f, b.Team.ID, "Deep learning"); err != nil {
		t.Fatal(err)
	}
	if err := f.Err(); !strings.Contains(err.Error(), "team.name-taken") || strings.Contains(said(err), "DEEP") {
		t.Errorf("told to a member of another team: %q", said(err))
	}
	// Two at once, past the look before: the database keeps them apart.
	if _, err := b.db.Client.Team.Create().SetName("dEEP lEARNING").SetNamespace("gl-x").SetQuota(row.Quota).SetOvercommit(row.Overcommit).
		Save(testkit.System(t)); nameTaken(err, "x") == err {
		t.Errorf("the database took it: %v", err)
	}
}
