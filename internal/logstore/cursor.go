package logstore

import (
	"encoding/base64"
	"encoding/binary"
	"math"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// place is a boundary between stored lines: so many lines and bytes are before it.
type place struct{ line, byte int64 }

const cursorVersion = 1

// String is the place as a cursor: opaque to clients, safe in URLs.
func (p place) String() string {
	b := []byte{cursorVersion}
	b = binary.AppendUvarint(b, uint64(p.line))
	b = binary.AppendUvarint(b, uint64(p.byte))
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseCursor reads a cursor; the empty one is the start.
func parseCursor(s string) (place, error) {
	if s == "" {
		return place{}, nil
	}
	bad := badCursor(s)
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(b) < 3 || b[0] != cursorVersion {
		return place{}, bad
	}
	b = b[1:]
	line, n := binary.Uvarint(b)
	if n <= 0 || line > math.MaxInt64 {
		return place{}, bad
	}
	off, m := binary.Uvarint(b[n:])
	if m <= 0 || n+m != len(b) || off > math.MaxInt64 {
		return place{}, bad
	}
	p := place{int64(line), int64(off)}
	if p.String() != s { // one place has one cursor
		return place{}, bad
	}
	return p, nil
}

func badCursor(s string) error {
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return &fault.Error{Kind: fault.InvalidArgument, Fields: []fault.Field{
		{Path: "after", ID: "log.cursor", Args: fault.Args{"value": clean(s)}},
	}}
}
