package schedule

import "strings"

// maxCron is the most bytes of an expression; longer ones are no expressions.
const maxCron = 256

// descriptors are the names for common expressions.
var descriptors = map[string]string{
	"@yearly":   "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
	"@monthly":  "0 0 1 * *",
	"@weekly":   "0 0 * * 0",
	"@daily":    "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@hourly":   "0 * * * *",
}

// token is a piece of the expression and the byte at which it begins.
type token struct {
	text string
	at   int
}

// part is one of the six parts of an expression.
type part struct {
	name     string
	min, max int
	names    map[string]int
}

var (
	second     = part{name: "second", max: 59}
	minute     = part{name: "minute", max: 59}
	hour       = part{name: "hour", max: 23}
	dayOfMonth = part{name: "dayOfMonth", min: 1, max: 31}
	month      = part{name: "month", min: 1, max: 12, names: map[string]int{
		"JAN": 1, "FEB": 2, "MAR": 3, "APR": 4, "MAY": 5, "JUN": 6,
		"JUL": 7, "AUG": 8, "SEP": 9, "OCT": 10, "NOV": 11, "DEC": 12}}
	// dayOfWeek takes 7 for Sunday, too.
	dayOfWeek = part{name: "dayOfWeek", max: 7, names: map[string]int{
		"SUN": 0, "MON": 1, "TUE": 2, "WED": 3, "THU": 4, "FRI": 5, "SAT": 6}}
)

func cronError(id string, t token, args map[string]any) *Error {
	return &Error{Field: "cron", Value: t.text, Position: t.at, ID: "schedule.cron." + id, Args: args}
}

// parseCron reads an expression; the rule has no zone yet.
func parseCron(text string) (*wallRule, []Warning, *Error) {
	if len(text) > maxCron {
		return nil, nil, cronError("long", token{at: maxCron}, map[string]any{"bytes": len(text), "max": maxCron})
	}
	tokens := cutSpace(text)
	if len(tokens) == 0 {
		return nil, nil, cronError("empty", token{text: text}, nil)
	}
	head := tokens[0]
	if upper := upperASCII(head.text); strings.HasPrefix(upper, "TZ=") || strings.HasPrefix(upper, "CRON_TZ=") {
		return nil, nil, cronError("zone-prefix", head, nil)
	}
	if head.text[0] == '@' {
		return parseDescriptor(text, tokens)
	}
	parts := []part{second, minute, hour, dayOfMonth, month, dayOfWeek}
	switch {
	case len(tokens) == 5:
		tokens = append([]token{{text: "0", at: -1}}, tokens...)
	case len(tokens) < 5:
		return nil, nil, cronError("parts", token{at: len(text)}, map[string]any{"count": len(tokens)})
	case len(tokens) > 6:
		return nil, nil, cronError("parts", tokens[6], map[string]any{"count": len(tokens)})
	}
	var sets [6]*set
	for i, t := range tokens {
		s, err := parsePart(&parts[i], t)
		if err != nil {
			return nil, nil, err
		}
		sets[i] = s
	}
	rule, warnings := assemble(sets)
	return rule, warnings, nil
}

func parseDescriptor(text string, tokens []token) (*wallRule, []Warning, *Error) {
	name := strings.ToLower(upperASCII(tokens[0].text))
	if name == "@every" {
		return nil, nil, cronError("every", tokens[0], nil)
	}
	expression, ok := descriptors[name]
	if !ok {
		return nil, nil, cronError("descriptor", tokens[0], nil)
	}
	if len(tokens) > 1 {
		return nil, nil, cronError("descriptor-rest", token{text: text[tokens[1].at:], at: tokens[1].at}, nil)
	}
	return parseCron(expression)
}

// assemble makes the rule of the six sets.
func assemble(sets [6]*set) (*wallRule, []Warning) {
	sec, mins, hours, dom, mon, dow := sets[0], sets[1], sets[2], sets[3], sets[4], sets[5]
	r := &wallRule{
		pattern: pattern{
			clock: clock{second: sec.bits, minute: mins.bits, hour: hours.bits},
			days: days{
				month: uint16(mon.bits), ofMonth: uint32(dom.bits), fromEnd: dom.fromEnd, near: dom.near,
				lastWork: dom.lastWork, weekday: uint8(dow.bits), nth: dow.nth,
				monthStar: dom.star, weekStar: dow.star,
			},
		},
		// All hours written one by one are every hour, too.
		each: hours.star || hours.stepped || hours.bits == 1<<24-1,
	}
	var warnings []Warning
	for _, s := range sets[:3] {
		warnings = append(warnings, s.uneven...)
	}
	if !dom.star && !dow.star {
		warnings = append(warnings, Warning{ID: "schedule.warning.either", Position: dom.at})
	}
	return r, warnings
}

// cutSpace cuts at white space.
func cutSpace(text string) []token {
	var out []token
	start := -1
	for i := range len(text) + 1 {
		space := i == len(text) || strings.IndexByte(" \t\r\n", text[i]) >= 0
		switch {
		case space && start >= 0:
			out = append(out, token{text[start:i], start})
			start = -1
		case !space && start < 0:
			start = i
		}
	}
	return out
}

// cut cuts a token at a separator, like strings.Split.
func (t token) cut(separator string) []token {
	var out []token
	at := t.at
	for _, piece := range strings.Split(t.text, separator) {
		out = append(out, token{piece, at})
		at += len(piece) + len(separator)
	}
	return out
}

// upperASCII leaves other letters: some become ASCII in upper case.
func upperASCII(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}
