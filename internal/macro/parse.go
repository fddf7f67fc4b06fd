package macro

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro/nearest"
)

var (
	runs     = []string{"yyyy", "yy", "MM", "dd", "HH", "mm", "ss"}
	words    = []string{"unix", "week", "yearday"}
	spaces   = []string{"param", "run", "flow", "task", "tasks"}
	fixed    = []string{"run.id", "run.logicalTime", "flow.id", "flow.name", "task.name", "task.attempt"}
	forms    = []string{"param.NAME", "run.id", "run.logicalTime", "flow.id", "flow.name", "task.name", "task.attempt", "tasks.NAME.outputs.KEY"}
	suggests = slices.Concat(forms, words, runs)
)

// Parse reads a text. The error is Errors with everything that is wrong in it.
func Parse(text string) (Template, error) {
	t := Template{source: text}
	var errs Errors
	literal := func(at int, s string) {
		if n := len(t.parts); n > 0 && t.parts[n-1].literal != "" {
			t.parts[n-1].literal += s
		} else if s != "" {
			t.parts = append(t.parts, part{at: at, literal: s})
		}
	}
	for i := 0; i < len(text); {
		dollar := strings.IndexByte(text[i:], '$')
		if dollar < 0 {
			literal(i, text[i:])
			break
		}
		literal(i, text[i:i+dollar])
		i += dollar
		switch {
		case strings.HasPrefix(text[i:], "$$"):
			literal(i, "$")
			i += 2
		case strings.HasPrefix(text[i:], "${"):
			end, err := closing(text, i)
			if err != nil {
				return Template{}, append(errs, err).err()
			}
			p, err := body(text, i+2, end)
			if err != nil {
				errs = append(errs, err)
			} else {
				t.parts = append(t.parts, p)
			}
			i = end + 1
		default:
			literal(i, "$")
			i++
		}
	}
	if errs != nil {
		return Template{}, errs
	}
	return t, nil
}

// closing finds the "}" of the "${" at start; one inside of quotes is text.
func closing(text string, start int) (int, *Error) {
	quote := -1
	for i := start + 2; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' && quote < 0:
			quote = i
		case c == '\'':
			quote = -1
		case c == '}' && quote < 0:
			return i, nil
		}
	}
	if quote >= 0 && strings.Contains(text[quote:], "}") {
		return 0, fail("macro.quote", text, quote, nil)
	}
	return 0, fail("macro.unterminated", text, start, nil)
}

// body reads text[from:to], which stands between braces.
func body(text string, from, to int) (part, *Error) {
	p := part{at: from - 2}
	s := text[from:to]
	if strings.TrimSpace(s) == "" {
		return p, fail("macro.empty", text, p.at, nil)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, control) {
		return p, fail("macro.control", text, p.at, nil)
	}
	head := comma(s)
	var err *Error
	if space, _, _ := strings.Cut(s[:head], "."); slices.Contains(spaces, space) {
		if p.name, err = parseName(text, from, s[:head]); err == nil && head < len(s) {
			err = fail("macro.offset-on-name", text, from+head, fault.Args{"value": clip(s[:head])})
		}
		return p, err
	}
	if p.time, err = pattern(text, from, s[:head]); err != nil {
		return p, err
	}
	if head < len(s) {
		p.offset, err = offsets(text, from+head+1, s[head+1:])
	}
	return p, err
}

// comma is where the offsets begin, or the length.
func comma(s string) int {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			return i
		}
	}
	return len(s)
}

func parseName(text string, at int, s string) (name, *Error) {
	parts := strings.Split(s, ".")
	switch {
	case parts[0] == "param":
		if len(parts) == 2 && ValidName(parts[1]) {
			return name{full: s, param: parts[1]}, nil
		}
		return name{}, fail("macro.form", text, at, fault.Args{"value": clip(s), "form": "${param.NAME}"})
	case parts[0] == "tasks":
		if len(parts) == 4 && ValidName(parts[1]) && parts[2] == "outputs" && ValidName(parts[3]) {
			return name{full: s, task: parts[1], key: parts[3]}, nil
		}
		return name{}, fail("macro.form", text, at, fault.Args{"value": clip(s), "form": "${tasks.NAME.outputs.KEY}"})
	case slices.Contains(fixed, s):
		return name{full: s}, nil
	}
	return name{}, unknown(text, at, s, fixed)
}

func unknown(text string, at int, s string, known []string) *Error {
	return fail("macro.unknown", text, at, fault.Args{"value": clip(s), "nearest": nearest.Names(s, known)})
}

// pattern reads a time. What holds no run of letters that says a part of a time
// was meant as a name.
func pattern(text string, at int, s string) ([]piece, *Error) {
	if slices.Contains(words, s) {
		return []piece{{text: s}}, nil
	}
	var out []piece
	var bad *Error
	letters, good := 0, 0
	add := func(p piece) {
		if n := len(out); p.literal && n > 0 && out[n-1].literal {
			out[n-1].text += p.text
		} else {
			out = append(out, p)
		}
	}
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\'':
			quoted, n := unquote(s[i:])
			if n == 0 {
				return nil, fail("macro.quote", text, at+i, nil)
			}
			add(piece{text: quoted, literal: true})
			i += n
		case c == '{' || c == '$':
			return nil, fail("macro.nested", text, at+i, nil)
		case letter(rune(c)):
			run := s[i : i+len(s[i:])-len(strings.TrimLeft(s[i:], string(c)))]
			letters += len(run)
			if slices.Contains(runs, run) {
				good += len(run)
			} else if bad == nil {
				bad = fail("macro.letters", text, at+i, fault.Args{"value": clip(run), "nearest": runs})
			}
			add(piece{text: run})
			i += len(run)
		default:
			add(piece{text: s[i : i+1], literal: true})
			i++
		}
	}
	switch {
	case good == 0 || bad != nil && 2*good < letters:
		return nil, unknown(text, at, s, suggests)
	case bad != nil:
		return nil, bad
	}
	return out, nil
}

// unquote reads 'text' at the front of s, where two quotes are one, and says
// how many bytes it took; none when it does not end.
func unquote(s string) (string, int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		if i == 1 { // a quote that is written as two, outside of quoted text
			return "'", 2
		}
		return b.String(), i + 1
	}
	return "", 0
}

// control reports what breaks a line, or turns the reading direction of what follows.
func control(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
