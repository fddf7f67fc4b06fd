// Command gen writes the first migration of both dialects from the ent schema.
// Until the first release there is one migration, made anew; afterwards it is
// frozen and changes get files of their own.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"strings"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"

	"github.com/goblinlab/goblinlab/ent/migrate"
)

// rows are those that must be there to be locked.
const rows = `-- The row that admission locks
INSERT INTO "capacities" ("id", "nodes") VALUES ('cluster', '[]');
`

func main() {
	// What the schema does not say: the audit log's guards.
	for dir, d := range map[string][2]string{"sqlite": {dialect.SQLite, "3"}, "postgres": {dialect.Postgres, "15"}} {
		ddl, err := schema.DDL(context.Background(), schema.DDLArgs{Dialect: d[0], Version: d[1], Tables: migrate.Tables})
		if err != nil {
			log.Fatalf("%s: %v", dir, err)
		}
		more, err := os.ReadFile(filepath.Join("gen", dir+".sql"))
		if err != nil {
			log.Fatal(err)
		}
		path := filepath.Join("migrations", dir, "00001_init.sql")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("-- +goose Up\n"+strip(ddl)+rows+string(more)), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// strip drops the tool's position marks, which say nothing to a reader.
func strip(ddl string) string {
	var out []string
	for l := range strings.Lines(ddl) {
		if !strings.HasPrefix(l, "-- atlas:") {
			out = append(out, l)
		}
	}
	return strings.TrimLeft(strings.Join(out, ""), "\n")
}
