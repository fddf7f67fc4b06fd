package setting

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"

	"github.com/goblinlab/goblinlab/ent"
	entsetting "github.com/goblinlab/goblinlab/ent/setting"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Change sets a setting, or sets it back to its default.
type Change struct {
	Key     string
	Value   *string // nil for the default
	Version int64   // that was looked at
}

const maxChanges = 100

// Update makes all changes or none, and tells everything that is wrong at once.
// Administrators only.
func (s *Service) Update(ctx context.Context, changes []Change) ([]Setting, error) {
	if err := administrators(ctx); err != nil {
		return nil, err
	}
	if len(changes) == 0 || len(changes) > maxChanges {
		return nil, fault.New(fault.InvalidArgument, "setting.changes", fault.Args{"value": len(changes), "limit": maxChanges})
	}
	var out []Setting
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		rows, err := s.locked(ctx, tx)
		if err != nil {
			return err
		}
		before := s.overlay(rows)
		if err := s.check(before, rows, changes); err != nil {
			return err
		}
		for _, ch := range changes {
			if rows[ch.Key], err = s.write(ctx, tx, rows[ch.Key], before, ch); err != nil {
				return err
			}
		}
		out = s.list(rows)
		return nil
	})
	if ent.IsConstraintError(err) { // another process made the same row first
		return nil, fault.New(fault.Conflict, "setting.changed", fault.Args{"name": "@setting.any"})
	}
	if err != nil {
		return nil, fmt.Errorf("change settings: %w", err)
	}
	if err := s.Load(ctx); err != nil {
		return nil, err
	}
	for _, ch := range changes {
		s.Broker.Publish(ctx, event.Message{Topic: Topic, ID: ch.Key})
	}
	return out, nil
}

// locked reads the rows and holds them, so that versions stay as they were checked.
func (s *Service) locked(ctx context.Context, tx *ent.Tx) (map[string]*ent.Setting, error) {
	q := tx.Setting.Query().Order(ent.Asc(entsetting.FieldID))
	if s.DB.Dialect == dialect.Postgres {
		q.ForUpdate()
	}
	list, err := q.All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	out := make(map[string]*ent.Setting, len(list))
	for _, r := range list {
		out[r.ID] = r
	}
	return out, nil
}

// check notes everything that is wrong with changes.
func (s *Service) check(before config.Config, rows map[string]*ent.Setting, changes []Change) error {
	var f fault.Fields
	c, seen := before, map[string]bool{}
	for _, ch := range changes {
		d := find(ch.Key)
		if d == nil {
			f.Add(clip(ch.Key), "setting.unknown", fault.Args{"key": clip(ch.Key)})
			continue
		}
		if seen[ch.Key] {
			f.Add(d.Key, "setting.twice", fault.Args{"name": d.name()})
			continue
		}
		seen[ch.Key] = true
		if from := s.Config.Given[d.Key]; from != "" {
			f.Add(d.Key, "setting.fixed", fault.Args{"name": d.name(), "source": "@setting.source." + string(from)})
			continue
		}
		if r := rows[d.Key]; r != nil && r.Version != ch.Version || r == nil && ch.Version != 0 {
			return fault.New(fault.Conflict, "setting.changed", fault.Args{"name": d.name()})
		}
		if d.Kind == Secret && ch.Value != nil && *ch.Value != "" && s.Box == nil {
			f.Add(d.Key, "setting.no-key", fault.Args{"name": d.name(), "key": d.Key})
			continue
		}
		value := d.Value(s.Config)
		if ch.Value != nil {
			value = *ch.Value
		}
		if w := d.parse(&c, value); w != nil {
			d.add(&f, w)
		}
	}
	if f.Err() == nil {
		bad := together(&c)
		for i := range registry {
			if w := bad[registry[i].Key]; w != nil && seen[registry[i].Key] {
				registry[i].add(&f, w)
			}
		}
	}
	return f.Err()
}

// add notes what is wrong at the key.
func (d *Definition) add(f *fault.Fields, w *wrong) {
	for _, x := range w.fields {
		f.Add(d.Key+x.Path, x.ID, x.Args)
	}
	if w.id == "" {
		return
	}
	args := fault.Args{"name": d.name()}
	for k, v := range w.args {
		args[k] = v
	}
	f.Add(d.Key, w.id, args)
}

