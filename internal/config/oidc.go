package config

import (
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/goblinlab/goblinlab/internal/authz"
)

// OIDC says how people sign in through an OpenID provider. Without an issuer there is none.
type OIDC struct {
	Issuer           string   `koanf:"issuer"`           // address of the provider, as it calls itself
	ClientID         string   `koanf:"clientid"`         // what the provider knows this platform by
	ClientSecret     Secret   `koanf:"clientsecret"`     // no flag: whoever lists processes would read it
	ClientSecretFile string   `koanf:"clientsecretfile"` // file that holds it; empty for none
	Name             string   `koanf:"name"`             // on the button; empty for the issuer's host
	Scopes           []string `koanf:"scopes"`
	EmailClaim       string   `koanf:"emailclaim"` // names of claims; a dot leads into an object
	NameClaim        string   `koanf:"nameclaim"`
	GroupsClaim      string   `koanf:"groupsclaim"`
	Teams            []string `koanf:"teams"`      // rules GROUP=TEAM:ROLE
	Platform         []string `koanf:"platform"`   // rules GROUP=ROLE
	AutoCreate       bool     `koanf:"autocreate"` // make people who sign in for the first time
	Domains          []string `koanf:"domains"`    // of their e-mail addresses; * for any
	// Session is how long who came through the provider goes on without coming again: groups are read then.
	Session time.Duration `koanf:"session"`
}

// Enabled reports whether there is a provider.
func (o OIDC) Enabled() bool { return o.Issuer != "" }

// TeamRule gives who is in a group a role in a team, which is named or given by its id.
type TeamRule struct {
	Group, Team string
	Role        authz.Role
}

// PlatformRule gives who is in a group a role on the platform.
type PlatformRule struct {
	Group string
	Role  authz.PlatformRole
}

// Secret is a text that is never printed: whatever formats, logs or encodes it sees that it is there and no more.
type Secret string

// Reveal is the text itself.
func (s Secret) Reveal() string { return string(s) }

// String hides it.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(not shown)"
}

// GoString hides it from %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText hides it from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides it from the log.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

func defaultOIDC() OIDC {
	return OIDC{Scopes: []string{"openid", "profile", "email"}, EmailClaim: "email", NameClaim: "name", GroupsClaim: "groups", Session: 7 * 24 * time.Hour}
}

func oidcFlags(fs *pflag.FlagSet) {
	d := defaultOIDC()
	fs.String("oidc.issuer", d.Issuer, "address of the OpenID provider that people sign in through")
	fs.String("oidc.clientid", d.ClientID, "what the provider knows this platform by")
	fs.String("oidc.clientsecretfile", d.ClientSecretFile, "file with the client's secret (or the variable GOBLINLAB_OIDC_CLIENTSECRET)")
	fs.String("oidc.name", d.Name, "the provider's name on the button (default its host)")
	fs.StringSlice("oidc.scopes", d.Scopes, "scopes that are asked for")
	fs.String("oidc.emailclaim", d.EmailClaim, "claim with the e-mail address")
	fs.String("oidc.nameclaim", d.NameClaim, "claim with the name to show")
	fs.String("oidc.groupsclaim", d.GroupsClaim, "claim with the groups; a dot leads into an object")
	fs.StringSlice("oidc.teams", d.Teams, "roles in teams by group, as GROUP=TEAM:ROLE")
	fs.StringSlice("oidc.platform", d.Platform, "roles on the platform by group, as GROUP=ROLE")
	fs.Bool("oidc.autocreate", d.AutoCreate, "make people who sign in for the first time")
	fs.Duration("oidc.session", d.Session, "how long a sign-in through the provider lasts; groups are read anew at each")
	fs.StringSlice("oidc.domains", d.Domains, "domains of the e-mail addresses of people who are made so, * for any")
}

// complete fills in what follows from the rest; what cannot be is noted as validate notes it.
func (o *OIDC) complete() error {
	o.Issuer = strings.TrimSpace(o.Issuer)
	if u, err := url.Parse(o.Issuer); err == nil && o.Name == "" {
		o.Name = u.Host
	}
	for i, d := range o.Domains {
		o.Domains[i] = strings.ToLower(strings.TrimSpace(d))
	}
	if o.ClientSecretFile == "" {
		return nil
	}
	if o.ClientSecret != "" {
		return fmt.Errorf("oidc.clientsecret and oidc.clientsecretfile are both there: must be one of them")
	}
	b, err := os.ReadFile(o.ClientSecretFile)
	if err != nil {
		return fmt.Errorf("oidc.clientsecretfile is %s: must be a file that can be read: %w", o.ClientSecretFile, err)
	}
	if o.ClientSecret = Secret(strings.TrimSpace(string(b))); o.ClientSecret == "" {
		return fmt.Errorf("oidc.clientsecretfile is %s: must hold the secret, and is empty", o.ClientSecretFile)
	}
	return nil
}

