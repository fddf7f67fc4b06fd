package setting

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/quantity"
	"github.com/goblinlab/goblinlab/internal/spec"
)

type duration = time.Duration

const (
	minute = time.Minute
	day    = 24 * time.Hour
	week   = 7 * day
)

// wrong is what is wrong with a text: a message with its arguments, or the
// fields of a list.
type wrong struct {
	id     string
	args   fault.Args
	fields []fault.Field // with paths below the key
}

func define(key string, k Kind) Definition {
	group, _, _ := strings.Cut(key, ".")
	return Definition{Key: key, Group: group, Kind: k, Effect: AtOnce}
}

func forNew(d Definition) Definition  { d.Effect = ForNew; return d }
func restart(d Definition) Definition { d.Effect = Restart; return d }

// count is a whole number.
func count[T ~int | ~int64](key string, least, most int64, at func(*config.Config) *T) Definition {
	d := define(key, Count)
	d.Min, d.Max = least, most
	d.text = func(c *config.Config) string { return strconv.FormatInt(int64(*at(c)), 10) }
	d.parse = func(c *config.Config, text string) *wrong {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil || n < least || n > most {
			return &wrong{id: "setting.count", args: fault.Args{"value": clip(text), "min": least, "max": most}}
		}
		*at(c) = T(n)
		return nil
	}
	return d
}

// cpu, memory and size are amounts; each says in its errors what it is an amount of.
func cpu(key string, least, most int64, at func(*config.Config) *int64) Definition {
	return amount(key, CPU, quantity.ParseCPU, least, most, at)
}

func memory(key string, least, most int64, at func(*config.Config) *int64) Definition {
	return amount(key, Bytes, quantity.ParseMemory, least, most, at)
}

func size(key string, least, most int64, at func(*config.Config) *int64) Definition {
	return amount(key, Bytes, quantity.ParseSize, least, most, at)
}

type reader func(string, quantity.Limits) (int64, error)

func amount(key string, k Kind, read reader, least, most int64, at func(*config.Config) *int64) Definition {
	d := define(key, k)
	d.Min, d.Max = least, most
	d.text = func(c *config.Config) string { return amountText(k, *at(c)) }
	d.parse = func(c *config.Config, text string) *wrong {
		n, err := read(text, quantity.Limits{Min: least, Max: most})
		var f *fault.Error
		if errors.As(err, &f) {
			return &wrong{id: f.ID, args: f.Args}
		}
		*at(c) = n
		return nil
	}
	return d
}

// orNone is a size that may be 0, which is no limit.
func orNone(key string, least, most int64, at func(*config.Config) *int64) Definition {
	d := size(key, least, most, at)
	d.Never = true
	some := d.parse
	d.parse = func(c *config.Config, text string) *wrong {
		if strings.TrimSpace(text) == "0" {
			*at(c) = 0
			return nil
		}
		return some(c, text)
	}
	return d
}

func amountText(k Kind, n int64) string {
	q := quantity.BytesQuantity(n)
	if k == CPU {
		q = quantity.CPUQuantity(n)
	}
	return q.String()
}

// span is a time.
func span(key string, least, most time.Duration, at func(*config.Config) *time.Duration) Definition {
	d := define(key, Duration)
	d.Min, d.Max = int64(least), int64(most)
	d.text = func(c *config.Config) string { return FormatDuration(*at(c)) }
	d.parse = func(c *config.Config, text string) *wrong { return parseSpan(text, least, most, false, at(c)) }
	return d
}

// forEver is a span that may be 0, which is without end.
func forEver(key string, least, most time.Duration, at func(*config.Config) *time.Duration) Definition {
	d := span(key, least, most, at)
	d.Never = true
	d.parse = func(c *config.Config, text string) *wrong {
		return parseSpan(text, time.Duration(d.Min), time.Duration(d.Max), true, at(c))
	}
	return d
}

// days are whole days, or 0 for ever.
func days(key string, at func(*config.Config) *time.Duration) Definition {
	d := forEver(key, day, spec.MaxRetention*day, at)
	some := d.parse
	d.parse = func(c *config.Config, text string) *wrong {
		was := *at(c)
		if w := some(c, text); w != nil {
			return w
		}
		if *at(c)%day != 0 {
			*at(c) = was
			return &wrong{id: "setting.days", args: fault.Args{"value": clip(text)}}
		}
		return nil
	}
	return d
}

func parseSpan(text string, least, most time.Duration, never bool, to *time.Duration) *wrong {
	v, err := ParseDuration(text)
	if err == nil && (v >= least && v <= most || never && v == 0) {
		*to = v
		return nil
	}
	id := "setting.duration"
	if never {
		id = "setting.duration-never"
	}
	return &wrong{id: id, args: fault.Args{"value": clip(text), "min": FormatDuration(least), "max": FormatDuration(most)}}
}

const maxDays = 106_751 // that a duration holds

// ParseDuration reads Go's durations, and whole days as "7d".
func ParseDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if n, ok := strings.CutSuffix(text, "d"); ok {
		days, err := strconv.ParseInt(n, 10, 32)
		if err != nil || days < 0 || days > maxDays {
			return 0, fmt.Errorf("%q is no number of days", clip(text))
		}
		return time.Duration(days) * day, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		return 0, fmt.Errorf("%q is negative", clip(text))
	}
	return d, err
}

// FormatDuration writes whole days as "7d", and no units that are zero.
func FormatDuration(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d%day == 0:
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return strings.Replace(s, "h0m", "h", 1)
}

