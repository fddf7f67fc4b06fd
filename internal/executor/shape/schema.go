package shape

// Draft is the dialect of the schemas.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// The notation of spans in the schema and in the check alike.
const spanPattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

// holdsMacro is what a text with a macro looks like to a schema, which cannot read it.
var holdsMacro = map[string]any{"pattern": `\$\{`}

// Schema is the JSON schema of the value.
func (s Shape) Schema() map[string]any {
	out := map[string]any{}
	if s.about != "" {
		out["description"] = s.about
	}
	bound := func(least, most string) {
		if s.least != 0 || s.kind == integer || s.kind == number {
			out[least] = s.least
		}
		if s.most != 0 || s.kind == integer || s.kind == number {
			out[most] = s.most
		}
	}
	value := func(want map[string]any) { // a text that is something else when it holds a macro
		out["type"] = "string"
		if !s.fixed {
			out["anyOf"] = []any{want, holdsMacro}
			return
		}
		for k, v := range want {
			out[k] = v
		}
	}
	switch s.kind {
	case object:
		s.objectSchema(out)
	case anything:
		out["type"] = "object"
	case list:
		out["type"], out["items"] = "array", s.item.Schema()
		bound("minItems", "maxItems")
	case mapping:
		out["type"], out["additionalProperties"] = "object", s.item.Schema()
		out["propertyNames"] = map[string]any{"pattern": s.key}
		bound("minProperties", "maxProperties")
	case text:
		want := map[string]any{}
		if s.least != 0 {
			want["minLength"] = s.least
		}
		if s.most != 0 {
			want["maxLength"] = s.most
		}
		value(want)
	case choice:
		value(map[string]any{"enum": anys(s.choices)})
	case span:
		value(map[string]any{"pattern": spanPattern})
	case instant:
		value(map[string]any{"format": "date-time"})
	case integer:
		out["type"] = "integer"
		bound("minimum", "maximum")
	case number:
		out["type"] = "number"
		bound("minimum", "maximum")
	case boolean:
		out["type"] = "boolean"
	}
	return out
}

func (s Shape) objectSchema(out map[string]any) {
	properties, required := map[string]any{}, []any{}
	for _, f := range s.fields {
		properties[f.Name] = f.Shape.Schema()
		if f.Required {
			required = append(required, f.Name)
		}
	}
	out["type"], out["properties"], out["additionalProperties"] = "object", properties, false
	if len(required) > 0 {
		out["required"] = required
	}
	if len(s.exactly) > 0 {
		var one []any
		for _, name := range s.exactly {
			one = append(one, map[string]any{"required": []any{name}})
		}
		out["oneOf"] = one
	}
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}
