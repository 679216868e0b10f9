package pgtest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// CreateDatabase makes a database, of any name a database can have, as a copy of the
// template; without one, empty. A template nobody may be connected to meanwhile. An
// error wraps pgx's *pgconn.PgError where the server gave one, as for a name that is
// taken.
func (s *Server) CreateDatabase(ctx context.Context, name, template string) error {
	statement := "CREATE DATABASE " + pgx.Identifier{name}.Sanitize()
	if template != "" {
		statement += " TEMPLATE " + pgx.Identifier{template}.Sanitize()
	}
	return s.exec(ctx, statement)
}

// DropDatabase removes a database, and ends the connections to it first. Removing
// what is not there is no error.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	return s.exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
}

// exec runs one statement in the database postgres, on a connection of its own.
func (s *Server) exec(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("pgtest: %s: %w", statement, err)
	}
	return nil
}

// until asks a question until the answer is true.
func (s *Server) until(question string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	defer conn.Close(ctx)
	look := time.NewTicker(pause)
	defer look.Stop()
	for {
		var yes bool
		if err := conn.QueryRow(ctx, question).Scan(&yes); err != nil || yes {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("pgtest: not so after %v: %s", patience, question)
		case <-look.C:
		}
	}
}
