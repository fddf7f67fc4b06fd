package graph

import (
	"io"

	"github.com/vektah/gqlparser/v2/formatter"

	"github.com/goblinlab/goblinlab/graph/generated"
)

// PrintSchema writes the whole contract as one document.
func PrintSchema(w io.Writer) {
	s := generated.NewExecutableSchema(generated.Config{}).Schema()
	formatter.NewFormatter(w, formatter.WithIndent("  ")).FormatSchema(s)
}
