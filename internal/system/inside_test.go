//go:build cluster

package system

import (
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestAProgramInsideAsksThePlatform has a run ask who it is, and try what it may not.
func TestAProgramInsideAsksThePlatform(t *testing.T) {
	l := newLab(t)
	p := l.admin()
	team, _ := p.team()
	const script = `ask() { wget -q -O - --header "Authorization: Bearer $(cat $GOBLINLAB_TOKEN_FILE)" --header "Content-Type: application/json" --post-data "{\"query\":\"$1\"}" $GOBLINLAB_URL/graphql; echo; }
		ask "{ viewer { user { displayName } } teams { nodes { id } } }"
		ask "{ accessTokens { id } }"
		ask "mutation { signOut { ok } }"
		wget -q -O - $GOBLINLAB_URL/ >/dev/null 2>&1 || echo no page`
	r := p.ended(p.runNow(team, p.image(testkit.ImageMini, true), []string{"/bin/sh", "-c", script}, nil).ID, 90*time.Second)
	wantState(t, r, "SUCCEEDED", "")
	p.logComplete(r.Attempts[0].ID)
	got := strings.Join(outputs(p.wholeLog(r.Attempts[0].ID)), "\n")
	if !strings.Contains(got, `"displayName":"Administrator"`) || !strings.Contains(got, team) || strings.Count(got, "FORBIDDEN") != 2 || !strings.Contains(got, "no page") {
		t.Errorf("it was told\n%s", got)
	}
}
