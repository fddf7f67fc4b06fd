package setting

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/goblinlab/goblinlab/internal/secret/envelope"
)

// Keys are the platform's keys for secrets. Again reads them once more when one
// is missing.
type Keys interface {
	Ring() envelope.Ring
	Again(func(envelope.Ring) error) error
}

// Keyed seals with the platform's keys for secrets.
func Keyed(k Keys) Box { return keyed{k} }

type keyed struct{ keys Keys }

const sealedName = "value"

func place(about string) envelope.Place { return envelope.Place{Row: about, Owner: "platform"} }

// Seal implements Box.
func (k keyed) Seal(text, about string) (string, error) {
	s, err := k.keys.Ring().Seal(place(about), map[string][]byte{sealedName: []byte(text)})
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	return written(s)
}

func written(s envelope.Sealed) (string, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("write what is sealed: %w", err)
	}
	return string(b), nil
}

func read(sealed string) (s envelope.Sealed, err error) {
	if json.Unmarshal([]byte(sealed), &s) != nil {
		return s, errors.New("what is sealed cannot be read") // the cause would quote it
	}
	return s, nil
}

// Open implements Box.
func (k keyed) Open(sealed, about string) (string, error) {
	s, err := read(sealed)
	if err != nil {
		return "", err
	}
	var values map[string][]byte
	err = k.keys.Again(func(r envelope.Ring) (err error) {
		values, err = r.Open(place(about), s)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("open: %w", err)
	}
	return string(values[sealedName]), nil
}
