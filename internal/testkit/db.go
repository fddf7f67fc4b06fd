// Package testkit gives tests the real parts: a migrated database on SQLite or
// PostgreSQL, a Redis inside the process or a real one, the local Kubernetes,
// and builders of people and teams.
package testkit

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
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
	if err := exec("CREATE DATABASE " + name); err != nil {
		t.Fatalf("make database at %s: %v", EnvDatabase, err)
	}
	t.Cleanup(func() {
		if err := exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Logf("drop database %s: %v", name, err)
		}
	})
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatalf("%s: %v", EnvDatabase, err)
	}
	u.Path = "/" + name
	return u.String()
}

// DB is a new, migrated database that closes with the test.
func DB(t testing.TB) *db.DB {
	t.Helper()
	d, err := open(DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

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
