package instance

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/admission"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Start makes a new start. One that is under way or done stays as it is; after
// a stop the new start begins once the old pod is gone.
func (s *Service) Start(ctx context.Context, id string) (*ent.Instance, error) {
	return s.start(ctx, id, way{})
}

// StartInTurn is Start for somebody who would rather wait than be refused when
// the quota or the cluster's GPUs are taken.
func (s *Service) StartInTurn(ctx context.Context, id string) (*ent.Instance, error) {
	return s.start(ctx, id, way{wait: true})
}

// Restart makes a new start whatever there is: the old pod goes, the new one
// has a secret of its own and what was edited since.
func (s *Service) Restart(ctx context.Context, id string) (*ent.Instance, error) {
	return s.start(ctx, id, way{again: true})
}

// Move makes a new start off a node that does not answer (P17). The pod there is given up: the cluster forgets it without
// knowing that it ended. What it may still write is a risk that must be accepted where a volume is for one node only.
func (s *Service) Move(ctx context.Context, id string, acceptRisk bool) (*ent.Instance, error) {
	return s.start(ctx, id, way{again: true, move: true, acceptRisk: acceptRisk})
}

// way says how a start is asked for.
type way struct{ again, move, acceptRisk, wait bool }

func (w way) words() (action, happened string) {
	switch {
	case w.move:
		return "instance.move", "moved"
	case w.again:
		return "instance.restart", "restarted"
	}
	return "instance.start", "started"
}

func (s *Service) start(ctx context.Context, id string, w way) (*ent.Instance, error) {
	_, row, err := s.managed(ctx, id)
	if err != nil {
		return nil, err
	}
	if !w.again && Started(row) {
		return row, nil
	}
	var home *ent.Volume
	begun := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		gpu := row.Spec.Resources.GPU
		t, err := s.Admission.Lock(ctx, tx, row.TeamID, gpu > 0)
		if err != nil {
			return err
		}
		if row, err = s.lock(ctx, tx, id); err != nil {
			return err
		}
		if row.Desired == entinstance.DesiredDeleted {
			return fault.New(fault.FailedPrecondition, "instance.deleting", nil)
		}
		if !w.again && Started(row) {
			return nil
		}
		if w.move && !OnLostNode(row) {
			return fault.New(fault.FailedPrecondition, "instance.node-answers", nil)
		}
		if gpu == 0 && row.Spec.Resources.GPU > 0 { // edited in between: the locks are not those that it needs
			return fault.New(fault.Conflict, "instance.changed", nil)
		}
		if home, err = s.Volumes.Home(ctx, tx, t, row.OwnerID, row.Inherited.Home()); err != nil {
			return err
		}
		volumes, err := s.checkMounted(ctx, tx, row)
		if err != nil {
			return err
		}
		if err := s.checkDelivered(ctx, tx, row); err != nil {
			return err
		}
		verdict, err := s.enter(ctx, tx, applicant{self: id, team: t, spec: row.Spec, home: home, mounts: volumes, start: true},
			admission.Request{OwnerID: row.OwnerID, Name: row.Name, Wait: w.wait})
		if err != nil {
			return err
		}
		if w.move && !w.acceptRisk {
			if err := risk(home, volumes); err != nil {
				return err
			}
		}
		begun = true
		row, err = s.begin(ctx, tx, row, w, verdict.Reason)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("start instance %s: %w", id, err)
	}
	if !begun {
		return row.Unwrap(), nil
	}
	s.Kicker.Kick(outbox.Volume, home.ID)
	return s.committed(ctx, row), nil
}

// Started reports whether a start is under way or done.
func Started(i *ent.Instance) bool {
	if i.Desired != entinstance.DesiredRunning {
		return false
	}
	switch i.State {
	case entinstance.StatePending, entinstance.StateStarting, entinstance.StateRunning, entinstance.StateUnhealthy:
		return true
	}
	return false // given up
}

// OnLostNode reports whether an instance that is to run has a pod on a node that does not answer.
func OnLostNode(i *ent.Instance) bool {
	return i.Desired == entinstance.DesiredRunning && i.Reason != nil && i.Reason.Code == reason.NodeLost
}

