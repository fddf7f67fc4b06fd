package model

import (
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// MarshalInt64 writes a whole number.
func MarshalInt64(v int64) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		var b [20]byte
		_, _ = w.Write(strconv.AppendInt(b[:0], v, 10))
	})
}

// UnmarshalInt64 reads a whole number, as JSON's number or as text.
func UnmarshalInt64(v any) (int64, error) {
	switch x := v.(type) {
	case int64:
		return x, nil
	case int:
		return int64(x), nil
	case json.Number:
		if n, err := strconv.ParseInt(string(x), 10, 64); err == nil {
			return n, nil
		}
	case string:
		if n, err := strconv.ParseInt(x, 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, fault.New(fault.InvalidArgument, "api.int64", fault.Args{"value": clip(v)})
}

// MarshalTime writes an instant as RFC 3339 in UTC.
func MarshalTime(t time.Time) graphql.Marshaler {
	if t.IsZero() {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) {
		var b [40]byte
		_, _ = w.Write(AppendTime(b[:0], t))
	})
}

// AppendTime appends an instant as JSON.
func AppendTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// UnmarshalTime reads an instant in RFC 3339.
func UnmarshalTime(v any) (time.Time, error) {
	if s, ok := v.(string); ok {
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fault.New(fault.InvalidArgument, "api.time", fault.Args{"value": clip(v)})
}

// MarshalJSON writes any object; nothing becomes an empty one.
func MarshalJSON(v map[string]any) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		if len(v) == 0 {
			_, _ = io.WriteString(w, "{}")
			return
		}
		b, err := json.Marshal(v)
		if err != nil { // not of JSON: a fault of ours that must not break the response
			b = []byte("{}")
		}
		_, _ = w.Write(b)
	})
}

// UnmarshalJSON reads an object.
func UnmarshalJSON(v any) (map[string]any, error) {
	if m, ok := v.(map[string]any); ok {
		return m, nil
	}
	return nil, fault.New(fault.InvalidArgument, "api.object", fault.Args{"value": clip(v)})
}

// MarshalRawJSON writes what is JSON already; nothing is null.
func MarshalRawJSON(v json.RawMessage) graphql.Marshaler {
	if len(v) == 0 {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(v) })
}

// UnmarshalRawJSON reads any value.
func UnmarshalRawJSON(v any) (json.RawMessage, error) {
	return json.Marshal(v)
}

// raw is a value as JSON; what cannot be said so is a fault of ours that must
// not break the response.
func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// texts are named texts as JSON.
func texts(m map[string]string) json.RawMessage {
	if len(m) == 0 {
		return json.RawMessage("{}")
	}
	return raw(m)
}

// clip shows what was given, short enough for a message.
func clip(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if r := []rune(string(b)); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return string(b)
}
