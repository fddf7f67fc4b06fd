package instance

import (
	"errors"
	"slices"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func with(s ...*ent.Secret) func(*CreateInput) {
	return func(in *CreateInput) { in.Secrets = uses(s...) }
}

func uses(list ...*ent.Secret) []spec.SecretUse {
	out := []spec.SecretUse{}
	for _, s := range list {
		out = append(out, spec.SecretUse{SecretID: s.ID, As: spec.SecretAsAuto})
	}
	return out
}

func (b *bundle) secret(u *ent.User, teamID *string, name string) *ent.Secret {
	b.t.Helper()
	return secrettest.Make(b.as(u), b.t, b.Secrets, teamID, name, map[string]string{"KEY_OF_" + u.DisplayName: "v"})
}

// TestP95ASecretOfAnotherIsRefusedBeforeAnythingIsMade looks for rows afterwards.
func TestP95ASecretOfAnotherIsRefusedBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	b := setup(t)
	olgas, ours := b.secret(b.Owner, nil, "olga's"), b.secret(b.Owner, &b.Team.ID, "ours")
	theirs := b.secret(b.Other, &b.OtherTeam.ID, "theirs")
	for name, c := range map[string]struct {
		in   []spec.SecretUse
		want []string
	}{
		"another person's":    {uses(olgas), []string{"secrets[0].secretId secret.missing"}},
		"another team's":      {uses(ours, theirs), []string{"secrets[1].secretId secret.missing"}},
		"none":                {[]spec.SecretUse{{SecretID: "sec-none", As: spec.SecretAsAuto}}, []string{"secrets[0].secretId secret.missing"}},
		"no way":              {[]spec.SecretUse{{SecretID: ours.ID, As: "shell"}}, []string{"secrets[0].as preflight.secret.as"}},
		"a relative path":     {[]spec.SecretUse{{SecretID: ours.ID, As: spec.SecretAsFile, At: "x"}}, []string{"secrets[0].at preflight.path.relative"}},
		"over the system":     {[]spec.SecretUse{{SecretID: ours.ID, As: spec.SecretAsFile, At: "/etc/x"}}, []string{"secrets[0].at preflight.path.system"}},
		"over the home":       {[]spec.SecretUse{{SecretID: ours.ID, As: spec.SecretAsFile, At: "/home/goblin"}}, []string{"secrets[0].at preflight.path.over-home"}},
		"one inside another":  {[]spec.SecretUse{{SecretID: ours.ID, As: spec.SecretAsFile, At: "/s"}, {SecretID: ours.ID, As: spec.SecretAsFile, At: "/s/t"}}, []string{"secrets[1].at preflight.path.nested"}},
		"a place of the kind": {[]spec.SecretUse{{SecretID: ours.ID, As: spec.SecretAsAuto, At: "/s"}}, []string{"secrets[0].at preflight.secret.at"}},
	} {
		_, err := b.Create(b.as(b.Member), b.input(atOnce, func(in *CreateInput) { in.Secrets = c.in }))
		if got := faults(err); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v (%v), want %v", name, got, err, c.want)
		}
	}
	if n := b.db.Client.Instance.Query().CountX(b.as(b.Admin)) + b.db.Client.Volume.Query().CountX(b.as(b.Admin)); n != 0 {
		t.Errorf("%d rows were made", n)
	}
	if i := b.made(with(ours, b.secret(b.Member, nil, "own"))); len(i.Spec.Secrets) != 2 {
		t.Errorf("%+v", i.Spec)
	}
}

