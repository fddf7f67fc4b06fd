// Package frontend holds the built page, so that one binary serves everything.
//
// The build writes into dist; on a clean tree dist holds .gitkeep alone, and the
// server then says that the page was not built.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Dist gives the files of the built page, with index.html at its root.
func Dist() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		// The folder is part of the binary: its absence is a fault of the build.
		panic(err)
	}
	return files
}
