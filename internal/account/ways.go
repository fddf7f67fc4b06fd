package account

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/identity"
	"github.com/goblinlab/goblinlab/ent/password"
)

// Way is how a person comes in.
type Way string

// Ways in. A link is for once: it is none that one has.
const (
	WayLink       Way = "link"
	WayPassword   Way = "password"
	WayInvitation Way = "invitation"
	WayProvider   Way = "provider" // of OpenID
)

// Ways are the ways in that people have, by person.
func Ways(ctx context.Context, c *ent.Client, userIDs []string) (map[string][]Way, error) {
	out := map[string][]Way{}
	if len(userIDs) == 0 {
		return out, nil
	}
	rows, err := c.Password.Query().Where(password.UserIDIn(userIDs...)).Select(password.FieldUserID).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("passwords: %w", err)
	}
	for _, r := range rows {
		out[r.UserID] = append(out[r.UserID], WayPassword)
	}
	linked, err := c.Identity.Query().Where(identity.UserIDIn(userIDs...)).Unique(true).Select(identity.FieldUserID).Strings(ctx)
	if err != nil {
		return nil, fmt.Errorf("identities: %w", err)
	}
	for _, id := range linked {
		out[id] = append(out[id], WayProvider)
	}
	return out, nil
}

// otherWays reports whether a person has a way in beside the password.
func otherWays(ctx context.Context, c *ent.Client, userID string) (bool, error) {
	ways, err := Ways(ctx, c, []string{userID})
	if err != nil {
		return false, err
	}
	for _, w := range ways[userID] {
		if w != WayPassword {
			return true, nil
		}
	}
	return false, nil
}
