package schedule

import (
	"math/bits"
	"time"
)

const (
	secondsOfDay = 24 * 60 * 60
	// cycle is after how many months the Gregorian calendar repeats with its
	// weekdays: a day that is not found within 400 years does not exist.
	cycle = 400*12 + 1
)

// days says which days of the calendar match. Bit n of a set is the value n.
type days struct {
	month    uint16
	ofMonth  uint32   // days 1 to 31
	fromEnd  uint32   // L is bit 0, L-3 bit 3
	near     uint32   // 15W
	lastWork bool     // LW
	weekday  uint8    // Sunday is bit 0
	nth      [7]uint8 // FRI#2 is bit 2 of nth[5], the last Friday its bit 0
	// monthStar and weekStar are true if the part has a star. As in every cron
	// since Vixie's, a day must match both parts if one has a star, else either.
	monthStar, weekStar bool
}

// mask is the set of the days of a month that match.
func (d *days) mask(year int, month time.Month) uint32 {
	if d.month>>uint(month)&1 == 0 {
		return 0
	}
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC).Weekday()
	last := daysIn(year, month)
	byMonth, byWeek := d.monthDays(int(first), last), d.weekDays(int(first), last)
	all := uint32(1)<<(last+1) - 2
	if d.monthStar || d.weekStar {
		return byMonth & byWeek & all
	}
	return (byMonth | byWeek) & all
}

func (d *days) monthDays(first, last int) uint32 {
	out := d.ofMonth
	for set := d.fromEnd; set != 0; set &= set - 1 {
		if n := bits.TrailingZeros32(set); n < last {
			out |= 1 << (last - n)
		}
	}
	for set := d.near; set != 0; set &= set - 1 {
		if n := bits.TrailingZeros32(set); n <= last {
			out |= 1 << nearestWorkday(n, first, last)
		}
	}
	if d.lastWork {
		out |= 1 << nearestWorkday(last, first, last)
	}
	return out
}

func (d *days) weekDays(first, last int) uint32 {
	var out uint32
	for weekday := range 7 {
		day := 1 + (weekday-first+7)%7
		for n := 1; day <= last; n, day = n+1, day+7 {
			isLast := day+7 > last
			if d.weekday>>weekday&1 == 1 || d.nth[weekday]>>n&1 == 1 || isLast && d.nth[weekday]&1 == 1 {
				out |= 1 << day
			}
		}
	}
	return out
}

// nearestWorkday is the day from Monday to Friday nearest to day, in the same month.
func nearestWorkday(day, first, last int) int {
	switch time.Weekday((first + day - 1) % 7) {
	case time.Saturday:
		if day == 1 {
			return 3
		}
		return day - 1
	case time.Sunday:
		if day == last {
			return day - 2
		}
		return day + 1
	}
	return day
}

