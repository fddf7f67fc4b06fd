package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// TestAProgramInsideKnowsNobodyElse reads as the token of an instance what is left out of the table.
func TestAProgramInsideKnowsNobodyElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.inside(t)
	var got struct {
		Users struct {
			Nodes []struct{ DisplayName string }
		}
		Teams struct {
			Nodes []struct {
				Name    string
				Members []struct{ User struct{ DisplayName string } }
			}
		}
	}
	b.Get(`{ users { nodes { displayName } } teams { nodes { name members { user { displayName } } } } }`, nil, &got)
	if len(got.Users.Nodes) != 1 || len(got.Teams.Nodes) != 1 || len(got.Teams.Nodes[0].Members) != 1 || got.Teams.Nodes[0].Members[0].User.DisplayName != "meng" {
		t.Errorf("%+v", got)
	}
	for _, op := range []string{
		`mutation { ...F } fragment F on Mutation { signOut { ok } }`,
		`mutation { stopRun(id: "run-x") { run { id } } createTeam(input: {name: "x"}) { team { id } } }`,
	} {
		if a := b.Ask(op, nil); a.Code() != "FORBIDDEN" || !strings.Contains(a.Errors[0].Message, "inside of an instance") {
			t.Errorf("%s: %+v", op, a.Errors)
		}
	}
}

// TestAProgramInsideIsToldWhatToDoAboutSecrets: its role is not what is in the way.
func TestAProgramInsideIsToldWhatToDoAboutSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.inside(t)
	for _, op := range []string{`{ secrets { id } }`, `{ secrets(teamId: "` + w.Cast.Team.ID + `") { id } }`} {
		a := b.Ask(op, nil)
		if a.Code() != "FORBIDDEN" || a.Errors[0].Extensions.ID != "secret.inside" || !strings.Contains(a.Errors[0].Message, "access token") {
			t.Errorf("%s: %+v", op, a.Errors)
		}
	}
}

// TestASecretIsInNoAnswer asks for all that the API knows of it, as whoever may.
func TestASecretIsInNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Member)
	const hush = "hush-hush-hush"
	fields := everything(schema(t), "Secret", 3)
	made := b.Ask(`mutation($v: String!) { createSecret(input: {name: "own", values: [{key: "KEY", text: $v}]}) { secret { `+fields+` } } }`, map[string]any{"v": hush})
	list := b.Ask(`{ secrets { `+fields+` } }`, nil)
	log := w.SignIn(t, w.Cast.Admin).Ask(`{ auditLog { nodes { action before after } } }`, nil)
	for _, a := range []string{string(made.Data), string(list.Data), string(log.Data), fmt.Sprint(made.Errors, list.Errors, log.Errors)} {
		if strings.Contains(a, hush) {
			t.Errorf("it is in %s", a)
		}
	}
	if !strings.Contains(string(list.Data), `"KEY"`) || !strings.Contains(string(log.Data), "secret.create") {
		t.Errorf("%s\n%s", list.Data, log.Data)
	}
	refused := b.Ask(`mutation($v: String!) { createSecret(input: {name: "x", values: [{key: "a b", text: $v}, {key: "c", base64: $v}]}) { secret { id } } }`, map[string]any{"v": hush})
	if len(refused.Errors) != 1 || strings.Contains(fmt.Sprintf("%+v", refused.Errors), hush) {
		t.Errorf("%+v", refused.Errors)
	}
}

// TestUsesOfSecretsInTheContract writes them in all three ways, and reads them as
// who knows the secret and as who does not.
func TestUsesOfSecretsInTheContract(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	own := w.secret(false)
	member := w.SignIn(t, w.Cast.Member)
	type use struct {
		SecretID, As, At string
		Secret           *struct{ ID string }
	}
	var got struct {
		CreateInstance struct {
			Instance struct {
				ID      string
				Secrets []use
			}
		}
	}
	member.Get(`mutation($team: ID!, $image: ID!, $s: ID!) { createInstance(input: {teamId: $team, name: "lab", imageId: $image, resources: {cpu: "100m", memory: "64Mi"},
		secrets: [{secretId: $s}, {secretId: $s, as: ENV, at: "P_"}, {secretId: $s, as: FILE, at: "/s"}]}) { instance { id secrets { secretId as at secret { id } } } } }`,
		map[string]any{"team": w.Cast.Team.ID, "image": w.image(nil).ID, "s": own}, &got)
	var seen []string
	for _, u := range got.CreateInstance.Instance.Secrets {
		if u.Secret == nil || u.SecretID != own {
			t.Errorf("%+v", u)
		}
		seen = append(seen, u.As+" "+u.At)
	}
	if want := []string{"AUTO ", "ENV P_", "FILE /s"}; !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
	if row := w.DB.Client.Instance.GetX(w.sys, got.CreateInstance.Instance.ID); row.Spec.Secrets[1] != (spec.SecretUse{SecretID: own, As: spec.SecretAsEnv, At: "P_"}) {
		t.Errorf("stored as %+v", row.Spec.Secrets)
	}
	var others struct{ Instance struct{ Secrets []use } }
	w.SignIn(t, w.Cast.Owner).Get(`query($id: ID!) { instance(id: $id) { secrets { secretId secret { id } } } }`, map[string]any{"id": got.CreateInstance.Instance.ID}, &others)
	if len(others.Instance.Secrets) != 3 || others.Instance.Secrets[0].Secret != nil {
		t.Errorf("a colleague reads %+v", others)
	}
}
