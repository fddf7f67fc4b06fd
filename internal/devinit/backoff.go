package devinit

import "time"

// Backoff says how long to wait before an app that ended is started again: Min
// after the first end, then twice as long each time, up to Max. An app that ran
// for Stable starts over at Min.
type Backoff struct {
	Min, Max, Stable time.Duration
}

// Next returns the wait that follows the previous one (0 at first), for an app
// that ran for the given time.
func (b Backoff) Next(previous, ran time.Duration) time.Duration {
	if previous <= 0 || ran >= b.Stable {
		return b.Min
	}
	return min(2*previous, b.Max)
}
