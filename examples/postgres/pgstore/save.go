package pgstore

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
)

// Save writes the whole house as [catalogue.Catalogue.Save] does, to the byte, as
// the primary had it at one instant. An error is w's, or matches
// [httpapi.ErrUnavailable]. O(n), in little memory.
func (s *Store) Save(ctx context.Context, w io.Writer) error {
	b := bufio.NewWriter(w)
	err := s.snapshot(ctx, func(tx *sql.Tx) error {
		lead := "{"
		for _, t := range s.tables {
			fmt.Fprintf(b, "%s%q:[", lead, t.about.Key)
			if err := t.save(ctx, tx, b); err != nil {
				return err
			}
			lead = "],\n"
		}
		return nil
	})
	if err != nil {
		return fault(ctx, "pgstore", err)
	}
	b.WriteString("]}\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	return nil
}

func (t *table) save(ctx context.Context, tx *sql.Tx, w *bufio.Writer) error {
	rows, err := tx.QueryContext(ctx, "SELECT record FROM "+t.name()+" ORDER BY id")
	if err != nil {
		return err
	}
	defer rows.Close()
	lead := "\n"
	for rows.Next() {
		var record sql.RawBytes
		if err := rows.Scan(&record); err != nil {
			return err
		}
		w.WriteString(lead)
		if _, err := w.Write(record); err != nil {
			return err
		}
		lead = ",\n"
	}
	return rows.Err()
}

// snapshot runs f on the primary in a read-only snapshot transaction of whatever
// length.
func (s *Store) snapshot(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := begin(ctx, s.primary, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
