package pgstore

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate applies all pending migrations to the primary. Several programs may call it
// concurrently: one works and the others wait. The error wraps [httpapi.ErrUnavailable]
// if the database is unavailable. Without pending migrations it runs a few statements.
func (s *Store) Migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, s.primary, files, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	_, err = p.Up(ctx)
	return fault(ctx, "pgstore", err)
}
