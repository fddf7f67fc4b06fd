package setting

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/event"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/mail"
)

// Topic carries changes of settings; a message's id is the key.
const Topic = "setting"

const lookAgain = 30 * time.Second

// Box keeps secrets from whoever reads the database alone. About is what a
// secret belongs to: it opens nowhere else.
type Box interface {
	Seal(text, about string) (string, error)
	Open(sealed, about string) (string, error)
}

// Deps are what the service works with.
type Deps struct {
	DB     *db.DB
	Broker event.Broker
	Config config.Config // as the process was started
	Live   *config.Live  // what Config's Now gives
	Box    Box           // nil: secrets come from the configuration alone
	Mail   *mail.Sender
	// LookAgain is how often rows are read although nobody said so; 30 s if zero.
	LookAgain time.Duration
}

// Service reads and changes settings.
type Service struct {
	Deps

	mu sync.Mutex // one reader of the rows at a time, so that an older one does not win
}

// New makes a Service. Load before the configuration is asked by Now.
func New(d Deps) *Service {
	if d.LookAgain == 0 {
		d.LookAgain = lookAgain
	}
	return &Service{Deps: d}
}

// Setting is a setting as it stands.
type Setting struct {
	Definition
	Value     string // empty for a secret
	Set       bool   // there is a value, also of a secret
	Default   string
	Source    config.Source
	Version   int64 // 0 before the first change
	ChangedAt *time.Time
	ChangedBy string // a person's id
}

// Load lays the rows over the configuration.
func (s *Service) Load(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, err := s.rows(ctx, s.DB.Client)
	if err != nil {
		return err
	}
	s.Live.Set(s.overlay(rows))
	return nil
}

func (s *Service) rows(ctx context.Context, c *ent.Client) (map[string]*ent.Setting, error) {
	list, err := c.Setting.Query().All(authz.AsSystem(ctx))
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	out := make(map[string]*ent.Setting, len(list))
	for _, r := range list {
		out[r.ID] = r
	}
	return out, nil
}

// overlay is the configuration with what rows change.
func (s *Service) overlay(rows map[string]*ent.Setting) config.Config {
	c, taken := s.Config, []*Definition{}
	for i := range registry {
		d := &registry[i]
		r := rows[d.Key]
		if r == nil || r.IsDefault || s.fixed(d.Key) {
			continue
		}
		if err := s.lay(&c, d, r.Value); err != nil {
			slog.Warn("setting of the page passed over", "key", d.Key, "err", err)
			continue
		}
		taken = append(taken, d)
	}
	// What an operator gave since may not go with what was changed in the page.
	if bad := together(&c); len(bad) > 0 {
		for _, d := range taken {
			if _, ok := bad[d.Key]; ok {
				slog.Warn("setting of the page passed over", "key", d.Key, "err", bad[d.Key].id)
				_ = d.parse(&c, d.Value(s.Config))
			}
		}
	}
	return c
}

// lay writes a row's value into a configuration.
func (s *Service) lay(c *config.Config, d *Definition, value string) error {
	if d.Kind == Secret && value != "" {
		if s.Box == nil {
			return fmt.Errorf("%s is sealed and there is no key to open it", d.Key)
		}
		var err error
		if value, err = s.Box.Open(value, Topic+" "+d.Key); err != nil {
			return fmt.Errorf("open %s: %w", d.Key, err)
		}
	}
	if w := d.parse(c, value); w != nil {
		return fmt.Errorf("%s does not fit: %s", d.Key, w.id)
	}
	return nil
}

// fixed reports whether an operator gave a key.
func (s *Service) fixed(key string) bool { return s.Config.Given[key] != "" }

// Run follows changes of other processes until ctx ends.
func (s *Service) Run(ctx context.Context) {
	changes := s.Broker.Subscribe(ctx, Topic, "")
	tick := time.NewTicker(s.LookAgain)
	defer tick.Stop()
	for {
		select {
		case _, more := <-changes:
			if !more {
				return
			}
		case <-tick.C:
		}
		if err := s.Load(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("settings not read; tried again", "err", err)
		}
	}
}

// List gives every setting, in the order of the page. Administrators and auditors.
func (s *Service) List(ctx context.Context) ([]Setting, error) {
	if err := readers(ctx); err != nil {
		return nil, err
	}
	rows, err := s.rows(ctx, s.DB.Client)
	if err != nil {
		return nil, err
	}
	return s.list(rows), nil
}

func (s *Service) list(rows map[string]*ent.Setting) []Setting {
	c, standard := s.overlay(rows), config.Default()
	out := make([]Setting, 0, len(registry))
	for i := range registry {
		d := registry[i]
		x := Setting{Definition: d, Value: d.Value(c), Default: d.Value(standard), Source: config.FromDefault}
		if x.Set = x.Value != ""; d.Kind == Secret {
			x.Value = ""
		}
		if r := rows[d.Key]; r != nil {
			x.Version, x.ChangedAt, x.ChangedBy = r.Version, &r.UpdatedAt, r.ChangedBy
			if !r.IsDefault {
				x.Source = config.FromPage
			}
		}
		if from := s.Config.Given[d.Key]; from != "" {
			x.Source = from
		}
		out = append(out, x)
	}
	return out
}

func readers(ctx context.Context) error {
	v, err := authz.Require(ctx)
	if err != nil {
		return err
	}
	if !v.ReadsAll() {
		return fault.New(fault.Forbidden, "forbidden", fault.Args{"action": "@action." + string(authz.Platform)})
	}
	return nil
}

func administrators(ctx context.Context) error {
	v, err := authz.Require(ctx)
	if err != nil {
		return err
	}
	return v.Check(authz.Platform, "")
}
