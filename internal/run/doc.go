// Package run runs tasks.
package run
