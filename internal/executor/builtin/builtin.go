// Package builtin is the list of all executors, in the order in which people
// see them. Adding one is a package and a line here.
package builtin

import (
	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/check"
	"github.com/goblinlab/goblinlab/internal/executor/container"
	"github.com/goblinlab/goblinlab/internal/executor/httpcall"
	"github.com/goblinlab/goblinlab/internal/executor/jar"
	"github.com/goblinlab/goblinlab/internal/executor/outside"
	"github.com/goblinlab/goblinlab/internal/executor/spark"
)

// Parts are what executors ask.
type Parts struct {
	Guard outside.Guard
	Flows check.FlowStates
	Paths check.Paths
}

// New is the registry.
func New(p Parts) (executor.Registry, error) {
	return executor.NewRegistry(
		container.Container{},
		jar.Jar{},
		spark.Spark{},
		httpcall.HTTP{Guard: p.Guard},
		check.Check{Guard: p.Guard, Flows: p.Flows, Paths: p.Paths},
	)
}
