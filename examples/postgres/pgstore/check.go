package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Check reads all tables at one instant. It checks that counts and highest ids match the
// records, that the members of open records are counted correctly, and that the columns
// of each row match its record. The error wraps [ErrCount] or [ErrRow] for each fault.
// It wraps [httpapi.ErrUnavailable] if the database is unavailable. O(n), with a
// statement for each record. Use Check in tests, and after writing with SQL.
func (s *Store) Check(ctx context.Context) error {
	var faults []error
	err := inSnapshot(ctx, s.primary, func(tx *sql.Tx) error {
		for _, t := range s.tables {
			c := checker{table: t, tx: tx, counted: newMembers(), lastID: math.MinInt}
			if err := c.run(ctx); err != nil {
				return err
			}
			faults = append(faults, c.faults...)
		}
		return nil
	})
	if err != nil {
		return fault(ctx, "pgstore", err)
	}
	return errors.Join(faults...)
}

// checker checks one table.
type checker struct {
	*table
	tx      *sql.Tx
	stored  *members       // from the table of members
	numbers map[string]int // of the fields in stored
	counted *members       // in the records
	count   int
	lastID  int // the last id that was checked; rows are read in order of id
	faults  []error
}

func (c *checker) found(err error, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s: %w: %s", c.about.Key, err, fmt.Sprintf(format, args...)))
}

// run checks the table and stores what it finds in faults. It returns errors of the
// database only.
func (c *checker) run(ctx context.Context) (err error) {
	at, err := c.state(ctx, c.tx, stateQuery)
	if err != nil {
		return err
	}
	if c.stored, err = c.members(ctx, c.tx); err != nil {
		return err
	}
	c.numbers = c.stored.numbers
	for more := true; more; {
		if more, err = c.thousand(ctx); err != nil {
			return err
		}
	}
	if c.count != at.count {
		c.found(ErrCount, "the count is %d, but there are %d records", at.count, c.count)
	}
	if c.lastID > at.lastID {
		c.found(ErrCount, "the highest id is %d, but there is %d", at.lastID, c.lastID)
	}
	if got, want := c.counted.records(), c.stored.records(); !maps.Equal(got, want) {
		c.found(ErrCount, "the counts of members are %v, want %v", want, got)
	}
	return nil
}

// records returns the number of records that have each member.
func (all *members) records() map[string]int64 {
	records := map[string]int64{}
	for name, m := range all.byName {
		if m.records > 0 {
			records[name] = m.records
		}
	}
	return records
}

// thousand checks the next 1,000 rows and reports whether there were any.
func (c *checker) thousand(ctx context.Context) (more bool, err error) {
	rows, err := c.tx.QueryContext(ctx, "SELECT id, record FROM "+c.name()+" WHERE id > $1 ORDER BY id LIMIT 1000", c.lastID)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	type row struct {
		id   int
		wire []byte
	}
	var list []row
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.id, &r.wire); err != nil {
			return false, err
		}
		c.lastID = r.id
		list = append(list, r)
	}
	if err := rows.Err(); err != nil {
		return false, err
	}
	for _, r := range list {
		c.count++
		if err := c.row(ctx, r.id, r.wire); err != nil {
			return false, err
		}
	}
	return len(list) > 0, nil
}

// row checks one row.
func (c *checker) row(ctx context.Context, id int, wire []byte) error {
	values, err := c.expected(wire)
	if err != nil {
		c.found(ErrRow, "id %d: %v", id, err)
		return nil
	}
	var same []string
	for i, name := range c.columnNames() {
		same = append(same, quote(name)+" IS NOT DISTINCT FROM $"+strconv.Itoa(i+1))
	}
	var found bool
	query := "SELECT EXISTS (SELECT 1 FROM " + c.name() + " WHERE " + strings.Join(same, " AND ") + " AND id = $1)"
	if err := c.tx.QueryRowContext(ctx, query, values...).Scan(&found); err != nil {
		return err
	}
	if !found {
		c.found(ErrRow, "id %d: the columns do not match the record: %s", id, wire)
	}
	return nil
}

// expected returns the values with which a record would be written now, and counts its
// members.
func (c *checker) expected(wire []byte) ([]any, error) {
	r, err := schema.ParseRecord(wire)
	if err != nil {
		return nil, err
	}
	if c.open() {
		if err := c.counted.count(r); err != nil {
			return nil, err
		}
	}
	if r.ID < 1 {
		return nil, fmt.Errorf("%w: %d", catalogue.ErrInvalidID, r.ID)
	}
	record, err := c.canonical(wire)
	if err != nil {
		return nil, err
	}
	return c.values(record, c.numbers)
}
