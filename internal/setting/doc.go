// Package setting is the one registry of what administrators change in the
// page while the platform runs: each with its kind, unit, bounds and words.
//
//	default ◀ page ◀ file ◀ environment ◀ flag      the right one wins
//
// What an operator gave by file, environment or flag is shown and cannot be
// changed. What was changed in the page is a row; every process lays the rows
// over the configuration that it was started with (config.Live) at its start,
// after every message of the broker, and every 30 s, so that a lost message
// costs latency alone. A row that does not fit any more – its bounds changed,
// or another key beside it – is passed over and logged.
package setting
