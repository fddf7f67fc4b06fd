package setting

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/goblinlab/goblinlab/internal/secret/envelope"
)

// Keyed seals with the platform's keys for secrets, as read last.
func Keyed(ring func() envelope.Ring) Box { return keyed{ring} }

type keyed struct{ ring func() envelope.Ring }

const sealedName = "value"

func place(about string) envelope.Place { return envelope.Place{Row: about, Owner: "platform"} }

// Seal implements Box.
func (k keyed) Seal(text, about string) (string, error) {
	s, err := k.ring().Seal(place(about), map[string][]byte{sealedName: []byte(text)})
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("write what is sealed: %w", err)
	}
	return string(b), nil
}

// Open implements Box.
func (k keyed) Open(sealed, about string) (string, error) {
	var s envelope.Sealed
	if err := json.Unmarshal([]byte(sealed), &s); err != nil {
		return "", errors.New("what is sealed cannot be read") // the error would quote it
	}
	values, err := k.ring().Open(place(about), s)
	if err != nil {
		return "", fmt.Errorf("open: %w", err)
	}
	return string(values[sealedName]), nil
}
