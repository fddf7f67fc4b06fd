package model

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/flow"
	"github.com/goblinlab/goblinlab/internal/flow/definition"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/schedule"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Bounds of the lists of a flow.
const (
	MaxVersions = 200
	MaxLastRuns = 50
)

// Flow is a graph of tasks with a schedule.
type Flow struct {
	*ent.Flow
	Team  *Team // when selected
	Owner *User // when selected
	Can   *FlowPermissions
	// Overdue is why it should have fired, when selected and late.
	Overdue *Reason
	Said    map[int]*FlowVersion // by number, those that were selected
	Newest  []*FlowVersion       // when selected, the newest first
	Recent  []*FlowRun           // when selected, the newest first
	Lang    lang.Lang
}

// IsNode says that it has a global id.
func (*Flow) IsNode() {}

// says is the version that counts; empty when nothing of it was selected.
func (f *Flow) says() spec.Flow {
	if v := f.Said[f.Latest]; v != nil {
		return v.FlowVersion.Spec
	}
	return spec.Flow{}
}

// Description of the version that counts.
func (f *Flow) Description() string { return f.says().Description }

// Tags of the version that counts.
func (f *Flow) Tags() []string { return list(f.says().Tags) }

// Version that counts, or another by its number.
func (f *Flow) Version(number *int) *FlowVersion {
	if number == nil {
		return f.Said[f.Latest]
	}
	return f.Said[*number]
}

// Versions are the newest.
func (f *Flow) Versions(first int) ([]*FlowVersion, error) {
	return firstOf(f.Newest, "first", first, MaxVersions)
}

// LastRuns are the newest, oldest first.
func (f *Flow) LastRuns(last int) ([]*FlowRun, error) {
	runs, err := firstOf(f.Recent, "last", last, MaxLastRuns)
	if err != nil {
		return nil, err
	}
	runs = slices.Clone(runs)
	slices.Reverse(runs)
	return runs, nil
}

func firstOf[T any](all []T, field string, n, limit int) ([]T, error) {
	if n < 1 || n > limit {
		var f fault.Fields
		f.Add(field, "api.first", fault.Args{"value": n, "limit": limit})
		return nil, f.Err()
	}
	return list(all[:min(n, len(all))]), nil
}

// PausedWhy is why the platform paused it.
func (f *Flow) PausedWhy() *Reason { return NewReason(f.Flow.PausedWhy, f.Lang) }

// Schedule of the version that counts.
func (f *Flow) Schedule() *FlowSchedule { return NewFlowSchedule(f.Flow.Schedule) }

// NewFlowSchedule says when something fires as people read it.
func NewFlowSchedule(s spec.Schedule) *FlowSchedule {
	out := &FlowSchedule{Kind: FlowScheduleKindManual, Timezone: s.Timezone}
	if out.Timezone == "" {
		out.Timezone = "UTC"
	}
	switch {
	case s.Cron != "":
		out.Kind, out.Text = FlowScheduleKindCron, s.Cron
	case s.Every != 0:
		out.Kind, out.Text = FlowScheduleKindInterval, "every "+s.Every.String()
	case s.At != nil:
		out.Kind, out.Text = FlowScheduleKindOnce, s.At.UTC().Format(time.RFC3339)
	case len(s.After) > 0:
		out.Kind, out.Text = FlowScheduleKindUpstream, strings.Join(s.After, ", ")
	}
	return out
}

// FlowVersion is what a flow said at one time.
type FlowVersion struct {
	*ent.FlowVersion
	Name   string          // of the flow, for its document
	Author *User           // when selected
	Code   []*CodeSnapshot // when selected
	// Others are the versions of the flow that this one may be compared with, by number.
	Others map[int]*ent.FlowVersion
}

// IsNode says that it has a global id.
func (*FlowVersion) IsNode() {}

