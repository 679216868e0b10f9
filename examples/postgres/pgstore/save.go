package pgstore

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
)

// Save writes all records of one instant to w. The output is the same,
// byte for byte, as that of [catalogue.Catalogue.Save]. The error is that of w, or wraps
// [httpapi.ErrUnavailable]. O(n), in constant memory.
func (s *Store) Save(ctx context.Context, w io.Writer) error {
	b := bufio.NewWriter(w)
	failed := s.transaction(ctx, snapshot, func(_ *sql.Conn, tx *sql.Tx) error {
		lead := "{"
		for _, t := range s.tables {
			fmt.Fprintf(b, "%s%q:[", lead, t.about.Key)
			if err := t.save(ctx, tx, b); err != nil {
				return err
			}
			lead = "],\n"
		}
		b.WriteString("]")
		if err := s.saveLastIDs(ctx, tx, b); err != nil {
			return err
		}
		_, err := b.WriteString("}\n")
		return err
	})
	if err := b.Flush(); err != nil { // also an earlier one
		return fmt.Errorf("pgstore: %w", err)
	}
	return fault(ctx, "pgstore", failed)
}

// saveLastIDs writes the highest ids of collections whose records have been deleted.
func (s *Store) saveLastIDs(ctx context.Context, tx *sql.Tx, w *bufio.Writer) error {
	lead, end := ",\n\"$lastIds\":[\n", ""
	for _, t := range s.tables {
		if t.identity.form != formID {
			continue
		}
		at, err := t.state(ctx, tx, stateQuery)
		highest := 0
		if err == nil {
			err = tx.QueryRowContext(ctx, "SELECT coalesce(max("+quote(t.identity.name)+"), 0) FROM "+t.name()).Scan(&highest)
		}
		if err != nil {
			return err
		}
		if at.usedID > highest {
			fmt.Fprintf(w, `%s{"collection":%q,"id":%d}`, lead, t.about.Key, at.usedID)
			lead, end = ",\n", "]"
		}
	}
	w.WriteString(end)
	return nil
}

func (t *table) save(ctx context.Context, tx *sql.Tx, w *bufio.Writer) error {
	rows, err := tx.QueryContext(ctx, "SELECT record FROM "+t.name()+" ORDER BY "+quote(t.identity.name))
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
