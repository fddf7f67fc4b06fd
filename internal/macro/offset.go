package macro

import (
	"strconv"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Offset is a list of steps in time; the zero value is none.
type Offset struct{ steps []step }

type step struct {
	n    int
	unit byte // y M w d h m s
}

const (
	units     = "yMwdhms"
	maxDigits = 6
	firstYear = 1
	lastYear  = 9999
)

// ParseOffset reads "-1d" or "-1M,+2d"; the empty text is no step.
func ParseOffset(text string) (Offset, error) {
	if text == "" {
		return Offset{}, nil
	}
	o, err := offsets(text, 0, text)
	if err != nil {
		return Offset{}, err
	}
	return o, nil
}

// offsets reads s, which stands at a byte of text.
func offsets(text string, at int, s string) (Offset, *Error) {
	var o Offset
	for one := range strings.SplitSeq(s, ",") {
		trimmed := strings.TrimLeft(one, " ")
		st, ok := parseStep(strings.TrimRight(trimmed, " "))
		if !ok {
			return Offset{}, fail("macro.offset", text, at+len(one)-len(trimmed), fault.Args{"value": clip(one)})
		}
		o.steps = append(o.steps, st)
		at += len(one) + 1
	}
	return o, nil
}

func parseStep(s string) (step, bool) {
	if len(s) < 3 || len(s) > maxDigits+2 || s[0] != '+' && s[0] != '-' {
		return step{}, false
	}
	digits, unit := s[1:len(s)-1], s[len(s)-1]
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || strings.IndexByte(units, unit) < 0 {
		return step{}, false
	}
	if s[0] == '-' {
		return step{-int(n), unit}, true
	}
	return step{int(n), unit}, true
}

// String writes the steps as ParseOffset reads them.
func (o Offset) String() string {
	var b strings.Builder
	for i, s := range o.steps {
		if i > 0 {
			b.WriteByte(',')
		}
		if s.n >= 0 {
			b.WriteByte('+')
		}
		b.WriteString(strconv.Itoa(s.n))
		b.WriteByte(s.unit)
	}
	return b.String()
}

// Apply goes the steps from t, by the clocks and the calendar of t's zone. It
// is not ok when the way leads out of the years 1 to 9999.
func (o Offset) Apply(t time.Time) (_ time.Time, ok bool) {
	for _, s := range o.steps {
		if s.n != 0 {
			t = s.from(t)
		}
		if t.Year() < firstYear || t.Year() > lastYear {
			return t, false
		}
	}
	return t, true
}

func (s step) from(t time.Time) time.Time {
	switch s.unit {
	case 'h':
		return t.Add(time.Duration(s.n) * time.Hour)
	case 'm':
		return t.Add(time.Duration(s.n) * time.Minute)
	case 's':
		return t.Add(time.Duration(s.n) * time.Second)
	}
	year, month, day := t.Date()
	switch s.unit {
	case 'y':
		return onClock(t, year+s.n, month, day, true)
	case 'M':
		return onClock(t, year, month+time.Month(s.n), day, true)
	case 'w':
		return onClock(t, year, month, day+7*s.n, false)
	}
	return onClock(t, year, month, day+s.n, false)
}

// onClock is the time of another day on which clocks show what they show at t;
// clamp takes the last day of a month that is too short.
func onClock(t time.Time, year int, month time.Month, day int, clamp bool) time.Time {
	if clamp {
		day = min(day, time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day())
	}
	hour, minute, second := t.Clock()
	wall := time.Date(year, month, day, hour, minute, second, t.Nanosecond(), time.UTC)
	out := time.Date(year, month, day, hour, minute, second, t.Nanosecond(), t.Location())
	// Clocks that are put forward do not show some times. The library gives one
	// on either side of the gap then; ours is always the one after it.
	_, shown := out.Zone()
	if out.Unix()+int64(shown) < wall.Unix() {
		out = wall.Add(-time.Duration(shown) * time.Second).In(t.Location())
	}
	return out
}