func daysIn(year int, month time.Month) int {
	return time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// clock says which seconds of a day match.
type clock struct {
	hour, minute, second uint64
}

func (c *clock) perDay() int64 {
	return int64(bits.OnesCount64(c.hour) * bits.OnesCount64(c.minute) * bits.OnesCount64(c.second))
}

// next is the first match at or after a second of the day.
func (c *clock) next(from int64) (int64, bool) {
	h, m, s := split(from)
	if c.hour>>h&1 == 1 {
		if c.minute>>m&1 == 1 {
			if s, ok := bitFrom(c.second, s); ok {
				return join(h, m, s), true
			}
		}
		if m, ok := bitFrom(c.minute, m+1); ok {
			return join(h, m, lowest(c.second)), true
		}
	}
	if h, ok := bitFrom(c.hour, h+1); ok {
		return join(h, lowest(c.minute), lowest(c.second)), true
	}
	return 0, false
}

// prev is the last match before a second of the day; to may be the day's end.
func (c *clock) prev(to int64) (int64, bool) {
	if to <= 0 {
		return 0, false
	}
	h, m, s := split(to - 1)
	if c.hour>>h&1 == 1 {
		if c.minute>>m&1 == 1 {
			if s, ok := bitBelow(c.second, s+1); ok {
				return join(h, m, s), true
			}
		}
		if m, ok := bitBelow(c.minute, m); ok {
			return join(h, m, highest(c.second)), true
		}
	}
	if h, ok := bitBelow(c.hour, h); ok {
		return join(h, highest(c.minute), highest(c.second)), true
	}
	return 0, false
}

// below counts the matches before a second of the day.
func (c *clock) below(to int64) int64 {
	h, m, s := split(to)
	perMinute := bits.OnesCount64(c.second)
	perHour := bits.OnesCount64(c.minute) * perMinute
	n := bits.OnesCount64(under(c.hour, h)) * perHour
	if c.hour>>h&1 == 1 {
		n += bits.OnesCount64(under(c.minute, m)) * perMinute
		if c.minute>>m&1 == 1 {
			n += bits.OnesCount64(under(c.second, s))
		}
	}
	return int64(n)
}

func split(second int64) (h, m, s uint) {
	return uint(second / 3600), uint(second / 60 % 60), uint(second % 60)
}

func join(h, m, s uint) int64 { return int64(h)*3600 + int64(m)*60 + int64(s) }

func under(set uint64, n uint) uint64 { return set & (1<<n - 1) }
func lowest(set uint64) uint          { return uint(bits.TrailingZeros64(set)) }
func highest(set uint64) uint         { return uint(bits.Len64(set) - 1) }

func bitFrom(set uint64, from uint) (uint, bool) {
	set = set >> from << from
	return lowest(set), set != 0
}

func bitBelow(set uint64, below uint) (uint, bool) {
	set = under(set, below)
	return highest(set), set != 0
}

// pattern is a set of wall times: what a clock on a wall shows, with no zone. A
// wall time is counted in seconds since 1970-01-01 00:00:00 on that clock.
type pattern struct {
	days
	clock
}

// next is the first matching wall time at or after wall.
func (p *pattern) next(wall int64) (int64, bool) {
	day, second := floorDiv(wall, secondsOfDay)
	year, month, dom := date(day)
	mask := p.mask(year, month)
	if mask>>dom&1 == 1 {
		if s, ok := p.clock.next(second); ok {
			return day*secondsOfDay + s, true
		}
	}
	mask = mask >> (dom + 1) << (dom + 1)
	for range cycle {
		if mask != 0 {
			s, ok := p.clock.next(0)
			return midnight(year, month, bits.TrailingZeros32(mask)) + s, ok
		}
		if month++; month > time.December {
			year, month = year+1, time.January
		}
		mask = p.mask(year, month)
	}
	return 0, false
}

// prev is the last matching wall time before wall.
func (p *pattern) prev(wall int64) (int64, bool) {
	day, second := floorDiv(wall, secondsOfDay)
	year, month, dom := date(day)
	mask := p.mask(year, month)
	if mask>>dom&1 == 1 {
		if s, ok := p.clock.prev(second); ok {
			return day*secondsOfDay + s, true
		}
	}
	mask &= 1<<dom - 1
	for range cycle {
		if mask != 0 {
			s, ok := p.clock.prev(secondsOfDay)
			return midnight(year, month, bits.Len32(mask)-1) + s, ok
		}
		if month--; month < time.January {
			year, month = year-1, time.December
		}
		mask = p.mask(year, month)
	}
	return 0, false
}

// count counts the matching wall times in [from, to). Its work grows with the
// months between, not with the matches (P59).
func (p *pattern) count(from, to int64) int64 {
	if from >= to {
		return 0
	}
	firstDay, firstSecond := floorDiv(from, secondsOfDay)
	lastDay, lastSecond := floorDiv(to, secondsOfDay)
	n := p.countDays(firstDay, lastDay)*p.perDay() - p.countDays(firstDay, firstDay+1)*p.below(firstSecond)
	return n + p.countDays(lastDay, lastDay+1)*p.below(lastSecond)
}

// countDays counts the matching days in [from, to).
func (p *pattern) countDays(from, to int64) int64 {
	if from >= to {
		return 0
	}
	year, month, dom := date(from)
	endYear, endMonth, endDom := date(to)
	n := 0
	mask := p.mask(year, month) >> dom << dom
	for year != endYear || month != endMonth {
		n += bits.OnesCount32(mask)
		if month++; month > time.December {
			year, month = year+1, time.January
		}
		mask = p.mask(year, month)
	}
	return int64(n + bits.OnesCount32(mask&(1<<endDom-1)))
}

func date(day int64) (int, time.Month, int) { return time.Unix(day*secondsOfDay, 0).UTC().Date() }

func midnight(year int, month time.Month, day int) int64 {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()
}

func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}
