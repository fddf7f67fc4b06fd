// Package agenda keeps in memory what is due when, and hands it out in time. It is
// a cache of rows that knows no database: losing it costs a look at them.
//
//	rows ──Look──► heap by time ──(the clock)──► lanes ──► Fire
//	changed row ──Set, Drop──┘
//
// What was handed out is in the heap no more: who fires sets it anew.
package agenda
