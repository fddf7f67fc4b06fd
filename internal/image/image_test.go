package image

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

func kind(err error) fault.Kind {
	if err == nil {
		return ""
	}
	return fault.KindOf(err)
}

func TestWhoMayChangeTheCatalogue(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	c := testkit.NewCast(t, d)
	s := New(Deps{DB: d})
	auditor := testkit.User(t, d, "aude", authz.PlatformAuditor)
	people := map[string]context.Context{"admin": testkit.As(t, d, c.Admin), "auditor": testkit.As(t, d, auditor), "owner": testkit.As(t, d, c.Owner),
		"maintainer": testkit.As(t, d, c.Maintainer), "member": testkit.As(t, d, c.Member), "viewer": testkit.As(t, d, c.Viewer),
		"other team": testkit.As(t, d, c.Other), "anonymous": t.Context()}
	make := func(ctx context.Context, team *string) (string, error) {
		i, err := s.Create(ctx, CreateInput{TeamID: team, Name: "torch", Reference: "registry.example/ml/torch:2", Development: true})
		if err != nil {
			return "", err
		}
		return i.ID, nil
	}
	remove := func(ctx context.Context, team *string) error {
		id, err := make(people["admin"], team)
		if err != nil {
			t.Fatal(err)
		}
		return s.Delete(ctx, id)
	}
	no, none, sign := fault.Forbidden, fault.NotFound, fault.Unauthenticated
	ofTeam := map[string]fault.Kind{"admin": "", "auditor": no, "owner": "", "maintainer": "", "member": no, "viewer": no, "other team": none, "anonymous": sign}
	ofAll := map[string]fault.Kind{"admin": "", "auditor": no, "owner": no, "maintainer": no, "member": no, "viewer": no, "other team": no, "anonymous": sign}
	for who, ctx := range people {
		t.Run(who, func(t *testing.T) {
			_, err := make(ctx, &c.Team.ID)
			if got := kind(err); got != ofTeam[who] {
				t.Errorf("create for the team: %q", got)
			}
			if _, err = make(ctx, nil); kind(err) != ofAll[who] {
				t.Errorf("create for everybody: %q", kind(err))
			}
			if got := kind(remove(ctx, &c.Team.ID)); got != ofTeam[who] {
				t.Errorf("delete the team's: %q", got)
			}
			if got := kind(remove(ctx, nil)); got != ofAll[who] {
				t.Errorf("delete everybody's: %q", got)
			}
		})
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	digest := "@sha256:" + strings.Repeat("a", 64)
	for text, want := range map[string]bool{
		"busybox": true, "busybox:1.36": true, "library/busybox": true, "localhost:5000/a/b:latest": true,
		"registry.example/ml/tensorflow:2.19": true, "goblinlab.local/mini:1": true, "a/b" + digest: true, "a/b:1" + digest: true,
		"": false, "Busybox": false, "a b": false, "a:": false, "a:-x": false, "http://a/b": false, "a//b": false, "a/b@sha256:12": false,
		"a/b;rm": false, "$(id)": false, "a/b\n": false, strings.Repeat("a", 600): false,
	} {
		if got := reference(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestBadImagesAreRefusedInWords(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	c := testkit.NewCast(t, d)
	_, err := New(Deps{DB: d}).Create(testkit.As(t, d, c.Admin), CreateInput{Name: " ", Reference: "no reference",
		Description: strings.Repeat("长", 2001), Framework: strings.Repeat("f", 101), PullSecret: "regcred"})
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatal(err)
	}
	var got []string
	for _, field := range f.Fields {
		got = append(got, field.Path+" "+field.ID)
		for _, l := range []lang.Lang{lang.English, lang.Chinese} {
			if said := lang.Text(l, "fault."+field.ID, field.Args); said == "fault."+field.ID || strings.Contains(said, "?") {
				t.Errorf("%s says %q", l, said)
			}
		}
	}
	slices.Sort(got)
	want := []string{"description image.too-long", "framework image.too-long", "name preflight.name.empty", "pullSecret image.pull-secret-team", "reference image.reference"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSeedAddsEachImageOnce(t *testing.T) {
	t.Parallel()
	d := testkit.DB(t)
	s, sys := New(Deps{DB: d}), testkit.System(t)
	seed := []SeedImage{{Name: "mini", Reference: testkit.ImageMini, Development: true, Apps: []string{"jupyterlab"}, Recommended: true, SizeBytes: 7}, {Name: "dev", Reference: testkit.ImageDev}}
	for range 2 {
		if err := s.Seed(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
	}
	rows := d.Client.Image.Query().AllX(sys)
	if len(rows) != 2 {
		t.Fatalf("%d images", len(rows))
	}
	if err := s.Delete(sys, rows[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(sys, rows[0].ID); kind(err) != fault.NotFound {
		t.Errorf("a second deletion: %v", err)
	}
	if err := s.Seed(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	if n := d.Client.Image.Query().CountX(sys); n != 2 {
		t.Errorf("an image that was deleted came back: %d", n)
	}
}
