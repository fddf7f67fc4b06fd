//go:build cluster

package run_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent/accesstoken"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// TestP96SecretsReachARunAndNoLog gives a run secrets in every way, has it print
// them in every form, and looks for what is left.
func TestP96SecretsReachARunAndNoLog(t *testing.T) {
	l := newLab(t)
	const api, file, git = "api-key-0123456789", "file-value-abcdefgh", "git-token-ijklmnop"
	values := secrettest.Make(l.member, t, l.secrets, nil, "values", map[string]string{"API_KEY": api})
	files := secrettest.Make(l.member, t, l.secrets, nil, "files", map[string]string{"a.txt": file})
	account2, err := l.secrets.Create(l.member, secret.CreateInput{Name: "git", Content: secret.Content{Git: &secret.Git{Host: "git.example.org", User: "meng", Token: git}}})
	if err != nil {
		t.Fatal(err)
	}
	in := l.input(sh(`echo "env $API_KEY"; echo "file $(cat /secrets/a.txt)"; ls -lL /secrets/a.txt
		echo "base64 $(printf 'user:%s' "$API_KEY" | base64)"
		echo "git $GIT_CONFIG_KEY_0"; printf 'helper %s\n' "$GIT_CONFIG_VALUE_0"; cat /etc/goblinlab/git/2/credential
		echo "token $(cat $GOBLINLAB_TOKEN_FILE)"; echo "named ${GOBLINLAB_TOKEN:-none}"
		head -c 16360 /dev/zero | tr '\0' x; echo "$API_KEY"
		touch /secrets/new 2>/dev/null || echo "read only"; echo "last $API_KEY" >&2; exit 3`))
	in.Secrets = []spec.SecretUse{
		{SecretID: values.ID, As: spec.SecretAsAuto}, {SecretID: files.ID, As: spec.SecretAsFile, At: "/secrets"}, {SecretID: account2.ID, As: spec.SecretAsAuto},
	}
	r := l.run(t, in)
	r = l.until(t, r.ID, 90*time.Second, "it ends", over)
	a := r.Edges.Attempts[0]
	log := l.logged(t, a)
	lacks(t, log, "env ***", "file ***", "base64 ", "git credential.https://git.example.org.helper", "username=meng", "password=***", "token ***", "named none", "read only", "-r--------", "last ***")
	seen := log + fmt.Sprint(r.Reason, a.Reason)
	for _, hidden := range []string{api, file, git, account.TokenPrefix, base64.StdEncoding.EncodeToString([]byte("user:" + api))[8:20], api[:10], api[8:]} {
		if strings.Contains(seen, hidden) {
			t.Errorf("%q is in the log or the reason:\n%.3000s", hidden, seen)
		}
	}
	l.gone(t, r.ID)
	eventually(t, time.Minute, "no secret of the run is left", func() error {
		list, err := l.kube.CoreV1().Secrets(l.cast.Team.Namespace).List(l.ctx, metav1.ListOptions{LabelSelector: manifest.LabelRunID + "=" + r.ID})
		if err == nil && len(list.Items) > 0 {
			err = fmt.Errorf("%d are there", len(list.Items))
		}
		return err
	})
	if n := l.db.Client.AccessToken.Query().Where(accesstoken.SubjectID(a.ID)).CountX(l.ctx); n != 0 {
		t.Errorf("%d tokens of the attempt are left", n)
	}
}

// TestP95ASecretThatIsGoneEndsTheRun deletes it between the click and the Job.
func TestP95ASecretThatIsGoneEndsTheRun(t *testing.T) {
	l := newLab(t)
	s := secrettest.Make(l.member, t, l.secrets, nil, "gone", map[string]string{"K": "v"})
	in := l.input(sh("echo never"))
	in.Secrets = []spec.SecretUse{{SecretID: s.ID, As: spec.SecretAsAuto}}
	l.stop() // nothing is reconciled meanwhile
	r := l.run(t, in)
	if err := l.secrets.Delete(l.member, s.ID, true); err != nil {
		t.Fatal(err)
	}
	l.start()
	r = l.until(t, r.ID, time.Minute, "it ends", over)
	if code(r) != secret.ReasonMissing {
		t.Errorf("%s", show(r))
	}
	if p := l.pods(t, r.ID); len(p) > 0 {
		t.Errorf("%d pods were made", len(p))
	}
}
