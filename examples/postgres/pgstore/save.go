package pgstore

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Save writes all records of one instant to w. The output is the same,
// byte for byte, as that of [catalogue.Catalogue.Save]. The error is that of w, or wraps
// [httpapi.ErrUnavailable]. O(n), in constant memory.
func (s *Store) Save(ctx context.Context, w io.Writer) error {
	b := bufio.NewWriter(w)
	failed := s.transaction(ctx, snapshot, func(_ *sql.Conn, tx *sql.Tx) error {
		lead := "{"
		var lastIDs []string
		for _, t := range s.tables {
			fmt.Fprintf(b, "%s%q:[", lead, t.about.Key)
			highest, err := t.save(ctx, tx, b)
			if err != nil {
				return err
			}
			at, err := t.state(ctx, tx, stateQuery)
			if err != nil {
				return err
			}
			if t.identity.form == formID && at.usedID > highest {
				lastIDs = append(lastIDs, fmt.Sprintf(`{"collection":%q,"id":%d}`, t.about.Key, at.usedID))
			}
			lead = "],\n"
		}
		b.WriteString("]")
		if lastIDs != nil {
			fmt.Fprintf(b, ",\n%q:[\n%s]", lastIDsKey, strings.Join(lastIDs, ",\n"))
		}
		_, err := b.WriteString("}\n")
		return err
	})
	if err := b.Flush(); err != nil { // also an earlier one
		return fmt.Errorf("pgstore: %w", err)
	}
	return fault(ctx, "pgstore", failed)
}

// save writes the records of the table and returns the highest id, if they have ids.
func (t *table) save(ctx context.Context, tx *sql.Tx, w *bufio.Writer) (highest int, err error) {
	lead, last := "\n", "0"
	var record sql.RawBytes
	id := "t." + quote(t.identity.name)
	err = each(ctx, tx, "SELECT record, "+id+"::text FROM "+t.name()+" t ORDER BY "+id, nil, func() error {
		w.WriteString(lead)
		lead = ",\n"
		_, err := w.Write(record)
		return err
	}, &record, &last)
	highest, _ = strconv.Atoi(last)
	return highest, err
}
