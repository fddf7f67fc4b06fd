package secret

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// errKeytab says that a file is no keytab. It quotes nothing of it.
var errKeytab = errors.New("no keytab")

const maxKeytabEntries = 1000

// principalsOf reads a keytab of MIT Kerberos, and gives whose keys it holds,
// sorted, each once. The format is that of krb5's kt_file.c, in doc/formats/
// keytab_file_format: 0x05, the version 1 or 2, then entries
//
//	int32  length; negative for a hole that a removed entry left, 0 at the end
//	uint16 count of components; in version 1 the realm is one of them
//	data   realm, then the components: each a uint16 length and bytes
//	uint32 type of the name (version 2 alone), uint32 time, uint8 number of the key
//	uint16 type of the key, uint16 length and bytes of the key
//	uint32 number of the key, if there is room; other bytes are passed over
//
// Numbers are big-endian in version 2, and those of the machine in version 1,
// which is tried in both orders.
func principalsOf(file []byte) ([]string, error) {
	switch {
	case len(file) < 2 || file[0] != 5:
		return nil, errKeytab
	case file[1] == 2:
		return entries(file[2:], binary.BigEndian, 2)
	case file[1] == 1:
		if list, err := entries(file[2:], binary.LittleEndian, 1); err == nil {
			return list, nil
		}
		return entries(file[2:], binary.BigEndian, 1)
	}
	return nil, errKeytab
}

func entries(b []byte, order binary.ByteOrder, version int) ([]string, error) {
	var out []string
	n := 0
	for len(b) >= 4 {
		length := int64(int32(order.Uint32(b))) //nolint:gosec // it is a signed one
		b = b[4:]
		if length == 0 {
			b = nil
			break
		}
		hole := length < 0
		if hole {
			length = -length
		}
		if length > int64(len(b)) {
			return nil, errKeytab
		}
		if !hole {
			p, err := entry(reader{b[:length], order}, version)
			if n++; err != nil || n > maxKeytabEntries {
				return nil, errKeytab
			}
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
		b = b[length:]
	}
	if len(out) == 0 || len(b) > 0 {
		return nil, errKeytab
	}
	slices.Sort(out)
	return out, nil
}

// entry gives the principal of one entry.
func entry(r reader, version int) (string, error) {
	count, ok := r.uint16()
	if version == 1 {
		count--
	}
	if !ok || count < 1 || count > 100 {
		return "", errKeytab
	}
	realm, ok := r.data()
	if !ok || len(realm) == 0 {
		return "", errKeytab
	}
	parts := make([]string, count)
	for i := range parts {
		part, ok := r.data()
		if !ok {
			return "", errKeytab
		}
		parts[i] = escaped(part)
	}
	fixed := 4 + 1 // time and number of the key
	if version == 2 {
		fixed += 4
	}
	if !r.skip(fixed) {
		return "", errKeytab
	}
	if _, ok := r.uint16(); !ok { // type of the key
		return "", errKeytab
	}
	if key, ok := r.data(); !ok || len(key) == 0 {
		return "", errKeytab
	}
	return strings.Join(parts, "/") + "@" + escaped(realm), nil
}

// escaped writes a part of a name as Kerberos' programs do; what cannot be shown becomes "?".
func escaped(part []byte) string {
	var b strings.Builder
	for _, r := range string(part) {
		switch {
		case r == '/' || r == '@' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == utf8.RuneError || !unicode.IsPrint(r):
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// reader takes numbers and data off the front of an entry.
type reader struct {
	b     []byte
	order binary.ByteOrder
}

func (r *reader) uint16() (int, bool) {
	if len(r.b) < 2 {
		return 0, false
	}
	n := r.order.Uint16(r.b)
	r.b = r.b[2:]
	return int(n), true
}

func (r *reader) data() ([]byte, bool) {
	n, ok := r.uint16()
	if !ok || n > len(r.b) {
		return nil, false
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out, true
}

func (r *reader) skip(n int) bool {
	if len(r.b) < n {
		return false
	}
	r.b = r.b[n:]
	return true
}

// holds reports whether a keytab's principals are of the one that is given,
// which may leave the realm out.
func holds(principals []string, given string) bool {
	return slices.ContainsFunc(principals, func(p string) bool {
		return p == given || strings.HasPrefix(p, given+"@")
	})
}
