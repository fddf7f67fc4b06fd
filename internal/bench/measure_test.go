//go:build bench

package bench

import (
	"cmp"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// series are measurements of one contender.
type series []time.Duration

func (s series) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	c := slices.Clone(s)
	slices.Sort(c)
	return c[min(len(c)-1, int(q*float64(len(c))))]
}

// contender is one side of a comparison; a round gives several measurements.
type contender struct {
	name  string
	round func() series
}

// outcome is what a comparison found: per contender all measurements, and the
// median over rounds of the ratio of medians to the first contender's.
type outcome struct {
	names  []string
	all    []series
	ratios []float64
	p99    []float64
	base   string // what the first contender is called in the head of the table; "limit" if empty
	note   string // below the table, or in its place
}

// compare runs the contenders in turn, round by round, so that a drift of the
// machine's speed meets all of them alike. The first is the limit.
func compare(rounds int, cs ...contender) outcome {
	if *tries > 0 {
		rounds = *tries
	}
	o := outcome{all: make([]series, len(cs))}
	per, per99 := make([][]float64, len(cs)), make([][]float64, len(cs))
	for _, c := range cs {
		o.names = append(o.names, c.name)
	}
	for range rounds {
		var base, base99 float64
		for i, c := range cs {
			s := c.round()
			o.all[i] = append(o.all[i], s...)
			m, m99 := float64(s.quantile(.5)), float64(s.quantile(.99))
			if i == 0 {
				base, base99 = m, m99
			}
			per[i], per99[i] = append(per[i], m/base), append(per99[i], m99/base99)
		}
	}
	for i := range cs {
		slices.Sort(per[i])
		slices.Sort(per99[i])
		o.ratios = append(o.ratios, per[i][len(per[i])/2])
		o.p99 = append(o.p99, per99[i][len(per99[i])/2])
	}
	return o
}

// table writes an outcome as Markdown.
func (o outcome) table() string {
	if len(o.names) == 0 {
		return o.note + "\n"
	}
	base := cmp.Or(o.base, "limit")
	out := fmt.Sprintf("| | p50 | p99 | p50 ÷ %s | p99 ÷ %s | n |\n|---|---|---|---|---|---|\n", base, base)
	for i, n := range o.names {
		out += fmt.Sprintf("| %s | %s | %s | %.2f | %.2f | %d |\n", n, short(o.all[i].quantile(.5)), short(o.all[i].quantile(.99)), o.ratios[i], o.p99[i], len(o.all[i]))
	}
	if o.note != "" {
		out += "\n" + o.note + "\n"
	}
	return out
}

func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	default:
		return fmt.Sprintf("%.0f µs", float64(d)/1e3)
	}
}

// cpu is what this process has used, user and system.
func cpu() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
