package graph

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	entattempt "github.com/goblinlab/goblinlab/ent/attempt"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/logstore"
)

// lookAgain is how often a subscription reads although nobody said so: a
// message may be lost on its way between processes.
const lookAgain = 30 * time.Second

// read reads one object as the viewer of the context, with its version.
type read[M any] func(ctx context.Context, id string) (*M, int64, error)

// watchOne gives an object now and after every change. It listens before it
// reads, so that nothing falls between; it reads as the viewer is by then, so
// that who left the team hears nothing more; it ends when the object is gone. A
// reader that is slow gets the latest state: the broker keeps one message.
func watchOne[M any](ctx context.Context, r *Resolver, topic, id string, get read[M]) (<-chan *M, error) {
	messages := r.Broker.Subscribe(ctx, topic, id)
	now, version, err := get(ctx, id)
	if err != nil {
		return nil, err
	}
	out := make(chan *M)
	go func() {
		defer close(out)
		tick := time.NewTicker(lookAgain)
		defer tick.Stop()
		if !send(ctx, out, now) {
			return
		}
		for {
			select {
			case _, more := <-messages:
				if !more {
					return
				}
			case <-tick.C:
			}
			as, err := r.viewers.fresh(ctx, time.Now())
			if err != nil {
				return
			}
			m, v, err := get(as, id)
			if err != nil {
				if fault.KindOf(err) != fault.NotFound && ctx.Err() == nil {
					slog.Warn("subscription not served", "topic", topic, "id", id, "err", err)
				}
				if fault.KindOf(err) == fault.NotFound {
					return
				}
				continue // the next message or look finds it
			}
			if v <= version {
				continue
			}
			version = v
			if !send(ctx, out, m) {
				return
			}
		}
	}()
	return out, nil
}

// watchAll gives every change of a topic that the viewer sees, of one team if
// given. What is gone is skipped: lists are read again when it matters.
func watchAll[M any](ctx context.Context, r *Resolver, topic string, teamID *string, get read[M]) (<-chan *M, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	if teamID != nil {
		if _, err := r.team(ctx, *teamID, tree{}); err != nil {
			return nil, err
		}
	}
	messages := r.Broker.Subscribe(ctx, topic, "")
	out := make(chan *M)
	go func() {
		defer close(out)
		for msg := range messages {
			if teamID != nil && msg.TeamID != "" && msg.TeamID != *teamID {
				continue
			}
			as, err := r.viewers.fresh(ctx, time.Now())
			if err != nil {
				return
			}
			if msg.TeamID != "" && !authz.From(as).May(authz.Read, msg.TeamID) {
				continue
			}
			m, _, err := get(as, msg.ID)
			if err != nil {
				if fault.KindOf(err) != fault.NotFound && ctx.Err() == nil {
					slog.Warn("subscription not served", "topic", topic, "id", msg.ID, "err", err)
				}
				continue
			}
			if !send(ctx, out, m) {
				return
			}
		}
	}()
	return out, nil
}

func send[M any](ctx context.Context, out chan<- M, m M) bool {
	select {
	case out <- m:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *Resolver) readInstance(t tree) read[model.Instance] {
	return func(ctx context.Context, id string) (*model.Instance, int64, error) {
		m, err := r.instance(ctx, id, t)
		if err != nil {
			return nil, 0, err
		}
		return m, m.Version, nil
	}
}

func (r *Resolver) readRun(t tree) read[model.Run] {
	return func(ctx context.Context, id string) (*model.Run, int64, error) {
		m, err := r.run(ctx, id, t)
		if err != nil {
			return nil, 0, err
		}
		return m, m.Version, nil
	}
}

// How many events back a subscription looks for new ones, and how long before
// its start an event still counts as new: whoever listed the events and then
// subscribed misses none, and knows those that come twice by their id.
const (
	recentEvents = 100
	eventOverlap = 15 * time.Second
)

// watchEvents gives the events of an object that come or are counted up from now on.
func (r *Resolver) watchEvents(ctx context.Context, subjectID string) (<-chan *model.Event, error) {
	t := selected(ctx)
	messages := r.Broker.Subscribe(ctx, "event", subjectID)
	if err := r.subject(ctx, subjectID); err != nil {
		return nil, err
	}
	known := map[string]int{}
	rows, err := r.newEvents(ctx, subjectID, known)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(e *ent.Event) bool { return time.Since(made(e.ID)) > eventOverlap })
	out := make(chan *model.Event)
	go func() {
		defer close(out)
		for {
			// Roles are read after the rows: who left the team before a row was
			// made does not get it, however the moments fall.
			as, err := r.viewers.fresh(ctx, time.Now())
			if err != nil || r.subject(as, subjectID) != nil {
				return
			}
			events, err := r.wrapEvents(as, rows, t)
			if err != nil {
				slog.Warn("subscription not served", "topic", "event", "id", subjectID, "err", err)
			}
			for _, e := range events {
				if !send(ctx, out, e) {
					return
				}
			}
			if _, more := <-messages; !more {
				return
			}
			if rows, err = r.newEvents(as, subjectID, known); err != nil {
				slog.Warn("subscription not served", "topic", "event", "id", subjectID, "err", err)
			}
		}
	}()
	return out, nil
}

