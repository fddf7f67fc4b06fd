package model

import (
	"time"

	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Reason is a stored reason with the language that its words are wanted in.
type Reason struct {
	Code string
	Args map[string]any
	Lang lang.Lang
}

// NewReason wraps a stored reason; nil stays nil.
func NewReason(r *spec.Reason, l lang.Lang) *Reason {
	if r == nil || r.Code == "" {
		return nil
	}
	args := r.Args
	if args == nil {
		args = map[string]any{} // the schema's objects are never null
	}
	return &Reason{Code: r.Code, Args: args, Lang: l}
}

// Text is the sentence.
func (r *Reason) Text() string { return lang.Text(r.Lang, "reason."+r.Code, r.Args) }

// Advice is what to do about it, empty when the catalogue has none.
func (r *Reason) Advice() string {
	if id := "advice." + r.Code; lang.Has(id) {
		return lang.Text(r.Lang, id, r.Args)
	}
	return ""
}

// Phase is a step of a start with how long it took.
type Phase struct {
	Name    string
	Since   time.Time
	Seconds *float64
}

// phases gives each step the time until the next one began; the last one of a
// timeline that ended has none either: it is where things stand.
func phases(in []spec.Phase) []*Phase {
	out := make([]*Phase, len(in))
	for i, p := range in {
		out[i] = &Phase{Name: p.Name, Since: p.Since}
		if i+1 < len(in) {
			s := in[i+1].Since.Sub(p.Since).Seconds()
			out[i].Seconds = &s
		}
	}
	return out
}