// text is one line of at most some characters; check, if there is one, says
// what else is wrong by a message's id, empty for nothing.
func text(key string, most int, empty bool, check func(string) string, at func(*config.Config) *string) Definition {
	d := define(key, Text)
	d.Max, d.Empty = int64(most), empty
	d.text = func(c *config.Config) string { return *at(c) }
	d.parse = func(c *config.Config, text string) *wrong {
		text = strings.TrimSpace(text)
		n := utf8.RuneCountInString(text)
		switch {
		case text == "" && !empty:
			return &wrong{id: "setting.empty", args: fault.Args{}}
		case n > most:
			return &wrong{id: "setting.long", args: fault.Args{"value": n, "limit": most}}
		case !utf8.ValidString(text) || strings.ContainsFunc(text, preflight.Control):
			return &wrong{id: "setting.control", args: fault.Args{}}
		}
		if text != "" && check != nil {
			if id := check(text); id != "" {
				return &wrong{id: id, args: fault.Args{"value": clip(text)}}
			}
		}
		*at(c) = text
		return nil
	}
	return d
}

const maxSecret = 512 // characters

// secret is text that nobody sees again, taken as it is typed.
func secret(key string, at func(*config.Config) *string) Definition {
	d := text(key, maxSecret, true, nil, at)
	d.Kind = Secret
	d.parse = func(c *config.Config, text string) *wrong {
		switch n := utf8.RuneCountInString(text); {
		case n > maxSecret:
			return &wrong{id: "setting.long", args: fault.Args{"value": n, "limit": maxSecret}}
		case !utf8.ValidString(text) || strings.ContainsFunc(text, preflight.Control):
			return &wrong{id: "setting.control", args: fault.Args{}}
		}
		*at(c) = text
		return nil
	}
	return d
}

// choice is one of some words.
func choice(key string, options []string, at func(*config.Config) *string) Definition {
	d := define(key, Choice)
	d.Options = options
	d.text = func(c *config.Config) string { return *at(c) }
	d.parse = func(c *config.Config, text string) *wrong {
		if !slices.Contains(options, text) {
			return &wrong{id: "setting.choice", args: fault.Args{"value": clip(text), "options": options}}
		}
		*at(c) = text
		return nil
	}
	return d
}

const maxProfiles = 20

// profiles is a JSON list of sizes.
func profiles(key string, at func(*config.Config) *[]config.Profile) Definition {
	d := define(key, Profiles)
	d.Max, d.Empty = maxProfiles, true
	d.text = func(c *config.Config) string {
		b, err := json.Marshal(*at(c))
		if err != nil || *at(c) == nil {
			return "[]"
		}
		return string(b)
	}
	d.parse = func(c *config.Config, text string) *wrong {
		var list []config.Profile
		dec := json.NewDecoder(strings.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&list); err != nil || dec.More() {
			return &wrong{id: "setting.profiles", args: fault.Args{"value": clip(text)}}
		}
		if len(list) > maxProfiles {
			return &wrong{id: "setting.profiles-many", args: fault.Args{"value": len(list), "limit": maxProfiles}}
		}
		if f := checkProfiles(list); len(f) > 0 {
			return &wrong{fields: f}
		}
		*at(c) = list
		return nil
	}
	return d
}

func checkProfiles(list []config.Profile) []fault.Field {
	var f fault.Fields
	seen := map[string]bool{}
	for i, p := range list {
		at := fmt.Sprintf("[%d].", i)
		preflight.CheckName(&f, at+"name", p.Name)
		if seen[p.Name] {
			f.Add(at+"name", "setting.profile-twice", fault.Args{"value": clip(p.Name)})
		}
		seen[p.Name] = true
		quantity.AddCPU(&f, at+"cpu", p.CPU, quantity.Limits{Min: preflight.MinCPUMilli})
		quantity.AddMemory(&f, at+"memory", p.Memory, quantity.Limits{Min: preflight.MinMemoryBytes})
		if p.GPU < 0 || p.GPU > 1024 {
			f.Add(at+"gpu", "setting.count", fault.Args{"name": "GPU", "value": p.GPU, "min": 0, "max": 1024})
		}
	}
	var e *fault.Error
	if errors.As(f.Err(), &e) {
		return e.Fields
	}
	return nil
}

func host(s string) string {
	if _, err := netip.ParseAddr(s); err == nil || len(validation.IsDNS1123Subdomain(strings.ToLower(s))) == 0 {
		return ""
	}
	return "setting.host"
}

func address(s string) string {
	if _, err := netip.ParseAddr(s); err == nil {
		return ""
	}
	return "setting.address"
}

func subdomain(s string) string {
	if len(validation.IsDNS1123Subdomain(s)) == 0 {
		return ""
	}
	return "volume.storage-class"
}

func labelKey(s string) string {
	if len(validation.IsQualifiedName(s)) == 0 {
		return ""
	}
	return "setting.label-key"
}

func labelValue(s string) string {
	if len(validation.IsValidLabelValue(s)) == 0 {
		return ""
	}
	return "setting.label-value"
}

func timezone(s string) string {
	if _, err := time.LoadLocation(s); err == nil && s != "Local" {
		return ""
	}
	return "setting.timezone"
}

func mailbox(s string) string {
	if a, err := mail.ParseAddress(s); err == nil && a.Address == s {
		return ""
	}
	return "setting.mailbox"
}

const maxClip = 60 // characters

// clip makes what somebody typed fit into a message.
func clip(s string) string {
	r := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	if len(r) > maxClip {
		return string(r[:maxClip]) + "…"
	}
	return string(r)
}
