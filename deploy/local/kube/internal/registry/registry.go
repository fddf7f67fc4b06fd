// Package registry writes how the nodes reach the registries of images: containerd's hosts.toml files. They are read at
// each pull, so a change counts at once.
package registry

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/distribution/reference"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/pki"
)

// AnyHost stands for every registry that has no settings of its own.
const AnyHost = "_default"

const (
	hostsFile = "hosts.toml"
	caFile    = "ca.crt"
	// mark is the first line of the files that are ours; one that somebody wrote is never overwritten.
	mark = "# Written by: goblinlab-local registry set"
)

// Settings are how one registry is reached.
type Settings struct {
	Host string // as image names have it, with its port; AnyHost for all others
	// Mirrors are addresses that are asked first, in this order, as https://mirror.example:5000. What they do not have is
	// asked of the registry itself.
	Mirrors []string
	HTTP    bool // the registry speaks plain HTTP
	// CA is a file of certificates by which the registry and its mirrors are trusted, in PEM; it is copied.
	CA         string
	SkipVerify bool // no certificate is checked
}

// Entry is a registry that has settings.
type Entry struct {
	Host string
	File string
	Ours bool // written by Set
}

var hosts = template.Must(template.New("hosts").Parse(mark + `
{{- if .Server}}
server = "{{.Server}}"
{{- end}}
{{- if .Server}}{{template "trust" .}}{{end}}
{{- range .Mirrors}}

[host."{{.}}"]
capabilities = ["pull", "resolve"]
{{- template "trust" $}}
{{- end}}
{{define "trust"}}
{{- if .CA}}
ca = "{{.CA}}"
{{- end}}
{{- if .SkipVerify}}
skip_verify = true
{{- end}}
{{- end}}`))

// Set writes the settings of a registry below a folder and replaces those that it had.
func Set(dir string, s Settings) error {
	if err := s.check(); err != nil {
		return err
	}
	at := filepath.Join(dir, s.Host)
	if err := onlyOurs(at); err != nil {
		return err
	}
	file := struct {
		Settings
		Server string
	}{Settings: s}
	switch {
	case s.Host == AnyHost: // containerd asks the registry that the image names
	case s.Host == "docker.io":
		file.Server = "https://registry-1.docker.io"
	case s.HTTP:
		file.Server = "http://" + s.Host
	default:
		file.Server = "https://" + s.Host
	}
	var ca []byte
	if s.CA != "" {
		var err error
		if ca, err = readCA(s.CA); err != nil {
			return err
		}
		file.CA = caFile // beside hosts.toml
	}
	var b bytes.Buffer
	if err := hosts.Execute(&b, file); err != nil {
		return err
	}
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	if ca != nil {
		if err := pki.WriteFile(filepath.Join(at, caFile), ca, 0o644); err != nil {
			return err
		}
	}
	return pki.WriteFile(filepath.Join(at, hostsFile), b.Bytes(), 0o644)
}

// check names what is wrong with settings.
func (s Settings) check() error {
	if err := checkHost(s.Host); err != nil {
		return err
	}
	if len(s.Mirrors) == 0 && !s.HTTP && s.CA == "" && !s.SkipVerify {
		return errors.New("nothing to set: give --mirror, --http, --ca or --skip-verify")
	}
	if s.Host == AnyHost && len(s.Mirrors) == 0 {
		return fmt.Errorf("%s: needs --mirror; --http, --ca and --skip-verify can be set for a registry of its own only", AnyHost)
	}
	if s.HTTP && len(s.Mirrors) == 0 && (s.CA != "" || s.SkipVerify) {
		return errors.New("--http: plain HTTP has no certificate; leave --ca and --skip-verify out")
	}
	if s.CA != "" && s.SkipVerify {
		return errors.New("--skip-verify: checks no certificate, so --ca would not be used; give one of them")
	}
	for _, m := range s.Mirrors {
		u, err := url.Parse(m)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil ||
			strings.ContainsAny(m, "\"\\\n") {
			return fmt.Errorf("--mirror: %q is not the address of a mirror; write it as https://mirror.example:5000", m)
		}
	}
	return nil
}

// checkHost accepts what the first part of an image's name can be.
func checkHost(host string) error {
	if host == AnyHost {
		return nil
	}
	named, err := reference.ParseNormalizedNamed(host + "/image")
	if err != nil || reference.Domain(named) != host {
		return fmt.Errorf("%q is not a registry as image names begin with it; write it as registry.example:5000, docker.io, or %s for all others", host, AnyHost)
	}
	return nil
}

func readCA(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--ca: %w", err)
	}
	found := false
	for rest := b; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("--ca: %s holds a %s; only certificates belong into it", path, block.Type)
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return nil, fmt.Errorf("--ca: %s: %w", path, err)
		}
		found = true
	}
	if !found {
		return nil, fmt.Errorf("--ca: %s holds no certificate in PEM (-----BEGIN CERTIFICATE-----)", path)
	}
	return b, nil
}

// onlyOurs refuses a folder whose settings somebody wrote by hand.
func onlyOurs(at string) error {
	b, err := os.ReadFile(filepath.Join(at, hostsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(b), mark) {
		return fmt.Errorf("%s was written by hand; change it there, or delete it first", filepath.Join(at, hostsFile))
	}
	return nil
}

// List gives the registries that have settings, by host.
func List(dir string) ([]Entry, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", hostsFile))
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{Host: filepath.Base(filepath.Dir(p)), File: p, Ours: strings.HasPrefix(string(b), mark)})
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Host, b.Host) })
	return out, nil
}

// Remove deletes the settings of a registry.
func Remove(dir, host string) error {
	if err := checkHost(host); err != nil {
		return err
	}
	at := filepath.Join(dir, host)
	if _, err := os.Stat(filepath.Join(at, hostsFile)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("registry %s has no settings; see those that have with: goblinlab-local registry ls", host)
	}
	if err := onlyOurs(at); err != nil {
		return err
	}
	return errors.Join(os.Remove(filepath.Join(at, hostsFile)), ignoreMissing(os.Remove(filepath.Join(at, caFile))), ignoreNotEmpty(os.Remove(at)))
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// ignoreNotEmpty keeps a folder in which somebody has files of their own.
func ignoreNotEmpty(err error) error {
	if errors.Is(err, os.ErrExist) { // as Go names ENOTEMPTY
		return nil
	}
	return err
}
