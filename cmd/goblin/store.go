package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// settings are what goblin remembers between two calls.
type settings struct {
	Current string           `json:"current,omitempty"` // address of the server that commands are about
	Servers map[string]entry `json:"servers,omitempty"` // by address
}

// entry is a sign-in on a server.
type entry struct {
	Token     string    `json:"token"`
	Scope     string    `json:"scope"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// settingsPath is $XDG_CONFIG_HOME/goblin/config.json, on every system the same.
func settingsPath() (string, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", failf(exitFailed, "no place for the configuration: %w; set XDG_CONFIG_HOME", err)
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "goblin", "config.json"), nil
}

func readSettings() (settings, error) {
	s := settings{Servers: map[string]entry{}}
	path, err := settingsPath()
	if err != nil {
		return s, err
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, failf(exitFailed, "read the configuration: %w", err)
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, failf(exitFailed, "the configuration %s is damaged: %w; delete it and sign in again", path, err)
	}
	if s.Servers == nil {
		s.Servers = map[string]entry{}
	}
	return s, nil
}

// write replaces the file whole, readable by its owner alone from the first
// byte on: whoever reads meanwhile finds the old one or the new one.
func (s settings) write() error {
	path, err := settingsPath()
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = replace(path, append(b, '\n'))
	}
	if err != nil {
		return failf(exitFailed, "write the configuration: %w", err)
	}
	return nil
}

func replace(path string, b []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".config-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
