package platformvolume

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	entplatform "github.com/goblinlab/goblinlab/ent/platformvolume"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	testID = "pvol-d0k3aaaaaaaaaaaaaaaa"
	teamA  = "team-aaaaaaaaaaaaaaaaaaaa"
	teamB  = "team-bbbbbbbbbbbbbbbbbbbb"
)

func source(p corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{Status: corev1.PersistentVolumeClaimStatus{Phase: p}}
}

func shared(change ...func(*corev1.PersistentVolume)) *corev1.PersistentVolume {
	pv := &corev1.PersistentVolume{Spec: corev1.PersistentVolumeSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}}}
	for _, f := range change {
		f(pv)
	}
	return pv
}

func whole(teamID string, readOnly bool) Pair {
	return Pair{Name: PairName(testID, teamID, readOnly), Namespace: "ns-" + teamID, Volume: true, Claim: true, Bound: true}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	a, b := Team{teamA, "ns-a"}, Team{teamB, "ns-b"}
	both := Want{ID: testID, ReadOnly: true, Teams: []Team{a, b}}
	made, gone := both, both
	made.Made, gone.Deleted = true, true
	goneMade := gone
	goneMade.Made = true
	code := func(c string) *spec.Reason { return &spec.Reason{Code: c} }
	half := whole(teamB, true)
	half.Claim, half.Bound = false, false
	stale := Pair{Name: PairName(testID, teamA, true), Namespace: "ns-" + teamA, Stale: true}
	ending := whole(teamA, true)
	ending.Ending = true
	for name, c := range map[string]struct {
		want Want
		seen Seen
		out  Decision
	}{
		"its disk is made":                       {made, Seen{}, Decision{Phase: entplatform.PhasePending, MakeSource: true, After: soon}},
		"a claim that is not there":              {both, Seen{}, Decision{Phase: entplatform.PhaseFailed, Reason: code("platformvolume-claim-gone"), After: refused}},
		"what teams have stays meanwhile":        {both, Seen{Pairs: []Pair{whole(teamA, true)}}, Decision{Phase: entplatform.PhaseFailed, Reason: code("platformvolume-claim-gone"), After: refused, Ready: []string{teamA}}},
		"its disk is on its way":                 {made, Seen{Source: source(corev1.ClaimPending)}, Decision{Phase: entplatform.PhasePending, Reason: code("platformvolume-waits"), After: soon}},
		"storage that cannot cross":              {both, Seen{Source: source(corev1.ClaimBound), Disk: shared(), Obstacle: code("share-kind")}, Decision{Phase: entplatform.PhaseFailed, Reason: code("share-kind"), After: refused}},
		"storage of one node":                    {both, Seen{Source: source(corev1.ClaimBound), Disk: shared(func(pv *corev1.PersistentVolume) { pv.Spec.AccessModes[0] = corev1.ReadWriteOnce })}, Decision{Phase: entplatform.PhaseFailed, Reason: code("platformvolume-one-node"), After: refused}},
		"a folder of one node":                   {both, Seen{Source: source(corev1.ClaimBound), Disk: shared(func(pv *corev1.PersistentVolume) { pv.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{} })}, Decision{Phase: entplatform.PhaseFailed, Reason: code("platformvolume-one-node"), After: refused}},
		"every team gets it":                     {both, Seen{Source: source(corev1.ClaimBound), Disk: shared()}, Decision{Phase: entplatform.PhasePending, Apply: []Team{a, b}, After: soon}},
		"one has it":                             {both, Seen{Source: source(corev1.ClaimBound), Disk: shared(), Pairs: []Pair{whole(teamA, true), half}}, Decision{Phase: entplatform.PhasePending, Apply: []Team{b}, Ready: []string{teamA}, After: soon}},
		"all have it":                            {both, Seen{Source: source(corev1.ClaimBound), Disk: shared(), Pairs: []Pair{whole(teamA, true), whole(teamB, true)}}, Decision{Phase: entplatform.PhaseReady, Ready: []string{teamA, teamB}}},
		"one that somebody deletes is not it":    {both, Seen{Source: source(corev1.ClaimBound), Disk: shared(), Pairs: []Pair{ending, whole(teamB, true)}}, Decision{Phase: entplatform.PhasePending, Ready: []string{teamB}, After: soon}},
		"a volume whose claim went is made anew": {both, Seen{Source: source(corev1.ClaimBound), Disk: shared(), Pairs: []Pair{stale, whole(teamB, true)}}, Decision{Phase: entplatform.PhasePending, Ready: []string{teamB}, Free: []Pair{stale}, After: soon}},
		"another mode is another pair":           {both, Seen{Source: source(corev1.ClaimBound), Disk: shared(), Pairs: []Pair{whole(teamA, false), whole(teamA, true), whole(teamB, true)}}, Decision{Phase: entplatform.PhaseReady, Ready: []string{teamA, teamB}, Remove: []Pair{whole(teamA, false)}, After: soon}},
		"a team that was archived gives it up":   {Want{ID: testID, ReadOnly: true, Teams: []Team{a}}, Seen{Source: source(corev1.ClaimBound), Disk: shared(), Pairs: []Pair{whole(teamA, true), whole(teamB, true)}}, Decision{Phase: entplatform.PhaseReady, Ready: []string{teamA}, Remove: []Pair{whole(teamB, true)}, After: soon}},
		"deleted: the teams' first":              {goneMade, Seen{Source: source(corev1.ClaimBound), Disk: shared(), Pairs: []Pair{whole(teamA, true)}}, Decision{Phase: entplatform.PhaseDeleting, Remove: []Pair{whole(teamA, true)}, After: soon}},
		"deleted: then the disk that was made":   {goneMade, Seen{Source: source(corev1.ClaimBound), Disk: shared()}, Decision{Phase: entplatform.PhaseDeleting, RemoveSource: true, After: soon}},
		"deleted: one that was there is left":    {gone, Seen{Source: source(corev1.ClaimBound), Disk: shared()}, Decision{Phase: entplatform.PhaseDeleting, Forget: true}},
		"deleted: and nothing is left of it":     {goneMade, Seen{}, Decision{Phase: entplatform.PhaseDeleting, Forget: true}},
		"no teams: it is ready for those to be":  {Want{ID: testID}, Seen{Source: source(corev1.ClaimBound), Disk: shared()}, Decision{Phase: entplatform.PhaseReady}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.out, Decide(c.want, c.seen)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPairsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, team := range []string{teamA, teamB} {
		for _, mode := range []bool{true, false} {
			n := PairName(testID, team, mode)
			if seen[n] || len(n) > 63 {
				t.Errorf("%s", n)
			}
			seen[n] = true
		}
	}
}

func TestWhichStorageCanCrossNamespaces(t *testing.T) {
	t.Parallel()
	block := corev1.PersistentVolumeBlock
	for name, c := range map[string]struct {
		spec corev1.PersistentVolumeSpec
		can  bool
	}{
		"CSI":                               {corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{}}}, true},
		"NFS":                               {corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{}}}, true},
		"a folder of the local Kubernetes":  {corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{}}}, true},
		"a raw device":                      {corev1.PersistentVolumeSpec{VolumeMode: &block, PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{}}}, false},
		"a disk of one node":                {corev1.PersistentVolumeSpec{PersistentVolumeSource: corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{}}}, false},
		"storage of which nothing is known": {corev1.PersistentVolumeSpec{}, false},
	} {
		if got := mountable(&corev1.PersistentVolume{Spec: c.spec}); (got == nil) != c.can {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
