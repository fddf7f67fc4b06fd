package schedule

import (
	"strconv"
	"strings"
)

// set is what one part of an expression says.
type set struct {
	at       int    // the byte at which the part begins
	bits     uint64 // the plain values
	star     bool   // some item has a star
	stepped  bool   // some item has a step
	fromEnd  uint32 // day of month: L, L-3
	near     uint32 // day of month: 15W
	lastWork bool   // day of month: LW
	nth      [7]uint8
	uneven   []Warning
}

// parsePart reads the items of a part, which commas part.
func parsePart(p *part, t token) (*set, *Error) {
	s := &set{at: t.at}
	for _, item := range t.cut(",") {
		if err := s.add(p, item); err != nil {
			if err.Args == nil {
				err.Args = map[string]any{}
			}
			err.Args["part"] = p.name
			return nil, err
		}
	}
	return s, nil
}

// add reads an item.
func (s *set) add(p *part, item token) *Error {
	if item.text == "" {
		return cronError("item-empty", item, nil)
	}
	if p.name == dayOfMonth.name || p.name == dayOfWeek.name {
		special := s.addMonthDay
		if p.name == dayOfWeek.name {
			special = s.addWeekday
		}
		if done, err := special(p, item); done {
			return err
		}
	}
	return s.addRange(p, item)
}

// addMonthDay reads L, L-3, LW and 15W; done is false if the item is none of these.
func (s *set) addMonthDay(p *part, item token) (done bool, err *Error) {
	text := upperASCII(item.text)
	switch {
	case text == "L":
		s.fromEnd |= 1
	case text == "LW":
		s.lastWork = true
	case strings.HasPrefix(text, "L-"):
		n, err := number(token{item.text[2:], item.at + 2}, 1, 30)
		if err != nil {
			return true, err
		}
		s.fromEnd |= 1 << n
	case strings.HasSuffix(text, "W"):
		n, err := number(token{item.text[:len(text)-1], item.at}, p.min, p.max)
		if err != nil {
			return true, err
		}
		s.near |= 1 << n
	default:
		return false, nil
	}
	return true, nil
}

// addWeekday reads FRI#2, FRI#L and FRIL; done is false if the item is none of these.
func (s *set) addWeekday(p *part, item token) (done bool, err *Error) {
	text := upperASCII(item.text)
	day, which := item, token{text: "L"}
	switch i := strings.IndexByte(text, '#'); {
	case i >= 0:
		day, which = token{item.text[:i], item.at}, token{item.text[i+1:], item.at + i + 1}
	case text == "L":
		// Elsewhere this is Saturday, or the last day of the week, or of the month.
		return true, cronError("last-of-what", item, nil)
	case strings.HasSuffix(text, "L"):
		day.text = item.text[:len(text)-1]
	default:
		return false, nil
	}
	weekday, err := p.value(day)
	if err != nil {
		return true, err
	}
	n := 0
	if upperASCII(which.text) != "L" {
		if n, err = number(which, 1, 5); err != nil {
			return true, err
		}
	}
	s.nth[weekday%7] |= 1 << n
	return true, nil
}

// addRange reads "*", "5", "1-5", "5/10", "*/10" and "1-30/10".
func (s *set) addRange(p *part, item token) *Error {
	pieces := item.cut("/")
	if len(pieces) > 2 {
		return cronError("unreadable", item, nil)
	}
	low, high, kind, err := p.span(pieces[0])
	if err != nil {
		return err
	}
	step := 1
	if len(pieces) == 2 {
		if kind == spanOne {
			high = p.last()
		}
		if step, err = p.step(pieces[1], high-low+1); err != nil {
			return err
		}
		s.stepped = true
		if size := p.last() - p.min + 1; high-low+1 == size && size%step != 0 {
			s.uneven = append(s.uneven, Warning{ID: "schedule.warning.uneven", Position: item.at,
				Args: map[string]any{"part": p.name, "step": step, "size": size}})
		}
	}
	s.star = s.star || kind == spanStar
	size := p.last() - p.min + 1
	for v := low; v <= high; v += step {
		s.bits |= 1 << (p.min + (v-p.min)%size)
	}
	return nil
}

const (
	spanOne = iota
	spanRange
	spanStar
)

// span reads what stands before a step. If the range goes over the end of the
// hour, day, week or year, then high is counted on from there.
func (p *part) span(t token) (low, high, kind int, err *Error) {
	if t.text == "*" || t.text == "?" && (p.name == dayOfMonth.name || p.name == dayOfWeek.name) {
		return p.min, p.last(), spanStar, nil
	}
	ends := t.cut("-")
	if len(ends) > 2 {
		return 0, 0, 0, cronError("unreadable", t, nil)
	}
	if low, err = p.value(ends[0]); err != nil {
		return 0, 0, 0, err
	}
	if len(ends) == 1 {
		low = p.min + (low-p.min)%(p.last()-p.min+1)
		return low, low, spanOne, nil
	}
	if high, err = p.value(ends[1]); err != nil {
		return 0, 0, 0, err
	}
	if low > high {
		// Months are of several lengths: 28-3 would mean something else in each.
		if p.name == dayOfMonth.name {
			return 0, 0, 0, cronError("reversed", t, map[string]any{"first": low, "last": high})
		}
		high += p.last() - p.min + 1
	}
	return low, high, spanRange, nil
}

// last is the greatest value of the part, where Sunday is 0 alone.
func (p *part) last() int {
	if p.name == dayOfWeek.name {
		return p.max - 1
	}
	return p.max
}

// step reads a step within a range of some size. A step that leaves the range
// at once is refused: "*/90" is not every 90 minutes.
func (p *part) step(t token, size int) (int, *Error) {
	n, err := number(t, 0, 9999)
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, cronError("step-zero", t, nil)
	case n > 1 && n >= size:
		return 0, cronError("step-large", t, map[string]any{"step": n, "size": size})
	}
	return n, nil
}

// value reads a number or a name.
func (p *part) value(t token) (int, *Error) {
	if n, ok := p.names[upperASCII(t.text)]; ok {
		return n, nil
	}
	return number(t, p.min, p.max)
}

func number(t token, low, high int) (int, *Error) {
	if t.text == "" {
		return 0, cronError("value-missing", t, nil)
	}
	for i := range len(t.text) {
		if !isDigit(t.text[i]) {
			return 0, cronError("unreadable", t, nil)
		}
	}
	n, err := strconv.Atoi(t.text)
	if err != nil || n < low || n > high {
		return 0, cronError("range", t, map[string]any{"min": low, "max": high})
	}
	return n, nil
}
