package volume

import (
	"context"
	"fmt"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// admit holds what is asked for against the quota of a locked team and the
// limit of its owner. What is in the trash counts. A refusal tells who holds
// most of it (P3, P29).
func (s *Service) admit(ctx context.Context, tx *ent.Tx, t *ent.Team, ownerID string, more spec.Quota) error {
	used, err := team.Used(ctx, tx.Client(), t.ID)
	if err != nil {
		return err
	}
	sys := authz.AsSystem(ctx)
	if err := preflight.Quota(more, used, t.Quota); err != nil {
		return s.withHolders(sys, tx.Client(), t.ID, err)
	}
	limit := s.Config.Now().Limits.StoragePerUser
	if limit <= 0 {
		return nil
	}
	sizes, err := tx.Volume.Query().Where(entvolume.OwnerID(ownerID)).Select(entvolume.FieldSizeBytes).Ints(sys)
	if err != nil {
		return fmt.Errorf("storage of %s: %w", ownerID, err)
	}
	var has int64
	for _, n := range sizes {
		has += int64(n)
	}
	if has+more.StorageBytes <= limit {
		return nil
	}
	return &fault.Error{Kind: fault.ResourceExhausted, Fields: []fault.Field{{Path: "size", ID: "volume.person-limit", Args: fault.Args{
		"requested": quantity.Memory(more.StorageBytes), "used": quantity.Memory(has), "limit": quantity.Memory(limit), "free": quantity.Memory(max(limit-has, 0)),
	}}}}
}

const holdersTold = 3

// withHolders adds who holds the storage of a team to the refusal by its quota.
func (s *Service) withHolders(sys context.Context, c *ent.Client, teamID string, err error) error {
	refusal, ok := err.(*fault.Error) //nolint:errorlint // as preflight made it
	if !ok {
		return err
	}
	rows, readErr := c.Volume.Query().Where(entvolume.TeamID(teamID)).Order(ent.Desc(entvolume.FieldSizeBytes), ent.Asc(entvolume.FieldID)).Limit(holdersTold).WithOwner().All(sys)
	if readErr != nil {
		return fmt.Errorf("who holds the storage of team %s: %w", teamID, readErr)
	}
	if len(rows) == 0 {
		return err
	}
	held := make([]string, len(rows))
	for i, v := range rows {
		held[i] = fmt.Sprintf("%s (%s, %s)", v.Name, quantity.Memory(v.SizeBytes), v.Edges.Owner.DisplayName)
	}
	for i := range refusal.Fields {
		if id := refusal.Fields[i].ID; id == "preflight.quota.storage" || id == "preflight.quota.volumes" {
			refusal.Fields[i].ID = "volume.quota." + strings.TrimPrefix(id, "preflight.quota.")
			refusal.Fields[i].Args["holders"] = held
		}
	}
	return refusal
}

func checkDescription(f *fault.Fields, path, text string) {
	preflight.CheckText(f, path, text, maxDescription)
}
