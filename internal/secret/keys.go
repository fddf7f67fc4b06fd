package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/goblinlab/goblinlab/internal/config"
	"github.com/goblinlab/goblinlab/internal/secret/envelope"
)

const keyFileName = "secrets.key"

// Keys are the configured master keys. A key file is read again when a key is
// missing: a new one may have been added since.
type Keys struct {
	file string   // empty for none
	more []string // of the configuration itself

	mu   sync.Mutex
	ring envelope.Ring
}

// OpenKeys reads the master keys. Without any it makes a key file in the data
// folder of an SQLite database; with PostgreSQL, where other processes would not
// see that file, there are no keys, and secrets are refused with advice.
func OpenKeys(c config.Config) (*Keys, error) {
	k := &Keys{file: c.Secrets.KeyFile, more: c.Secrets.Keys}
	if k.file == "" && len(k.more) == 0 && strings.HasPrefix(c.Database, "sqlite:") {
		k.file = filepath.Join(c.Data, keyFileName)
		if err := makeKeyFile(k.file); err != nil {
			return nil, err
		}
	}
	return k, k.read()
}

// Fixed are keys that are given as they are.
func Fixed(r envelope.Ring) *Keys { return &Keys{ring: r} }

// Ring are the keys as read last.
func (k *Keys) Ring() envelope.Ring {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ring
}

// read reads the keys. With an error the old ones stay.
func (k *Keys) read() error {
	if k.file == "" && k.more == nil {
		return nil
	}
	text := ""
	if k.file != "" {
		b, err := os.ReadFile(k.file)
		if err != nil {
			return fmt.Errorf("secrets.keyfile: %w; without its keys no secret can be opened", err)
		}
		text = string(b) + "\n"
		if info, err := os.Stat(k.file); err == nil && info.Mode().Perm()&0o004 != 0 {
			slog.Warn("everybody on this machine can read the keys of secrets; take the right from others", "file", k.file)
		}
	}
	ring, err := envelope.ParseRing(text + strings.Join(k.more, "\n"))
	if err != nil {
		return fmt.Errorf("secrets.keyfile and secrets.keys: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ring = ring
	return nil
}

// Again runs f with the keys, and once more with those of a fresh look when one is missing.
func (k *Keys) Again(f func(envelope.Ring) error) error {
	err := f(k.Ring())
	if !errors.As(err, new(envelope.MissingKeyError)) || k.file == "" {
		return err
	}
	if k.read() != nil {
		return err
	}
	return f(k.Ring())
}

// makeKeyFile makes a file with a new key unless there is one. It appears whole,
// with all its rights, or not at all; of several processes the first one wins.
func makeKeyFile(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("folder of the keys of secrets: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+keyFileName+"-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("make keys of secrets: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString("# The key that seals the secrets of people and teams. Keep a copy apart from the database:\n" +
		"# without it they are lost. The last key seals, all of them open.\n" + envelope.NewKey() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write keys of secrets: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make keys of secrets: %w", err)
	}
	return nil
}
