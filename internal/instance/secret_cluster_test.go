//go:build cluster

package instance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// objects are the Secrets of an instance by their name's end.
func (l *lab) objects(i *ent.Instance) map[string]map[string][]byte {
	l.t.Helper()
	list, err := l.kube.CoreV1().Secrets(l.ns).List(l.t.Context(), selectInstance(i.ID))
	if err != nil {
		l.t.Fatal(err)
	}
	out := map[string]map[string][]byte{}
	for _, o := range list.Items {
		out[strings.TrimPrefix(o.Name, i.ObjectName)] = o.Data
	}
	return out
}

// TestSecretsOfAStart are there as long as the start is, and the next has the new ones.
func TestSecretsOfAStart(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	ctx := l.as(l.Member)
	own := secrettest.Make(ctx, t, l.Secrets, nil, "own", map[string]string{"API_KEY": "first-value"})
	other := secrettest.Make(ctx, t, l.Secrets, nil, "other", map[string]string{"f": "x"})
	i := l.until(l.start(func(in *CreateInput) {
		in.Secrets = []spec.SecretUse{{SecretID: own.ID, As: spec.SecretAsAuto}, {SecretID: other.ID, As: spec.SecretAsFile, At: "/secrets"}}
	}).ID, Running)
	pod := l.pods(i.ID)[0]
	env := map[string]string{}
	for _, e := range pod.Spec.Containers[0].Env {
		env[e.Name] = e.Value
		if e.Name == "API_KEY" && (e.ValueFrom == nil || e.ValueFrom.SecretKeyRef == nil) {
			t.Error("the value stands in the pod")
		}
	}
	if env[manifest.EnvTokenFile] != manifest.TokenPath || env[manifest.EnvHidden] != "API_KEY,/secrets/f" {
		t.Errorf("%v", env)
	}
	first := l.objects(i)
	if string(first["-secret-1-0"]["API_KEY"]) != "first-value" || string(first["-secret-1-1"]["f"]) != "x" || len(first) != 4 {
		t.Errorf("%d secrets", len(first))
	}

	text := string(first["-login-1"][manifest.EnvToken])
	accounts := account.New(account.Deps{DB: l.db, Broker: nil, Config: l.Config})
	viewer := func(text string) *authz.Viewer {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		r.Header.Set("Authorization", "Bearer "+text)
		c, err := accounts.Load(httptest.NewRecorder(), r, "")
		if err != nil {
			return nil
		}
		return authz.From(c)
	}
	if v := viewer(text); v == nil || !v.Inside() || v.OnlyTeam != l.Team.ID {
		t.Errorf("the token is good for %+v", v)
	}

	value := "second-value"
	if _, err := l.Secrets.Replace(ctx, secret.ReplaceInput{ID: own.ID, Content: secret.Content{Values: []secret.Value{{Key: "API_KEY", Text: &value}}}}); err != nil {
		t.Fatal(err)
	}
	if !RestartToApply(l.again(i.ID)) || string(l.objects(i)["-secret-1-0"]["API_KEY"]) != "first-value" {
		t.Error("a replaced secret counts before the next start, or asks for none")
	}
	if _, err := l.Restart(ctx, i.ID); err != nil {
		t.Fatal(err)
	}
	i = l.until(i.ID, Running)
	l.eventually("the older start's secrets are gone", func() error {
		got := l.objects(i)
		if len(got) != 4 || string(got["-secret-2-0"]["API_KEY"]) != "second-value" {
			return fmt.Errorf("%d secrets", len(got))
		}
		return nil
	})
	if viewer(text) != nil {
		t.Error("the older start's token is still good")
	}
	text = string(l.objects(i)["-login-2"][manifest.EnvToken])
	if viewer(text) == nil {
		t.Error("the new start's token is not good")
	}
	if _, err := l.Stop(ctx, i.ID); err != nil {
		t.Fatal(err)
	}
	if viewer(text) != nil {
		t.Error("the token is good after a stop was asked for")
	}
	l.until(i.ID, Stopped)
	if got := l.left(i); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "-secret-") || strings.Contains(s, "-login-") }) {
		t.Errorf("stopped: %v", got)
	}
}

// TestP95ASecretThatGoesDuringAStart is refused by the reconciler, which tells why.
func TestP95ASecretThatGoesDuringAStart(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	own := secrettest.Make(l.as(l.Member), t, l.Secrets, nil, "own", map[string]string{"K": "v"})
	i := l.made(l.small, func(in *CreateInput) { in.Secrets = []spec.SecretUse{{SecretID: own.ID, As: spec.SecretAsAuto}} })
	// As if it were deleted between the click and its reconciler.
	started := i.Spec
	started.Secrets = []spec.SecretUse{{SecretID: "sec-gone", As: spec.SecretAsAuto}}
	if _, err := l.Start(l.as(l.Member), i.ID); err != nil {
		t.Fatal(err)
	}
	l.db.Client.Instance.UpdateOneID(i.ID).SetStartedSpec(&started).AddStartNumber(1).AddGeneration(1).AddVersion(1).ExecX(authz.AsSystem(t.Context()))
	l.Kicker.Kick("instance", i.ID)
	l.eventually("it says why", func() error {
		row := l.again(i.ID)
		if row.Reason == nil || row.Reason.Code != secret.ReasonMissing {
			return fmt.Errorf("%s %+v", row.State, row.Reason)
		}
		return nil
	})
}

// TestATeamsRegistryStandsInItsNamespace and goes from there.
func TestATeamsRegistryStandsInItsNamespace(t *testing.T) {
	t.Parallel()
	l := newLab(t, team.QuotaInput{})
	ctx := l.as(l.Admin)
	row, err := l.Secrets.Create(ctx, secret.CreateInput{TeamID: &l.Team.ID, Name: "Registry", TeamWide: true,
		Content: secret.Content{Registry: &secret.Registry{Server: "registry.example.org", User: "ci", Password: "hush-hush"}}})
	if err != nil {
		t.Fatal(err)
	}
	account := func(want int) {
		t.Helper()
		l.eventually("the account knows it", func() error {
			sa, err := l.kube.CoreV1().ServiceAccounts(l.ns).Get(t.Context(), manifest.ServiceAccount, metav1.GetOptions{})
			if err == nil && len(sa.ImagePullSecrets) != want {
				err = fmt.Errorf("%v", sa.ImagePullSecrets)
			}
			if err != nil {
				return err
			}
			list, err := l.kube.CoreV1().Secrets(l.ns).List(t.Context(), metav1.ListOptions{LabelSelector: manifest.LabelSecretID + "=" + row.ID})
			if err == nil && len(list.Items) != want {
				err = fmt.Errorf("%d objects", len(list.Items))
			}
			return err
		})
	}
	account(1)
	if err := l.Secrets.Delete(ctx, row.ID, false); err != nil {
		t.Fatal(err)
	}
	account(0)
}
