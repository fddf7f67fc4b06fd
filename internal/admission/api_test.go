package admission_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/reservation"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// world is two replicas over one database, with GPUs that another process saw.
type world struct {
	t     *testing.T
	sites []*servertest.Site
	db    *db.DB
	sys   context.Context
	image *ent.Image
}

func opened(t *testing.T, address string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

func options(d *db.DB, cast *testkit.Cast) servertest.Options {
	return servertest.Options{DB: d, Cast: cast, Config: func(c *config.Config) { c.Limits.InstancesPerUser = 10_000 }}
}

func newWorld(t *testing.T, address string, gpus ...int64) *world {
	t.Helper()
	first := opened(t, address)
	w := &world{t: t, db: first, sys: testkit.System(t)}
	a := servertest.Start(t, options(first, nil))
	b := servertest.Start(t, options(opened(t, address), &a.Cast))
	w.sites = []*servertest.Site{a, b}
	w.capacity(gpus...)
	var err error
	w.image, err = first.Client.Image.Create().SetName("mini").SetReference(testkit.ImageMini).SetDevelopment(true).Save(w.sys)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// capacity notes nodes as a worker does that sees the cluster.
func (w *world) capacity(gpus ...int64) {
	w.t.Helper()
	nodes := []spec.GPUNode{}
	for i, n := range gpus {
		nodes = append(nodes, spec.GPUNode{Name: fmt.Sprintf("node-%d", i), GPU: n})
	}
	if err := w.db.Client.Capacity.UpdateOneID("cluster").SetNodes(nodes).SetObservedAt(time.Now().UTC()).Exec(w.sys); err != nil {
		w.t.Fatal(err)
	}
}

// asker is somebody who starts something through a replica.
type asker struct {
	browser *servertest.Browser
	op      string
	vars    map[string]any
	own     bool // in the team of the others
}

const (
	startOp  = `mutation($id: ID!) { startInstance(id: $id) { instance { id name } } }`
	createOp = `mutation($team: ID!, $image: ID!, $name: String!) { createInstance(input: {teamId: $team, name: $name, imageId: $image, start: true, resources: {cpu: "1", memory: "1Gi", gpu: 1}}) { instance { id name } } }`
	runOp    = `mutation($team: ID!, $image: ID!, $name: String!) { runNow(input: {teamId: $team, name: $name, imageId: $image, wait: false, command: ["true"], resources: {cpu: "1", memory: "1Gi", gpu: 1}}) { run { id name } } }`
)

func (w *world) instance(team *ent.Team, owner *ent.User, name string, gpu int64) *ent.Instance {
	w.t.Helper()
	s := spec.Instance{ImageID: w.image.ID, Resources: spec.Resources{CPUMilli: 1000, MemoryBytes: 1 << 30, GPU: gpu}}
	i, err := w.db.Client.Instance.Create().SetTeamID(team.ID).SetOwnerID(owner.ID).SetName(name).SetObjectName(name + "-" + team.ID).
		SetImageID(w.image.ID).SetSpec(s).Save(w.sys)
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

// held are the live holds and the GPUs in them.
func (w *world) held() (ids []string, gpu int64) {
	w.t.Helper()
	for _, r := range w.db.Client.Reservation.Query().Where(reservation.StateEQ(reservation.StateHeld)).AllX(w.sys) {
		ids = append(ids, r.ConsumerID)
		gpu += r.Gpu
	}
	return ids, gpu
}

// TestP85FiftyAskForTheLastGPU asks through two replicas at once, for new
// instances, stopped ones and runs of two teams.
func TestP85FiftyAskForTheLastGPU(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.DatabaseURL(t), 1)
	cast := w.sites[0].Cast
	var people [2][2]*servertest.Browser
	for i, s := range w.sites {
		people[i] = [2]*servertest.Browser{s.SignIn(t, cast.Member), s.SignIn(t, cast.Other)}
	}
	var all []asker
	for n := range 50 {
		who, team, owner := n/2%5/4, cast.Team, cast.Member // every fifth pair is of the other team
		if who == 1 {
			team, owner = cast.OtherTeam, cast.Other
		}
		name := fmt.Sprintf("asker-%02d", n)
		a := asker{browser: people[n%2][who], own: who == 0, op: createOp, vars: map[string]any{"team": team.ID, "image": w.image.ID, "name": name}}
		switch n % 3 {
		case 0:
			a.op, a.vars = startOp, map[string]any{"id": w.instance(team, owner, name, 1).ID}
		case 1:
			a.op = runOp
		}
		all = append(all, a)
	}
	before := w.db.Client.Instance.Query().CountX(w.sys)
	answers := make([]servertest.Answer, len(all))
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for i, a := range all {
		wg.Go(func() {
			<-ready
			answers[i] = a.browser.Ask(a.op, a.vars)
		})
	}
	close(ready)
	wg.Wait()

	winner := -1
	for i, a := range answers {
		if len(a.Errors) == 0 {
			if winner >= 0 {
				t.Fatalf("P85: %d and %d were both let in", winner, i)
			}
			winner = i
		}
	}
	if winner < 0 {
		t.Fatalf("nobody was let in: %+v", answers[0].Errors)
	}
	name := fmt.Sprintf("asker-%02d", winner)
	said := map[string]int{}
	for i, a := range answers {
		if i == winner {
			continue
		}
		e := a.Errors[0]
		if e.Extensions.Code != "RESOURCE_EXHAUSTED" || len(e.Extensions.Fields) != 1 || e.Extensions.Fields[0].Path != "resources.gpu" {
			t.Fatalf("%d was refused with %+v", i, e)
		}
		said[e.Message]++
		holder := "held by " + name + " of your team"
		if all[i].own != all[winner].own {
			holder = "1 held by another team"
		}
		if !strings.Contains(e.Message, "0 of the cluster's 1 GPU are free") || !strings.Contains(e.Message, holder) ||
			all[i].own != all[winner].own && strings.Contains(e.Message, name) {
			t.Errorf("%d was told %q", i, e.Message)
		}
	}
	if len(said) != 2 {
		t.Errorf("one sentence for each team is enough: %v", said)
	}
	ids, gpu := w.held()
	if len(ids) != 1 || gpu != 1 {
		t.Errorf("held are %v", ids)
	}
	made := w.db.Client.Instance.Query().CountX(w.sys) - before + w.db.Client.Run.Query().CountX(w.sys)
	if want := map[bool]int{true: 0, false: 1}[all[winner].op == startOp]; made != want {
		t.Errorf("%d things were made, want %d: who is refused leaves nothing behind", made, want)
	}
}

// TestLaterOnesGetWhatIsGivenBack: a lost race is no ban.
func TestLaterOnesGetWhatIsGivenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.DatabaseURL(t), 1)
	cast := w.sites[0].Cast
	meng, otto := w.sites[0].SignIn(t, cast.Member), w.sites[1].SignIn(t, cast.Other)
	first, second := w.instance(cast.Team, cast.Member, "first", 1), w.instance(cast.OtherTeam, cast.Other, "second", 1)
	meng.Get(startOp, map[string]any{"id": first.ID}, nil)
	if a := otto.Ask(startOp, map[string]any{"id": second.ID}); a.Code() != "RESOURCE_EXHAUSTED" {
		t.Fatalf("while it is held: %+v", a)
	}
	var waits struct {
		StartInstance struct {
			Instance struct {
				State  string
				Reason struct{ Code, Text string }
			}
		}
	}
	otto.Get(`mutation($id: ID!) { startInstance(id: $id, wait: true) { instance { state reason { code text } } } }`, map[string]any{"id": second.ID}, &waits)
	if i := waits.StartInstance.Instance; i.State != "PENDING" || i.Reason.Code != "waits-gpu-others" || !strings.Contains(i.Reason.Text, "1 held by another team") {
		t.Errorf("P88: one that waits says %+v", i)
	}
	third := w.instance(cast.Team, cast.Member, "third", 1)
	w.ended(first.ID)
	if a := meng.Ask(startOp, map[string]any{"id": third.ID}); a.Code() != "RESOURCE_EXHAUSTED" || !strings.Contains(a.Errors[0].Message, "1 wait in front") {
		t.Errorf("a newcomer went past one that waits: %+v", a)
	}
	adm := admission.New(admission.Deps{DB: w.db})
	row := w.db.Client.Instance.GetX(w.sys, second.ID)
	let := false
	v, err := adm.Promote(w.sys, row.TeamID, admission.OfInstance(row), func(*ent.Tx) error { let = true; return nil })
	if err != nil || !v.Held || !let {
		t.Fatalf("its turn: %+v, %v", v, err)
	}
	if ids, gpu := w.held(); len(ids) != 1 || ids[0] != second.ID || gpu != 1 {
		t.Errorf("held are %v", ids)
	}
}

