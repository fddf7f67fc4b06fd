// Package logstore keeps the logs of attempts: chunks in a blob store, and one
// row a chunk.
//
//	lines ─► blob, under a key of its own ─► transaction {chunk row, counters of the attempt} ─► message "log"
//	            │ crash: an orphan that nobody      │
//	            ▼ reads                             ▼
//	         deleted with the log                the lines exist
//
// The row is the commit: it names the blob, so that a blob without a row does
// no harm, and whoever commits second sees the counters that the first one
// left. Lines are numbered from 0 without a gap and bytes are counted from 0;
// both stay as they are when chunks are merged, so that a cursor never goes
// stale (P81, P83).
//
// A stored line is "<RFC 3339 time with nanoseconds> <O|P><F|P> <text>\n": of
// the program's output or of the platform, full or part of a line that goes on.
// A line of the platform that has a code is "C" and JSON: the message's id and
// arguments, so that readers get it in their language, and its text in English.
// Text is valid UTF-8 without NUL and newline, at most MaxLine bytes as the
// program wrote them.
//
// Two writers add to a log: the one that ships the program's output, through a
// Writer, which knows what it stored last and gives way when somebody else
// stored after that; and the platform, through Append, which may come between.
package logstore
