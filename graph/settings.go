package graph

import (
	"context"
	"strings"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/mail"
	"github.com/goblinlab/goblinlab/internal/setting"
)

// settings wraps the registry for the viewer.
func (r *Resolver) settings(ctx context.Context, list []setting.Setting, t tree) ([]*model.Setting, error) {
	v, err := authz.Require(ctx)
	if err != nil {
		return nil, err
	}
	people, err := r.usersByID(ctx, ids(list, func(s setting.Setting) string { return s.ChangedBy }), t["changedBy"])
	if err != nil {
		return nil, err
	}
	l, may := lang.From(ctx), v.May(authz.Platform, "")
	out := make([]*model.Setting, len(list))
	for i, s := range list {
		m := &model.Setting{
			Key: s.Key, Group: s.Group, Kind: model.SettingKind(constant(string(s.Kind))), IsSet: s.Set, Default: s.Default,
			Name:        lang.Text(l, "setting."+s.Key+".name", nil),
			Description: lang.Text(l, "setting."+s.Key+".what", nil),
			Options:     append([]string{}, s.Options...), Optional: s.Empty,
			Source: model.SettingSource(constant(string(s.Source))), Effect: model.SettingEffect(constant(string(s.Effect))),
			Editable: may && (s.Source == config.FromDefault || s.Source == config.FromPage),
			Version:  s.Version, ChangedAt: s.ChangedAt, ChangedBy: people[s.ChangedBy],
		}
		m.Min, m.Max = s.Bounds()
		if s.Kind != setting.Secret {
			m.Value = &s.Value
		}
		out[i] = m
	}
	return out, nil
}

// constant is a word as the schema writes it, "at-once" as AT_ONCE.
func constant(word string) string { return strings.ToUpper(strings.ReplaceAll(word, "-", "_")) }

func (r *Resolver) updateSettings(ctx context.Context, in model.UpdateSettingsInput) (*model.SettingsPayload, error) {
	changes := make([]setting.Change, len(in.Changes))
	for i, c := range in.Changes {
		changes[i] = setting.Change{Key: c.Key, Value: c.Value, Version: c.Version}
	}
	list, err := r.Deps.Settings.Update(ctx, changes)
	if err != nil {
		return nil, err
	}
	out, err := r.settings(ctx, list, selected(ctx)["settings"])
	if err != nil {
		return nil, err
	}
	return &model.SettingsPayload{Settings: out}, nil
}

func (r *Resolver) profiles(ctx context.Context) ([]*config.Profile, error) {
	if _, err := authz.Require(ctx); err != nil {
		return nil, err
	}
	list := r.Config.Now().Profiles
	out := make([]*config.Profile, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out, nil
}

func (r *Resolver) userLimits(ctx context.Context, t tree) ([]*model.UserLimit, error) {
	rows, err := r.Deps.Settings.UserLimits(ctx)
	if err != nil {
		return nil, err
	}
	people, err := r.usersByID(ctx, ids(rows, func(l *ent.UserLimit) string { return l.ID }), t["user"])
	if err != nil {
		return nil, err
	}
	out := make([]*model.UserLimit, len(rows))
	for i, l := range rows {
		out[i] = &model.UserLimit{User: people[l.ID], Instances: l.Instances}
	}
	return out, nil
}

func (r *Resolver) sendTestMail(ctx context.Context, to string) (*model.TestMailPayload, error) {
	l := lang.From(ctx)
	err := r.Deps.Settings.TestMail(ctx, to, mail.Message{
		Subject: lang.Text(l, "mail.test.subject", nil),
		Text:    lang.Text(l, "mail.test.text", map[string]any{"url": r.Config.URL}),
	})
	if err != nil {
		return nil, err
	}
	return &model.TestMailPayload{Ok: true}, nil
}
