// Package schedule answers when something fires. It is pure: it knows no
// database and no clock, time comes in as an argument, and what goes out are
// instants in UTC (P53) and typed errors that a service turns into words.
//
// # Model
//
//	Spec --Compile--> Plan: Next, Prev, Count, Between, Preview
//	                    |
//	cursor, now, Misfire --Due--> Firing: what starts, what is skipped, the next cursor
//
// A logical time is an instant at which a plan says that something fires; who
// stores it and starts what belongs to it makes it unique. A plan is a set of
// logical times, all of them whole seconds from 1970 to 9999 and within
// [From, Until). The cursor is the last logical time that was considered:
//
//	  considered         missed              on time
//	───────────────┤──────────────────────┤─────────────┤───────────▶
//	            cursor               now - grace       now        Next
//	                     └ policy ┘         └ all start ┘
//	                          └ startDeadline: nothing older starts ┘
//
// It moves to the last logical time not after now, and never back: what was
// considered once is not again, even if the machine's clock is set back.
//
// # Cron
//
// Five parts – minute, hour, day of month, month, day of week – or six, with the
// second first. An item is a value, a range, "*", each with a step ("5/10" is
// "5-59/10"), or a list of items. Names of three letters stand for months and
// weekdays; Sunday is 0 and 7. Ranges go over the end (22-2, SAT-SUN), but not
// those of days of the month. Days of the month know L (the last), L-3, 15W (the
// workday nearest to the 15th, in the same month) and LW; days of the week FRI#2
// and FRIL or FRI#L. As in crontab(5), a day must match the day of the month and
// the day of the week if one of these has a star ("*/2" has one), else either.
//
// # When clocks change (P55)
//
// The part for the hour decides.
//
//   - It names hours ("2", "1,2", "1-4"): then the expression means wall times,
//     and each fires once a day, at the first instant at which the zone's clock
//     shows it or a later time. One that is skipped fires when the gap ends; one
//     that exists twice fires at the first. Several that fall on one instant are
//     one logical time.
//   - It has a star or a step ("*", "*/2", "8-18/2"), or is all 24 hours: then the
//     expression means a beat, and fires whenever the zone's clock shows a
//     matching time: twice if it shows it twice, never if it shows it never.
//
// The other parts do not matter for this; the date is that of the wall time that
// is named, even if it is moved over midnight. In Europe/Berlin 02:00 to 03:00
// are skipped in March, and exist twice in October:
//
//	expression      names   in March fires at               in October fires at
//	0 2 * * *       hours   03:00 (moved)                   02:00 first
//	30 2 * * *      hours   03:00 (moved)                   02:30 first
//	*/30 2 * * *    hours   03:00 (both moved, once)        02:00, 02:30 first
//	* 2 * * *       hours   03:00 (all 60 moved, once)      02:00 to 02:59 first
//	0 1-4 * * *     hours   01:00, 03:00, 04:00             01:00, 02:00 first, 03:00, 04:00
//	0 3 * * *       hours   03:00                           03:00
//	0 * * * *       beat    …, 01:00, 03:00, …              …, 01:00, 02:00, 02:00, 03:00, …
//	0 */2 * * *     beat    00:00, 04:00, …                 00:00, 02:00, 02:00, 04:00, …
//	*/30 * * * *    beat    …, 01:30, 03:00, …              each half hour of the 25 hours
//	every 1h        –       each hour of the 23             each hour of the 25
//
// The rule knows no length of a change and no hour of it: it is the same where
// the clock goes by 30 minutes (Australia/Lord_Howe: "15 2 * * *" fires at 02:30
// in October), by two hours (Antarctica/Troll), at midnight (America/Santiago,
// Asia/Beirut, Africa/Cairo: "0 0 * * *" fires at 01:00 of the same day), before
// midnight (America/Nuuk: "30 23 * * *" fires as the next day begins), or by a day
// (Pacific/Apia in 2011).
//
// Intervals are elapsed time, counted from an anchor: they know no zone, and do
// not start anew with the hour or the day (P61).
//
// # Work
//
// A pattern of wall times is four sets of bits and a mask per month. Next and
// Prev step over months and over periods of one offset; Count multiplies matching
// days by times per day. So nothing grows with the number of logical times
// passed over: a year of missed minutes is counted exactly in microseconds, and
// there is no number of missed times from which on a schedule stops (P59).
package schedule
