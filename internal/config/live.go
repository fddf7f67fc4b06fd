package config

import "sync/atomic"

// Source is where a value of the configuration comes from.
type Source string

// Sources, each before those above it.
const (
	FromDefault     Source = "default"
	FromPage        Source = "page"
	FromFile        Source = "file"
	FromEnvironment Source = "environment"
	FromFlag        Source = "flag"
)

// Words that keys of a choice take.
var (
	TLSModes      = []string{"starttls", "tls", "none"}
	Introspectors = []string{"nobody", "administrators", "signed-in", "everybody"}
)

// Live holds the configuration as it is at the moment: as the process was
// started with, and with what was changed in the page since.
type Live struct{ now atomic.Pointer[Config] }

// Alive gives the configuration a place for later changes, which every copy of
// it sees by Now.
func (c Config) Alive() (Config, *Live) {
	l := &Live{}
	c.live = l
	l.Set(c)
	return c, l
}

// Set is the configuration from now on. It must not be changed afterwards.
func (l *Live) Set(c Config) { l.now.Store(&c) }

// Now is the configuration as it is at the moment. Whoever keeps a Config asks
// it for every key that the page can change: limits, defaults, pools, SSH,
// profiles, mail and the API.
func (c Config) Now() Config {
	if c.live == nil {
		return c
	}
	return c.live.Now()
}

// Now is the configuration as it is at the moment.
func (l *Live) Now() Config { return *l.now.Load() }
