package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	entaudit "github.com/goblinlab/goblinlab/ent/audit"
)

// TestAnArchivedTeamTakesNothing asks, as an administrator, whom nothing else
// keeps from it, for everything that could be made in a team.
func TestAnArchivedTeamTakesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Admin)
	var made struct {
		CreateSecret struct{ Secret struct{ ID string } }
		InviteMember struct{ Invitation struct{ ID string } }
		RunNow       struct{ Run struct{ ID string } }
	}
	team := w.teamOf(w.Cast.Owner)
	b.Get(`mutation($t: ID!, $i: ID!) {
		createSecret(input: {teamId: $t, name: "kept", values: [{key: "k", text: "value"}]}) { secret { id } }
		inviteMember(input: {teamId: $t, email: "early@new.example"}) { invitation { id } }
		runNow(input: {teamId: $t, name: "early", imageId: $i, command: ["true"], resources: {cpu: "100m", memory: "64Mi"}}) { run { id } } }`,
		map[string]any{"t": team.ID, "i": w.image(nil).ID}, &made)
	idle := w.instance(func(c *ent.InstanceCreate) { c.SetTeamID(team.ID) })
	f, asleep := w.flowOf(team, w.Cast.Owner), w.flowOf(team, w.Cast.Owner)
	asleep.Update().SetPaused(true).ExecX(w.sys)
	team.Update().SetArchivedAt(time.Now().UTC()).ExecX(w.sys)
	vars := map[string]any{"f": f.ID, "asleep": asleep.ID, "y": w.document("late"), "t": team.ID, "i": w.image(nil).ID, "u": w.somebody().ID, "s": made.CreateSecret.Secret.ID,
		"inv": made.InviteMember.Invitation.ID, "run": made.RunNow.Run.ID, "ins": idle.ID, "email": xid.New().String() + "@new.example"}
	for name, op := range map[string]string{
		"secret":                `mutation($t: ID!) { createSecret(input: {teamId: $t, name: "late", values: [{key: "k", text: "value"}]}) { secret { id } } }`,
		"a secret's new values": `mutation($s: ID!) { replaceSecret(input: {id: $s, values: [{key: "k", text: "other"}]}) { secret { id } } }`,
		"member":                `mutation($t: ID!, $u: ID!) { setTeamMember(input: {teamId: $t, userId: $u, role: MEMBER}) { team { id } } }`,
		"invitation":            `mutation($t: ID!, $email: String!) { inviteMember(input: {teamId: $t, email: $email}) { url } }`,
		"invitation sent again": `mutation($inv: ID!) { resendInvitation(id: $inv) { url } }`,
		"image":                 `mutation($t: ID!) { createImage(input: {teamId: $t, name: "late", reference: "goblinlab.local/late:1"}) { image { id } } }`,
		"volume":                `mutation($t: ID!) { createVolume(input: {teamId: $t, name: "late", size: "1Gi"}) { volume { id } } }`,
		"instance":              `mutation($t: ID!, $i: ID!) { createInstance(input: {teamId: $t, name: "late", imageId: $i, resources: {cpu: "100m", memory: "64Mi"}}) { instance { id } } }`,
		"start":                 `mutation($ins: ID!) { startInstance(id: $ins) { instance { id } } }`,
		"run":                   `mutation($t: ID!, $i: ID!) { runNow(input: {teamId: $t, name: "late", imageId: $i, command: ["true"], resources: {cpu: "100m", memory: "64Mi"}}) { run { id } } }`,
		"flow":                  `mutation($t: ID!, $y: String!) { createFlow(input: {teamId: $t, yaml: $y}) { flow { id } } }`,
		"a flow's new version":  `mutation($f: ID!, $y: String!) { saveFlow(input: {id: $f, yaml: $y, base: 1}) { flow { id } } }`,
		"a flow's waking":       `mutation($asleep: ID!) { unpauseFlow(id: $asleep) { flow { id } } }`,
		"flow run":              `mutation($f: ID!) { runFlow(input: {flowId: $f}) { flowRun { id } } }`,
		"backfill":              `mutation($f: ID!) { startBackfill(input: {flowId: $f, ` + january + `}) { backfill { id } } }`,
		"rerun":                 `mutation($run: ID!) { rerun(id: $run) { run { id } } }`,
	} {
		a := b.Ask(op, pick(op, vars))
		if a.Code() != "FAILED_PRECONDITION" || !strings.Contains(fmt.Sprint(a.Errors), "is archived") {
			t.Errorf("%s: %s, %s", name, a.Code(), fmt.Sprint(a.Errors))
		}
	}
	// What is there can go, and whoever is in it can leave or be another.
	owner := w.SignIn(t, w.Cast.Owner)
	for name, op := range map[string]string{
		"revoke an invitation": `mutation($inv: ID!) { revokeInvitation(id: $inv) { id } }`,
		"delete a secret":      `mutation($s: ID!) { deleteSecret(id: $s) { id } }`,
	} {
		if a := owner.Ask(op, pick(op, vars)); a.Code() != "" {
			t.Errorf("%s: %s, %s", name, a.Code(), fmt.Sprint(a.Errors))
		}
	}
}

// TestADeletionNamesWhatGoes: secrets most of all, which nobody can read again.
func TestADeletionNamesWhatGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.SignIn(t, w.Cast.Admin)
	team := w.teamOf(w.Cast.Owner)
	b.Get(`mutation($t: ID!) {
		one: createSecret(input: {teamId: $t, name: "wandb", values: [{key: "k", text: "value"}]}) { secret { id } }
		two: createSecret(input: {teamId: $t, name: "github", values: [{key: "k", text: "value"}]}) { secret { id } }
		createImage(input: {teamId: $t, name: "torch", reference: "goblinlab.local/torch:1"}) { image { id } }
		inviteMember(input: {teamId: $t, email: "new@new.example"}) { url } }`, map[string]any{"t": team.ID}, nil)
	idle := w.instance(func(c *ent.InstanceCreate) { c.SetTeamID(team.ID).SetName("forgotten") })
	var got struct {
		TeamDeletion struct {
			Namespace                      string
			Secrets, Images, Members, Left []string
			Invitations                    int
		}
	}
	const preview = `query($id: ID!) { teamDeletion(id: $id) { namespace secrets images members invitations left } }`
	b.Get(preview, map[string]any{"id": team.ID}, &got)
	d := got.TeamDeletion
	if d.Namespace != team.Namespace || strings.Join(d.Secrets, " ") != "github wandb" || strings.Join(d.Images, " ") != "torch" ||
		strings.Join(d.Members, " ") != w.Cast.Owner.DisplayName || d.Invitations != 1 || strings.Join(d.Left, " ") != "forgotten" {
		t.Errorf("%+v", d)
	}
	w.DB.Client.Instance.DeleteOne(idle).ExecX(w.sys)
	team.Update().SetArchivedAt(time.Now().UTC()).ExecX(w.sys)
	b.Get(`mutation($id: ID!, $name: String!) { deleteTeam(id: $id, confirmName: $name) { id } }`, map[string]any{"id": team.ID, "name": team.Name}, nil)
	entry := w.DB.Client.Audit.Query().Where(entaudit.Action("team.delete"), entaudit.ObjectID(team.ID)).OnlyX(w.sys)
	if s := fmt.Sprint(entry.Before["secrets"]); s != "[github wandb]" {
		t.Errorf("the audit log says %s of the secrets", s)
	}
}

// pick are the variables that an operation declares.
func pick(op string, all map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range all {
		if strings.Contains(op, "$"+name+":") {
			out[name] = v
		}
	}
	return out
}
