// Package config is the server's one configuration: a struct with defaults,
// read once from file, environment (GOBLINLAB_…) and flags, in that order, and
// validated with every error at once.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/providers/structs"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// Config is what an operator may set. A key "log.level" is the flag
// --log.level and the variable GOBLINLAB_LOG_LEVEL.
type Config struct {
	Data     string   `koanf:"data"`     // folder of everything that the server keeps on disk
	Listen   string   `koanf:"listen"`   // address of the page, the API and the apps
	URL      string   `koanf:"url"`      // address that people type; its host's subdomains serve the apps
	Database string   `koanf:"database"` // sqlite:PATH or postgres://…; empty for SQLite in the data folder
	Redis    string   `koanf:"redis"`    // redis://…; empty for one inside the process
	Blobs    string   `koanf:"blobs"`    // gocloud.dev URL; empty for a folder of the data folder
	Proxies  []string `koanf:"proxies"`  // addresses or networks of proxies whose X-Forwarded-For is believed
	Cluster  Cluster  `koanf:"cluster"`
	Limits   Limits   `koanf:"limits"`
	Pools    Pools    `koanf:"pools"`
	SSH      SSH      `koanf:"ssh"`
	Log      Log      `koanf:"log"`
	Defaults Defaults `koanf:"defaults"`
	OIDC     OIDC     `koanf:"oidc"`
	Secrets  Secrets  `koanf:"secrets"`
	PodURL   string   `koanf:"podurl"` // address at which programs inside of instances and runs reach the platform; empty: url, or what reaches here from the local Kubernetes
	// MetricsListen is an address that shows metrics to collectors, without a sign-in; empty for none.
	MetricsListen string `koanf:"metricslisten"`

	Accounts Accounts `koanf:"accounts"`
	Mail     Mail     `koanf:"mail"`
	API      API      `koanf:"api"`
	Files    Files    `koanf:"files"`
	// Profiles are sizes that the form of an instance offers.
	Profiles []Profile `koanf:"profiles"`

	// Given says of each key that an operator set where: by file, environment
	// or flag. Such a key is not changed in the page.
	Given map[string]Source `koanf:"-"`

	live *Live
}

// Secrets says which keys seal the secrets of people and teams. Each is
// "ID:BASE64" of 32 bytes; the last one seals, all of them open.
type Secrets struct {
	KeyFile string   `koanf:"keyfile"` // one key a line; empty with SQLite: a file in the data folder, made at the first start
	Keys    []string `koanf:"keys"`    // come after those of the file. No flag: others could read it
}

// String keeps keys out of logs.
func (s Secrets) String() string { return "(keys)" }

// GoString keeps keys out of logs.
func (s Secrets) GoString() string { return "(keys)" }

// Cluster says which Kubernetes is used.
type Cluster struct {
	Kubeconfig string  `koanf:"kubeconfig"` // empty: $KUBECONFIG, the pod's own account, or with Local the local one
	Local      bool    `koanf:"local"`      // start and supervise the local Kubernetes
	LocalBin   string  `koanf:"localbin"`   // folder of its programs; empty for "local" beside this program
	LocalImage string  `koanf:"localimage"` // folder of image archives to import; empty for "images" beside this program
	QPS        float32 `koanf:"qps"`        // requests a second to the API server
	Burst      int     `koanf:"burst"`
}

// Pools of nodes.
type Pools struct {
	OnlineKey   string `koanf:"onlinekey"`   // label and taint key of the online pool
	OnlineValue string `koanf:"onlinevalue"` // its value
}

// SSH says where the server forwards SSH to instances from.
type SSH struct {
	Listen  string `koanf:"listen"` // address, without port
	Host    string `koanf:"host"`   // name that people type
	MinPort int    `koanf:"minport"`
	MaxPort int    `koanf:"maxport"`
}

// Log of the server itself.
type Log struct {
	Level string `koanf:"level"` // debug, info, warn, error
	JSON  bool   `koanf:"json"`
}

// Defaults of new things.
type Defaults struct {
	HomeBytes    int64  `koanf:"homebytes"` // size of a home volume
	StorageClass string `koanf:"storageclass"`
	HomeAccess   string `koanf:"homeaccess"` // ReadWriteOnce or ReadWriteMany
	Timezone     string `koanf:"timezone"`   // TZ inside instances and tasks
}