const minProviderSession = 10 * time.Minute

const maxProviderName = 40 // characters; it has to fit a button

func (o OIDC) validate(bad func(key string, value any, want string)) {
	if !o.Enabled() {
		if o.ClientID != "" || o.ClientSecret != "" || o.AutoCreate || len(o.Teams)+len(o.Platform)+len(o.Domains) > 0 {
			bad("oidc.issuer", "empty", "must be the provider's address, or nothing else of oidc may be set")
		}
		return
	}
	if !goodIssuer(o.Issuer) {
		bad("oidc.issuer", redact(o.Issuer), "must be https://… without query and fragment (http:// for this machine alone)")
	}
	if o.ClientID == "" {
		bad("oidc.clientid", "empty", "must be what the provider knows this platform by")
	}
	if !slices.Contains(o.Scopes, "openid") {
		bad("oidc.scopes", strings.Join(o.Scopes, ","), "must contain openid")
	}
	if n := len([]rune(o.Name)); n < 1 || n > maxProviderName {
		bad("oidc.name", o.Name, fmt.Sprintf("must have 1 to %d characters", maxProviderName))
	}
	if o.Session < minProviderSession {
		bad("oidc.session", o.Session, fmt.Sprintf("must be %s or longer", minProviderSession))
	}
	for key, name := range map[string]string{"oidc.emailclaim": o.EmailClaim, "oidc.nameclaim": o.NameClaim, "oidc.groupsclaim": o.GroupsClaim} {
		if name == "" {
			bad(key, "empty", "must be a claim's name")
		}
	}
	for _, r := range o.Teams {
		if _, ok := parseTeamRule(r); !ok {
			bad("oidc.teams", r, "must be GROUP=TEAM:ROLE with the role viewer, member, maintainer or owner")
		}
	}
	for _, r := range o.Platform {
		if _, ok := parsePlatformRule(r); !ok {
			bad("oidc.platform", r, "must be GROUP=ROLE with the role auditor or administrator")
		}
	}
	if o.AutoCreate && len(o.Domains) == 0 {
		bad("oidc.domains", "empty", "must name the domains of new people's addresses, as example.com, or * for any")
	}
	for _, d := range o.Domains {
		if d != "*" && (d == "" || strings.ContainsAny(d, "@*/ ") || strings.HasPrefix(d, ".")) {
			bad("oidc.domains", d, "must be domains, as example.com, or * for any")
		}
	}
}

// goodIssuer reports whether an address may be asked who somebody is. Over plain
// http everybody on the way could answer.
func goodIssuer(issuer string) bool {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

// parseTeamRule reads from the end: a group may be a distinguished name with signs of its own.
func parseTeamRule(text string) (TeamRule, bool) {
	i := strings.LastIndex(text, "=")
	j := strings.LastIndex(text, ":")
	if i < 1 || j < i+2 {
		return TeamRule{}, false
	}
	r := TeamRule{Group: strings.TrimSpace(text[:i]), Team: strings.TrimSpace(text[i+1 : j]), Role: authz.Role(strings.TrimSpace(text[j+1:]))}
	switch r.Role {
	case authz.RoleViewer, authz.RoleMember, authz.RoleMaintainer, authz.RoleOwner:
		return r, r.Group != "" && r.Team != ""
	}
	return TeamRule{}, false
}

func parsePlatformRule(text string) (PlatformRule, bool) {
	i := strings.LastIndex(text, "=")
	if i < 1 {
		return PlatformRule{}, false
	}
	r := PlatformRule{Group: strings.TrimSpace(text[:i]), Role: authz.PlatformRole(strings.TrimSpace(text[i+1:]))}
	return r, r.Group != "" && (r.Role == authz.PlatformAuditor || r.Role == authz.PlatformAdministrator)
}

// TeamRules are the rules of teams; validated at start.
func (o OIDC) TeamRules() []TeamRule {
	var out []TeamRule
	for _, text := range o.Teams {
		if r, ok := parseTeamRule(text); ok {
			out = append(out, r)
		}
	}
	return out
}

// PlatformRules are the rules of the platform; validated at start.
func (o OIDC) PlatformRules() []PlatformRule {
	var out []PlatformRule
	for _, text := range o.Platform {
		if r, ok := parsePlatformRule(text); ok {
			out = append(out, r)
		}
	}
	return out
}

// Admits reports whether somebody with that address may be made by signing in.
func (o OIDC) Admits(email string) bool {
	if !o.AutoCreate {
		return false
	}
	_, domain, _ := strings.Cut(strings.ToLower(email), "@")
	return slices.Contains(o.Domains, "*") || domain != "" && slices.Contains(o.Domains, domain)
}
