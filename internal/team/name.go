package team

import (
	"context"
	"fmt"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	entteam "github.com/goblinlab/goblinlab/ent/team"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/preflight"
)

// checkName notes what is wrong with a name, and gives it without needless blanks.
func checkName(f *fault.Fields, name string) string {
	name = strings.TrimSpace(name)
	preflight.CheckName(f, "name", name)
	position := 0
	for _, r := range name {
		position++
		if ident.Invisible(r) && !preflight.Control(r) && r != emoji {
			f.Add("name", "team.name-invisible", fault.Args{"value": fmt.Sprintf("U+%04X", r), "position": position})
			break
		}
	}
	return ident.Clean(name)
}

// emoji makes a picture of the sign before it: keyboards write it unasked.
const emoji = '\ufe0f'

// checkFree refuses a name that people take for that of another team. That
// one is named if the viewer may know of it.
func (s *Service) checkFree(ctx context.Context, f *fault.Fields, id, name string) error {
	other, err := s.DB.Client.Team.Query().Where(entteam.NameKey(ident.NameKey(name)), entteam.IDNEQ(id)).Only(authz.AsSystem(ctx))
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for team %q: %w", name, err)
	}
	_, hidden := Visible(ctx, s.DB.Client, other.ID)
	switch {
	case hidden != nil && fault.KindOf(hidden) != fault.NotFound:
		return hidden
	case hidden == nil && other.Name != name:
		f.Add("name", "team.name-alike", fault.Args{"value": name, "name": other.Name})
	default:
		f.Add("name", "team.name-taken", fault.Args{"name": name})
	}
	return nil
}

func nameTaken(err error, name string) error {
	if !ent.IsConstraintError(err) {
		return err
	}
	var f fault.Fields
	f.Add("name", "team.name-taken", fault.Args{"name": name})
	return f.Err()
}
