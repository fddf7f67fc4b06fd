package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
	"pgregory.net/rapid"
)

func brief(id string, state RunState, due int) RunBrief {
	return RunBrief{ID: id, State: state, DueAt: at(due), Scheduled: true}
}

func asked(r RunBrief) RunBrief { r.Cancelled = true; return r }

func urgent(r RunBrief) RunBrief { r.Priority = 5; return r }

func TestAdmit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy spec.Concurrency
		me     RunBrief
		others []RunBrief
		want   string
	}{
		"alone":                                  {spec.Forbid, brief("b", RunQueued, 0), nil, "start"},
		"allow starts beside another":            {spec.Allow, brief("b", RunQueued, 0), []RunBrief{brief("a", RunRunning, -60)}, "start"},
		"forbid skips while another lives":       {spec.Forbid, brief("b", RunQueued, 0), []RunBrief{brief("a", RunRunning, -60)}, "skip flow-another-lives a"},
		"nothing said is forbid":                 {"", brief("b", RunQueued, 0), []RunBrief{brief("a", RunStopping, -60)}, "skip flow-another-lives a"},
		"forbid is not blocked by an end (P56)":  {spec.Forbid, brief("b", RunQueued, 0), []RunBrief{brief("a", RunFailed, -60)}, "start"},
		"forbid lets the earlier of two go":      {spec.Forbid, brief("b", RunQueued, 0), []RunBrief{brief("a", RunQueued, -60)}, "wait flow-waits a"},
		"the other of the two":                   {spec.Forbid, brief("a", RunQueued, -60), []RunBrief{brief("b", RunQueued, 0)}, "start"},
		"one that is queued and cancelled":       {spec.Forbid, brief("b", RunQueued, 0), []RunBrief{asked(brief("a", RunQueued, -60))}, "start"},
		"priority comes before time":             {spec.Forbid, urgent(brief("b", RunQueued, 0)), []RunBrief{brief("a", RunQueued, -60)}, "start"},
		"itself does not count":                  {spec.Forbid, brief("b", RunQueued, 0), []RunBrief{brief("b", RunQueued, 0)}, "start"},
		"replace stops the old one and waits":    {spec.Replace, brief("b", RunQueued, 0), []RunBrief{brief("a", RunRunning, -60)}, "wait flow-waits a stop a"},
		"replace does not ask twice":             {spec.Replace, brief("b", RunQueued, 0), []RunBrief{asked(brief("a", RunRunning, -60))}, "wait flow-waits a"},
		"replace waits for the end (P71)":        {spec.Replace, brief("b", RunQueued, 0), []RunBrief{brief("a", RunStopping, -60)}, "wait flow-waits a"},
		"replace gives way to a newer one":       {spec.Replace, brief("b", RunQueued, 0), []RunBrief{brief("c", RunQueued, 60), brief("a", RunRunning, -60)}, "skip flow-replaced c"},
		"an older one never stops a newer one":   {spec.Replace, brief("b", RunQueued, 0), []RunBrief{brief("c", RunRunning, 60)}, "skip flow-replaced c"},
		"queue waits":                            {spec.QueueOne, brief("b", RunQueued, 0), []RunBrief{brief("a", RunRunning, -60)}, "wait flow-waits a"},
		"queue starts after the end":             {spec.QueueOne, brief("b", RunQueued, 0), []RunBrief{brief("a", RunSucceeded, -60)}, "start"},
		"queue: a newer one waits instead (P58)": {spec.QueueOne, brief("b", RunQueued, 0), []RunBrief{brief("a", RunRunning, -60), brief("c", RunQueued, 60)}, "skip flow-newer-waits c"},
		"queue: the newer one waits":             {spec.QueueOne, brief("c", RunQueued, 60), []RunBrief{brief("a", RunRunning, -60), brief("b", RunQueued, 0)}, "wait flow-waits a"},
		"queue: of three at once the first goes": {spec.QueueOne, brief("a", RunQueued, 0), []RunBrief{brief("b", RunQueued, 0), brief("c", RunQueued, 0)}, "start"},
		"queue: the second gives way":            {spec.QueueOne, brief("b", RunQueued, 0), []RunBrief{brief("a", RunQueued, 0), brief("c", RunQueued, 0)}, "skip flow-newer-waits c"},
		"queue: the third waits":                 {spec.QueueOne, brief("c", RunQueued, 0), []RunBrief{brief("a", RunQueued, 0), brief("b", RunQueued, 0)}, "wait flow-waits a"},
		"queue: an urgent one is not pushed out": {spec.QueueOne, urgent(brief("b", RunQueued, 0)), []RunBrief{brief("a", RunRunning, -60), brief("c", RunQueued, 60)}, "wait flow-waits a"},
		"too late to start (P58)":                {spec.Allow, brief("b", RunQueued, -300), nil, "skip flow-start-deadline 5m0s"},
		"just in time":                           {spec.Allow, brief("b", RunQueued, -299), nil, "start"},
		"by hand it is never too late":           {spec.Allow, RunBrief{ID: "b", DueAt: at(-900)}, nil, "start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := Admit(c.policy, c.me, c.others, noon, 5*time.Minute)
			got := string(v.Kind)
			if v.Reason != nil {
				got += " " + v.Reason.Code
				for _, a := range v.Reason.Args {
					got += fmt.Sprintf(" %v", a)
				}
			}
			if len(v.Stop) > 0 {
				got += " stop " + strings.Join(v.Stop, " ")
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestAdmitAnyOrder: runs of one flow come, are asked in any order, stop and end.
func TestAdmitAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		policy := rapid.SampledFrom([]spec.Concurrency{spec.Forbid, spec.Replace, spec.QueueOne}).Draw(t, "policy")
		var all []RunBrief
		in := func(s ...RunState) (n int) {
			for _, r := range all {
				if slices.Contains(s, r.State) {
					n++
				}
			}
			return n
		}
		ask := func(i int) bool {
			v := Admit(policy, all[i], all, noon, 0)
			before := slices.Clone(all)
			switch v.Kind {
			case VerdictStart:
				all[i].State = RunRunning
			case VerdictSkip:
				all[i].State = RunSkipped
			}
			for j := range all {
				if slices.Contains(v.Stop, all[j].ID) {
					all[j].Cancelled = true
				}
			}
			if n := in(RunRunning, RunStopping); n > 1 {
				t.Fatalf("P57: %d live: %+v", n, all)
			}
			return !slices.Equal(before, all)
		}
		for range rapid.IntRange(1, 40).Draw(t, "turns") {
			if len(all) == 0 || rapid.IntRange(0, 2).Draw(t, "new") == 0 {
				r := brief(fmt.Sprintf("r%02d", len(all)), RunQueued, rapid.IntRange(0, 5).Draw(t, "due"))
				r.Priority = rapid.IntRange(0, 1).Draw(t, "priority")
				all = append(all, r)
				continue
			}
			i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
			switch all[i].State {
			case RunQueued:
				ask(i)
			case RunRunning:
				all[i].State = rapid.SampledFrom([]RunState{RunStopping, RunSucceeded, RunFailed}).Draw(t, "to")
			case RunStopping:
				all[i].State = RunCancelled
			}
		}
		for again := true; again; {
			again = false
			for i := range all {
				again = all[i].State == RunQueued && ask(i) || again
			}
		}
		if in(RunQueued) > 0 && in(RunRunning, RunStopping) == 0 {
			t.Fatalf("P56: all wait for nobody: %+v", all)
		}
		if in(RunQueued) > 1 {
			t.Fatalf("P58: they pile up: %+v", all)
		}
	})
}

func TestSlots(t *testing.T) {
	t.Parallel()
	a, b, c := Waiter{ID: "a", Since: at(2)}, Waiter{ID: "b", Since: at(1)}, Waiter{ID: "c", Since: at(3), Priority: 1}
	for name, x := range map[string]struct {
		size    int
		holders []string
		waiters []Waiter
		want    string
	}{
		"priority, then time":                   {2, nil, []Waiter{a, b, c}, "c b"},
		"the id decides at last":                {1, nil, []Waiter{{ID: "y"}, {ID: "x"}}, "x"},
		"a full group gives none":               {1, []string{"x"}, []Waiter{a}, ""},
		"one that became smaller takes nothing": {1, []string{"x", "y"}, []Waiter{a}, ""},
		"one that became bigger gives":          {3, []string{"x", "y"}, []Waiter{a, b}, "b"},
		"a holder seen twice holds once":        {2, []string{"x", "x"}, []Waiter{a}, "a"},
		"who holds already gets no second":      {3, []string{"a"}, []Waiter{a, b}, "b"},
		"no slot at all":                        {0, nil, []Waiter{a}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(Slots(x.size, x.holders, x.waiters), " "); got != x.want {
				t.Errorf("%q, want %q", got, x.want)
			}
		})
	}
}
