package db

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"entgo.io/ent/dialect"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:generate go run ./gen

// Migrations are the SQL files that make the schema, in a folder for each dialect.
//
//go:embed migrations
var Migrations embed.FS

// Migrate brings the schema to the newest version. In PostgreSQL it holds an
// advisory lock meanwhile, so that several processes may start at once.
func (d *DB) Migrate(ctx context.Context) (applied int, err error) {
	dir, gd := "migrations/sqlite", goose.DialectSQLite3
	var opts []goose.ProviderOption
	if d.Dialect == dialect.Postgres {
		dir, gd = "migrations/postgres", goose.DialectPostgres
		l, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return 0, fmt.Errorf("migration lock: %w", err)
		}
		opts = append(opts, goose.WithSessionLocker(l))
	}
	sub, err := fs.Sub(Migrations, dir)
	if err != nil {
		return 0, err
	}
	p, err := goose.NewProvider(gd, d.SQL, sub, opts...)
	if err != nil {
		return 0, fmt.Errorf("migrations: %w", err)
	}
	res, err := p.Up(ctx)
	if err != nil {
		return len(res), fmt.Errorf("migrate: %w", err)
	}
	return len(res), nil
}
