package team

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestAClusterThatDoesNotAnswerRefusesNothing: only a real refusal is told as
// one; a team that waits is told that the cluster does not answer, and one that
// stands is left as it is.
func TestAClusterThatDoesNotAnswerRefusesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	sys := testkit.System(t)
	r := schema.GroupResource{Resource: "resourcequotas"}
	timeout := fmt.Errorf("apply: %w", apierrors.NewTimeoutError("request did not complete", 1))
	for name, c := range map[string]struct {
		err     error
		behind  bool         // the row asks for more than was done
		before  *spec.Reason // what was told before
		want    string
		reaches bool // the generation was reached
	}{
		"timeout of one that waits":      {timeout, true, &spec.Reason{Code: "team-preparing"}, "team-unavailable", false},
		"no answer to one that waits":    {context.DeadlineExceeded, true, nil, "team-unavailable", false},
		"timeout after a refusal":        {timeout, true, &spec.Reason{Code: "team-refused"}, "team-unavailable", false},
		"too many requests":              {apierrors.NewTooManyRequests("later", 1), true, nil, "team-unavailable", false},
		"timeout of one that stands":     {timeout, false, nil, "", true},
		"refused":                        {apierrors.NewForbidden(r, "team", errors.New("no")), true, nil, "team-refused", false},
		"refused although it stood":      {apierrors.NewForbidden(r, "team", errors.New("no")), false, nil, "team-refused", true},
		"answers again":                  {nil, true, &spec.Reason{Code: "team-unavailable"}, "", true},
		"the namespace is on its way":    {refusedError{spec.Reason{Code: "team-namespace-ending"}, endingAgain}, true, nil, "team-namespace-ending", false},
		"unavailable, although it stood": {timeout, false, &spec.Reason{Code: "team-refused"}, "team-unavailable", true},
	} {
		t.Run(name, func(t *testing.T) {
			id := testkit.Team(t, b.db, "asks").ID
			u := b.db.Client.Team.UpdateOneID(id).SetGeneration(2).SetObservedGeneration(2)
			if c.behind {
				u.SetObservedGeneration(1)
			}
			if c.before != nil {
				u.SetReason(c.before)
			}
			row := u.SaveX(sys)
			if err := b.save(sys, row, outcome{applied: c.err}); err != nil {
				t.Fatal(err)
			}
			got := b.db.Client.Team.GetX(sys, id)
			code := ""
			if got.Reason != nil {
				code = got.Reason.Code
			}
			if code != c.want || (got.ObservedGeneration == 2) != c.reaches {
				t.Errorf("%q at generation %d, want %q", code, got.ObservedGeneration, c.want)
			}
		})
	}
}
