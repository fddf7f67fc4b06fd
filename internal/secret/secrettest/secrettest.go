// Package secrettest gives tests of other packages a service of secrets with
// keys of its own, and secrets to use.
package secrettest

import (
	"context"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/outbox"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
)

// New makes a service whose keys go with the test.
func New(t testing.TB, d *db.DB, b event.Publisher, k outbox.Kicker) *secret.Service {
	t.Helper()
	r, err := envelope.ParseRing(envelope.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return secret.New(secret.Deps{DB: d, Broker: b, Kicker: k, Keys: secret.Fixed(r)})
}

// Make makes a secret of names with values, of the context's person or of a team.
func Make(ctx context.Context, t testing.TB, s *secret.Service, teamID *string, name string, values map[string]string) *ent.Secret {
	t.Helper()
	var c secret.Content
	for k, v := range values {
		c.Values = append(c.Values, secret.Value{Key: k, Text: &v})
	}
	row, err := s.Create(ctx, secret.CreateInput{TeamID: teamID, Name: name, Content: c})
	if err != nil {
		t.Fatal(err)
	}
	return row
}
