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

// Migrate brings the primary's schema up to date. Several programs may do it at
// once: one does the work and the others wait. An error matches
// [httpapi.ErrUnavailable] when the database is away. Without anything to do it
// costs a few statements.
func (s *Store) Migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	one, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, s.primary, files, goose.WithSessionLocker(one))
	if err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	_, err = p.Up(ctx)
	return fault(ctx, "pgstore", err)
}
