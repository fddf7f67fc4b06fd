package macro

import (
	"slices"
	"strings"
)

// The bounds of texts.
const (
	MaxText = 64 << 10 // bytes of one expanded text
	MaxTree = 1 << 20  // bytes of all texts of one value of JSON together
	MaxName = 63       // bytes of the name of a parameter, a task or an output
)

// Template is a text that was parsed; the zero value is the empty text.
type Template struct {
	source string
	parts  []part
}

// part is a literal, a time or a name.
type part struct {
	at      int    // byte of the source
	literal string // when neither a time nor a name
	time    []piece
	offset  Offset
	name    name
}

// piece is one run of letters of a pattern, a word as "unix", or literal text.
type piece struct {
	text    string
	literal bool
}

// name is a macro that stands for a value, as tasks.NAME.outputs.KEY.
type name struct{ full, task, key, param string }

// ValidName holds for names of parameters, tasks and outputs: a letter, then
// letters, digits, "-" and "_", at most 63.
func ValidName(s string) bool {
	if s == "" || len(s) > MaxName {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_'):
		default:
			return false
		}
	}
	return true
}

// Plain holds when nothing is to be put in: the text is the same at every run.
func (t Template) Plain() bool {
	return !slices.ContainsFunc(t.parts, func(p part) bool { return p.literal == "" })
}

// Names are the names of values that the text asks for, each once, in their
// order, as "param.day"; times are none.
func (t Template) Names() []string {
	var out []string
	for _, p := range t.parts {
		if p.name.full != "" && !slices.Contains(out, p.name.full) {
			out = append(out, p.name.full)
		}
	}
	return out
}

// String writes the template so that Parse reads the same from it.
func (t Template) String() string {
	var b strings.Builder
	for _, p := range t.parts {
		switch {
		case p.literal != "":
			b.WriteString(strings.ReplaceAll(p.literal, "$", "$$"))
		case p.name.full != "":
			b.WriteString("${" + p.name.full + "}")
		default:
			b.WriteString("${")
			for _, x := range p.time {
				b.WriteString(x.print())
			}
			if s := p.offset.String(); s != "" {
				b.WriteString("," + s)
			}
			b.WriteString("}")
		}
	}
	return b.String()
}

// print quotes literal text that would be read as something else.
func (p piece) print() string {
	if !p.literal || !strings.ContainsFunc(p.text, func(r rune) bool {
		return letter(r) || strings.ContainsRune(",{}'$", r)
	}) {
		return p.text
	}
	return "'" + strings.ReplaceAll(p.text, "'", "''") + "'"
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
