package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/internal/volume"
)

// clinic is what the doctor is shown.
type clinic struct {
	found         []volume.Finding
	adopted, gone []string
}

func (c *clinic) Findings(context.Context) ([]volume.Finding, error) { return c.found, nil }
func (c *clinic) AdoptFinding(_ context.Context, f volume.Finding) (string, error) {
	if !f.Adopt {
		return "", errors.New("cannot")
	}
	c.adopted = append(c.adopted, f.Ref)
	return "vol-1", nil
}

func (c *clinic) DeleteFinding(_ context.Context, f volume.Finding) error {
	c.gone = append(c.gone, f.Ref)
	return nil
}

func TestTheDoctorChangesWhatItIsTold(t *testing.T) {
	t.Parallel()
	claim := volume.Finding{Kind: volume.ClaimWithoutVolume, Ref: "claim:ns/a", Name: "data", Team: "Lab", SizeBytes: 1 << 30, Adopt: true, Delete: true}
	disk := volume.Finding{Kind: volume.DiskWithoutClaim, Ref: "disk:pv-1", Name: "old", Delete: true, Why: "no-team"}
	for name, c := range map[string]struct {
		found         []volume.Finding
		t             treatment
		typed         string
		adopted, gone []string
		code          int // of exitError; 1 for another error
		says          string
	}{
		"nothing is wrong":            {says: "agree"},
		"it only looks":               {found: []volume.Finding{claim, disk}, code: codeFindings, says: "no team has its namespace"},
		"as JSON":                     {found: []volume.Finding{claim}, t: treatment{json: true}, code: codeFindings, says: `"ref": "claim:ns/a"`},
		"adopts":                      {found: []volume.Finding{claim}, t: treatment{adopt: []string{"claim:ns/a"}}, adopted: []string{"claim:ns/a"}, says: "adopted"},
		"adopts, and leaves the rest": {found: []volume.Finding{claim, disk}, t: treatment{adopt: []string{"claim:ns/a"}}, adopted: []string{"claim:ns/a"}, code: codeFindings},
		"cannot":                      {found: []volume.Finding{disk}, t: treatment{adopt: []string{"disk:pv-1"}}, code: 1, says: "failed: cannot"},
		"deletes when the name is typed": {found: []volume.Finding{claim, disk}, t: treatment{remove: []string{"claim:ns/a", "disk:pv-1"}}, typed: "data\nold\n",
			gone: []string{"claim:ns/a", "disk:pv-1"}},
		"and not otherwise":        {found: []volume.Finding{claim}, t: treatment{remove: []string{"claim:ns/a"}}, typed: "dat\n", code: 1, says: "not deleted"},
		"nor without an answer":    {found: []volume.Finding{claim}, t: treatment{remove: []string{"claim:ns/a"}}, code: 1},
		"deletes without asking":   {found: []volume.Finding{disk}, t: treatment{remove: []string{"disk:pv-1"}, yes: true}, gone: []string{"disk:pv-1"}},
		"does not know what":       {found: []volume.Finding{claim}, t: treatment{remove: []string{"claim:ns/b"}, yes: true}, code: 1},
		"is not told both at once": {found: []volume.Finding{claim}, t: treatment{adopt: []string{"claim:ns/a"}, remove: []string{"claim:ns/a"}, yes: true}, code: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			p := &clinic{found: c.found}
			c.t.in, c.t.out = strings.NewReader(c.typed), &out
			err := c.t.run(t.Context(), p)
			code := 0
			var e exitError
			switch {
			case errors.As(err, &e):
				code = e.code
			case err != nil:
				code = 1
			}
			if code != c.code || !slices.Equal(p.adopted, c.adopted) || !slices.Equal(p.gone, c.gone) || !strings.Contains(out.String(), c.says) {
				t.Errorf("code %d (%v), adopted %v, deleted %v\n%s", code, err, p.adopted, p.gone, &out)
			}
			if c.t.json {
				var got struct{ Findings []map[string]any }
				if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Findings) != len(c.found) {
					t.Errorf("%v: %s", err, &out)
				}
			}
		})
	}
}
