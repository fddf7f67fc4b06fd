package flow

import (
	"context"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/schedule"
	"github.com/goblinlab/goblinlab/internal/spec"
)

const (
	maxCatchUp = 1000 // logical times that an unpausing may start
	maxFires   = 200  // logical times of a preview
)

// CheckSchedule is what is wrong with when a flow fires, by paths inside of the schedule.
func CheckSchedule(s spec.Schedule) []fault.Field {
	var out []fault.Field
	given := 0
	for _, is := range []bool{s.Cron != "", s.Every != 0, s.At != nil, len(s.After) > 0} {
		if is {
			given++
		}
	}
	if given > 1 {
		return []fault.Field{{Path: "", ID: "flow.one-schedule"}}
	}
	_, err := schedule.Compile(scheduleOf(s))
	for _, e := range schedule.All(err) {
		args := argsOf(e)
		if e.Position >= 0 {
			args["position"] = e.Position + 1
		}
		field := e.Field
		if field == "zone" {
			field = "timezone"
		}
		out = append(out, fault.Field{Path: field, ID: e.ID, Args: args})
	}
	for _, e := range schedule.All(misfireOf(s.Misfire).Validate()) {
		args := argsOf(e)
		out = append(out, fault.Field{Path: "misfire." + e.Field, ID: e.ID, Args: args})
	}
	return out
}

// argsOf are the arguments of a schedule's mistake as words take them.
func argsOf(e *schedule.Error) fault.Args {
	args := fault.Args{"value": e.Value}
	for k, v := range e.Args {
		switch v := v.(type) {
		case []string:
			args[k] = strings.Join(v, ", ")
		case time.Time:
			args[k] = v.UTC().Format(time.RFC3339)
		case time.Duration:
			args[k] = spec.Duration(v).String()
		default:
			args[k] = v
		}
	}
	return args
}

func scheduleOf(s spec.Schedule) schedule.Spec {
	every := ""
	if s.Every != 0 {
		every = s.Every.String()
	}
	return schedule.Spec{
		Cron: s.Cron, Every: every, Anchor: moment(s.Anchor), At: moment(s.At), Zone: s.Timezone, From: moment(s.From), Until: moment(s.Until),
	}
}

func moment(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func misfireOf(m spec.Misfire) schedule.Misfire {
	out := schedule.Misfire{Policy: string(m.Policy), Limit: m.Limit}
	if out.Policy == "" {
		out.Policy = schedule.PolicyLatest
	}
	if out.Policy == schedule.PolicyAll && out.Limit == 0 {
		out.Limit = 10
	}
	return out
}

// setNext writes when a flow fires next, from now on.
func (s *Service) setNext(up *ent.FlowUpdateOne, sch spec.Schedule, paused bool) error {
	p, err := Plan(sch)
	if err != nil {
		return err
	}
	if p != nil && !paused {
		if next, ok := p.Next(s.now()); ok {
			up.SetNextFireAt(next)
			return nil
		}
	}
	up.ClearNextFireAt()
	return nil
}

// Fires are the next logical times of a flow after an instant.
func (s *Service) Fires(ctx context.Context, id string, from *time.Time, n int) ([]schedule.Fire, error) {
	row, err := s.visible(ctx, id)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > maxFires {
		return nil, &fault.Error{Kind: fault.InvalidArgument, Fields: []fault.Field{{Path: "first", ID: "flow.first", Args: fault.Args{"value": n, "limit": maxFires}}}}
	}
	after := s.now()
	if from != nil {
		after = from.UTC()
	}
	p, err := Plan(row.Schedule)
	if err != nil || p == nil {
		return nil, err
	}
	return p.Preview(after, n), nil
}

// Missed is what unpausing a flow would mean.
type Missed struct {
	Count int64
	plan  *schedule.Plan
	to    time.Time
	from  time.Time
	Next  *schedule.Fire
}

// Times are the oldest and the newest that were missed, oldest first, at most n.
func (m Missed) Times(n int) []schedule.Fire {
	if m.plan == nil || m.Count == 0 {
		return nil
	}
	times, more := m.plan.Between(m.from.Add(time.Second), m.to, n)
	if more {
		oldest, _ := m.plan.Between(m.from.Add(time.Second), m.to, n/2)
		times = append(oldest, m.newest(n-n/2)...)
	}
	out := make([]schedule.Fire, 0, len(times))
	for _, t := range times {
		out = append(out, m.plan.Preview(t.Add(-time.Second), 1)...)
	}
	return out
}

// newest are the last n logical times that were missed, oldest first.
func (m Missed) newest(n int) []time.Time {
	if m.plan == nil || n == 0 {
		return nil
	}
	times, _ := m.plan.Between(m.to, m.from.Add(time.Second), n)
	for i, j := 0, len(times)-1; i < j; i, j = i+1, j-1 {
		times[i], times[j] = times[j], times[i]
	}
	return times
}

// PreviewUnpause is what passed while a flow was paused.
func (s *Service) PreviewUnpause(ctx context.Context, id string) (Missed, error) {
	row, err := s.visible(ctx, id)
	if err != nil {
		return Missed{}, err
	}
	p, err := Plan(row.Schedule)
	if err != nil || p == nil {
		return Missed{}, err
	}
	now := s.now()
	m := Missed{plan: p, from: row.Cursor, to: now, Count: schedule.Unpause(p, row.Cursor, now).Count}
	if next := p.Preview(now, 1); len(next) > 0 {
		m.Next = &next[0]
	}
	return m, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
