// Package db opens the database – SQLite or PostgreSQL – migrates it under a
// lock, and runs transactions.
package db

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	_ "github.com/jackc/pgx/v5/stdlib" // PostgreSQL
	_ "github.com/mattn/go-sqlite3"    // SQLite

	"github.com/goblinlab/goblinlab/ent"
	_ "github.com/goblinlab/goblinlab/ent/runtime" // policies and defaults
)

// DB is an open database.
type DB struct {
	Client  *ent.Client
	SQL     *sql.DB
	Dialect string // dialect.SQLite or dialect.Postgres

	writer sync.Mutex // SQLite has one writer: waiting here is fair and cheap, waiting there is polling
}

// Open opens and checks the database at url: sqlite:PATH or postgres://….
func Open(ctx context.Context, url string) (*DB, error) {
	d := &DB{}
	var err error
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		d.Dialect = dialect.SQLite
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("folder of the database: %w", err)
		}
		d.SQL, err = sql.Open("sqlite3", "file:"+path+"?_fk=1&_journal_mode=WAL&_busy_timeout=10000&_synchronous=NORMAL&_txlock=immediate&_loc=UTC")
		if err == nil {
			d.SQL.SetMaxOpenConns(8)
			d.SQL.SetMaxIdleConns(8)
		}
	} else {
		d.Dialect = dialect.Postgres
		d.SQL, err = sql.Open("pgx", url)
		if err == nil {
			d.SQL.SetMaxOpenConns(32)
			d.SQL.SetMaxIdleConns(16)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := d.SQL.PingContext(ctx); err != nil {
		_ = d.SQL.Close()
		return nil, fmt.Errorf("database does not answer: %w", err)
	}
	d.Client = ent.NewClient(ent.Driver(entsql.OpenDB(d.Dialect, d.SQL)))
	return d, nil
}

// Close closes it.
func (d *DB) Close() error { return d.Client.Close() }

// Tx runs f in a transaction that commits when f returns nil. Entities that
// leave f must be Unwrapped by the caller or read again.
func (d *DB) Tx(ctx context.Context, f func(tx *ent.Tx) error) error {
	if d.Dialect == dialect.SQLite {
		d.writer.Lock()
		defer d.writer.Unlock()
	}
	tx, err := d.Client.Tx(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	done := false
	defer func() {
		if !done {
			_ = tx.Rollback()
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	done = true
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
