// Package model holds what the API serves: rows with what was selected of their
// relations, read together beforehand, so that every plain field is served from
// memory without a goroutine or a query of its own. Inputs and payloads are
// generated beside them.
package model
