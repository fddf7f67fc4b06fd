package graph_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/graph"
	"github.com/goblinlab/goblinlab/internal/account"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/secret/secrettest"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// The people of every case. All things belong to member, unless a case says otherwise.
const (
	owner, maintainer, member, viewer = servertest.Owner, servertest.Maintainer, servertest.Member, servertest.Viewer
	other, admin, auditor             = servertest.Other, servertest.Admin, servertest.Auditor
	writeToken, readToken             = servertest.WriteToken, servertest.ReadToken
	adminWrite                        = servertest.AdminWrite
	insideToken                       = "token inside of the member's instance"
	expiredToken, anonymous           = servertest.ExpiredToken, servertest.Anonymous
)

var everybody = []string{owner, maintainer, member, viewer, other, admin, auditor, writeToken, readToken, adminWrite, insideToken, expiredToken, anonymous}

// browsers are those who signed in; programs have a token; strangers neither, or one that is of no use.
func browsers() []string { return everybody[:7:7] }
func programs() []string { return everybody[7:11:11] }

var strangers = []string{expiredToken, anonymous}

func signedIn() []string { return append(browsers(), programs()...) }

// outside are all but programs inside of an instance.
func outside(who []string) []string {
	return slices.DeleteFunc(slices.Clone(who), func(w string) bool { return w == insideToken })
}

// readers adds whoever reads what the team's people read.
func readers(who ...string) []string { return append(who, auditor, readToken, writeToken, insideToken) }

// doers adds whoever does what the member does.
func doers(who ...string) []string { return append(who, writeToken) }

// accessCase says who may use a root field. A person is refused by an error
// (denial), or by an answer that holds nothing (empty).
type accessCase struct {
	op    string
	vars  func(w *world, who string) map[string]any
	allow []string
	// empty tells an answer that holds nothing from one that does, where a
	// refusal is no error. JSON of the field's value.
	empty func(string) bool
	// after makes a subscription speak, given the variables.
	after func(w *world, vars map[string]any)
	// passes are codes that only who was let in can get.
	passes []string
}

func isNull(s string) bool               { return s == "null" }
func noNodes(s string) bool              { return strings.Contains(s, `"nodes":[]`) }
func none(*world, string) map[string]any { return nil }

func one(key string, id func(w *world) string) func(*world, string) map[string]any {
	return func(w *world, _ string) map[string]any { return map[string]any{key: id(w)} }
}

func anInstance(w *world) string { return w.instance().ID }
func aRun(w *world) string       { return w.run().ID }
func aVolume(w *world) string    { return w.volume().ID }
func anAttempt(w *world) string {
	a := w.attempt()
	w.log(a, "hello")
	return a.ID
}