// Mail says how the platform sends mail; without a host it sends none.
type Mail struct {
	Host     string `koanf:"host"`
	Port     int    `koanf:"port"`
	User     string `koanf:"user"` // empty for a server that asks for none
	Password string `koanf:"password"`
	From     string `koanf:"from"` // sender's address
	TLS      string `koanf:"tls"`  // starttls, tls or none
}

// String keeps the password out of logs.
func (m Mail) String() string { return fmt.Sprintf("(mail by %s:%d)", m.Host, m.Port) }

// GoString keeps the password out of logs.
func (m Mail) GoString() string { return m.String() }

// Files is the data manager.
type Files struct {
	Image string `koanf:"image"` // what runs beside a volume while somebody looks into it; empty for that of the local Kubernetes
}

// API of programs.
type API struct {
	Introspection string `koanf:"introspection"` // who may ask for the schema: nobody, administrators, signed-in or everybody
}

// Profile is a size of an instance with a name. CPU and memory are amounts as
// people type them.
type Profile struct {
	Name   string `koanf:"name" json:"name"`
	CPU    string `koanf:"cpu" json:"cpu"`
	Memory string `koanf:"memory" json:"memory"`
	GPU    int64  `koanf:"gpu" json:"gpu"`
}

// Accounts says who comes in.
type Accounts struct {
	Invitations string `koanf:"invitations"` // who can be invited: Anyone, who gets an account by it, or Existing people only
}

// Who can be invited.
const (
	Anyone   = "anyone"
	Existing = "existing"
)

const gib = int64(1) << 30

// Default is the configuration of a bare machine.
func Default() Config {
	return Config{
		Data: ".goblinlab", Listen: "127.0.0.1:8080", URL: "",
		Cluster:  Cluster{QPS: 500, Burst: 1000}, // the server has its own fairness; schedules of one minute come together
		Limits:   Limits{InstancesPerUser: 3, CPUMilli: 256_000, MemoryBytes: 4096 * gib, GPU: 64, VolumeBytes: 65536 * gib, LogBytes: gib, StartTimeout: 30 * time.Minute, PendingTimeout: time.Hour, AuditKeep: 400 * 24 * time.Hour, TrashKeep: 7 * 24 * time.Hour, VolumeFull: 90},
		Pools:    Pools{OnlineKey: "node-pool", OnlineValue: "online"},
		SSH:      SSH{Listen: "127.0.0.1", Host: "localhost", MinPort: 22000, MaxPort: 22999},
		Log:      Log{Level: "info"},
		Defaults: Defaults{HomeBytes: 10 * gib, HomeAccess: "ReadWriteMany", Timezone: "UTC"},
		OIDC:     defaultOIDC(),
		Mail:     Mail{Port: 587, TLS: "starttls"},
		API:      API{Introspection: "signed-in"},
		Profiles: []Profile{
			{Name: "XS", CPU: "500m", Memory: "1Gi"}, {Name: "S", CPU: "1", Memory: "2Gi"}, {Name: "M", CPU: "2", Memory: "4Gi"},
			{Name: "L", CPU: "4", Memory: "16Gi"}, {Name: "GPU", CPU: "8", Memory: "32Gi", GPU: 1},
		},
		Accounts: Accounts{Invitations: Anyone},
	}
}