// CodeSnapshot is a folder of code as it was when a version was saved.
type CodeSnapshot struct {
	*ent.CodeSnapshot
	Lang lang.Lang
}

// Reason why it failed, or is not there yet.
func (c *CodeSnapshot) Reason() *Reason { return NewReason(c.CodeSnapshot.Reason, c.Lang) }

// Spec is the definition as data.
func (v *FlowVersion) Spec() json.RawMessage { return raw(v.FlowVersion.Spec) }

// Yaml is the definition as a document.
func (v *FlowVersion) Yaml() string { return flow.Print(v.Name, v.FlowVersion.Spec) }

// Restores is the version that this one brought back.
func (v *FlowVersion) Restores() *int {
	if v.FlowVersion.Restores == 0 {
		return nil
	}
	return &v.FlowVersion.Restores
}

// Changes from another version, the one before by default; the first one has
// nothing before it, and all of it was added.
func (v *FlowVersion) Changes(from *int) ([]*FlowChange, error) {
	number := v.Number - 1
	if from != nil {
		number = *from
	}
	before := spec.Flow{}
	if old := v.Others[number]; old != nil {
		before = old.Spec
	} else if from != nil || number != 0 {
		return nil, fault.New(fault.NotFound, "flow.no-version", fault.Args{"number": number})
	}
	diff := definition.Diff(before, v.FlowVersion.Spec)
	out := make([]*FlowChange, len(diff))
	for i, d := range diff {
		kind := FlowChangeKindChanged
		switch {
		case d.Before == nil:
			kind = FlowChangeKindAdded
		case d.After == nil:
			kind = FlowChangeKindRemoved
		}
		out[i] = &FlowChange{Task: d.Task, Path: d.Path, Kind: kind, Before: d.Before, After: d.After}
	}
	return out, nil
}

// FlowChange is one difference between two versions.
type FlowChange struct {
	Task, Path    string
	Kind          FlowChangeKind
	Before, After json.RawMessage
}

// FlowCheck is a definition that was looked at.
type FlowCheck struct {
	Problems []*FlowProblem
	Spec     json.RawMessage // nil when it cannot be read
	Yaml     string
	Fires    []*FlowFire
}

// RawOf is a value as JSON.
func RawOf(v any) json.RawMessage { return raw(v) }

// NewFlowFires are logical times in the words of a language.
func NewFlowFires(in []schedule.Fire, l lang.Lang) []*FlowFire {
	out := make([]*FlowFire, len(in))
	for i, f := range in {
		out[i] = &FlowFire{At: f.Time, Local: f.Local.Format(time.RFC3339)}
		if n := f.Note; n != nil {
			id := "fire." + string(n.Kind)
			if n.Kind == schedule.NoteFirst && !n.Again {
				id += "-only"
			}
			out[i].Note = lang.Text(l, id, map[string]any{"wall": strings.Replace(n.Wall, "T", " ", 1), "count": n.Count})
		}
	}
	return out
}

// SlotGroup bounds how many tasks of a team run at once that name it.
type SlotGroup struct {
	*ent.SlotGroup
	Used, Waiting int        // when selected
	Uses          []*SlotUse // when selected
}

// SlotUse is a step that holds a slot, or waits for one.
type SlotUse struct {
	FlowRun *FlowRun
	Step    string
	State   step.State
	Holds   bool
	Since   *time.Time
}

// FlowDraft is a flow that could be saved.
type FlowDraft struct {
	flow.Draft
	Lang lang.Lang
}

// Spec as data.
func (d *FlowDraft) Spec() json.RawMessage { return raw(d.Draft.Spec) }

// Yaml is the document.
func (d *FlowDraft) Yaml() string { return flow.Print(d.Name, d.Draft.Spec) }

// Notes tell what did not come along.
func (d *FlowDraft) Notes() []*CarryNote { return carryNotes(d.Draft.Notes, d.Lang) }

// IsNode says that it has a global id.
func (*SlotGroup) IsNode() {}
