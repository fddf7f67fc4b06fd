package executor

import (
	"encoding/json"
	"strings"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro"
	"github.com/goblinlab/goblinlab/internal/quantity"
)

// MaxOutputs is how much a task may leave: what Kubernetes keeps of a container's last message.
const MaxOutputs = 4 << 10

// ParseOutputs reads what a container left as its outputs: a JSON object whose
// values are texts, numbers and booleans, which become text as they are written.
// Nothing is no outputs. The error is a *fault.Error.
func ParseOutputs(message string) (map[string]string, error) {
	refuse := func(id string, args fault.Args) (map[string]string, error) {
		return nil, fault.New(fault.InvalidArgument, "outputs."+id, args)
	}
	if len(message) > MaxOutputs {
		return refuse("too-large", fault.Args{"value": quantity.Memory(int64(len(message))), "limit": quantity.Memory(MaxOutputs)})
	}
	if strings.TrimSpace(message) == "" {
		return nil, nil
	}
	if !json.Valid([]byte(message)) {
		return refuse("json", nil)
	}
	d := json.NewDecoder(strings.NewReader(message))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return refuse("object", nil)
	}
	out := map[string]string{}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return refuse("json", nil)
		}
		if !macro.ValidName(name) {
			return refuse("name", fault.Args{"name": clip(name)})
		}
		if _, twice := out[name]; twice {
			return refuse("twice", fault.Args{"name": name})
		}
		value, err := d.Token()
		if err != nil {
			return refuse("json", nil)
		}
		switch v := value.(type) {
		case string:
			out[name] = v
		case json.Number:
			out[name] = v.String()
		case bool:
			out[name] = "false"
			if v {
				out[name] = "true"
			}
		default:
			return refuse("value", fault.Args{"name": name})
		}
	}
	return out, nil
}

func clip(s string) string {
	const most = 60
	if r := []rune(strings.ToValidUTF8(s, "\uFFFD")); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