// Flags declares every key as a flag.
func Flags(fs *pflag.FlagSet) {
	d := Default()
	fs.String("config", "", "YAML file with any of these keys")
	fs.String("data", d.Data, "folder of everything that the server keeps on disk")
	fs.String("listen", d.Listen, "address of the page, the API and the apps")
	fs.String("url", d.URL, "address that people type (default http://localhost:<port of listen>)")
	fs.String("database", d.Database, "sqlite:PATH or postgres://… (default SQLite in the data folder)")
	fs.String("redis", d.Redis, "redis://… (default one inside the process)")
	fs.StringSlice("proxies", d.Proxies, "addresses or networks of proxies whose X-Forwarded-For is believed")
	fs.String("blobs", d.Blobs, "where logs are kept, as file:///… (default a folder of the data folder)")
	fs.String("cluster.kubeconfig", d.Cluster.Kubeconfig, "kubeconfig of the cluster (default $KUBECONFIG or the pod's own account)")
	fs.Bool("cluster.local", d.Cluster.Local, "start and supervise the local Kubernetes")
	fs.String("cluster.localbin", d.Cluster.LocalBin, "folder of the local Kubernetes' programs (default beside this program)")
	fs.String("cluster.localimage", d.Cluster.LocalImage, "folder of image archives for the local Kubernetes (default beside this program)")
	fs.String("secrets.keyfile", d.Secrets.KeyFile, "file with the keys that seal secrets, as `goblinlab secrets new-key` prints them (default with SQLite: one in the data folder)")
	fs.String("podurl", d.PodURL, "address at which instances and runs reach the platform (default the url)")
	fs.String("metricslisten", d.MetricsListen, "address that shows metrics to collectors without a sign-in, as 127.0.0.1:9090 (default none)")
	fs.String("log.level", d.Log.Level, "debug, info, warn or error")
	fs.Bool("log.json", d.Log.JSON, "log as JSON lines")
	fs.Int("limits.instancesperuser", d.Limits.InstancesPerUser, "instances that a person may own in a team")
	fs.Duration("limits.auditkeep", d.Limits.AuditKeep, "how long the audit log is kept; 0 for ever")
	fs.String("accounts.invitations", d.Accounts.Invitations, "who can be invited into a team: anyone, who gets an account by it, or existing people only")
	fs.Int("ssh.minport", d.SSH.MinPort, "first port for SSH to instances")
	fs.Int("ssh.maxport", d.SSH.MaxPort, "last port for SSH to instances")
	fs.String("ssh.listen", d.SSH.Listen, "address that SSH to instances listens on")
	fs.String("ssh.host", d.SSH.Host, "name that people type for SSH")
	fs.String("files.image", d.Files.Image, "image of the data manager's agent, whose entry point is goblin-init (default that of the local Kubernetes)")
	oidcFlags(fs)
	fs.String("api.introspection", d.API.Introspection, "who may ask the API for its schema: nobody, administrators, signed-in or everybody")
}

// Load reads the configuration and validates it.
func Load(fs *pflag.FlagSet) (Config, error) {
	k, given := koanf.New("."), map[string]Source{}
	if err := k.Load(structs.Provider(Default(), "koanf"), nil); err != nil {
		return Config{}, fmt.Errorf("defaults: %w", err)
	}
	layer := func(from Source, p koanf.Provider, parser koanf.Parser) error {
		l := koanf.New(".")
		if err := l.Load(p, parser); err != nil {
			return err
		}
		for _, key := range l.Keys() {
			given[key] = from
		}
		return k.Merge(l)
	}
	if p, _ := fs.GetString("config"); p != "" {
		if err := layer(FromFile, file.Provider(p), yaml.Parser()); err != nil {
			return Config{}, fmt.Errorf("--config %s: %w", p, err)
		}
	}
	envs := env.Provider(".", env.Opt{Prefix: "GOBLINLAB_", TransformFunc: func(key, v string) (string, any) {
		return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(key, "GOBLINLAB_")), "_", "."), v
	}})
	if err := layer(FromEnvironment, envs, nil); err != nil {
		return Config{}, fmt.Errorf("environment: %w", err)
	}
	if err := k.Load(posflag.Provider(fs, ".", k), nil); err != nil {
		return Config{}, fmt.Errorf("flags: %w", err)
	}
	fs.Visit(func(f *pflag.Flag) { given[f.Name] = FromFlag })
	var c Config
	if err := k.Unmarshal("", &c); err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	c.Given = given
	return c.complete()
}

func (c Config) complete() (Config, error) {
	abs, err := filepath.Abs(c.Data)
	if err != nil {
		return c, fmt.Errorf("data %q: %w", c.Data, err)
	}
	c.Data = abs
	if c.Database == "" {
		c.Database = "sqlite:" + filepath.Join(c.Data, "goblinlab.db")
	}
	if c.Blobs == "" {
		c.Blobs = "file://" + filepath.Join(c.Data, "blobs") + "?create_dir=true&no_tmp_dir=true&metadata=skip"
	}
	if c.URL == "" {
		if _, port, err := net.SplitHostPort(c.Listen); err == nil && port != "0" {
			c.URL = "http://localhost:" + port
		}
	}
	if u, err := url.Parse(c.URL); err == nil && c.PodURL == "" && u.Host != "" && !loopback(u.Hostname()) {
		c.PodURL = c.URL
	}
	if exe, err := os.Executable(); err == nil {
		if c.Cluster.LocalBin == "" {
			c.Cluster.LocalBin = filepath.Join(filepath.Dir(exe), "local")
		}
		if c.Cluster.LocalImage == "" {
			c.Cluster.LocalImage = filepath.Join(filepath.Dir(exe), "images")
		}
	}
	return c, errors.Join(c.OIDC.complete(), c.validate())
}