// made is when an id was made, to the second; long ago when it does not tell.
func made(id string) time.Time {
	_, unique, _ := strings.Cut(id, "-")
	x, err := xid.FromString(unique)
	if err != nil {
		return time.Time{}
	}
	return x.Time()
}

// newEvents gives those of the recent events that are not known with their count, oldest first.
func (r *Resolver) newEvents(ctx context.Context, subjectID string, known map[string]int) ([]*ent.Event, error) {
	rows, err := r.DB.Client.Event.Query().Where(entevent.SubjectID(subjectID)).
		Order(ent.Desc(entevent.FieldID)).Limit(recentEvents).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("recent events of %s: %w", subjectID, err)
	}
	var fresh []*ent.Event
	for i := len(rows) - 1; i >= 0; i-- {
		if e := rows[i]; known[e.ID] < e.Count {
			known[e.ID] = e.Count
			fresh = append(fresh, e)
		}
	}
	return fresh, nil
}

// subject checks that the viewer sees what events are about.
func (r *Resolver) subject(ctx context.Context, id string) error {
	kind, _ := ident.Kind(id)
	var err error
	switch kind {
	case ident.Instance:
		_, err = r.instance(ctx, id, tree{})
	case ident.Run:
		_, err = r.run(ctx, id, tree{})
	case ident.Volume:
		_, err = r.volume(ctx, id, tree{})
	case ident.Flow:
		_, err = r.flow(ctx, id, tree{})
	case ident.FlowRun:
		_, err = r.flowRun(ctx, id, tree{})
	default:
		if _, err = authz.Require(ctx); err == nil {
			err = fault.Missing("node", id)
		}
	}
	return err
}

// watchLog gives an attempt's log from a cursor on until it is complete.
func (r *Resolver) watchLog(ctx context.Context, attemptID, after string) (<-chan *model.LogWindow, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	row, err := r.DB.Client.Attempt.Query().Where(entattempt.ID(attemptID)).
		Select(entattempt.FieldID, entattempt.FieldTeamID, entattempt.FieldLogRemovedAt, entattempt.FieldLogKeptDays).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fault.Missing("attempt", attemptID)
	}
	if err != nil {
		return nil, fmt.Errorf("read attempt %s: %w", attemptID, err)
	}
	if err := logstore.Gone(row); err != nil {
		return nil, err
	}
	if after != "" { // a cursor that is not one is told at once, not by silence
		if _, err := r.Logs.Window(ctx, attemptID, logstore.Query{After: after, Limit: 1}); err != nil {
			return nil, err
		}
	}
	out := make(chan *model.LogWindow)
	go func() {
		defer close(out)
		for w, err := range r.Logs.Follow(ctx, attemptID, after) {
			if err != nil {
				if ctx.Err() == nil && fault.KindOf(err) != fault.NotFound {
					slog.Warn("log not followed", "attempt_id", attemptID, "err", err)
				}
				return
			}
			as, err := r.viewers.fresh(ctx, time.Now())
			if err != nil || !authz.From(as).May(authz.Read, row.TeamID) {
				return
			}
			if !send(ctx, out, logWindow(ctx, w)) {
				return
			}
		}
	}()
	return out, nil
}

func logWindow(ctx context.Context, w logstore.Window) *model.LogWindow {
	return &model.LogWindow{Lines: logLines(ctx, w.Lines), Cursor: w.Cursor, Complete: w.Complete}
}

func logLines(ctx context.Context, lines []logstore.Line) []*model.LogLine {
	to := lang.From(ctx)
	out := make([]*model.LogLine, len(lines))
	for i, l := range lines {
		src := model.LogSourceOutput
		if l.Source == logstore.Platform {
			src = model.LogSourcePlatform
		}
		out[i] = &model.LogLine{Number: l.Number, Time: l.Time, Source: src, Text: l.In(to), Partial: l.Partial, Code: strings.TrimPrefix(l.Code, "log.")}
	}
	return out
}
