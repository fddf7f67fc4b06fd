package graph_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// everything selects every field of a type that needs no arguments, some levels deep.
func everything(s *ast.Schema, typ string, depth int) string {
	var b strings.Builder
	b.WriteString("__typename ")
	for _, f := range s.Types[typ].Fields {
		if strings.HasPrefix(f.Name, "__") || f.Name == "quota" || len(f.Arguments) > 0 {
			continue
		}
		if !s.Types[f.Type.Name()].IsCompositeType() {
			b.WriteString(f.Name + " ")
		} else if depth > 0 {
			b.WriteString(f.Name + " { " + everything(s, f.Type.Name(), depth-1) + "} ")
		}
	}
	return b.String()
}

// TestPlansAnswerAsGqlgenDoes asks for everything twice: a directive makes the
// second go the ordinary way.
func TestPlansAnswerAsGqlgenDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)
	v := w.volume()
	i := w.instance(runningInstance)
	sp := spec.Instance{ImageID: i.ImageID, Resources: small, Mounts: []spec.Mount{{VolumeID: v.ID, Path: "/d", SubPath: "a\"b"}, {VolumeID: "vol-gone", Path: "/e"}},
		Ports: []spec.Port{{Name: "x", Number: 5000}}, Env: []spec.EnvVar{{Name: "A", Value: "\n\t中\\"}}}
	i.Update().SetSpec(sp).SetSSHPort(22022).SetHostKey("SHA256:x").SetStartedAt(now).SetReadyAt(now.Add(time.Second)).SetNode("general").
		SetReason(&spec.Reason{Code: "quota-exceeded", Args: map[string]any{"used": 3.5, "names": []any{"a"}}}).
		SetTimeline([]spec.Phase{{Name: "queued", Since: now}, {Name: "ready", Since: now.Add(1500 * time.Millisecond)}}).ExecX(w.sys)
	w.instance()
	a := w.attempt()
	w.DB.Client.Attempt.UpdateOneID(a.ID).SetExitCode(3).SetStartedAt(now).SetEndedAt(now).SetReason(&spec.Reason{Code: "crash"}).ExecX(w.sys)
	w.DB.Client.Run.UpdateOneID(a.RunID).SetState(run.StateTimedOut).SetStoppedBy(w.Cast.Owner.ID).SetEndedAt(now).ExecX(w.sys)
	w.run()
	w.DB.Client.Image.Create().SetTeamID(w.Cast.Team.ID).SetName("team's <own>").SetReference("r").SetSizeBytes(1 << 40).SaveX(w.sys)
	w.shareOf(func(c *ent.ShareCreate) { c.SetUserID(w.Cast.Member.ID).SetGrantee(w.Cast.Member.Email) })
	w.failedFlowRun()
	s := schema(t)
	b := w.SignIn(t, w.Cast.Member)
	b.Language = "zh-CN"
	for field, typ := range map[string]string{"instances": "InstanceConnection", "runs": "RunConnection", "volumes": "VolumeConnection",
		"images": "ImageConnection", "teams": "TeamConnection", "users": "UserConnection", "shares": "ShareConnection",
		"flows": "FlowConnection", "flowRuns": "FlowRunConnection", "viewer": "Viewer"} {
		fields := everything(s, typ, 5)
		args := ""
		if field != "viewer" {
			args = "(first: 3)"
		}
		if field == "shares" {
			args = "(direction: INCOMING, first: 3)"
		}
		var fast, plain any
		get := func(query string) (out any) {
			answer := b.Ask(query, nil)
			if len(answer.Errors) > 0 {
				t.Fatalf("%s: %+v", field, answer.Errors)
			}
			if err := json.Unmarshal(answer.Data, &out); err != nil {
				t.Fatal(err)
			}
			return out
		}
		fast = get(`{ ` + field + args + ` { ` + fields + ` } }`)
		plain = get(`{ ` + field + args + ` { ` + strings.Replace(fields, "__typename", "__typename @include(if: true)", 1) + ` } }`)
		if diff := cmp.Diff(plain, fast); diff != "" {
			t.Errorf("%s: %s", field, diff)
		}
	}
}
