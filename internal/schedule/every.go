package schedule

import (
	"math"
	"strconv"
	"time"
)

// parseEvery reads a duration of whole hours, minutes and seconds, each once and
// in this order: "1h30m". It gives seconds, at least one.
func parseEvery(text string) (int64, *Error) {
	fail := func(at int, value, id string) (int64, *Error) {
		return 0, &Error{Field: "every", Value: value, Position: at, ID: id,
			Args: map[string]any{"units": []string{"h", "m", "s"}, "min": time.Second}}
	}
	rest := "hms"
	var total int64
	for at := 0; at < len(text); {
		start := at
		for at < len(text) && isDigit(text[at]) {
			at++
		}
		if at == start {
			return fail(at, text[at:], "schedule.every.unreadable")
		}
		n, err := strconv.ParseInt(text[start:at], 10, 64)
		if err != nil {
			return fail(start, text[start:at], "schedule.every.long")
		}
		unit := at
		for at < len(text) && isLetter(text[at]) {
			at++
		}
		seconds, left := unitOf(text[unit:at], rest)
		if seconds == 0 {
			if unit < len(text) && text[unit] == '.' {
				return fail(unit, text[unit:], "schedule.every.fraction")
			}
			return fail(unit, text[unit:at], "schedule.every.unit")
		}
		rest = left
		if n > int64(math.MaxInt64/time.Second)/seconds-total/seconds {
			return fail(start, text[start:at], "schedule.every.long")
		}
		total += n * seconds
	}
	if total < 1 {
		return fail(0, text, "schedule.every.short")
	}
	return total, nil
}

// unitOf is the seconds of a unit that may still come, and the units that may
// come after it; 0 if it may not.
func unitOf(unit, rest string) (seconds int64, left string) {
	for i := range rest {
		if unit == rest[i:i+1] {
			return map[string]int64{"h": 3600, "m": 60, "s": 1}[unit], rest[i+1:]
		}
	}
	return 0, rest
}

func isDigit(b byte) bool  { return b >= '0' && b <= '9' }
func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
