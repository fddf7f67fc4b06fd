package image

import (
	"testing"

	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func TestAnImageThatIsBuiltSaysSoInBothLanguages(t *testing.T) {
	t.Parallel()
	s := New(Deps{DB: testkit.DB(t)})
	const ref = "goblinlab.local/dev:1"
	if why := s.Waits(ref); why != nil {
		t.Errorf("one that nobody builds waits: %v", why)
	}
	for _, code := range []string{Building, Importing, BuildFailed, NotBuilt} {
		s.SetWaits(ref, &spec.Reason{Code: code, Args: map[string]any{"step": "pack dev"}})
		why := s.Waits(ref)
		if why == nil || why.Code != code {
			t.Fatalf("%s: %v", code, why)
		}
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			for _, id := range []string{"reason." + code, "advice." + code} {
				if text := lang.Text(l, id, why.Args); text == id || text == "" {
					t.Errorf("%s has no words for %s", l, id)
				}
			}
		}
	}
	s.SetWaits(ref, nil)
	if why := s.Waits(ref); why != nil {
		t.Errorf("one that is there waits: %v", why)
	}
}

func TestTheSizeOfAnArchiveIsNoted(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	s := New(Deps{DB: d})
	if err := s.Seed(t.Context(), []SeedImage{{Name: "Dev", Reference: "goblinlab.local/dev:1"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetSize(t.Context(), "goblinlab.local/dev:1", 414<<20); err != nil {
		t.Fatal(err)
	}
	row := d.Client.Image.Query().OnlyX(testkit.System(t))
	if row.SizeBytes == nil || *row.SizeBytes != 414<<20 {
		t.Errorf("%v", row.SizeBytes)
	}
}
