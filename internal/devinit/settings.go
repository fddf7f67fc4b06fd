package devinit

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Names of the variables that goblin-init reads. docs/images.md explains them
// to the authors of images.
const (
	envHome        = "GOBLINLAB_HOME"
	envJupyterBase = "GOBLINLAB_JUPYTER_BASE"
	envSkeleton    = "GOBLINLAB_SKELETON"
	envHostKeys    = "GOBLINLAB_SSH_HOST_KEYS"
	envStatus      = "GOBLINLAB_STATUS_ADDR"
	envBoardLogs   = "GOBLINLAB_TENSORBOARD_LOGS"
)

// Defaults of Settings.
const (
	DefaultHome     = "/home/goblin"
	DefaultSkeleton = "/etc/skel-goblin"
	DefaultHostKeys = "/etc/goblinlab/ssh-host-keys"
	DefaultStatus   = ":9999"

	defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

// ErrSettings is the cause of every refused setting.
var ErrSettings = errors.New("invalid setting")

// Settings are the facts that do not change while the container runs. None of
// them is secret.
type Settings struct {
	Home        string // where the home volume is mounted, and HOME of everything
	Skeleton    string // what an empty home is seeded with
	HostKeys    string // the mounted SSH host keys, read-only
	JupyterBase string // JupyterLab's base URL, with a slash at both ends
	Status      string // address of the status server

	RunDir  string // files made for this run, lost with the container
	Cgroup  string // where the kernel shows the container's cgroup
	SSHDir  string // sshd's folder for privilege separation and host keys
	Passwd  string // the account file
	Profile string // the snippet that gives login shells the environment

	Environ []string // the environment for apps and shells, without secrets
	Grace   time.Duration
	Backoff Backoff
}

// SettingsFrom reads the settings out of an environment from which the secrets
// were taken already.
func SettingsFrom(environ []string) (Settings, error) {
	env := environMap(environ)
	or := func(name, fallback string) string {
		if v := env[name]; v != "" {
			return v
		}
		return fallback
	}
	s := Settings{
		Home:        or(envHome, DefaultHome),
		Skeleton:    or(envSkeleton, DefaultSkeleton),
		HostKeys:    or(envHostKeys, DefaultHostKeys),
		JupyterBase: or(envJupyterBase, "/"),
		Status:      or(envStatus, DefaultStatus),
		RunDir:      "/run/goblinlab",
		SSHDir:      "/run/sshd",
		Cgroup:      "/sys/fs/cgroup",
		Passwd:      "/etc/passwd",
		Profile:     "/etc/profile.d/goblinlab.sh",
		Grace:       5 * time.Second,
		Backoff:     Backoff{Min: time.Second, Max: 30 * time.Second, Stable: time.Minute},
	}
	if !filepath.IsAbs(s.Home) || filepath.Clean(s.Home) == "/" || strings.ContainsAny(s.Home, ":\n") {
		return Settings{}, fmt.Errorf("%w: %s=%q must be an absolute folder below /, without a colon", ErrSettings, envHome, s.Home)
	}
	s.Home = filepath.Clean(s.Home)
	s.JupyterBase = "/" + strings.Trim(s.JupyterBase, "/") + "/"
	if s.JupyterBase == "//" {
		s.JupyterBase = "/"
	}
	s.Environ = withDefaults(environ, s.Home)
	return s, nil
}

// withDefaults sets what every process of the container relies on. HOME is the
// home volume even though everything runs as root.
func withDefaults(environ []string, home string) []string {
	env := environMap(environ)
	out := setVar(environ, "HOME", home)
	for name, value := range map[string]string{
		"PATH": defaultPath, "LANG": "C.UTF-8", "USER": "root", "LOGNAME": "root", "SHELL": "/bin/bash",
	} {
		if env[name] == "" {
			out = setVar(out, name, value)
		}
	}
	slices.Sort(out)
	return out
}

// environMap reads an environment. Of a name that occurs twice the last counts,
// as in a shell.
func environMap(environ []string) map[string]string {
	m := make(map[string]string, len(environ))
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			m[name] = value
		}
	}
	return m
}

// setVar returns a copy of environ in which name occurs once, with this value.
func setVar(environ []string, name, value string) []string {
	return append(dropVars(environ, name), name+"="+value)
}

// dropVars returns a copy of environ without the names.
func dropVars(environ []string, names ...string) []string {
	out := make([]string, 0, len(environ)+1)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(names, name) {
			out = append(out, kv)
		}
	}
	return out
}
