package admission_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

const envReplica = "GOBLINLAB_TEST_REPLICA"

// TestReplica is no test: it is the other process of those below.
func TestReplica(t *testing.T) {
	address := os.Getenv(envReplica)
	if address == "" {
		t.Skip("only as the second process of another test")
	}
	site := servertest.Start(t, options(opened(t, address), &testkit.Cast{}))
	fmt.Printf("\nreplica %s\n", site.URL)
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until it is killed, or who started it is gone
}

// replica starts a process that serves the same database.
func replica(t *testing.T, address string) (url string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestReplica$", "-test.count=1")
	cmd.Env = append(os.Environ(), envReplica+"="+address, "TMPDIR="+t.TempDir()) // it cannot clear up
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	once := sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // SIGKILL: nothing is put in order
		_ = in.Close()
		_ = cmd.Wait()
	})
	t.Cleanup(once)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if u, ok := strings.CutPrefix(lines.Text(), "replica "); ok {
			return u, once
		}
	}
	t.Fatalf("the replica ended: %v", lines.Err())
	return "", nil
}

// TestP85KilledAmongAdmissions kills a process again and again while many start
// and stop through it and through this one. Whatever it was about to do, what
// is held and what lives are the same afterwards, and never more than there is.
func TestP85KilledAmongAdmissions(t *testing.T) {
	t.Parallel()
	if testing.Short() && os.Getenv(testkit.EnvDatabase) == "" {
		t.Log("on SQLite: two processes share the file")
	}
	const gpus, rounds, askers = 3, 6, 12
	address := testkit.DatabaseURL(t)
	w := newWorld(t, address, gpus)
	cast := w.sites[0].Cast
	var rows []*ent.Instance
	for n := range askers {
		team, owner := cast.Team, cast.Member
		if n%3 == 2 {
			team, owner = cast.OtherTeam, cast.Other
		}
		rows = append(rows, w.instance(team, owner, fmt.Sprintf("inst-%02d", n), 1))
	}
	here := map[string]*servertest.Browser{cast.Member.ID: w.sites[0].SignIn(t, cast.Member), cast.Other.ID: w.sites[0].SignIn(t, cast.Other)}
	won := 0
	for round := range rounds {
		url, kill := replica(t, address)
		far := w.sites[0].Elsewhere(url)
		there := map[string]*servertest.Browser{cast.Member.ID: far.SignIn(t, cast.Member), cast.Other.ID: far.SignIn(t, cast.Other)}
		var wg sync.WaitGroup
		for n, r := range rows {
			wg.Go(func() { // through the process that dies: its answer may never come
				time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
				_ = tell(there[r.OwnerID], url, r.ID)
			})
			if n%2 == 0 {
				wg.Go(func() { here[r.OwnerID].Ask(startOp, map[string]any{"id": r.ID}) })
			}
		}
		time.Sleep(time.Duration(5+rand.IntN(60)) * time.Millisecond)
		kill()
		wg.Wait()
		won += w.consistent(fmt.Sprintf("round %d", round), gpus)
		for _, r := range w.db.Client.Instance.Query().Where(entinstance.DesiredEQ(entinstance.DesiredRunning)).AllX(w.sys) {
			if rand.IntN(3) > 0 {
				w.ended(r.ID)
			}
		}
	}
	if won == 0 {
		t.Error("nobody was ever let in: nothing was tested")
	}
	for _, r := range w.db.Client.Instance.Query().AllX(w.sys) {
		w.ended(r.ID)
	}
	if err := admission.New(admission.Deps{DB: w.db}).Sweep(w.sys); err != nil {
		t.Fatal(err)
	}
	if n := w.db.Client.Reservation.Query().CountX(w.sys); n != 0 {
		t.Errorf("%d reservations leaked", n)
	}
}

// tell sends a start and does not care for its answer.
func tell(b *servertest.Browser, url, id string) error {
	body := fmt.Sprintf(`{"query": %q, "variables": {"id": %q}}`, startOp, id)
	res, err := b.HTTP.Post(url+"/graphql", "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", res.Status)
	}
	return nil
}

// consistent holds the reservations against the rows: no sweep came in between.
func (w *world) consistent(when string, gpus int64) int {
	w.t.Helper()
	ids, gpu := w.held()
	if gpu > gpus {
		w.t.Errorf("P85: %s: %d GPUs are held of %d", when, gpu, gpus)
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			w.t.Errorf("%s: %s holds twice", when, id)
		}
		seen[id] = true
	}
	live := w.db.Client.Instance.Query().Where(entinstance.DesiredEQ(entinstance.DesiredRunning)).AllX(w.sys)
	for _, i := range live {
		if !seen[i.ID] {
			w.t.Errorf("%s: %s lives and holds nothing", when, i.Name)
		}
		delete(seen, i.ID)
	}
	for id := range seen {
		w.t.Errorf("%s: %s holds and does not live", when, id)
	}
	return len(ids)
}