func (c Config) validate() error {
	var errs []error
	bad := func(key string, value any, want string) {
		errs = append(errs, fmt.Errorf("%s is %v: %s", key, value, want))
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		bad("listen", c.Listen, "must be an address with a port, as 127.0.0.1:8080")
	}
	if _, _, err := net.SplitHostPort(c.MetricsListen); err != nil && c.MetricsListen != "" {
		bad("metricslisten", c.MetricsListen, "must be an address with a port, as 127.0.0.1:9090, or empty")
	}
	if u, err := url.Parse(c.URL); err != nil || c.URL != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		bad("url", c.URL, "must be http://… or https://…")
	}
	if u, err := url.Parse(c.PodURL); err != nil || c.PodURL != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		bad("podurl", c.PodURL, "must be http://… or https://…")
	}
	if !strings.HasPrefix(c.Database, "sqlite:") && !strings.HasPrefix(c.Database, "postgres://") && !strings.HasPrefix(c.Database, "postgresql://") {
		bad("database", redact(c.Database), "must start with sqlite: or postgres://")
	}
	if c.Redis != "" && !strings.HasPrefix(c.Redis, "redis://") && !strings.HasPrefix(c.Redis, "rediss://") && !strings.HasPrefix(c.Redis, "unix://") {
		bad("redis", redact(c.Redis), "must start with redis://, rediss:// or unix://")
	}
	for _, p := range c.Proxies {
		if _, err := prefix(p); err != nil {
			bad("proxies", p, "must be an address or a network, as 10.0.0.0/8")
		}
	}
	switch c.Log.Level {
	case "debug", "info", "warn", "error":
	default:
		bad("log.level", c.Log.Level, "must be debug, info, warn or error")
	}
	if c.SSH.MinPort < 1024 || c.SSH.MaxPort > 65535 || c.SSH.MinPort > c.SSH.MaxPort {
		bad("ssh.minport and ssh.maxport", fmt.Sprintf("%d and %d", c.SSH.MinPort, c.SSH.MaxPort), "must be ports from 1024 to 65535, in order")
	}
	c.Limits.validate(bad)
	if c.Cluster.QPS <= 0 || c.Cluster.Burst <= 0 {
		bad("cluster.qps and cluster.burst", fmt.Sprintf("%v and %v", c.Cluster.QPS, c.Cluster.Burst), "must be above 0")
	}
	if c.Defaults.HomeAccess != "ReadWriteOnce" && c.Defaults.HomeAccess != "ReadWriteMany" {
		bad("defaults.homeaccess", c.Defaults.HomeAccess, "must be ReadWriteOnce or ReadWriteMany")
	}
	if !slices.Contains(TLSModes, c.Mail.TLS) {
		bad("mail.tls", c.Mail.TLS, "must be "+strings.Join(TLSModes, ", "))
	}
	if c.Mail.Port < 1 || c.Mail.Port > 65535 {
		bad("mail.port", c.Mail.Port, "must be from 1 to 65535")
	}
	if !slices.Contains(Introspectors, c.API.Introspection) {
		bad("api.introspection", c.API.Introspection, "must be "+strings.Join(Introspectors, ", "))
	}
	if c.Accounts.Invitations != Anyone && c.Accounts.Invitations != Existing {
		bad("accounts.invitations", c.Accounts.Invitations, "must be anyone or existing")
	}
	if _, err := time.LoadLocation(c.Defaults.Timezone); err != nil {
		bad("defaults.timezone", c.Defaults.Timezone, "must be an IANA name, as Asia/Shanghai")
	}
	c.OIDC.validate(bad)
	return errors.Join(errs...)
}

// TrustedProxies are the proxies' networks; validated at start.
func (c Config) TrustedProxies() []netip.Prefix {
	var out []netip.Prefix
	for _, p := range c.Proxies {
		if n, err := prefix(p); err == nil {
			out = append(out, n)
		}
	}
	return out
}

func prefix(s string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	return netip.ParsePrefix(s)
}

// redact hides the password of an address in an error.
func redact(s string) string {
	if u, err := url.Parse(s); err == nil {
		return u.Redacted()
	}
	return "(not shown)"
}
