package graph

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/graph/model"
)

// jsonWriter collects a document. It is stuck when a null stands where none may be.
type jsonWriter struct {
	b     []byte
	stuck bool
}

func (w *jsonWriter) null(forbidden bool) {
	if forbidden {
		w.stuck = true
	}
	w.b = append(w.b, "null"...)
}

// field is how one field of an object is found and written: a leaf writes
// itself, the others give an object or several for the plan below.
type field struct {
	leaf    func(w *jsonWriter, obj any)
	one     func(obj any) any
	many    func(obj any, each func(any))
	nonNull bool // by the schema
}

// kind is a type of object with its fields.
type kind struct{ fields map[string]field }

func text[T any](get func(T) string) field {
	return field{leaf: func(w *jsonWriter, o any) { w.b = appendString(w.b, get(as[T](o))) }}
}

func number[T any, N int | int32 | int64](get func(T) N) field {
	return field{leaf: func(w *jsonWriter, o any) { w.b = strconv.AppendInt(w.b, int64(get(as[T](o))), 10) }}
}

func truth[T any](get func(T) bool) field {
	return field{leaf: func(w *jsonWriter, o any) { w.b = strconv.AppendBool(w.b, get(as[T](o))) }}
}

func instant[T any](get func(T) time.Time) field {
	return field{leaf: func(w *jsonWriter, o any) {
		t := get(as[T](o))
		if t.IsZero() {
			w.null(true)
			return
		}
		w.b = model.AppendTime(w.b, t)
	}}
}

// maybe writes what is behind a pointer, or null.
func maybe[T, V any](get func(T) *V, write func([]byte, V) []byte) field {
	return field{leaf: func(w *jsonWriter, o any) {
		if v := get(as[T](o)); v != nil {
			w.b = write(w.b, *v)
			return
		}
		w.null(false)
	}}
}

// word writes an enum, whose names in the schema are its values in capitals.
func word[T any, E ~string](get func(T) E) field {
	return field{leaf: func(w *jsonWriter, o any) { w.b = appendWord(w.b, string(get(as[T](o)))) }}
}

func words[T any](get func(T) []string) field {
	return field{leaf: func(w *jsonWriter, o any) {
		w.b = append(w.b, '[')
		for i, s := range get(as[T](o)) {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.b = appendString(w.b, s)
		}
		w.b = append(w.b, ']')
	}}
}

// encoded writes any value by the standard library, for what is rare.
func encoded[T any](get func(T) any) field {
	return field{leaf: func(w *jsonWriter, o any) {
		b, err := json.Marshal(get(as[T](o)))
		if err != nil {
			w.stuck = true
			return
		}
		w.b = append(w.b, b...)
	}}
}

func child[T, C any](get func(T) *C) field {
	return field{one: func(o any) any {
		if c := get(as[T](o)); c != nil {
			return c
		}
		return nil
	}}
}

func children[T, C any](get func(T) []*C) field {
	return field{many: func(o any, each func(any)) {
		for _, c := range get(as[T](o)) {
			each(c)
		}
	}}
}

// inline is children for lists of values.
func inline[T, C any](get func(T) []C) field {
	return field{many: func(o any, each func(any)) {
		list := get(as[T](o))
		for i := range list {
			each(&list[i])
		}
	}}
}

// as takes the type that the registry promises: a mistake in it is found by the
// first test that writes such an object.
func as[T any](o any) T {
	return o.(T) //nolint:forcetypeassert // see above
}

const hexDigits = "0123456789abcdef"

// appendString appends a text as JSON.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(append(b, s[start:i]...), "\ufffd"...)
				i++
				start = i
				continue
			}
			i += n
			continue
		case c >= ' ' && c != '"' && c != '\\':
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// appendWord appends the name of an enum's value.
func appendWord(b []byte, v string) []byte {
	switch v {
	case "ReadWriteOnce":
		v = "READ_WRITE_ONCE"
	case "ReadWriteMany":
		v = "READ_WRITE_MANY"
	}
	return append(append(append(b, '"'), strings.ToUpper(v)...), '"')
}