// TestP94ManagingAnInstanceGivesNoneOfItsOwnersSecrets is about who manages others' instances.
func TestP94ManagingAnInstanceGivesNoneOfItsOwnersSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own, ours, maras := b.secret(b.Member, nil, "own"), b.secret(b.Owner, &b.Team.ID, "ours"), b.secret(b.Maintainer, nil, "mara's")
	personal, common := b.made(with(own)), b.made(with(ours))
	env := []spec.EnvVar{{Name: "LD_PRELOAD", Value: "/data/spy.so"}}
	other := b.newImage(nil, true).ID
	larger := Resources{CPU: "2", Memory: "2Gi"}
	name := "renamed"
	for what, c := range map[string]struct {
		in   UpdateInput
		ok   bool
		want fault.Kind
	}{
		"the image":              {UpdateInput{ID: personal.ID, ImageID: &other}, false, fault.Forbidden},
		"a variable":             {UpdateInput{ID: personal.ID, Env: env}, false, fault.Forbidden},
		"a port":                 {UpdateInput{ID: personal.ID, Ports: []spec.Port{{Number: 5000}}}, false, fault.Forbidden},
		"size and name":          {UpdateInput{ID: personal.ID, Name: &name, Resources: &larger}, true, ""},
		"another place for it":   {UpdateInput{ID: personal.ID, Secrets: []spec.SecretUse{{SecretID: own.ID, As: spec.SecretAsFile, At: "/s"}}}, false, fault.InvalidArgument},
		"it, in another":         {UpdateInput{ID: common.ID, Secrets: uses(ours, own)}, false, fault.InvalidArgument},
		"one's own":              {UpdateInput{ID: common.ID, Secrets: uses(maras)}, false, fault.InvalidArgument},
		"a variable beside ours": {UpdateInput{ID: common.ID, Env: env}, true, ""},
		"the team's":             {UpdateInput{ID: personal.ID, Secrets: uses(own, ours)}, true, ""},
	} {
		_, err := b.Update(b.as(b.Maintainer), c.in)
		if (err == nil) != c.ok || err != nil && fault.KindOf(err) != c.want {
			t.Errorf("a maintainer changes %s: %v", what, err)
		}
	}
	if _, err := b.Update(b.as(b.Maintainer), UpdateInput{ID: personal.ID, Secrets: uses(), Env: env}); err != nil {
		t.Errorf("without the secret: %v", err)
	}
	if _, err := b.Update(b.as(b.Member), UpdateInput{ID: personal.ID, Secrets: uses(own), Env: env}); err != nil {
		t.Errorf("the owner: %v", err)
	}
}

func TestASecretThatIsGoneStopsTheNextStart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own := b.secret(b.Member, nil, "own")
	i := b.made(with(own), atOnce)
	if RestartToApply(b.again(i.ID)) {
		t.Error("to be restarted before anything changed")
	}
	key := "v2"
	if _, err := b.Secrets.Replace(b.as(b.Member), secret.ReplaceInput{ID: own.ID, Content: secret.Content{Values: []secret.Value{{Key: "K", Text: &key}}}}); err != nil {
		t.Fatal(err)
	}
	if !RestartToApply(b.again(i.ID)) {
		t.Error("a replaced secret asks for no restart")
	}
	if _, err := b.Restart(b.as(b.Member), i.ID); err != nil {
		t.Fatal(err)
	}
	if RestartToApply(b.again(i.ID)) {
		t.Error("restarted, and still to be restarted")
	}
	if err := b.Secrets.Delete(b.as(b.Member), own.ID, true); err != nil {
		t.Fatal(err)
	}
	if row := b.again(i.ID); row.Desired != entinstance.DesiredRunning || !RestartToApply(row) {
		t.Errorf("after the deletion it is %s", row.Desired)
	}
	_, err := b.Restart(b.as(b.Member), i.ID)
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != fault.FailedPrecondition || f.ID != "instance.secret-missing" {
		t.Errorf("a start without its secret: %v", err)
	}
	if _, err := b.Update(b.as(b.Member), UpdateInput{ID: i.ID, Secrets: uses()}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Restart(b.as(b.Member), i.ID); err != nil {
		t.Errorf("a start that asks for it no more: %v", err)
	}
}