// ended is what the state machine of an instance does when nothing of it is left.
func (w *world) ended(id string) {
	w.t.Helper()
	adm := admission.New(admission.Deps{DB: w.db})
	err := w.db.Tx(w.sys, func(tx *ent.Tx) error {
		err := tx.Instance.UpdateOneID(id).SetDesired(entinstance.DesiredStopped).SetState(entinstance.StateStopped).AddVersion(1).Exec(w.sys)
		if err != nil {
			return err
		}
		_, err = adm.Release(w.sys, tx, id)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestP73TheSweepMendsWhatSaysSomethingElse: rows decide, whatever a crash or
// somebody in the database left.
func TestP73TheSweepMendsWhatSaysSomethingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.DatabaseURL(t), 4)
	cast := w.sites[0].Cast
	meng := w.sites[0].SignIn(t, cast.Member)
	leaked, lost := w.instance(cast.Team, cast.Member, "leaked", 1), w.instance(cast.Team, cast.Member, "lost", 2)
	for _, i := range []*ent.Instance{leaked, lost} {
		meng.Get(startOp, map[string]any{"id": i.ID}, nil)
	}
	w.db.Client.Instance.UpdateOneID(leaked.ID).SetDesired(entinstance.DesiredStopped).SetState(entinstance.StateStopped).ExecX(w.sys)
	w.db.Client.Reservation.Delete().Where(reservation.ConsumerID(lost.ID)).ExecX(w.sys)
	past, later := time.Now().UTC().Add(-time.Second), time.Now().UTC().Add(time.Hour)
	for id, until := range map[string]time.Time{"gone": past, "gang": later} {
		w.db.Client.Reservation.Create().SetConsumerID(id).SetKind(reservation.KindOther).SetTeamID(cast.Team.ID).SetOwnerID(cast.Member.ID).SetName(id).
			SetClass(spec.ClassTest).SetResources(spec.Resources{GPU: 1}).SetGpu(1).SetState(reservation.StateHeld).SetUntil(until).ExecX(w.sys)
	}
	for range 2 { // the second finds nothing to do
		if err := admission.New(admission.Deps{DB: w.db}).Sweep(w.sys); err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for _, r := range w.db.Client.Reservation.Query().AllX(w.sys) {
			got[r.ConsumerID] = r.Gpu
		}
		if len(got) != 2 || got[lost.ID] != 2 || got["gang"] != 1 {
			t.Errorf("P73: after the sweep %v", got)
		}
	}
}

// TestArchivedTeamsStartNothing covers every way to start.
func TestArchivedTeamsStartNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.DatabaseURL(t), 1)
	cast := w.sites[0].Cast
	meng, ada := w.sites[0].SignIn(t, cast.Member), w.sites[1].SignIn(t, cast.Admin)
	i := w.instance(cast.Team, cast.Member, "old", 0)
	live := w.instance(cast.Team, cast.Member, "live", 0)
	meng.Get(startOp, map[string]any{"id": live.ID}, nil)
	run := servertest.Answer(meng.Ask(`mutation($team: ID!, $image: ID!) { runNow(input: {teamId: $team, name: "going", imageId: $image, command: ["true"], resources: {cpu: "1", memory: "1Gi"}}) { run { id } } }`,
		map[string]any{"team": cast.Team.ID, "image": w.image.ID}))
	var made struct {
		RunNow struct{ Run struct{ ID string } }
	}
	if err := json.Unmarshal(run.Data, &made); err != nil {
		t.Fatal(err)
	}
	archive := `mutation($id: ID!, $stop: Boolean!) { archiveTeam(id: $id, stop: $stop) { team { state archivedAt can { restore delete archive } } } }`
	a := ada.Ask(archive, map[string]any{"id": cast.Team.ID, "stop": false})
	if a.Code() != "FAILED_PRECONDITION" || !strings.Contains(a.Errors[0].Message, "2 still run or wait") || !strings.Contains(a.Errors[0].Message, "going") {
		t.Errorf("with what runs: %+v", a)
	}
	ada.Get(archive, map[string]any{"id": cast.Team.ID, "stop": true}, nil)
	if got := w.db.Client.Instance.GetX(w.sys, live.ID); got.Desired != entinstance.DesiredStopped || got.State != entinstance.StateStopping {
		t.Errorf("the instance is %s, wanted %s", got.State, got.Desired)
	}
	if got := w.db.Client.Run.GetX(w.sys, made.RunNow.Run.ID); got.Desired != entrun.DesiredStopped || got.StoppedBy == nil || *got.StoppedBy != cast.Admin.ID {
		t.Errorf("P72: the run is %s, wanted %s", got.State, got.Desired)
	}
	vars := map[string]any{"team": cast.Team.ID, "image": w.image.ID, "name": "new", "id": i.ID, "run": made.RunNow.Run.ID}
	for name, op := range map[string]string{
		"start":  `mutation($id: ID!) { startInstance(id: $id) { instance { id } } }`,
		"wait":   `mutation($id: ID!) { startInstance(id: $id, wait: true) { instance { id } } }`,
		"create": strings.ReplaceAll(createOp, ", gpu: 1", ""),
		"run":    strings.ReplaceAll(runOp, ", gpu: 1", ""),
		"rerun":  `mutation($run: ID!) { rerun(id: $run) { run { id } } }`,
		"volume": `mutation($team: ID!) { createVolume(input: {teamId: $team, name: "v", size: "1Gi"}) { volume { id } } }`,
	} {
		if a := meng.Ask(op, vars); a.Code() != "FAILED_PRECONDITION" || !strings.Contains(a.Errors[0].Message, "is archived") {
			t.Errorf("%s: %+v", name, a)
		}
	}
	ada.Get(`mutation($id: ID!) { restoreTeam(id: $id) { team { state } } }`, map[string]any{"id": cast.Team.ID}, nil)
	meng.Get(startOp, map[string]any{"id": i.ID}, nil)
}
