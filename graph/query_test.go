package graph_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func newSystem(t testing.TB) context.Context { return authz.AsSystem(t.Context()) }

const page = `query($n: Int) { instances(first: $n) { nodes { id name state createdAt version resources { cpuMilli memoryBytes gpu }
	reason { code text } owner { id displayName } team { id name } image { id name reference } mounts { path volume { id name } }
	can { start stop } } pageInfo { hasNextPage endCursor } } }`

func TestAListCostsAConstantNumberOfQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 50 {
		i := w.instance()
		v := w.volume()
		s := i.Spec
		s.Mounts = []spec.Mount{{VolumeID: v.ID, Path: "/data"}}
		if err := i.Update().SetSpec(s).Exec(w.sys); err != nil {
			t.Fatal(err)
		}
	}
	b := w.SignIn(t, w.Cast.Member)
	cost := func(n int) int64 {
		before := w.Queries.Load()
		var got struct {
			Instances struct{ Nodes []json.RawMessage }
		}
		b.Get(page, map[string]any{"n": n}, &got)
		if len(got.Instances.Nodes) != n {
			t.Fatalf("%d nodes, want %d", len(got.Instances.Nodes), n)
		}
		return w.Queries.Load() - before
	}
	few, many := cost(2), cost(50)
	// Session, person, memberships; then instances, teams, owners, images, volumes.
	if few != many || many > 8 {
		t.Errorf("2 cost %d queries, 50 cost %d", few, many)
	}
}

// TestTheTableOfTeamsCostsAConstantNumberOfQueries: with their quotas, who holds
// them and whose that is.
func TestTheTableOfTeamsCostsAConstantNumberOfQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 30 {
		u := w.somebody()
		team := w.teamOf(u)
		w.instance(runningInstance, func(c *ent.InstanceCreate) { c.SetTeamID(team.ID).SetOwnerID(u.ID) })
		c, x := w.DB.Client, xid.New().String()
		if n%2 == 0 {
			s := spec.Task{ImageID: w.image(nil).ID, Resources: small, Class: spec.ClassTest}
			task := c.Task.Create().SetTeamID(team.ID).SetOwnerID(u.ID).SetName("train").SetImageID(s.ImageID).SetSpec(s).SaveX(w.sys)
			c.Run.Create().SetTeamID(team.ID).SetOwnerID(u.ID).SetTaskID(task.ID).SetName("train").SetState(run.StateRunning).ExecX(w.sys)
		}
		c.Volume.Create().SetTeamID(team.ID).SetOwnerID(u.ID).SetName("data").SetKind(volume.KindData).SetObjectName("data-" + x).
			SetSizeBytes(1 << 30).SetAccessMode(volume.AccessModeReadWriteMany).ExecX(w.sys)
	}
	b := w.SignIn(t, w.Cast.Admin)
	cost := func(n int) int64 {
		before := w.Queries.Load()
		type item struct {
			Resource string
			Used     int64
			Holders  []struct{ Owner struct{ DisplayName string } }
		}
		var got struct {
			Teams struct {
				Nodes []struct {
					ID    string
					Quota struct{ Items []item }
				}
			}
		}
		b.Get(`query($n: Int) { teams(first: $n) { nodes { id name members { role user { id } }
			quota { observedAt items { resource used limit holders { id name owner { displayName } } } } } } }`, map[string]any{"n": n}, &got)
		if len(got.Teams.Nodes) != n {
			t.Fatalf("%d nodes, want %d", len(got.Teams.Nodes), n)
		}
		for _, node := range got.Teams.Nodes {
			if i := slices.IndexFunc(node.Quota.Items, func(i item) bool { return i.Resource == "volumes" }); i < 0 || node.Quota.Items[i].Used != 1 || len(node.Quota.Items[i].Holders) != 1 || node.Quota.Items[i].Holders[0].Owner.DisplayName != "sam" {
				t.Fatalf("team %s: %+v", node.ID, node.Quota.Items)
			}
		}
		return w.Queries.Load() - before
	}
	few, many := cost(2), cost(30)
	// Session, person, memberships; then teams, who waits, instances, runs, tasks, volumes, shares, owners, members, people.
	if few != many || many > 13 {
		t.Errorf("2 cost %d queries, 30 cost %d", few, many)
	}
}

func TestCountingHappensOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.instance()
	b := w.SignIn(t, w.Cast.Member)
	cost := func(fields string) int64 {
		before := w.Queries.Load()
		b.Get(`{ instances { nodes { id } pageInfo { hasNextPage } `+fields+` } }`, nil, nil)
		return w.Queries.Load() - before
	}
	if without, with := cost(""), cost("totalCount"); with != without+1 {
		t.Errorf("%d queries without totalCount, %d with", without, with)
	}
}

