// Command print writes the API's whole schema to a file.
package main

import (
	"bytes"
	"log"
	"os"

	"github.com/goblinlab/goblinlab/graph"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: print FILE")
	}
	var b bytes.Buffer
	graph.PrintSchema(&b)
	if err := os.WriteFile(os.Args[1], b.Bytes(), 0o644); err != nil { //nolint:gosec // a public document
		log.Fatal(err)
	}
}
