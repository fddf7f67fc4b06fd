package instance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/goblinlab/goblinlab/ent"
	entevent "github.com/goblinlab/goblinlab/ent/event"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/history"
	"github.com/goblinlab/goblinlab/internal/spec"
)

var errChanged = errors.New("changed meanwhile, will be looked at again")

// save is the one writer of an instance's status. It writes news only, and
// only onto the row that was decided upon.
func (s *Service) save(ctx context.Context, i *ent.Instance, d Decision, apps []spec.App, out done) error {
	generation := i.ObservedGeneration
	if out.applied {
		generation = i.Generation
	}
	readyAt := i.ReadyAt
	if !d.ReadyAt.IsZero() {
		readyAt = &d.ReadyAt
	}
	if d.State != Running && d.State != Unhealthy && d.State != Starting {
		apps = nil
	}
	same := string(d.State) == string(i.State) && sameReason(d.Reason, i.Reason) && samePhases(d.Timeline, i.Timeline) &&
		sameApps(apps, i.Apps) && d.Node == i.Node && d.IP == i.PodIP && out.hostKey == i.HostKey &&
		generation == i.ObservedGeneration && readyAt == i.ReadyAt && d.Happened == ""
	if same {
		return nil
	}
	freed := false
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		u := tx.Instance.Update().Where(entinstance.ID(i.ID), entinstance.Version(i.Version)).AddVersion(1).
			SetState(entinstance.State(d.State)).SetTimeline(d.Timeline).SetApps(apps).SetNode(d.Node).SetPodIP(d.IP).
			SetHostKey(out.hostKey).SetObservedGeneration(generation).SetNillableReadyAt(readyAt)
		if d.Reason == nil {
			u.ClearReason()
		} else {
			u.SetReason(d.Reason)
		}
		n, err := u.Save(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return errChanged
		}
		if d.State == Stopped || d.State == Failed { // nothing of it is there any more
			if freed, err = s.Admission.Release(ctx, tx, i.ID); err != nil {
				return err
			}
		}
		return happened(ctx, tx, i, d)
	})
	if err != nil {
		return fmt.Errorf("save instance %s: %w", i.ID, err)
	}
	if freed {
		s.Admission.Freed(ctx)
	}
	if string(d.State) != string(i.State) {
		slog.Info("instance changed", "instance_id", i.ID, "from", string(i.State), "to", string(d.State))
	}
	s.published(ctx, i.TeamID, i.ID, i.Version+1)
	if d.Happened != "" {
		s.happened(ctx, i.TeamID, i.ID)
	}
	return nil
}

func happened(ctx context.Context, tx *ent.Tx, i *ent.Instance, d Decision) error {
	if d.Happened == "" {
		return nil
	}
	e := history.Entry{TeamID: i.TeamID, SubjectID: i.ID, Source: entevent.SourcePlatform, Type: d.Happened}
	if d.Happened == "failed" && d.Reason != nil {
		e.Severity, e.Args = entevent.SeverityError, map[string]any{"code": d.Reason.Code}
	}
	_, err := history.Add(ctx, tx.Event, e)
	return err
}

// samePhases compares instants: a database keeps microseconds, and no zone.
func samePhases(a, b []spec.Phase) bool {
	return slices.EqualFunc(a, b, func(x, y spec.Phase) bool { return x.Name == y.Name && x.Since.Equal(y.Since) })
}

func sameApps(a, b []spec.App) bool {
	return slices.EqualFunc(a, b, func(x, y spec.App) bool {
		return x.Name == y.Name && x.Port == y.Port && x.State == y.State && sameReason(x.Reason, y.Reason)
	})
}

// sameReason compares what is stored: numbers and lists come back from the
// database as other types than they went.
func sameReason(a, b *spec.Reason) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// remove deletes the row of an instance of which nothing is left.
func (s *Service) remove(ctx context.Context, i *ent.Instance) error {
	freed := false
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		n, err := tx.Instance.Delete().Where(entinstance.ID(i.ID), entinstance.Version(i.Version)).Exec(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			return errChanged
		}
		if freed, err = s.Admission.Release(ctx, tx, i.ID); err != nil {
			return err
		}
		_, err = history.Add(ctx, tx.Event, history.Entry{TeamID: i.TeamID, SubjectID: i.ID, Source: entevent.SourcePlatform,
			Type: "deleted", Args: map[string]any{"name": i.Name}})
		return err
	})
	if err != nil {
		return fmt.Errorf("delete instance %s: %w", i.ID, err)
	}
	if freed {
		s.Admission.Freed(ctx)
	}
	s.polls.Delete(i.ID)
	slog.Info("instance deleted", "instance_id", i.ID)
	s.published(ctx, i.TeamID, i.ID, i.Version+1)
	s.happened(ctx, i.TeamID, i.ID)
	return nil
}
