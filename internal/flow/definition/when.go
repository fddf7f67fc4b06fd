package definition

import (
	"strings"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/macro"
)

// When is a condition that was read; the zero value always holds.
type When struct {
	left, right macro.Template
	not, set    bool
}

// ParseWhen reads LEFT == RIGHT or LEFT != RIGHT. Each side is one word, or text
// in quotes of either kind; both may hold macros, whose values cannot change
// what is compared. The error is macro.Errors.
func ParseWhen(text string) (When, error) {
	if strings.TrimSpace(text) == "" {
		return When{}, nil
	}
	r := reader{text: text}
	left, ok := r.operand()
	op := ""
	if ok {
		op = r.operator()
	}
	var right operand
	if ok = op != ""; ok {
		right, ok = r.operand()
	}
	if ok {
		r.skip()
	}
	if at := min(r.at, len(text)); !ok || at < len(text) {
		return When{}, macro.Errors{{ID: "flow.when", At: at, Args: fault.Args{"position": utf8.RuneCountInString(text[:at]) + 1}}}
	}
	w := When{not: op == "!=", set: true}
	var errs macro.Errors
	for _, side := range []struct {
		from operand
		to   *macro.Template
	}{{left, &w.left}, {right, &w.right}} {
		t, err := macro.Parse(side.from.text)
		*side.to = t
		errs = append(errs, moved(macro.All(err), text, side.from.at)...)
	}
	if len(errs) > 0 {
		return When{}, errs
	}
	return w, nil
}

// moved puts errors of a side to their place in the whole.
func moved(errs macro.Errors, text string, by int) macro.Errors {
	for _, e := range errs {
		e.At += by
		e.Args["position"] = utf8.RuneCountInString(text[:min(e.At, len(text))]) + 1
	}
	return errs
}

// Check holds both sides against what they may name.
func (w When) Check(s macro.Scope) error {
	errs := append(macro.All(macro.Check(w.left, s)), macro.All(macro.Check(w.right, s))...)
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// Holds reports whether the condition holds.
func (w When) Holds(v macro.Values) (bool, error) {
	if !w.set {
		return true, nil
	}
	left, err := w.left.Expand(v)
	if err != nil {
		return false, err
	}
	right, err := w.right.Expand(v)
	return (left == right) != w.not, err
}

type operand struct {
	text string
	at   int
}

type reader struct {
	text string
	at   int
}

func (r *reader) skip() {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
}

func (r *reader) operator() string {
	r.skip()
	for _, op := range []string{"==", "!="} {
		if strings.HasPrefix(r.text[r.at:], op) {
			r.at += len(op)
			return op
		}
	}
	return ""
}

// operand reads a word or quoted text. What stands between the braces of a macro
// ends neither.
func (r *reader) operand() (operand, bool) {
	r.skip()
	quote := byte(0)
	if r.at < len(r.text) && (r.text[r.at] == '"' || r.text[r.at] == '\'') {
		quote = r.text[r.at]
		r.at++
	}
	o := operand{at: r.at}
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.HasPrefix(rest, "$$"):
			r.at += 2
			continue
		case strings.HasPrefix(rest, "${"):
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				end = len(rest) - 1
			}
			r.at += end + 1
			continue
		case quote != 0 && rest[0] == quote:
			o.text = r.text[o.at:r.at]
			r.at++
			return o, true
		case quote == 0 && (rest[0] == ' ' || rest[0] == '\t' || strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, "!=")):
			o.text = r.text[o.at:r.at]
			return o, o.text != ""
		case quote == 0 && (rest[0] == '"' || rest[0] == '\''):
			return o, false
		}
		r.at++
	}
	o.text = r.text[o.at:]
	return o, quote == 0 && o.text != ""
}
