package model

import (
	"fmt"
	"net/url"

	"github.com/goblinlab/goblinlab/ent"
	entinstance "github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/internal/carry"
	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/instance"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Site is where people reach the platform.
type Site struct {
	URL    *url.URL
	Config config.Config
}

// AppURL is the address of an app on an origin of its own.
func (s *Site) AppURL(app, instanceID string) string {
	u := *s.URL
	u.Host = app + "--" + instanceID + "." + u.Host
	u.Path = "/"
	return u.String()
}

// Instance is a development environment.
type Instance struct {
	*ent.Instance
	Team    *Team // when selected
	Owner   *User // when selected
	Image   *Image
	Volumes map[string]*Volume // of its mounts, when selected
	Shares  map[string]*Share  // of its mounts, when selected
	Known   map[string]*Secret // of those that it uses, when selected
	Can     *InstancePermissions
	// RestartToApply: edited since its start.
	RestartToApply bool
	Lang           lang.Lang
	Site           *Site
}

// IsNode says that it has a global id.
func (*Instance) IsNode() {}

// Resources as asked for.
func (i *Instance) Resources() spec.Resources { return i.Spec.Resources }

// Mounts as asked for.
func (i *Instance) Mounts() []*Mount { return mounts(i.Spec.Mounts, i.Volumes, i.Shares) }

// Ports beside those of the apps.
func (i *Instance) Ports() []spec.Port { return list(i.Spec.Ports) }

// Env is the user's own environment.
func (i *Instance) Env() []spec.EnvVar { return list(i.Spec.Env) }

// Secrets that it gets.
func (i *Instance) Secrets() []*SecretUse { return secretUses(i.Spec.Secrets, i.Known) }

// Reason why it is not running.
func (i *Instance) Reason() *Reason { return NewReason(i.Instance.Reason, i.Lang) }

// Timeline of the current or latest start.
func (i *Instance) Timeline() []*Phase { return phases(i.Instance.Timeline) }

// Starts counts its starts.
func (i *Instance) Starts() int { return int(i.StartNumber) }

// Apps inside; none while it does not run.
func (i *Instance) Apps() []*App {
	out := make([]*App, 0, len(i.Instance.Apps))
	if i.Desired != entinstance.DesiredRunning {
		return out
	}
	for _, a := range i.Instance.Apps {
		out = append(out, &App{App: a, URL: i.appURL(a), Reason: NewReason(a.Reason, i.Lang)})
	}
	return out
}

// appURL is empty for what is no web app.
func (i *Instance) appURL(a spec.App) string {
	if a.Name == "sshd" {
		return ""
	}
	return i.Site.AppURL(a.Name, i.ID)
}

// SSH says how to reach it; nil while sshd is not there.
func (i *Instance) SSH() *SSHAccess {
	if i.SSHPort == nil || i.State != entinstance.StateRunning && i.State != entinstance.StateUnhealthy {
		return nil
	}
	for _, a := range i.Instance.Apps {
		if a.Name == "sshd" && a.State == "ready" {
			return &SSHAccess{Host: i.Site.Config.Now().SSH.Host, Port: *i.SSHPort, HostKeyFingerprint: i.HostKey, alias: i.ObjectName}
		}
	}
	return nil
}

// InstancePreset is what an instance would be made with.
type InstancePreset struct {
	instance.Preset
	Volumes map[string]*Volume // of its mounts, when selected
	Shares  map[string]*Share  // of its mounts, when selected
	Known   map[string]*Secret // of those that it uses, when selected
	Lang    lang.Lang
}

// ImageID is nil where another image is to be chosen.
func (p *InstancePreset) ImageID() *string {
	if p.Spec.ImageID == "" {
		return nil
	}
	return &p.Spec.ImageID
}

// Resources as the run had them, as far as they are allowed.
func (p *InstancePreset) Resources() spec.Resources { return p.Spec.Resources }

// Mounts that the viewer may have.
func (p *InstancePreset) Mounts() []*Mount { return mounts(p.Spec.Mounts, p.Volumes, p.Shares) }

// Env has the command among it.
func (p *InstancePreset) Env() []spec.EnvVar { return list(p.Spec.Env) }

// Secrets that the viewer may give to it.
func (p *InstancePreset) Secrets() []*SecretUse { return secretUses(p.Spec.Secrets, p.Known) }

// CommandVariable holds the command in the instance.
func (*InstancePreset) CommandVariable() string { return carry.EnvCommand }

// Notes tell what did not come along.
func (p *InstancePreset) Notes() []*CarryNote { return carryNotes(p.Preset.Notes, p.Lang) }

// carryNotes says notes in a language.
func carryNotes(in []carry.Note, l lang.Lang) []*CarryNote {
	out := make([]*CarryNote, len(in))
	for i, n := range in {
		out[i] = &CarryNote{Code: string(n.How), What: n.What, Text: carry.Text(l, n)}
	}
	return out
}

// App is a program that an instance serves.
type App struct {
	spec.App
	URL    string
	Reason *Reason // in the viewer's language
}

// SSHAccess is how to reach an instance by SSH.
type SSHAccess struct {
	Host               string
	Port               int
	HostKeyFingerprint string
	alias              string
}

// User to sign in as.
func (*SSHAccess) User() string { return "root" }

// Command to type.
func (s *SSHAccess) Command() string { return fmt.Sprintf("ssh -p %d root@%s", s.Port, s.Host) }

// Config is an entry for ~/.ssh/config.
func (s *SSHAccess) Config() string {
	return fmt.Sprintf("Host %s\n  HostName %s\n  Port %d\n  User root\n", s.alias, s.Host, s.Port)
}

// list makes nothing an empty list: the schema's lists are never null.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}
