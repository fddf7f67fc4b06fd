package secret

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	entimage "github.com/goblinlab/goblinlab/ent/image"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	entrun "github.com/goblinlab/goblinlab/ent/run"
	entsecret "github.com/goblinlab/goblinlab/ent/secret"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// maxVariable is how much one variable may hold: Linux takes 128 KiB, its name included.
const maxVariable = 96 << 10

// User is an instance, a run or an image that uses a secret.
type User struct{ ID, Name string }

// Users are what uses secrets, by the secret's id: instances that are there,
// runs that are not over, and images of the catalogue.
func Users(ctx context.Context, c *ent.Client, secrets []*ent.Secret) (map[string][]User, error) {
	out := map[string][]User{}
	var teams, people, ids []string
	for _, s := range secrets {
		ids = append(ids, s.ID)
		if s.TeamID != nil {
			teams = append(teams, *s.TeamID)
		} else {
			people = append(people, deref(s.UserID))
		}
	}
	if len(ids) == 0 {
		return out, nil
	}
	ctx = authz.AsSystem(ctx)
	add := func(u User, uses ...[]spec.SecretUse) {
		for _, use := range slices.Concat(uses...) {
			if slices.Contains(ids, use.SecretID) && !slices.Contains(out[use.SecretID], u) {
				out[use.SecretID] = append(out[use.SecretID], u)
			}
		}
	}
	instances, err := c.Instance.Query().Where(entinstance.DesiredNEQ(entinstance.DesiredDeleted),
		entinstance.Or(entinstance.TeamIDIn(teams...), entinstance.OwnerIDIn(people...))).Order(ent.Asc(entinstance.FieldName)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("instances that use secrets: %w", err)
	}
	for _, i := range instances {
		var started []spec.SecretUse
		if i.Desired == entinstance.DesiredRunning && i.StartedSpec != nil {
			started = i.StartedSpec.Secrets
		}
		add(User{i.ID, i.Name}, i.Spec.Secrets, started)
	}
	runs, err := c.Run.Query().Where(entrun.StateIn(entrun.StatePending, entrun.StateRunning, entrun.StateRetrying),
		entrun.Or(entrun.TeamIDIn(teams...), entrun.OwnerIDIn(people...))).WithTask().Order(ent.Asc(entrun.FieldName)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("runs that use secrets: %w", err)
	}
	for _, r := range runs {
		if r.Edges.Task != nil {
			add(User{r.ID, r.Name}, r.Edges.Task.Spec.Secrets)
		}
	}
	images, err := c.Image.Query().Where(entimage.PullSecretIn(ids...), entimage.DeletedAtIsNil()).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("images that use secrets: %w", err)
	}
	for _, i := range images {
		add(User{i.ID, i.Name}, []spec.SecretUse{{SecretID: i.PullSecret}})
	}
	return out, nil
}

func names(users []User) string {
	const most = 5
	var out []string
	for i, u := range users {
		if i == most {
			out = append(out, "… +"+strconv.Itoa(len(users)-most))
			break
		}
		out = append(out, u.Name)
	}
	return strings.Join(out, ", ")
}

// outdate marks the instances that were started with a secret.
func outdate(ctx context.Context, tx *ent.Tx, s *ent.Secret) ([]*ent.Instance, error) {
	mine := entinstance.OwnerID(deref(s.UserID))
	if s.TeamID != nil {
		mine = entinstance.TeamID(*s.TeamID)
	}
	rows, err := tx.Instance.Query().Where(mine, entinstance.DesiredEQ(entinstance.DesiredRunning), entinstance.Outdated(false)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("instances that use secret %s: %w", s.ID, err)
	}
	var out []*ent.Instance
	for _, i := range rows {
		if i.StartedSpec == nil || !slices.ContainsFunc(i.StartedSpec.Secrets, func(u spec.SecretUse) bool { return u.SecretID == s.ID }) {
			continue
		}
		if err := tx.Instance.Update().Where(entinstance.ID(i.ID)).SetOutdated(true).AddVersion(1).Exec(ctx); err != nil {
			return nil, fmt.Errorf("mark instance %s: %w", i.ID, err)
		}
		out = append(out, i)
	}
	return out, nil
}

func (s *Service) tell(ctx context.Context, stale []*ent.Instance) {
	for _, i := range stale {
		s.Broker.Publish(ctx, event.Message{Topic: "instance", ID: i.ID, TeamID: i.TeamID, Version: i.Version + 1})
	}
}

// Consumer is what secrets are for: something that a person owns in a team.
type Consumer struct{ TeamID, OwnerID string }

