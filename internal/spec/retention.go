package spec

// MaxRetention is the most days that something may be kept for, if not for ever.
const MaxRetention = 36_500

// Retention is how many days what has ended is kept.
type Retention struct {
	LogDays int `json:"logDays"` // logs of runs; 0 as long as their runs
	RunDays int `json:"runDays"` // runs and flow runs; 0 for ever
}

// Effective is what counts for a team: its own or else the platform's, no longer
// than the platform allows at most, and no log longer than its run.
func Effective(own *Retention, platform Retention, most int) Retention {
	r := platform
	if own != nil {
		r = *own
	}
	r.RunDays = shorter(r.RunDays, most)
	r.LogDays = shorter(r.LogDays, r.RunDays)
	return r
}

// shorter is the shorter of two times, of which 0 is the longest.
func shorter(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