// act does something in the team that is written down.
func (w *world) act() {
	err := w.DB.Tx(w.sys, func(tx *ent.Tx) error {
		return audit.Record(w.sys, tx, audit.Entry{Action: "instance.start", TeamID: w.Cast.Team.ID, ObjectID: "ins-1"})
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// inside is a program with the token of a running instance of the member's.
func (w *world) inside(t *testing.T) *servertest.Browser {
	t.Helper()
	i := w.instance(runningInstance)
	text := w.Account.NewInsideText()
	if err := w.Account.KeepInside(w.sys, account.Inside{UserID: i.OwnerID, TeamID: i.TeamID, SubjectID: i.ID, Start: 1, Name: i.Name}, text); err != nil {
		t.Fatal(err)
	}
	b := w.Stranger(t)
	b.Token = text
	return b
}

// secret is one of the team, or of the member.
func (w *world) secret(ofTeam bool) string {
	w.t.Helper()
	who, team := w.Cast.Member, (*string)(nil)
	if ofTeam {
		who, team = w.Cast.Maintainer, &w.Cast.Team.ID
	}
	return secrettest.Make(testkit.As(w.t, w.DB, who), w.t, w.Secrets, team, xid.New().String(), map[string]string{"k": "value"}).ID
}

// aToken and aSession are the member's.
func aToken(w *world) string {
	return must[*ent.AccessToken](w)(w.DB.Client.AccessToken.Create().SetUserID(w.Cast.Member.ID).SetName(xid.New().String()).
		SetScope(authz.ScopeRead).SetTokenHash(xid.New().String()).SetExpiresAt(time.Now().UTC().Add(time.Hour)).Save(w.sys)).ID
}

func aSession(w *world) string {
	return must[*ent.Session](w)(w.DB.Client.Session.Create().SetID(xid.New().String()).SetUserID(w.Cast.Member.ID).
		SetData([]byte("x")).SetExpiresAt(time.Now().UTC().Add(time.Hour)).Save(w.sys)).ID
}

// anIdentity is one of the member's, who has others.
func anIdentity(w *world) string {
	one := func() string {
		return must[*ent.Identity](w)(w.DB.Client.Identity.Create().SetUserID(w.Cast.Member.ID).SetIssuer("https://" + xid.New().String()).
			SetSubject(xid.New().String()).Save(w.sys)).ID
	}
	one()
	return one()
}

// aDeviceCode is shown by a program that asks to read.
func aDeviceCode(w *world, _ string) map[string]any {
	codes := must[account.DeviceCodes](w)(w.Account.BeginDevice(w.sys, account.DeviceInput{ClientID: "goblin", Scope: authz.ScopeRead}))
	return map[string]any{"code": codes.User}
}

// settingVersion is the version of a setting that a change has to name.
func settingVersion(w *world, key string) int64 {
	row, err := w.DB.Client.Setting.Get(w.sys, key)
	if ent.IsNotFound(err) {
		return 0
	}
	return must[*ent.Setting](w)(row, err).Version
}

func teamVar(w *world, _ string) map[string]any { return map[string]any{"team": w.Cast.Team.ID} }

var (
	team     = readers(owner, maintainer, member, viewer, admin)
	makers   = doers(owner, maintainer, member, admin)
	managers = doers(owner, maintainer, member, admin) // member: their own
	runners  = append(doers(owner, maintainer, member, admin), insideToken)

	secretUsers = append(doers(owner, maintainer, member, admin), readToken)
)

// access is the accounting of the API: every root field stands here.
var access = map[string]accessCase{
	"Query.node":           {op: `query($id: ID!) { node(id: $id) { id } }`, vars: one("id", anInstance), allow: team, empty: isNull},
	"Query.viewer":         {op: `{ viewer { user { id } } }`, vars: none, allow: signedIn(), empty: isNull},
	"Query.cluster":        {op: `{ cluster { reachable nodes { name } } }`, vars: none, allow: signedIn()},
	"Query.fit":            {op: `query($team: ID!) { fit(teamId: $team, resources: {cpu: "1", memory: "1Gi"}) { nodes } }`, vars: teamVar, allow: team},
	"Query.image":          {op: `query($id: ID!) { image(id: $id) { id } }`, vars: one("id", func(w *world) string { return w.image(&w.Cast.Team.ID).ID }), allow: team, empty: isNull},
	"Query.images":         {op: `query($team: ID!) { images(filter: {teamId: $team, gpu: true}) { nodes { id } } }`, vars: gpuImage, allow: team, empty: noNodes},
	"Query.instance":       {op: `query($id: ID!) { instance(id: $id) { id can { start } } }`, vars: one("id", anInstance), allow: team, empty: isNull},
	"Query.instancePreset": {op: `query($id: ID!) { instancePreset(runId: $id) { name imageId resources { gpu } mounts { path volume { id } } env { name value } secrets { secretId } command commandVariable notes { code what text } } }`, vars: one("id", aRun), allow: makers},
	"Query.instanceAppLog": {op: `query($id: ID!) { instanceAppLog(id: $id, app: "jupyterlab") { lines { at text } } }`, vars: one("id", func(w *world) string { return w.instance(runningInstance).ID }), allow: doers(member), passes: []string{"UNAVAILABLE"}}, // there is no cluster
	"Query.instances":      {op: `query($team: ID!) { instances(filter: {teamId: $team}) { nodes { id } } }`, vars: with(teamVar, func(w *world) { w.instance() }), allow: team, empty: noNodes},
	"Query.run":            {op: `query($id: ID!) { run(id: $id) { id can { stop } } }`, vars: one("id", aRun), allow: team, empty: isNull},
	"Query.runs":           {op: `query($team: ID!) { runs(filter: {teamId: $team}) { nodes { id } } }`, vars: with(teamVar, func(w *world) { w.run() }), allow: team, empty: noNodes},
	"Query.log":            {op: `query($id: ID!) { log(attemptId: $id) { lines { text } } }`, vars: one("id", anAttempt), allow: team},
	"Query.searchLog":      {op: `query($id: ID!) { searchLog(attemptId: $id, text: "hello") { lines { text } } }`, vars: one("id", anAttempt), allow: team},
	"Query.team":           {op: `query($team: ID!) { team(id: $team) { id quota { items { used } } } }`, vars: teamVar, allow: team, empty: isNull},
	"Query.teams":          {op: `{ teams(first: 200) { nodes { name } } }`, vars: none, allow: team, empty: func(s string) bool { return !strings.Contains(s, "vision") }},
	"Query.users":          {op: `{ users(first: 200) { nodes { displayName } } }`, vars: none, allow: team, empty: func(s string) bool { return !strings.Contains(s, "meng") }},
	"Query.volume":         {op: `query($id: ID!) { volume(id: $id) { id usedBy { id } } }`, vars: one("id", aVolume), allow: team, empty: isNull},
	"Query.volumes":        {op: `query($team: ID!) { volumes(filter: {teamId: $team}) { nodes { id } } }`, vars: with(teamVar, func(w *world) { w.volume() }), allow: team, empty: noNodes},

	"Query.settings":   {op: `{ settings { key value isSet source editable version } }`, vars: none, allow: []string{admin, auditor}},
	"Query.userLimits": {op: `{ userLimits { user { id } instances } }`, vars: none, allow: []string{admin, auditor}},
	"Query.profiles":   {op: `{ profiles { name cpu memory gpu } }`, vars: none, allow: signedIn()},
	"Mutation.updateSettings": {op: `mutation($version: Int64!) { updateSettings(input: {changes: [{key: "ssh.host", value: "ssh.example.com", version: $version}]}) { settings { key } } }`,
		vars: func(w *world, _ string) map[string]any {
			return map[string]any{"version": settingVersion(w, "ssh.host")}
		}, allow: []string{admin}},
	"Mutation.setUserLimit": {op: `mutation($user: ID!) { setUserLimit(input: {userId: $user, instances: 7}) { userLimits { instances } } }`, vars: one("user", func(w *world) string { return w.Cast.Auditor.ID }), allow: []string{admin}},
	"Mutation.sendTestMail": {op: `mutation { sendTestMail(to: "li@example.com") { ok } }`, vars: none, allow: []string{admin}, passes: []string{"FAILED_PRECONDITION"}}, // no mail server is set

	"Query.auditLog":     {op: `query($team: ID!) { auditLog(filter: {teamId: $team}) { nodes { action } } }`, vars: with(teamVar, (*world).act), allow: []string{owner, admin, auditor}, empty: noNodes},
	"Query.sessions":     {op: `{ sessions { id current agent } }`, vars: none, allow: outside(signedIn())},
	"Query.accessTokens": {op: `{ accessTokens { name scope } }`, vars: none, allow: outside(signedIn())},
	"Mutation.createAccessToken": {op: `mutation($name: String!) { createAccessToken(input: {name: $name}) { token } }`, vars: func(_ *world, who string) map[string]any {
		return map[string]any{"name": who}
	}, allow: browsers()},
	"Mutation.revokeAccessToken": {op: `mutation($id: ID!) { revokeAccessToken(id: $id) { id } }`, vars: one("id", aToken), allow: []string{member}},
	"Mutation.endSession":        {op: `mutation($id: ID!) { endSession(id: $id) { id } }`, vars: one("id", aSession), allow: []string{member}},
	"Mutation.endOtherSessions":  {op: `mutation { endOtherSessions { ok } }`, vars: none, allow: browsers()},

	"Query.identities":        {op: `{ identities { id provider email } }`, vars: none, allow: outside(signedIn())},
	"Query.deviceRequest":     {op: `query($code: String!) { deviceRequest(userCode: $code) { name scope } }`, vars: aDeviceCode, allow: browsers()},
	"Mutation.approveDevice":  {op: `mutation($code: String!) { approveDevice(input: {userCode: $code}) { ok } }`, vars: aDeviceCode, allow: browsers()},
	"Mutation.denyDevice":     {op: `mutation($code: String!) { denyDevice(userCode: $code) { ok } }`, vars: aDeviceCode, allow: browsers()},
	"Mutation.unlinkIdentity": {op: `mutation($id: ID!) { unlinkIdentity(id: $id) { id } }`, vars: one("id", anIdentity), allow: []string{member}},
	"Query.secrets": {op: `query($team: ID!) { secrets(teamId: $team) { name kind keys { name } fingerprint usedBy { id } createdBy { id } } }`,
		vars: with(teamVar, func(w *world) { w.secret(true) }), allow: secretUsers},
	"Mutation.createSecret": {op: `mutation($team: ID!, $name: String!) { createSecret(input: {teamId: $team, name: $name, values: [{key: "k", text: "value"}]}) { secret { id team { id } } } }`,
		vars: func(w *world, who string) map[string]any {
			return map[string]any{"team": w.Cast.Team.ID, "name": "of " + who + xid.New().String()}
		}, allow: []string{owner, maintainer, admin}},
	"Mutation.replaceSecret": {op: `mutation($id: ID!) { replaceSecret(input: {id: $id, values: [{key: "k", text: "new"}]}) { secret { fingerprint } } }`,
		vars: one("id", func(w *world) string { return w.secret(false) }), allow: doers(member)},
	"Mutation.deleteSecret": {op: `mutation($id: ID!) { deleteSecret(id: $id) { id } }`, vars: one("id", func(w *world) string { return w.secret(true) }), allow: []string{owner, maintainer, admin}},

	"Mutation.createImage": {op: `mutation($team: ID) { createImage(input: {teamId: $team, name: "torch", reference: "goblinlab.local/torch:1"}) { image { id } } }`, vars: teamVar, allow: []string{owner, maintainer, admin}},
	"Mutation.deleteImage": {op: `mutation($id: ID!) { deleteImage(id: $id) { id } }`, vars: one("id", func(w *world) string { return w.image(&w.Cast.Team.ID).ID }), allow: []string{owner, maintainer, admin}},
	"Mutation.createInstance": {op: `mutation($team: ID!, $image: ID!) { createInstance(input: {teamId: $team, name: "lab", imageId: $image, resources: {cpu: "100m", memory: "64Mi"}}) { instance { id owner { id } } } }`,
		vars: func(w *world, _ string) map[string]any {
			return map[string]any{"team": w.Cast.Team.ID, "image": w.image(nil).ID}
		}, allow: makers},
	"Mutation.updateInstance":       {op: `mutation($id: ID!) { updateInstance(input: {id: $id, name: "renamed"}) { instance { name } } }`, vars: one("id", anInstance), allow: managers},
	"Mutation.startInstance":        {op: `mutation($id: ID!) { startInstance(id: $id) { instance { id } } }`, vars: one("id", anInstance), allow: managers},
	"Mutation.stopInstance":         {op: `mutation($id: ID!) { stopInstance(id: $id) { instance { id } } }`, vars: one("id", func(w *world) string { return w.instance(runningInstance).ID }), allow: managers},
	"Mutation.moveInstance":         {op: `mutation($id: ID!) { moveInstance(id: $id, acceptRisk: true) { instance { id } } }`, vars: one("id", func(w *world) string { return w.instance(lostInstance).ID }), allow: managers},
	"Mutation.restartInstance":      {op: `mutation($id: ID!) { restartInstance(id: $id) { instance { id } } }`, vars: one("id", func(w *world) string { return w.instance(runningInstance).ID }), allow: managers},
	"Mutation.deleteInstance":       {op: `mutation($id: ID!) { deleteInstance(id: $id) { id } }`, vars: one("id", anInstance), allow: managers},
	"Mutation.revealInstanceSecret": {op: `mutation($id: ID!) { revealInstanceSecret(id: $id) { password } }`, vars: one("id", anInstance), allow: doers(member), passes: []string{"FAILED_PRECONDITION"}}, // it never started
	"Mutation.openInstanceApp":      {op: `mutation($id: ID!) { openInstanceApp(id: $id, app: "jupyterlab") { url } }`, vars: one("id", func(w *world) string { return w.instance(runningInstance).ID }), allow: doers(member)},
	"Mutation.runNow": {op: `mutation($team: ID!, $image: ID!) { runNow(input: {teamId: $team, name: "train", imageId: $image, command: ["true"], resources: {cpu: "100m", memory: "64Mi"}}) { run { id task { command } } } }`,
		vars: func(w *world, _ string) map[string]any {
			return map[string]any{"team": w.Cast.Team.ID, "image": w.image(nil).ID}
		}, allow: runners},
	"Mutation.rerun":     {op: `mutation($id: ID!) { rerun(id: $id) { run { id } } }`, vars: one("id", aRun), allow: runners},
	"Mutation.stopRun":   {op: `mutation($id: ID!) { stopRun(id: $id) { run { id } } }`, vars: one("id", aRun), allow: runners},
	"Mutation.deleteRun": {op: `mutation($id: ID!) { deleteRun(id: $id) { id } }`, vars: one("id", aRun), allow: runners, passes: []string{"FAILED_PRECONDITION"}},
	"Mutation.createTeam": {op: `mutation($name: String!) { createTeam(input: {name: $name}) { team { id } } }`, vars: func(_ *world, who string) map[string]any {
		return map[string]any{"name": "team of " + who}
	}, allow: []string{admin}},
	"Mutation.updateTeam": {op: `mutation($team: ID!) { updateTeam(input: {id: $team, overcommitCpu: 2}) { team { id } } }`, vars: teamVar, allow: []string{admin}},
	"Query.teamDeletion":  {op: `query($id: ID!) { teamDeletion(id: $id) { namespace secrets images members invitations left } }`, vars: one("id", func(w *world) string { return w.archived().ID }), allow: []string{admin}},
	"Query.quotaPreview":  {op: `query($team: ID!) { quotaPreview(input: {teamId: $team, quota: {gpu: 1}}) { items { used excess promised } } }`, vars: teamVar, allow: []string{admin}},
	"Mutation.transferTeam": {op: `mutation($team: ID!, $from: ID!, $to: ID!) { transferTeam(input: {teamId: $team, fromUserId: $from, userId: $to}) { team { id } } }`, vars: func(w *world, who string) map[string]any {
		from, id := w.Cast.Owner, w.Cast.Team.ID
		if who == owner || who == admin { // in a team of its own: nobody else's role must change
			t := w.teamOf(w.Cast.Owner)
			testkit.Join(w.t, w.DB, t, w.Cast.Maintainer, authz.RoleViewer)
			id = t.ID
		}
		return map[string]any{"team": id, "from": from.ID, "to": w.Cast.Maintainer.ID}
	}, allow: []string{owner, admin}},
	"Mutation.archiveTeam":     {op: `mutation($id: ID!) { archiveTeam(id: $id) { team { state } } }`, vars: one("id", func(w *world) string { return w.teamOf(w.Cast.Owner).ID }), allow: []string{admin}},
	"Mutation.restoreTeam":     {op: `mutation($id: ID!) { restoreTeam(id: $id) { team { state } } }`, vars: one("id", func(w *world) string { return w.archived().ID }), allow: []string{admin}},
	"Mutation.acknowledgeTeam": {op: `mutation($id: ID!) { acknowledgeTeam(id: $id) { team { state } } }`, vars: one("id", func(w *world) string { return w.bereft().ID }), allow: []string{admin}},
	"Mutation.deleteTeam": {op: `mutation($id: ID!, $name: String!) { deleteTeam(id: $id, confirmName: $name) { id } }`, vars: func(w *world, _ string) map[string]any {
		t := w.archived()
		return map[string]any{"id": t.ID, "name": t.Name}
	}, allow: []string{admin}},
	"Mutation.setTeamMember": {op: `mutation($team: ID!, $user: ID!) { setTeamMember(input: {teamId: $team, userId: $user, role: VIEWER}) { team { id } } }`, vars: func(w *world, _ string) map[string]any {
		return map[string]any{"team": w.Cast.Team.ID, "user": w.Cast.Viewer.ID}
	}, allow: []string{owner, admin}},
	"Mutation.setTeamRetention": {op: `mutation($team: ID!) { setTeamRetention(input: {teamId: $team, retention: {logDays: 30, runDays: 90}}) { team { retention { effective { logDays runDays } mostDays } } } }`,
		vars: teamVar, allow: []string{owner, admin}},
	"Mutation.createUser": {op: `mutation($email: String!) { createUser(input: {email: $email, displayName: "New"}) { user { id } signInUrl } }`, vars: func(_ *world, who string) map[string]any {
		return map[string]any{"email": strings.ReplaceAll(who, " ", "") + "@new.example"}
	}, allow: []string{admin}},
	"Mutation.signOut":      {op: `mutation { signOut { ok } }`, vars: none, allow: browsers()},
	"Mutation.createVolume": {op: `mutation($team: ID!) { createVolume(input: {teamId: $team, name: "more", size: "1Gi"}) { volume { id } } }`, vars: teamVar, allow: makers},
	"Mutation.deleteVolume": {op: `mutation($id: ID!, $name: String!) { deleteVolume(id: $id, confirmName: $name) { id } }`, vars: func(w *world, _ string) map[string]any {
		v := w.volume()
		return map[string]any{"id": v.ID, "name": v.Name}
	}, allow: managers},

	"Subscription.eventAdded": {op: `subscription($id: ID!) { eventAdded(subjectId: $id) { type } }`, vars: one("id", anInstance), allow: team,
		after: func(w *world, v map[string]any) { w.happened(w.Cast.Team.ID, v["id"].(string), "FailedScheduling") }},
	"Subscription.instanceChanged": {op: `subscription($id: ID!) { instanceChanged(id: $id) { id } }`, vars: one("id", anInstance), allow: team},
	"Subscription.instancesChanged": {op: `subscription { instancesChanged { id } }`, vars: one("id", anInstance), allow: team,
		after: func(w *world, v map[string]any) {
			w.touch(must[*ent.Instance](w)(w.DB.Client.Instance.Get(w.sys, v["id"].(string))), instance.StatePending)
		}},
	"Subscription.runChanged": {op: `subscription($id: ID!) { runChanged(id: $id) { id } }`, vars: one("id", aRun), allow: team},
	"Subscription.runsChanged": {op: `subscription { runsChanged { id } }`, vars: one("id", aRun), allow: team,
		after: func(w *world, v map[string]any) {
			w.Broker.Publish(w.sys, event.Message{Topic: "run", ID: v["id"].(string), TeamID: w.Cast.Team.ID})
		}},
	"Subscription.logAppended": {op: `subscription($id: ID!) { logAppended(attemptId: $id) { lines { text } } }`, vars: one("id", anAttempt), allow: team},
}

func gpuImage(w *world, _ string) map[string]any {
	img := w.image(&w.Cast.Team.ID)
	if err := img.Update().SetGpu(true).Exec(w.sys); err != nil {
		w.t.Fatal(err)
	}
	return map[string]any{"team": w.Cast.Team.ID}
}

func with(vars func(*world, string) map[string]any, do func(*world)) func(*world, string) map[string]any {
	return func(w *world, who string) map[string]any {
		do(w)
		return vars(w, who)
	}
}

func schema(t *testing.T) *ast.Schema {
	t.Helper()
	var b strings.Builder
	graph.PrintSchema(&b)
	s, err := gqlparser.LoadSchema(&ast.Source{Input: b.String()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEveryRootFieldIsAccountedFor keeps a field from being added without
// saying who may use it.
func TestEveryRootFieldIsAccountedFor(t *testing.T) {
	t.Parallel()
	s := schema(t)
	fields := map[string]bool{}
	for _, root := range []*ast.Definition{s.Query, s.Mutation, s.Subscription} {
		for _, f := range root.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			name := root.Name + "." + f.Name
			fields[name] = true
			c, ok := access[name]
			if !ok {
				t.Errorf("%s has no case", name)
				continue
			}
			if len(c.allow) == 0 || len(c.allow) == len(everybody) {
				t.Errorf("%s needs somebody who may and somebody who may not", name)
			}
		}
	}
	for name := range access {
		if !fields[name] {
			t.Errorf("%s is no root field", name)
		}
	}
}

// TestAccess tries every root field as everybody.
func TestAccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := w.people(t)
	for name, c := range access {
		for _, who := range everybody {
			t.Run(name+" as "+who, func(t *testing.T) {
				b := people[who]
				if name == "Mutation.signOut" && slices.Contains(browsers(), who) {
					b = w.SignIn(t, w.person(who)) // the others' sessions go on
				}
				if name == "Mutation.acceptInvitation" && who == anonymous {
					b = w.Stranger(t) // who is signed in by it
				}
				vars := c.vars(w, who)
				var got servertest.Answer
				if strings.HasPrefix(name, "Subscription.") && who != expiredToken { // which opens no socket
					got = w.listen(t, b, c, vars, slices.Contains(c.allow, who))
				} else {
					got = b.Ask(c.op, vars)
				}
				may := slices.Contains(c.allow, who)
				if err := verdict(c, got, may, slices.Contains(strangers, who)); err != nil {
					t.Errorf("may=%v: %v\n%s\n%+v", may, err, got.Data, got.Errors)
				}
			})
		}
	}
}

func verdict(c accessCase, got servertest.Answer, may, stranger bool) error {
	if len(got.Errors) > 0 {
		code := got.Code()
		switch {
		case may && slices.Contains(c.passes, code):
			return nil
		case may:
			return fmt.Errorf("refused with %s", code)
		case stranger && code != "UNAUTHENTICATED":
			return fmt.Errorf("a stranger was told %s", code)
		case code != "UNAUTHENTICATED" && code != "FORBIDDEN" && code != "NOT_FOUND":
			return fmt.Errorf("%s is no refusal", code)
		}
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(got.Data, &fields); err != nil {
		return fmt.Errorf("no data: %w", err)
	}
	for _, v := range fields {
		hidden := c.empty != nil && c.empty(string(v))
		switch {
		case may && hidden:
			return fmt.Errorf("was given nothing")
		case !may && !hidden:
			return fmt.Errorf("was given %s", v)
		}
	}
	return nil
}

// listen subscribes and gives the first answer. Who is let in to a stream of
// everybody's changes without seeing them hears nothing: that counts as refused.
func (w *world) listen(t *testing.T, b *servertest.Browser, c accessCase, vars map[string]any, may bool) servertest.Answer {
	t.Helper()
	s := b.Socket()
	before := w.Broker.Subscribers()
	s.Subscribe("1", c.op, vars)
	if c.after != nil {
		for until := time.Now().Add(patience(may)); w.Broker.Subscribers() == before && time.Now().Before(until); {
			time.Sleep(time.Millisecond)
		}
		c.after(w, vars)
	}
	wait := 10 * time.Second
	if c.after != nil && !may {
		wait = 300 * time.Millisecond
	}
	f, ok := s.Within(wait)
	if !ok {
		var a servertest.Answer
		a.Errors = make([]servertest.Error, 1)
		a.Errors[0].Extensions.Code = "NOT_FOUND"
		return a
	}
	return f.Answer(t)
}

// patience is how long a subscription may take to be heard of: one that is
// refused may never be.
func patience(may bool) time.Duration {
	if may {
		return 10 * time.Second
	}
	return 100 * time.Millisecond
}

func (w *world) person(who string) *ent.User { return w.Person(who) }

// people are everybody's browsers.
func (w *world) people(t *testing.T) map[string]*servertest.Browser {
	t.Helper()
	out := w.People(t)
	out[insideToken] = w.inside(t)
	return out
}