// fits reports whether a secret may go to a consumer at all (P94): a person's to
// what they own, a team's to what belongs to the team.
func fits(s *ent.Secret, to Consumer) bool {
	if s.TeamID != nil {
		return *s.TeamID == to.TeamID
	}
	return s.UserID != nil && *s.UserID == to.OwnerID
}

// grants reports whether the viewer may give a secret to a consumer: nobody
// gives what is another person's, whatever their role.
func grants(v *authz.Viewer, s *ent.Secret, to Consumer) bool {
	if s.TeamID != nil {
		return v.May(authz.UseSecrets, *s.TeamID)
	}
	return *s.UserID == v.UserID && !v.Inside()
}

// Check notes at "secrets[i]…" what is wrong with the uses of a consumer: a
// secret that is not there or is not theirs (P95), variables that clash, values
// that no variable can hold. Uses that the consumer had before are taken as
// given by whoever gave them. env are the variables that the user sets.
func (s *Service) Check(ctx context.Context, f *fault.Fields, v *authz.Viewer, to Consumer, uses, had []spec.SecretUse, env []spec.EnvVar) error {
	rows, err := s.rows(ctx, s.DB.Client, uses)
	if err != nil {
		return err
	}
	kinds, keys := make([]spec.SecretKind, len(uses)), make([][]string, len(uses))
	for i, use := range uses {
		at := "secrets[" + strconv.Itoa(i) + "]"
		if use.SecretID == "" {
			continue // preflight says so
		}
		row := rows[use.SecretID]
		if row == nil || !fits(row, to) || !slices.Contains(had, use) && !grants(v, row, to) {
			f.Add(at+".secretId", "secret.missing", fault.Args{"id": clip(use.SecretID)})
			continue
		}
		kinds[i] = row.Kind
		for _, k := range row.Keys {
			keys[i] = append(keys[i], k.Name)
		}
		checkVariables(f, at, row, use)
	}
	own := map[string]bool{}
	for _, e := range env {
		own[e.Name] = true
	}
	for name, at := range variables(kinds, keys, uses) {
		// Two values of one use are told by checkVariables.
		if at = slices.Compact(at); own[name] || len(at) > 1 || ofGit(name) && slices.ContainsFunc(uses, automatic(rows, spec.SecretGit)) {
			f.Add("secrets["+strconv.Itoa(at[len(at)-1])+"].at", "secret.variable-twice", fault.Args{"value": name})
		}
	}
	return nil
}

// ofGit reports variables by which git is told where its credentials are.
func ofGit(name string) bool {
	return strings.HasPrefix(name, "GIT_CONFIG_") || name == "GIT_SSH_COMMAND"
}

// automatic finds uses of a kind that are given as suits the kind.
func automatic(rows map[string]*ent.Secret, kind spec.SecretKind) func(spec.SecretUse) bool {
	return func(u spec.SecretUse) bool {
		row := rows[u.SecretID]
		return u.As == spec.SecretAsAuto && row != nil && row.Kind == kind
	}
}

// Personal reports whether one of the uses is of a secret that belongs to a person.
func (s *Service) Personal(ctx context.Context, uses []spec.SecretUse) (bool, error) {
	rows, err := s.rows(ctx, s.DB.Client, uses)
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		if row.UserID != nil {
			return true, nil
		}
	}
	return false, nil
}

// Missing are the places of uses of which the secret is gone, or may not go to the consumer any more.
func (s *Service) Missing(ctx context.Context, c *ent.Client, to Consumer, uses []spec.SecretUse) ([]int, error) {
	rows, err := s.rows(ctx, c, uses)
	if err != nil {
		return nil, err
	}
	var out []int
	for i, use := range uses {
		if row := rows[use.SecretID]; row == nil || !fits(row, to) {
			out = append(out, i)
		}
	}
	return out, nil
}

func (s *Service) rows(ctx context.Context, c *ent.Client, uses []spec.SecretUse) (map[string]*ent.Secret, error) {
	out := map[string]*ent.Secret{}
	if len(uses) == 0 {
		return out, nil
	}
	ids := make([]string, len(uses))
	for i, u := range uses {
		ids[i] = u.SecretID
	}
	rows, err := c.Secret.Query().Where(entsecret.IDIn(ids...)).All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("secrets of a consumer: %w", err)
	}
	for _, r := range rows {
		out[r.ID] = r
	}
	return out, nil
}

func clip(text string) string {
	const most = 60
	if r := []rune(strings.ToValidUTF8(text, "\uFFFD")); len(r) > most {
		return string(r[:most]) + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