// together is what is wrong with values that are fine by themselves, by key.
func together(c *config.Config) map[string]*wrong {
	out := map[string]*wrong{}
	both := func(w *wrong, keys ...string) {
		for _, k := range keys {
			out[k] = w
		}
	}
	if c.SSH.MinPort > c.SSH.MaxPort {
		both(&wrong{id: "setting.ports", args: fault.Args{"first": c.SSH.MinPort, "last": c.SSH.MaxPort}}, "ssh.minport", "ssh.maxport")
	}
	if c.Defaults.HomeBytes > c.Limits.VolumeBytes {
		both(&wrong{id: "setting.home", args: fault.Args{"value": amountText(Bytes, c.Defaults.HomeBytes), "limit": amountText(Bytes, c.Limits.VolumeBytes)}},
			"defaults.homebytes", "limits.volumebytes")
	}
	if l := c.Limits; l.LogKeep != 0 && longer(l.LogKeep, l.RunKeep) { // 0 is as long as the run
		both(&wrong{id: "setting.logkeep", args: fault.Args{"value": kept(l.LogKeep), "limit": kept(l.RunKeep)}}, "limits.logkeep", "limits.runkeep")
	}
	if l := c.Limits; longer(l.RunKeep, l.KeepMost) {
		both(&wrong{id: "setting.keepmost", args: fault.Args{"value": kept(l.RunKeep), "limit": kept(l.KeepMost)}}, "limits.runkeep", "limits.keepmost")
	}
	if c.Mail.Host != "" && c.Mail.From == "" {
		both(&wrong{id: "setting.mail-from", args: fault.Args{}}, "mail.host", "mail.from")
	}
	if c.Mail.User != "" && c.Mail.TLS == "none" {
		both(&wrong{id: "setting.mail-tls", args: fault.Args{}}, "mail.user", "mail.tls")
	}
	return out
}

// longer compares times that something is kept for, of which 0 is for ever.
func longer(a, b time.Duration) bool { return b != 0 && (a == 0 || a > b) }

// kept is such a time as a message's argument.
func kept(d time.Duration) string {
	if d == 0 {
		return "@setting.for-ever"
	}
	return FormatDuration(d)
}

// write keeps one change with its trace.
func (s *Service) write(ctx context.Context, tx *ent.Tx, old *ent.Setting, before config.Config, ch Change) (*ent.Setting, error) {
	d, v := find(ch.Key), authz.From(ctx)
	stored, after := "", d.Value(s.Config)
	if ch.Value != nil {
		c := before
		_ = d.parse(&c, *ch.Value) // checked
		stored, after = d.Value(c), d.Value(c)
		if d.Kind == Secret && stored != "" {
			var err error
			if stored, err = s.Box.Seal(stored, Topic+" "+d.Key); err != nil {
				return nil, fmt.Errorf("seal %s: %w", d.Key, err)
			}
		}
	}
	sys := authz.AsSystem(ctx)
	var row *ent.Setting
	var err error
	if old == nil {
		row, err = tx.Setting.Create().SetID(d.Key).SetValue(stored).SetIsDefault(ch.Value == nil).SetChangedBy(v.UserID).Save(sys)
	} else {
		row, err = tx.Setting.UpdateOne(old).SetValue(stored).SetIsDefault(ch.Value == nil).SetChangedBy(v.UserID).AddVersion(1).Save(sys)
	}
	if err != nil {
		return nil, fmt.Errorf("keep %s: %w", d.Key, err)
	}
	e := audit.Entry{Action: "setting.update", ObjectID: d.Key,
		Before: map[string]any{"value": d.shown(d.Value(before))}, After: map[string]any{"value": d.shown(after)}}
	if ch.Value == nil {
		e.Action = "setting.reset"
	}
	return row, audit.Record(ctx, tx, e)
}

// shown is what the audit log keeps of a value: of a secret, whether there is one.
func (d *Definition) shown(value string) string {
	if d.Kind == Secret && value != "" {
		return "•••"
	}
	return value
}
