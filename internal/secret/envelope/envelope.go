package envelope

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Place is where sealed values stand; they open nowhere else.
type Place struct {
	Row   string // id of the row
	Owner string // the kind and id of whom it belongs to, as "team:team-…"
}

// Sealed is a secret as it is stored.
type Sealed struct {
	KeyID   string            // of the master key that wraps
	Wrapped []byte            // the data key, sealed by the master key
	Values  map[string][]byte // by name, sealed by the data key
	// Fingerprint tells versions of a secret apart, and nothing else: it is keyed
	// by the data key, so that nobody finds a value by trying.
	Fingerprint string
}

// MissingKeyError says that no master key has the id that a secret was sealed under.
type MissingKeyError struct{ ID string }

func (e MissingKeyError) Error() string {
	return fmt.Sprintf("the key %q, which sealed this secret, is not configured", e.ID)
}

// WrongKeyError says that the master key of that id did not seal what stands
// here, or that what stands here was changed: that cannot be told apart.
type WrongKeyError struct{ ID string }

func (e WrongKeyError) Error() string {
	return fmt.Sprintf("the configured key %q does not open this secret: it is another key under the same id, or the row was changed", e.ID)
}

// ErrDamaged says that a value was changed, or stands where it does not belong.
var ErrDamaged = errors.New("the sealed value is damaged, or belongs elsewhere")

// ErrNoKeys says that there is no master key at all.
var ErrNoKeys = errors.New("no key for secrets is configured")

// Seal seals values under a new data key and the newest master key.
func (r Ring) Seal(at Place, values map[string][]byte) (Sealed, error) {
	if r.Empty() {
		return Sealed{}, ErrNoKeys
	}
	var data [keyBytes]byte
	_, _ = rand.Read(data[:]) // never fails since Go 1.24
	master := &r.keys[len(r.keys)-1]
	out := Sealed{KeyID: master.id, Values: make(map[string][]byte, len(values))}
	out.Wrapped = seal(master.raw[:], data[:], wrapData(at, master.id))
	for name, v := range values {
		out.Values[name] = seal(data[:], v, valueData(at, name))
	}
	out.Fingerprint = fingerprint(data[:], values)
	return out, nil
}

// Open gives the values of a secret that stands at a place.
func (r Ring) Open(at Place, s Sealed) (map[string][]byte, error) {
	data, err := r.unwrap(at, s)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(s.Values))
	for name, box := range s.Values {
		v, err := open(data, box, valueData(at, name))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, ErrDamaged)
		}
		out[name] = v
	}
	return out, nil
}

// Rewrap wraps the data key of a secret under the newest master key. Values and
// fingerprint stay as they are.
func (r Ring) Rewrap(at Place, s Sealed) (Sealed, error) {
	data, err := r.unwrap(at, s)
	if err != nil {
		return Sealed{}, err
	}
	master := &r.keys[len(r.keys)-1]
	s.KeyID, s.Wrapped = master.id, seal(master.raw[:], data, wrapData(at, master.id))
	return s, nil
}

// Check reports whether the data key of a secret can be had.
func (r Ring) Check(at Place, s Sealed) error {
	_, err := r.unwrap(at, s)
	return err
}

func (r Ring) unwrap(at Place, s Sealed) ([]byte, error) {
	if r.Empty() {
		return nil, ErrNoKeys
	}
	master, ok := r.key(s.KeyID)
	if !ok {
		return nil, MissingKeyError{s.KeyID}
	}
	data, err := open(master.raw[:], s.Wrapped, wrapData(at, s.KeyID))
	if err != nil || len(data) != keyBytes {
		return nil, WrongKeyError{s.KeyID}
	}
	return data, nil
}

// The additional data begin with a word of their own, so that a wrapped key is
// never taken for a value. Each part goes with its length: no two places give
// the same bytes.
func wrapData(at Place, keyID string) []byte {
	return parts("goblinlab wrapped key 1", at.Row, at.Owner, keyID)
}

func valueData(at Place, name string) []byte {
	return parts("goblinlab secret value 1", at.Row, at.Owner, name)
}

func parts(list ...string) []byte {
	var b []byte
	for _, p := range list {
		b = binary.BigEndian.AppendUint32(b, uint32(len(p)))
		b = append(b, p...)
	}
	return b
}

// seal puts a random nonce before the ciphertext. A key seals at most 2^32
// values (NIST SP 800-38D): a data key a few, a master key one for each secret.
func seal(k, plain, bound []byte) []byte {
	return aead(k).Seal(nil, nil, plain, bound)
}

func open(k, box, bound []byte) ([]byte, error) {
	return aead(k).Open(nil, nil, box, bound)
}

// aead cannot fail for keys of 32 bytes, which the callers' types see to.
func aead(k []byte) cipher.AEAD {
	block, err := aes.NewCipher(k)
	if err != nil {
		panic("envelope: " + err.Error())
	}
	a, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("envelope: " + err.Error())
	}
	return a
}

const fingerprintBytes = 4

func fingerprint(data []byte, values map[string][]byte) string {
	m := hmac.New(sha256.New, data)
	m.Write([]byte("goblinlab secret fingerprint 1"))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		m.Write(parts(name, string(values[name])))
	}
	return hex.EncodeToString(m.Sum(nil)[:fingerprintBytes])
}