// risk names the volumes on which a pod that was given up could still write.
func risk(home *ent.Volume, mounted map[string]*volume.Source) error {
	disks := []*ent.Volume{home}
	for _, s := range mounted {
		disks = append(disks, s.Volume)
	}
	var names []string
	for _, v := range disks {
		if v != nil && v.AccessMode == entvolume.AccessModeReadWriteOnce && !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	return fault.New(fault.FailedPrecondition, "instance.move-risk", fault.Args{"volumes": strings.Join(names, ", ")})
}

// checkMounted refuses a start whose volumes were deleted, or whose shares ended since.
func (s *Service) checkMounted(ctx context.Context, tx *ent.Tx, i *ent.Instance) (map[string]*volume.Source, error) {
	found, err := volume.Mounted(authz.AsSystem(ctx), tx.Client(), i.TeamID, i.OwnerID, i.Spec.Mounts)
	if err != nil {
		return nil, err
	}
	var missing []fault.Field
	for n, m := range i.Spec.Mounts {
		if found[m.VolumeID] == nil {
			missing = append(missing, fault.Field{Path: "mounts[" + strconv.Itoa(n) + "].volumeId", ID: volume.MissingID(m.VolumeID), Args: fault.Args{"id": m.VolumeID}})
		}
	}
	if missing != nil {
		return nil, &fault.Error{Kind: fault.FailedPrecondition, ID: "instance.mount-missing", Fields: missing}
	}
	return found, nil
}

// begin makes a new start: it counts it, freezes what is started, and begins a
// timeline. waits is what it waits for, if it was not let in yet.
func (s *Service) begin(ctx context.Context, tx *ent.Tx, i *ent.Instance, w way, waits *spec.Reason) (*ent.Instance, error) {
	now, frozen := s.now(), i.Spec
	u := tx.Instance.UpdateOne(i).ClearReason()
	if waits != nil {
		u = tx.Instance.UpdateOne(i).SetReason(waits)
	}
	if w.move {
		u.SetMovedAtStart(i.StartNumber + 1)
	}
	if i.Inherited != nil { // what was kept for the pods of the start before
		u.SetInherited(&spec.Inherited{HomeID: i.Inherited.HomeID})
	}
	action, happened := w.words()
	row, err := u.SetDesired(entinstance.DesiredRunning).AddStartNumber(1).SetStartedSpec(&frozen).
		SetState(entinstance.StatePending).SetTimeline([]spec.Phase{{Name: phaseQueued, Since: now}}).
		ClearApps().SetNode("").SetPodIP("").SetStartedAt(now).ClearReadyAt().SetOutdated(false).
		AddGeneration(1).AddVersion(1).Save(ctx)
	if err != nil {
		return nil, err
	}
	after := map[string]any{"start": row.StartNumber}
	if waits != nil {
		after["waits"] = true
	}
	return row, note(ctx, tx, row, act{action: action, event: happened, after: after})
}

// Stop is legal in every state (P7). The instance is stopped once its pod is gone (P15).
func (s *Service) Stop(ctx context.Context, id string) (*ent.Instance, error) {
	_, row, err := s.managed(ctx, id)
	if err != nil {
		return nil, err
	}
	done := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if row, err = s.lock(ctx, tx, id); err != nil {
			return err
		}
		if row.Desired != entinstance.DesiredRunning { // stopped, stopping or deleting: nothing to add
			done = true
			return nil
		}
		row, err = tx.Instance.UpdateOne(row).SetDesired(entinstance.DesiredStopped).SetState(entinstance.StateStopping).
			ClearReason().ClearApps().AddGeneration(1).AddVersion(1).Save(ctx)
		if err != nil {
			return err
		}
		return note(ctx, tx, row, act{action: "instance.stop", event: "stopping"})
	})
	if err != nil {
		return nil, fmt.Errorf("stop instance %s: %w", id, err)
	}
	if done {
		return row.Unwrap(), nil
	}
	return s.committed(ctx, row), nil
}

// Delete deletes an instance, running or not; its volumes stay. The row goes
// once its objects are gone.
func (s *Service) Delete(ctx context.Context, id string) error {
	_, row, err := s.managed(ctx, id)
	if err != nil {
		return err
	}
	done := false
	err = s.DB.Tx(ctx, func(tx *ent.Tx) error {
		if row, err = s.lock(ctx, tx, id); err != nil {
			return err
		}
		if row.Desired == entinstance.DesiredDeleted {
			done = true
			return nil
		}
		before := shown(row)
		row, err = tx.Instance.UpdateOne(row).SetDesired(entinstance.DesiredDeleted).SetState(entinstance.StateDeleting).
			ClearReason().ClearApps().AddGeneration(1).AddVersion(1).Save(ctx)
		if err != nil {
			return err
		}
		return note(ctx, tx, row, act{action: "instance.delete", event: "deleting", before: before})
	})
	if err != nil {
		return fmt.Errorf("delete instance %s: %w", id, err)
	}
	if !done {
		s.committed(ctx, row)
	}
	return nil
}
