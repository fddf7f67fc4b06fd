package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// The tables say flows and steps in short lines:
//
//	a; b<a all-done group=g retry=2; c<a,b polled
//	a=succeeded b=running:run-b c=waiting_inputs

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

func ptr(t time.Time) *time.Time { return &t }

// aFlow reads a line; polled, unmet and broken are words for its expansion.
func aFlow(t testing.TB, line string) (spec.Flow, Expand) {
	t.Helper()
	var f spec.Flow
	words := map[string][]string{}
	for _, part := range strings.Split(line, ";") {
		fields := strings.Fields(part)
		if len(fields) == 0 {
			continue
		}
		name, needs, has := strings.Cut(fields[0], "<")
		task := spec.FlowTask{Name: name, Executor: "container"}
		if has {
			task.Needs = strings.Split(needs, ",")
		}
		for _, w := range fields[1:] {
			key, value, _ := strings.Cut(w, "=")
			n, _ := strconv.Atoi(value)
			switch key {
			case "all-done", "any-failed", "all-succeeded":
				task.Trigger = spec.Trigger(key)
			case "skip":
				task.Skip = true
			case "group":
				task.Group = value
			case "retry":
				task.Retry.Count = n
			case "polled", "unmet", "broken", "within", "reads":
				words[name] = append(words[name], w)
			default:
				t.Fatalf("no such word: %s", w)
			}
		}
		f.Tasks = append(f.Tasks, task)
	}
	return f, func(task *spec.FlowTask, outputs func(string) map[string]any) (Prepared, *spec.Reason) {
		var p Prepared
		for _, w := range words[task.Name] {
			key, value, _ := strings.Cut(w, "=")
			switch key {
			case "polled":
				p.Polled = true
			case "unmet":
				p.Unmet = true
			case "within":
				n, _ := strconv.Atoi(value)
				p.Polled, p.Within = true, time.Duration(n)*time.Second
			case "broken":
				return p, &spec.Reason{Code: "broken"}
			case "reads":
				if outputs(value)["key"] == nil {
					return p, &spec.Reason{Code: "no-output"}
				}
			}
		}
		return p, nil
	}
}

// theSteps reads NAME=STATE[:RUN].
func theSteps(line string) []Step {
	var out []Step
	for _, w := range strings.Fields(line) {
		name, state, _ := strings.Cut(w, "=")
		state, run, _ := strings.Cut(state, ":")
		s := Step{Name: name, State: StepState(state), Round: 1, RunID: run}
		if s.State != StepWaiting && s.State != StepWaitingSlot && s.State != StepUpstreamFailed && s.State != StepSkipped {
			s.StartedAt = ptr(at(0))
		}
		out = append(out, s)
	}
	return out
}

// merged puts changed steps over others.
func merged(steps, changed []Step) []Step {
	out := slices.Clone(steps)
	for _, c := range changed {
		if i := slices.IndexFunc(out, func(s Step) bool { return s.Name == c.Name }); i >= 0 {
			out[i] = c
		} else {
			out = append(out, c)
		}
	}
	return out
}

// states writes NAME=STATE by name, with the round when it is not the first.
func states(steps []Step) string {
	var out []string
	for _, s := range steps {
		w := fmt.Sprintf("%s=%s", s.Name, s.State)
		if s.Round != 1 {
			w += fmt.Sprintf("/%d", s.Round)
		}
		out = append(out, w)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func told(ts []Transition) string {
	var out []string
	for _, t := range ts {
		name := t.Step
		if name == "" {
			name = "RUN"
		}
		w := fmt.Sprintf("%s>%s:%s", name, t.To, t.Cause)
		if t.Actor != "" {
			w += "@" + t.Actor
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func code(r *spec.Reason) string {
	if r == nil {
		return ""
	}
	return r.Code
}

func aRun(state RunState) Run {
	r := Run{ID: "run", State: state, Wish: WishRun, Scheduled: true, LogicalAt: noon, DueAt: noon}
	if state != RunQueued {
		r.StartedAt = ptr(noon)
	}
	return r
}

func reasonOf(steps []Step, name string) *spec.Reason {
	for _, s := range steps {
		if s.Name == name {
			return s.Reason
		}
	}
	return nil
}
