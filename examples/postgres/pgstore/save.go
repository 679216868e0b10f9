package pgstore

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
)

// Save writes all records of one instant of the primary to w. The output is the same,
// byte for byte, as that of [catalogue.Catalogue.Save]. The error is that of w, or wraps
// [httpapi.ErrUnavailable]. O(n), in constant memory.
func (s *Store) Save(ctx context.Context, w io.Writer) error {
	out := &errWriter{Writer: w}
	b := bufio.NewWriter(out)
	err := inSnapshot(ctx, s.primary, func(tx *sql.Tx) error {
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
	switch {
	case out.err != nil:
		return fmt.Errorf("pgstore: %w", out.err)
	case err != nil:
		return fault(ctx, "pgstore", err)
	}
	b.WriteString("]}\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	return nil
}

// errWriter stores the error of its writer, to distinguish it from an error of the
// database, which can have the same value.
type errWriter struct {
	io.Writer
	err error
}

func (n *errWriter) Write(p []byte) (written int, err error) {
	written, err = n.Writer.Write(p)
	if err != nil {
		n.err = err
	}
	return written, err
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
