package graph

import (
	"context"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/secret"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// wrapSecrets adds what was selected to rows that the viewer may know of.
func (r *Resolver) wrapSecrets(ctx context.Context, rows []*ent.Secret, t tree) ([]*model.Secret, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	teams, err := r.teamsByID(ctx, ids(rows, func(s *ent.Secret) string { return deref(s.TeamID) }), t["team"])
	if err != nil {
		return nil, err
	}
	people := append(ids(rows, func(s *ent.Secret) string { return s.CreatedBy }), ids(rows, func(s *ent.Secret) string { return s.ChangedBy })...)
	users, err := r.usersByID(ctx, people, merge(t["createdBy"], t["changedBy"]))
	if err != nil {
		return nil, err
	}
	var usedBy map[string][]secret.User
	if t.has("usedBy") {
		if usedBy, err = secret.Users(ctx, r.DB.Client, rows); err != nil {
			return nil, err
		}
	}
	out := make([]*model.Secret, len(rows))
	for i, row := range rows {
		m := &model.Secret{Secret: row, CreatedBy: users[row.CreatedBy], ChangedBy: users[row.ChangedBy], UsedBy: []*model.SecretUser{},
			Can: &model.SecretPermissions{Manage: secret.Manages(v, row)}}
		if row.TeamID != nil {
			m.Team = teams[*row.TeamID]
		}
		for _, u := range usedBy[row.ID] {
			m.UsedBy = append(m.UsedBy, &model.SecretUser{ID: u.ID, Name: u.Name})
		}
		out[i] = m
	}
	return out, nil
}

func (r *Resolver) secretPayload(ctx context.Context) func(*ent.Secret, error) (*model.SecretPayload, error) {
	return func(row *ent.Secret, err error) (*model.SecretPayload, error) {
		if err != nil {
			return nil, err
		}
		m, err := r.wrapSecrets(ctx, []*ent.Secret{row}, selected(ctx)["secret"])
		if err != nil {
			return nil, err
		}
		return &model.SecretPayload{Secret: m[0]}, nil
	}
}

// secretsOf gives the secrets that uses name and the viewer may know of, if any was selected.
func (r *Resolver) secretsOf(ctx context.Context, uses []spec.SecretUse, t tree) (map[string]*model.Secret, error) {
	out := map[string]*model.Secret{}
	if len(uses) == 0 || t == nil || r.Secrets == nil {
		return out, nil
	}
	rows, err := r.Secrets.Known(ctx, uses)
	if err != nil {
		return nil, err
	}
	wrapped, err := r.wrapSecrets(ctx, rows, t)
	if err != nil {
		return nil, err
	}
	for _, m := range wrapped {
		out[m.ID] = m
	}
	return out, nil
}

func secretContent(git *model.GitSecretInput, registry *model.RegistrySecretInput, keytab *model.KeytabSecretInput, values []*model.SecretValueInput) secret.Content {
	var c secret.Content
	if git != nil {
		c.Git = &secret.Git{Host: git.Host, User: git.User, Token: git.Token, SSHKey: git.SSHKey, KnownHosts: git.KnownHosts}
	}
	if registry != nil {
		c.Registry = &secret.Registry{Server: registry.Server, User: registry.User, Password: registry.Password}
	}
	if keytab != nil {
		c.Keytab = &secret.Keytab{Principal: keytab.Principal, Keytab: keytab.Keytab, Realm: keytab.Realm, Krb5Conf: keytab.Krb5Conf}
	}
	for _, v := range values {
		c.Values = append(c.Values, secret.Value{Key: v.Key, Text: v.Text, Base64: v.Base64})
	}
	return c
}

func secretKind() *kind {
	type secretM = *model.Secret
	return &kind{map[string]field{
		"id": text(func(o secretM) string { return o.ID }), "name": text(func(o secretM) string { return o.Name }),
		"kind": word(func(o secretM) spec.SecretKind { return o.Kind }), "team": child(func(o secretM) teamM { return o.Team }),
		"keys": inline(secretM.Keys), "fingerprint": text(func(o secretM) string { return o.Fingerprint }),
		"teamWide": truth(func(o secretM) bool { return o.TeamWide }), "masterKey": text(func(o secretM) string { return o.MasterKey }),
		"createdBy": child(func(o secretM) userM { return o.CreatedBy }), "createdAt": instant(func(o secretM) time.Time { return o.CreatedAt }),
		"changedBy": child(func(o secretM) userM { return o.ChangedBy }), "changedAt": instant(func(o secretM) time.Time { return o.ChangedAt }),
		"usedBy": children(func(o secretM) []*model.SecretUser { return o.UsedBy }),
		"can":    child(func(o secretM) *model.SecretPermissions { return o.Can }),
	}}
}
