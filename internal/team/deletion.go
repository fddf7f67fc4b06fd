package team

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entimage "github.com/goblinlab/goblinlab/ent/image"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/invitation"
	"github.com/goblinlab/goblinlab/ent/membership"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/secret"
	entuser "github.com/goblinlab/goblinlab/ent/user"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Deletion is what goes with a team, and what must go before it, by name and in order.
type Deletion struct {
	Team                     *ent.Team
	Secrets, Images, Members []string
	Invitations              int
	Left                     []string // instances, runs and volumes
}

// namesTold bounds the names of one kind.
const namesTold = 100

// Deletion tells what deleting a team would be about. Administrators only.
func (s *Service) Deletion(ctx context.Context, id string) (Deletion, error) {
	row, err := s.managed(ctx, id)
	if err != nil {
		return Deletion{}, err
	}
	return deletion(ctx, s.DB.Client, row)
}

func deletion(ctx context.Context, c *ent.Client, t *ent.Team) (d Deletion, err error) {
	sys := authz.AsSystem(ctx)
	d.Team = t
	for _, list := range []struct {
		to   *[]string
		read func(context.Context) ([]string, error)
	}{
		{&d.Secrets, c.Secret.Query().Where(secret.TeamID(t.ID)).Select(secret.FieldName).Strings},
		{&d.Images, c.Image.Query().Where(entimage.TeamID(t.ID), entimage.DeletedAtIsNil()).Select(entimage.FieldName).Strings},
		{&d.Members, c.User.Query().Where(entuser.HasMembershipsWith(membership.TeamID(t.ID))).Select(entuser.FieldDisplayName).Strings},
		{&d.Left, c.Instance.Query().Where(instance.TeamID(t.ID)).Select(instance.FieldName).Strings},
		{&d.Left, c.Run.Query().Where(run.TeamID(t.ID)).Select(run.FieldName).Strings},
		{&d.Left, func(ctx context.Context) ([]string, error) { return disks(ctx, c, t.ID) }},
	} {
		names, err := list.read(sys)
		if err != nil {
			return d, fmt.Errorf("what goes with team %s: %w", t.ID, err)
		}
		*list.to = append(*list.to, names...)
	}
	for _, names := range []*[]string{&d.Secrets, &d.Images, &d.Members, &d.Left} {
		slices.Sort(*names)
	}
	d.Invitations, err = c.Invitation.Query().Where(invitation.TeamID(t.ID), invitation.AcceptedAtIsNil(), invitation.RevokedAtIsNil(),
		invitation.ExpiresAtGT(time.Now().UTC())).Count(sys)
	if err != nil {
		return d, fmt.Errorf("invitations of team %s: %w", t.ID, err)
	}
	return d, nil
}

// Told are the first names of a list.
func Told(names []string) []string { return names[:min(len(names), namesTold)] }

// refuse refuses as long as anything is left, and says what.
func (d Deletion) refuse() error {
	if len(d.Left) == 0 {
		return nil
	}
	return fault.New(fault.FailedPrecondition, "team.not-empty", fault.Args{"count": len(d.Left), "names": first(d.Left)})
}

// noted is what the audit log keeps of what went.
func (d Deletion) noted() map[string]any {
	out := shown(d.Team)
	for what, names := range map[string][]string{"secrets": d.Secrets, "images": d.Images, "members": d.Members} {
		if len(names) > 0 {
			out[what] = Told(names)
		}
	}
	return out
}
