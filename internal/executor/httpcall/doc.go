// Package httpcall is the executor of one HTTP call: it is made once, and the
// step ends as the answer was or was not what is expected; another try is the
// task's retry. The request and what is expected of its answer are also those
// of a check that asks a URL until the answer is right.
package httpcall