func TestNodeFindsEveryKindAndHidesWhatIsNotTheViewers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.attempt()
	r := must[*ent.Run](w)(w.DB.Client.Run.Get(w.sys, a.RunID))
	i := w.instance()
	w.happened(i.TeamID, i.ID, "Pulled")
	e := must[*ent.Event](w)(w.DB.Client.Event.Query().First(w.sys))
	kinds := map[string]string{
		"User": w.Cast.Member.ID, "Team": w.Cast.Team.ID, "Image": w.image(&w.Cast.Team.ID).ID, "Volume": w.volume().ID,
		"Instance": i.ID, "Task": r.TaskID, "Run": r.ID, "Attempt": a.ID, "Event": e.ID,
		"Share": w.shareOf(func(c *ent.ShareCreate) { c.SetUserID(w.Cast.Viewer.ID).SetGrantee(w.Cast.Viewer.Email) }).ID,
	}
	fr := w.failedFlowRun()
	kinds["Flow"], kinds["FlowRun"], kinds["SlotGroup"], kinds["Backfill"] = fr.FlowID, fr.ID, w.slotGroup(), aBackfill(w)
	kinds["FlowVersion"] = w.DB.Client.FlowVersion.Query().FirstIDX(w.sys)
	kinds["Step"] = w.DB.Client.Step.Query().FirstIDX(w.sys)
	for _, k := range schema(t).GetPossibleTypes(schema(t).Types["Node"]) {
		if kinds[k.Name] == "" {
			t.Errorf("%s is a Node without a case", k.Name)
		}
	}
	mine, theirs := w.SignIn(t, w.Cast.Viewer), w.SignIn(t, w.Cast.Other)
	for kind, id := range kinds {
		var got struct {
			Node *struct {
				Typename string `json:"__typename"`
				ID       string
			}
		}
		const q = `query($id: ID!) { node(id: $id) { __typename id } }`
		mine.Get(q, map[string]any{"id": id}, &got)
		if got.Node == nil || got.Node.Typename != kind || got.Node.ID != id {
			t.Errorf("%s: %+v", kind, got.Node)
		}
		got.Node = nil
		if theirs.Get(q, map[string]any{"id": id}, &got); got.Node != nil {
			t.Errorf("%s is shown to another team", kind)
		}
	}
	for _, id := range []string{"", "ins-", "ins-0000000000000000000", "nothing", "aud-" + strings.TrimPrefix(i.ID, "ins-"), strings.ToUpper(i.ID)} {
		var got struct{ Node *struct{ ID string } }
		if mine.Get(`query($id: ID!) { node(id: $id) { id } }`, map[string]any{"id": id}, &got); got.Node != nil {
			t.Errorf("node(%q) = %+v", id, got.Node)
		}
	}
}

func TestAnOwnerIsKnownAfterLeavingTheTeam(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance()
	if _, err := w.DB.Client.Membership.Delete().Where(membership.UserID(w.Cast.Member.ID)).Exec(w.sys); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Instance struct{ Owner struct{ DisplayName string } }
	}
	w.SignIn(t, w.Cast.Maintainer).Get(`query($id: ID!) { instance(id: $id) { owner { displayName } } }`, map[string]any{"id": i.ID}, &got)
	if got.Instance.Owner.DisplayName != "meng" {
		t.Errorf("%+v", got)
	}
}

func TestAppsAndSSHAreShownWhileTheyAreThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	up, down := w.instance(runningInstance), w.instance()
	apps := slices.Clone(up.Apps)
	apps[1].Reason = &spec.Reason{Code: "process-oom-killed", Args: map[string]any{"process": "python3", "peak": "2 GiB", "limit": "2 GiB"}}
	if err := up.Update().SetApps(apps).SetSSHPort(22022).SetHostKey("SHA256:abc").Exec(w.sys); err != nil {
		t.Fatal(err)
	}
	const q = `query($id: ID!) { instance(id: $id) { restartToApply apps { name port state url reason { text } } ssh { host port user command config hostKeyFingerprint } } }`
	var got struct {
		Instance struct {
			RestartToApply bool
			Apps           []struct {
				Name, URL string
				Reason    *struct{ Text string }
			}
			SSH *struct{ Command, HostKeyFingerprint string }
		}
	}
	b := w.SignIn(t, w.Cast.Member)
	b.Language = "zh-CN"
	b.Get(q, map[string]any{"id": up.ID}, &got)
	if a := got.Instance.Apps; a[0].Reason != nil || a[1].Reason == nil || a[1].Reason.Text != "python3 被系统终止：实例的内存已用尽（2 GiB / 2 GiB）。" {
		t.Errorf("P75: %+v", a)
	}
	if in := got.Instance; len(in.Apps) != 2 || !strings.HasPrefix(in.Apps[0].URL, "http://jupyterlab--"+up.ID+".localhost:") ||
		in.Apps[1].URL != "" || in.SSH == nil || in.SSH.Command != "ssh -p 22022 root@localhost" || in.RestartToApply {
		t.Errorf("running: %+v", in)
	}
	got.Instance.SSH = nil
	b.Get(q, map[string]any{"id": down.ID}, &got)
	if in := got.Instance; len(in.Apps) != 0 || in.SSH != nil {
		t.Errorf("stopped: %+v", in)
	}
}

func TestAnImageSaysWhyItCannotBeUsedYet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	row := w.image(&w.Cast.Team.ID)
	b := w.SignIn(t, w.Cast.Member)
	b.Language = "zh-CN"
	ask := func() (code, text string) {
		t.Helper()
		var out struct {
			Images struct {
				Nodes []struct{ Reason *struct{ Code, Text string } }
			}
		}
		b.Get(`query($team: ID!) { images(filter: {teamId: $team}) { nodes { reason { code text } } } }`, map[string]any{"team": w.Cast.Team.ID}, &out)
		if len(out.Images.Nodes) != 1 {
			t.Fatalf("%+v", out)
		}
		if r := out.Images.Nodes[0].Reason; r != nil {
			return r.Code, r.Text
		}
		return "", ""
	}
	if code, _ := ask(); code != "" {
		t.Errorf("an image of a registry waits: %s", code)
	}
	w.Images.SetWaits(row.Reference, &spec.Reason{Code: image.Building, Args: map[string]any{"step": "pack dev"}})
	if code, text := ask(); code != image.Building || !strings.Contains(text, "正在本机构建该镜像：pack dev") {
		t.Errorf("%s %q", code, text)
	}
	w.Images.SetWaits(row.Reference, nil)
	if code, _ := ask(); code != "" {
		t.Errorf("one that is there waits: %s", code)
	}
}
