// Package instance is the development environment of a person: a row with what
// is wanted and what was seen, and a StatefulSet of one pod with its Service
// and Secrets in the team's namespace.
package instance
