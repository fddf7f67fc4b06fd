package setting

import (
	"slices"
	"strconv"
	"time"

	"github.com/goblinlab/goblinlab/internal/config"
)

// Kind is how a setting's text is read, and which field a form shows for it.
type Kind string

// Kinds of settings.
const (
	Count    Kind = "count"    // a whole number
	CPU      Kind = "cpu"      // an amount of CPU, as "4" or "500m"
	Bytes    Kind = "bytes"    // an amount of memory or storage, as "24Gi"
	Duration Kind = "duration" // as "30m", "12h" or "400d"
	Text     Kind = "text"
	Choice   Kind = "choice" // one of the options
	Secret   Kind = "secret" // text that is never shown again
	Profiles Kind = "profiles"
)

// Effect is from when on a change counts.
type Effect string

// Effects. In every process within seconds; for what is made or started from
// then on; with the next start of the server.
const (
	AtOnce  Effect = "at-once"
	ForNew  Effect = "for-new"
	Restart Effect = "restart"
)

// Definition says what a setting is. Its words are in the catalogue, as
// setting.<key>.name and setting.<key>.what.
type Definition struct {
	Key      string // of the configuration, as "limits.gpu"
	Group    string // its part before the dot
	Kind     Kind
	Min, Max int64    // of a count; of thousandths of a core, bytes or nanoseconds; characters of a text
	Never    bool     // 0 is allowed below Min and means without limit
	Options  []string // of a choice
	Empty    bool     // may be empty
	Effect   Effect

	text  func(c *config.Config) string
	parse func(c *config.Config, text string) *wrong
}

const (
	mib = int64(1) << 20
	gib = int64(1) << 30
	pib = int64(1) << 50
)

// registry in the order of the page.
var registry = []Definition{
	count("limits.instancesperuser", 1, 1000, func(c *config.Config) *int { return &c.Limits.InstancesPerUser }),
	cpu("limits.cpumilli", 100, 1_024_000, func(c *config.Config) *int64 { return &c.Limits.CPUMilli }),
	memory("limits.memorybytes", 64*mib, pib, func(c *config.Config) *int64 { return &c.Limits.MemoryBytes }),
	count("limits.gpu", 0, 1024, func(c *config.Config) *int64 { return &c.Limits.GPU }),
	size("limits.volumebytes", gib, 64*pib, func(c *config.Config) *int64 { return &c.Limits.VolumeBytes }),
	orNone("limits.storageperuser", gib, 64*pib, func(c *config.Config) *int64 { return &c.Limits.StoragePerUser }),
	forNew(span("limits.trashkeep", time.Hour, 365*day, func(c *config.Config) *duration { return &c.Limits.TrashKeep })),
	count("limits.volumefull", 1, 100, func(c *config.Config) *int { return &c.Limits.VolumeFull }),
	size("limits.logbytes", mib, 1024*gib, func(c *config.Config) *int64 { return &c.Limits.LogBytes }),
	span("limits.starttimeout", minute, week, func(c *config.Config) *duration { return &c.Limits.StartTimeout }),
	span("limits.pendingtimeout", minute, 30*day, func(c *config.Config) *duration { return &c.Limits.PendingTimeout }),
	forEver("limits.auditkeep", day, 36_500*day, func(c *config.Config) *duration { return &c.Limits.AuditKeep }),
	days("limits.logkeep", func(c *config.Config) *duration { return &c.Limits.LogKeep }),
	days("limits.runkeep", func(c *config.Config) *duration { return &c.Limits.RunKeep }),
	days("limits.keepmost", func(c *config.Config) *duration { return &c.Limits.KeepMost }),

	forNew(size("defaults.homebytes", 16*mib, pib, func(c *config.Config) *int64 { return &c.Defaults.HomeBytes })),
	forNew(text("defaults.storageclass", 253, true, subdomain, func(c *config.Config) *string { return &c.Defaults.StorageClass })),
	forNew(choice("defaults.homeaccess", []string{"ReadWriteMany", "ReadWriteOnce"}, func(c *config.Config) *string { return &c.Defaults.HomeAccess })),
	forNew(text("defaults.timezone", 64, false, timezone, func(c *config.Config) *string { return &c.Defaults.Timezone })),

	profiles("profiles", func(c *config.Config) *[]config.Profile { return &c.Profiles }),

	forNew(text("pools.onlinekey", 317, false, labelKey, func(c *config.Config) *string { return &c.Pools.OnlineKey })),
	forNew(text("pools.onlinevalue", 63, false, labelValue, func(c *config.Config) *string { return &c.Pools.OnlineValue })),

	forNew(count("ssh.minport", 1024, 65535, func(c *config.Config) *int { return &c.SSH.MinPort })),
	forNew(count("ssh.maxport", 1024, 65535, func(c *config.Config) *int { return &c.SSH.MaxPort })),
	text("ssh.host", 253, false, host, func(c *config.Config) *string { return &c.SSH.Host }),
	restart(text("ssh.listen", 45, false, address, func(c *config.Config) *string { return &c.SSH.Listen })),

	text("mail.host", 253, true, host, func(c *config.Config) *string { return &c.Mail.Host }),
	count("mail.port", 1, 65535, func(c *config.Config) *int { return &c.Mail.Port }),
	choice("mail.tls", config.TLSModes, func(c *config.Config) *string { return &c.Mail.TLS }),
	text("mail.from", 254, true, mailbox, func(c *config.Config) *string { return &c.Mail.From }),
	text("mail.user", 254, true, nil, func(c *config.Config) *string { return &c.Mail.User }),
	secret("mail.password", func(c *config.Config) *string { return &c.Mail.Password }),

	choice("api.introspection", config.Introspectors, func(c *config.Config) *string { return &c.API.Introspection }),
}

// Definitions are all settings, in the order of the page.
func Definitions() []Definition { return slices.Clone(registry) }

// Groups are the groups in the order of the page.
func Groups() []string {
	var out []string
	for _, d := range registry {
		if !slices.Contains(out, d.Group) {
			out = append(out, d.Group)
		}
	}
	return out
}

func find(key string) *Definition {
	for i := range registry {
		if registry[i].Key == key {
			return &registry[i]
		}
	}
	return nil
}

// Bounds are the least and the most as people write them; nil where there is none.
func (d *Definition) Bounds() (least, most *string) {
	say := func(n int64) *string {
		s := strconv.FormatInt(n, 10)
		switch d.Kind {
		case CPU, Bytes:
			s = amountText(d.Kind, n)
		case Duration:
			s = FormatDuration(time.Duration(n))
		}
		return &s
	}
	switch d.Kind {
	case Count, CPU, Bytes, Duration:
		if least = say(d.Min); d.Never {
			least = say(0)
		}
		return least, say(d.Max)
	case Text, Secret, Profiles:
		return nil, say(d.Max)
	}
	return nil, nil
}

// name of a setting as an argument of a message.
func (d *Definition) name() string { return "@setting." + d.Key + ".name" }

// Value is the setting's text in a configuration; a secret's own text, too.
func (d *Definition) Value(c config.Config) string { return d.text(&c) }
