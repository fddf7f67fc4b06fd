//go:build cluster

package instance

import (
	"fmt"
	"testing"
	"time"

	entaudit "github.com/goblinlab/goblinlab/ent/audit"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// noticing is how long the cluster may take to notice that a node is gone.
const noticing = 3 * time.Minute

// TestANodeIsLost is not parallel: its nodes are larger than all others, which the tests of what fits nowhere would notice.
func TestANodeIsLost(t *testing.T) {
	l := newLab(t, team.QuotaInput{})
	for _, n := range []string{"lost-a", "lost-b"} {
		// For GPUs alone: another test's pods would fall with the node.
		testkit.Node(t, "add", n, "--cpu", "200", "--gpus", "1", "--taint", "nvidia.com/gpu=true:NoSchedule")
		t.Cleanup(func() { testkit.Node(t, "rm", n, "--grace", "0s") })
	}
	ctx := l.as(l.Member)
	disk := l.disk(l.Member, l.Team, "ReadWriteOnce")
	onLarge := func(in *CreateInput) {
		in.Resources.CPU, in.Resources.GPU = "150", 1
		in.Mounts = []spec.Mount{{VolumeID: disk.ID, Path: "/data"}}
	}
	i := l.until(l.start(onLarge).ID, Running)
	uid, node := l.pods(i.ID)[0].UID, i.Node
	if node != "lost-a" && node != "lost-b" {
		t.Fatalf("it runs on %s", node)
	}
	if _, err := l.Move(ctx, i.ID, true); fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("P17: a move off a node that answers: %v", err)
	}

	testkit.Node(t, "cut", node)
	l.untilLost(i.ID, node)
	testkit.Node(t, "heal", node)
	i = l.until(i.ID, Running)
	if i.Reason != nil || l.pods(i.ID)[0].UID != uid || i.Node != node {
		t.Errorf("P17: after the node is back it is %+v on %s, its pod %s, was %s", i.Reason, i.Node, l.pods(i.ID)[0].UID, uid)
	}

	testkit.Node(t, "cut", node)
	l.untilLost(i.ID, node)
	if _, err := l.Move(ctx, i.ID, false); fault.KindOf(err) != fault.FailedPrecondition {
		t.Errorf("P17: a move with a volume for one node, the risk not accepted: %v", err)
	}
	if _, err := l.Move(ctx, i.ID, true); err != nil {
		t.Fatal(err)
	}
	i = l.until(i.ID, Running)
	if pods := l.pods(i.ID); len(pods) != 1 || pods[0].UID == uid || i.Node == node || i.Reason != nil {
		t.Errorf("P17: moved to %s, was on %s, with %d pods, %+v", i.Node, node, len(pods), i.Reason)
	}
	if n := l.db.Client.Audit.Query().Where(entaudit.Action("instance.move")).CountX(testkit.System(t)); n != 1 {
		t.Errorf("the move was audited %d times", n)
	}
	testkit.Node(t, "heal", node)
	if got := l.again(i.ID); got.State != i.State || got.Node != i.Node {
		t.Errorf("P17: the return of the node made it %s on %s", got.State, got.Node)
	}
}

// untilLost waits until an instance says that its node is lost.
func (l *lab) untilLost(id, node string) {
	l.t.Helper()
	last := ""
	for end := time.Now().Add(noticing); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		i := l.again(id)
		if i.Reason != nil && i.Reason.Code == reason.NodeLost && i.Reason.Args["node"] == node {
			if string(i.State) != string(Unhealthy) {
				l.t.Errorf("P17: on a lost node it is %s", i.State)
			}
			return
		}
		last = fmt.Sprintf("is %s, %+v", i.State, i.Reason)
	}
	l.t.Fatalf("P17: it does not say that its node is lost: %s", last)
}
