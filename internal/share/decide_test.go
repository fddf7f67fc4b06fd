package share

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/ent"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	ro = entshare.ModeReadOnly
	rw = entshare.ModeReadWrite
)

func good() Pair { return Pair{Volume: &Volume{Retain: true, Same: true}, Claim: &Claim{Bound: true}} }

func TestDecide(t *testing.T) {
	t.Parallel()
	with := func(p Pair, edit func(*Pair)) Pair { edit(&p); return p }
	accepted := Desired{Mode: ro, Accepted: true, Across: true}
	over := Desired{Mode: ro, Over: true, Across: true}
	writer, ending := Consumer{ID: "ins-1", Instance: true, Writes: true}, Consumer{ID: "run-1", Ending: true}
	type pairs = map[entshare.Mode]Pair
	for name, c := range map[string]struct {
		d    Desired
		o    Observed
		want Decision
	}{
		"an offer needs nothing":  {Desired{Mode: ro}, Observed{}, Decision{Settled: true}},
		"within the team nothing": {Desired{Mode: rw, Accepted: true}, Observed{}, Decision{Ready: true, Settled: true}},
		"P23: made on acceptance": {accepted, Observed{}, Decision{Apply: ro, Reason: &spec.Reason{Code: codeBinding}, After: often}},
		"it binds": {accepted, Observed{Pairs: pairs{ro: with(good(), func(p *Pair) { p.Claim.Bound = false })}},
			Decision{Reason: &spec.Reason{Code: codeBinding}, After: often}},
		"at rest":                   {accepted, Observed{Pairs: pairs{ro: good()}}, Decision{Ready: true, Settled: true}},
		"what cannot be shared":     {accepted, Observed{Storage: &spec.Reason{Code: codeOneNode}}, Decision{Reason: &spec.Reason{Code: codeOneNode}, After: seldom}},
		"its claim was deleted":     {accepted, Observed{Pairs: pairs{ro: with(good(), func(p *Pair) { p.Claim, p.Volume.Released = nil, true })}}, Decision{Reason: &spec.Reason{Code: codeRepairing}, DropVolumes: []entshare.Mode{ro}, After: soon}},
		"its volume was deleted":    {accepted, Observed{Pairs: pairs{ro: {Claim: &Claim{Lost: true}}}}, Decision{Reason: &spec.Reason{Code: codeRepairing}, DropClaims: []entshare.Mode{ro}, After: soon}},
		"another storage":           {accepted, Observed{Pairs: pairs{ro: with(good(), func(p *Pair) { p.Volume.Same = false })}}, Decision{Reason: &spec.Reason{Code: codeRepairing}, DropClaims: []entshare.Mode{ro}, After: soon}},
		"a policy that would erase": {accepted, Observed{Pairs: pairs{ro: with(good(), func(p *Pair) { p.Volume.Retain = false })}}, Decision{Apply: ro, Ready: true, After: often}},
		"to read-only: what writes is ended, the other pair stays while it is used": {accepted,
			Observed{Consumers: []Consumer{writer, ending}, Pairs: pairs{ro: good(), rw: with(good(), func(p *Pair) { p.InUse = true })}},
			Decision{End: []Consumer{writer}, Ready: true, After: often}},
		"and goes then": {accepted, Observed{Pairs: pairs{ro: good(), rw: good()}}, Decision{Ready: true, DropClaims: []entshare.Mode{rw}, After: soon}},
		"what was handed over to somebody else": {accepted, Observed{Consumers: []Consumer{{ID: "ins-2", Stranger: true}, {ID: "ins-3"}}, Pairs: pairs{ro: good()}},
			Decision{End: []Consumer{{ID: "ins-2", Stranger: true}}, Ready: true, After: often}},
		"over: its consumers first": {over, Observed{Consumers: []Consumer{writer}, Asking: []string{"ins-1", "ins-2"}, Pairs: pairs{ro: with(good(), func(p *Pair) { p.InUse = true })}},
			Decision{End: []Consumer{writer}, Dormant: []string{"ins-2"}, Ready: true, After: often}},
		"over: they end":        {over, Observed{Consumers: []Consumer{ending}, Pairs: pairs{ro: good()}}, Decision{Ready: true, After: often}},
		"over: a pod is left":   {over, Observed{Pairs: pairs{ro: with(good(), func(p *Pair) { p.InUse = true })}}, Decision{Ready: true, After: often}},
		"over: the claim":       {over, Observed{Pairs: pairs{ro: good()}}, Decision{DropClaims: []entshare.Mode{ro}, Ready: true, After: soon}},
		"over: its policy":      {over, Observed{Pairs: pairs{ro: with(good(), func(p *Pair) { p.Volume.Retain = false })}}, Decision{Retain: []entshare.Mode{ro}, Ready: true, After: soon}},
		"over: the claim goes":  {over, Observed{Pairs: pairs{ro: with(good(), func(p *Pair) { p.Claim.Deleting = true })}}, Decision{Ready: true, After: soon}},
		"over: then the volume": {over, Observed{Pairs: pairs{ro: {Volume: &Volume{Retain: true, Released: true}}}}, Decision{DropVolumes: []entshare.Mode{ro}, Ready: true, After: soon}},
		"over: at rest":         {over, Observed{Pairs: pairs{}}, Decision{Settled: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Decide(c.d, c.o)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whatever is seen, the data and those who still use a share rightly are safe.
func TestP23NothingIsDecidedThatCouldLoseData(t *testing.T) {
	t.Parallel()
	flag := rapid.Bool()
	rapid.Check(t, func(t *rapid.T) {
		pair := func(label string) Pair {
			var p Pair
			if flag.Draw(t, label+" has a volume") {
				p.Volume = &Volume{Retain: flag.Draw(t, "retain"), Same: flag.Draw(t, "same"), Released: flag.Draw(t, "released"), Deleting: flag.Draw(t, "deleting")}
			}
			if flag.Draw(t, label+" has a claim") {
				p.Claim = &Claim{Bound: flag.Draw(t, "bound"), Lost: flag.Draw(t, "lost"), Deleting: flag.Draw(t, "claim deleting")}
				p.InUse = flag.Draw(t, "used")
			}
			return p
		}
		d := Desired{Mode: rapid.SampledFrom([]entshare.Mode{ro, rw}).Draw(t, "mode"), Accepted: flag.Draw(t, "accepted"), Across: true}
		d.Over = !d.Accepted && flag.Draw(t, "over")
		o := Observed{Pairs: map[entshare.Mode]Pair{ro: pair("ro"), rw: pair("rw")}}
		if flag.Draw(t, "cannot") {
			o.Storage = &spec.Reason{Code: codeKind}
		}
		for range rapid.IntRange(0, 2).Draw(t, "consumers") {
			o.Consumers = append(o.Consumers, Consumer{ID: "x", Writes: flag.Draw(t, "writes"), Ending: flag.Draw(t, "ending")})
		}
		got := Decide(d, o)
		for _, m := range got.DropVolumes {
			if p := o.Pairs[m]; p.Claim != nil || !p.Volume.Retain {
				t.Fatalf("drops the volume of %s: %+v", m, p)
			}
		}
		for _, m := range got.DropClaims {
			p := o.Pairs[m]
			if p.Volume != nil && !p.Volume.Retain {
				t.Fatalf("drops the claim of %s, whose volume would erase: %+v", m, p)
			}
			if p.InUse && (d.Over || m != d.Mode) {
				t.Fatalf("drops the claim of %s under those who use it", m)
			}
		}
		if d.Over && (got.Apply != "" || len(o.Consumers) > 0 && len(got.DropClaims)+len(got.DropVolumes) > 0) {
			t.Fatalf("over: %+v", got)
		}
		if got.Apply != "" && (got.Apply != d.Mode || o.Storage != nil) {
			t.Fatalf("makes %s", got.Apply)
		}
		if got.Settled && d.Over && (o.Pairs[ro] != Pair{} || o.Pairs[rw] != Pair{}) {
			t.Fatal("at rest with something left")
		}
		if !got.Settled && got.After == 0 {
			t.Fatalf("never looks again: %+v", got)
		}
	})
}

func TestDue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *time.Time { x := now.Add(d); return &x }
	offer := ent.Share{State: entshare.StateOffered, CreatedAt: now.Add(-time.Hour)}
	accepted := ent.Share{State: entshare.StateAccepted, CreatedAt: now.Add(-1000 * time.Hour)}
	for name, c := range map[string]struct {
		share ent.Share
		edit  func(*ent.Share)
		facts facts
		want  string
	}{
		"an offer waits":                      {share: offer},
		"two weeks":                           {share: offer, edit: func(s *ent.Share) { s.CreatedAt = now.Add(-offerLife) }, want: codeLapsed},
		"a share has no such time":            {share: accepted},
		"its end":                             {share: accepted, edit: func(s *ent.Share) { s.EndsAt = at(0) }, want: codeEnd},
		"not yet":                             {share: accepted, edit: func(s *ent.Share) { s.EndsAt = at(time.Second) }},
		"the volume is deleted":               {share: accepted, facts: facts{VolumeGone: true}, want: codeVolumeGone},
		"an offer of it, too":                 {share: offer, facts: facts{VolumeGone: true}, want: codeVolumeGone},
		"its team is archived":                {share: accepted, facts: facts{TeamClosed: true}, want: codeTeamClosed},
		"the grantee's team is archived":      {share: accepted, facts: facts{GranteeClosed: true}, want: codeGranteeClosed},
		"the grantee left":                    {share: accepted, facts: facts{GranteeLeft: true}, want: codeGranteeLeft},
		"over stays over":                     {share: accepted, edit: func(s *ent.Share) { s.State, s.EndsAt = entshare.StateRevoked, at(-time.Hour) }},
		"an offer that would end before that": {share: offer, edit: func(s *ent.Share) { s.EndsAt = at(-time.Second) }, want: codeEnd},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sh := c.share
			if c.edit != nil {
				c.edit(&sh)
			}
			got := ""
			if why := due(&sh, c.facts, now); why != nil {
				got = why.Code
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
