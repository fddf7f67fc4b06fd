package envelope

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

const keyBytes = 32 // AES-256

// key is a master key. It does not print itself.
type key struct {
	id  string
	raw [keyBytes]byte
}

// String keeps keys out of logs.
func (key) String() string { return "(key)" }

// GoString keeps keys out of logs.
func (key) GoString() string { return "(key)" }

// Ring are master keys by id, the newest last. The newest seals, all of them open.
type Ring struct{ keys []key }

// String keeps keys out of logs.
func (r Ring) String() string { return fmt.Sprintf("(%d keys)", len(r.keys)) }

// GoString keeps keys out of logs.
func (r Ring) GoString() string { return r.String() }

// Empty reports a ring without keys.
func (r Ring) Empty() bool { return len(r.keys) == 0 }

// Newest is the id of the key that seals; empty without keys.
func (r Ring) Newest() string {
	if r.Empty() {
		return ""
	}
	return r.keys[len(r.keys)-1].id
}

// IDs are those of all keys, the newest last.
func (r Ring) IDs() []string {
	out := make([]string, len(r.keys))
	for i := range r.keys {
		out[i] = r.keys[i].id
	}
	return out
}

func (r Ring) key(id string) (*key, bool) {
	for i := range r.keys {
		if r.keys[i].id == id {
			return &r.keys[i], true
		}
	}
	return nil, false
}

var keyID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// NewKey makes a key at random, as a line of a key file. Its id is made of its
// fingerprint, so that two keys never share one.
func NewKey() string {
	var raw [keyBytes]byte
	_, _ = rand.Read(raw[:]) // never fails since Go 1.24
	sum := sha256.Sum256(append([]byte("goblinlab key id"), raw[:]...))
	return "k" + hex.EncodeToString(sum[:5]) + ":" + base64.StdEncoding.EncodeToString(raw[:])
}

// ParseRing reads keys, one a line or a comma, as "ID:BASE64" with 32 bytes each;
// the last one is the newest. Empty lines and those that begin with "#" are
// passed over. Errors quote ids and places, never keys.
func ParseRing(text string) (Ring, error) {
	var r Ring
	var errs []error
	n := 0
	for line := range strings.Lines(text) {
		n++
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for item := range strings.SplitSeq(line, ",") {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			k, err := parseKey(item)
			switch _, twice := r.key(k.id); {
			case err != nil:
				errs = append(errs, fmt.Errorf("line %d: %w", n, err))
			case twice:
				errs = append(errs, fmt.Errorf("line %d: there are two keys with the id %s", n, k.id))
			default:
				r.keys = append(r.keys, k)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return Ring{}, err
	}
	return r, nil
}

func parseKey(item string) (key, error) {
	id, text, ok := strings.Cut(item, ":")
	if !ok || !keyID.MatchString(id) {
		return key{}, errors.New("a key must read ID:KEY, its id of at most 40 letters, digits, dots and dashes")
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != keyBytes {
		return key{}, fmt.Errorf("the key %s must be %d bytes in base64; `goblinlab secrets new-key` makes one", id, keyBytes)
	}
	return key{id: id, raw: [keyBytes]byte(raw)}, nil
}
