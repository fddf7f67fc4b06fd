// Package testkit gives tests the real parts: a migrated database on SQLite or
// PostgreSQL, a Redis inside the process or a real one, the local Kubernetes,
// and builders of people and teams.
package testkit

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/internal/db"
)

// EnvDatabase names the variable with the address of a PostgreSQL server whose
// user may make databases; without it tests run on SQLite.
const EnvDatabase = "GOBLINLAB_TEST_DATABASE"

// DatabaseURL is the address of a new, empty database that goes with the test.
func DatabaseURL(t testing.TB) string {
	t.Helper()
	admin := os.Getenv(EnvDatabase)
	if admin == "" {
		return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	}
	return copied(t, admin, "template1")
}

// DB is a new, migrated database that closes with the test.
func DB(t testing.TB) *db.DB {
	t.Helper()
	address, admin := "", os.Getenv(EnvDatabase)
	if admin == "" {
		address = DatabaseURL(t)
	} else {
		template, err := migrated()
		if err != nil {
			t.Fatalf("a migrated database at %s: %v", EnvDatabase, err)
		}
		address = copied(t, admin, template)
	}
	d, err := open(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// copied makes a database of the server like another one, for as long as the
// test runs, and gives its address. To copy files takes a seventh of the time
// that to write each page to the log does.
func copied(t testing.TB, admin, template string) string {
	t.Helper()
	name := "t_" + xid.New().String()
	exec := func(stmt string) error {
		c, err := sql.Open("pgx", admin)
		if err != nil {
			return err
		}
		defer c.Close()
		ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
		defer stop()
		_, err = c.ExecContext(ctx, stmt)
		return err
	}
	if err := exec("CREATE DATABASE " + name + " TEMPLATE " + template + " STRATEGY FILE_COPY"); err != nil {
		t.Fatalf("make database at %s (PostgreSQL 15 or newer): %v", EnvDatabase, err)
	}
	t.Cleanup(func() {
		if err := exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Logf("drop database %s: %v", name, err)
		}
	})
	address, err := named(admin, name)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// named is the address of another database of a server.
func named(admin, name string) (string, error) {
	u, err := url.Parse(admin)
	if err != nil {
		return "", fmt.Errorf("%s: %w", EnvDatabase, err)
	}
	u.Path = "/" + name
	return u.String(), nil
}

// migrated names a database of the server with the schema of now, to be copied:
// migrations take ten times as long. The first test of any process makes it, and
// it stays. It counts once it is marked as a template.
var migrated = sync.OnceValues(func() (string, error) {
	schema, err := db.Migrations.ReadFile("migrations/postgres/00001_init.sql")
	if err != nil {
		return "", err
	}
	sum := fnv.New32a()
	_, _ = sum.Write(schema)
	name := fmt.Sprintf("goblinlab_template_%08x", sum.Sum32())
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	admin := os.Getenv(EnvDatabase)
	server, err := sql.Open("pgx", admin)
	if err != nil {
		return "", err
	}
	defer server.Close()
	one, err := server.Conn(ctx) // the lock is a session's
	if err != nil {
		return "", err
	}
	defer one.Close()
	if _, err := one.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(sum.Sum32())); err != nil {
		return "", err
	}
	var there bool
	err = one.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)", name).Scan(&there)
	if err != nil || there {
		return name, err
	}
	for _, stmt := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		if _, err := one.ExecContext(ctx, stmt); err != nil {
			return "", err
		}
	}
	address, err := named(admin, name)
	if err != nil {
		return "", err
	}
	d, err := open(address)
	if err != nil {
		return "", err
	}
	if err := d.Close(); err != nil {
		return "", err
	}
	_, err = one.ExecContext(ctx, "ALTER DATABASE "+name+" IS_TEMPLATE true")
	return name, err
})

func open(address string) (*db.DB, error) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	d, err := db.Open(ctx, address)
	if err != nil {
		return nil, err
	}
	if _, err := d.Migrate(ctx); err != nil {
		_ = d.Close()
		return nil, fmt.Errorf("migrate %s: %w", strings.SplitN(address, ":", 2)[0], err)
	}
	return d, nil
}
