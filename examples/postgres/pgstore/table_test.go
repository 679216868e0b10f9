package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

var _ interface {
	httpapi.Creator
	httpapi.Updater
	httpapi.Deleter
	httpapi.Revisioner
	httpapi.Counter
	httpapi.ReferenceChecker
} = (*table)(nil)

// ErrRow is returned by Check if the columns of a row do not match its record.
var ErrRow = errors.New("pgstore: invalid row")

// Check reads all tables at one instant. It checks that counts and highest ids match the
// records, that the members of open records are counted correctly, and that the columns
// of each row match its record. The error wraps [ErrCount] or [ErrRow] for each fault.
// It wraps [httpapi.ErrUnavailable] if the database is unavailable. O(n), with a
// statement for each record. It is the check of the tests.
func (s *Store) Check(ctx context.Context) error {
	var faults []error
	err := s.transaction(ctx, snapshot, func(_ *sql.Conn, tx *sql.Tx) error {
		for _, t := range s.tables {
			found, err := t.check(ctx, tx)
			if err != nil {
				return err
			}
			for _, err := range found {
				faults = append(faults, fmt.Errorf("%s: %w", t.about.Key, err))
			}
		}
		return nil
	})
	if err != nil {
		return fault(ctx, "pgstore", err)
	}
	return errors.Join(faults...)
}

// check returns the faults of one table, or an error of the database.
func (t *table) check(ctx context.Context, tx *sql.Tx) (faults []error, err error) {
	at, err := t.state(ctx, tx, stateQuery)
	if err != nil {
		return nil, err
	}
	stored, err := t.members(ctx, tx)
	if err != nil {
		return nil, err
	}
	rows, err := t.all(ctx, tx)
	if err != nil {
		return nil, err
	}
	counted := &members{map[string]*member{}, map[string]int{}}
	highest := 0
	for _, r := range rows {
		values, err := t.expected(r.row, stored.numbers, counted)
		if err != nil {
			faults = append(faults, fmt.Errorf("%w: id %s: %v", ErrRow, r.id, err))
			continue
		}
		same, err := t.has(ctx, tx, values)
		if err != nil {
			return nil, err
		}
		if !same {
			faults = append(faults, fmt.Errorf("%w: id %s: the columns do not match the record: %s", ErrRow, r.id, r.stored))
		}
		if id, ok := values[0].(int64); ok {
			highest = int(id)
		}
	}
	if len(rows) != at.count {
		faults = append(faults, fmt.Errorf("%w: the count is %d, but there are %d records", ErrCount, at.count, len(rows)))
	}
	if highest > at.lastID {
		faults = append(faults, fmt.Errorf("%w: the highest id is %d, but there is %d", ErrCount, at.lastID, highest))
	}
	if got, want := stored.records(), counted.records(); !maps.Equal(got, want) {
		faults = append(faults, fmt.Errorf("%w: the counts of members are %v, want %v", ErrCount, got, want))
	}
	return faults, nil
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

type checkedRow struct {
	id string
	row
}

func (t *table) all(ctx context.Context, tx *sql.Tx) (list []checkedRow, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT "+quote(t.identity.name)+"::text, record, "+t.shown()+" FROM "+t.name()+" ORDER BY "+quote(t.identity.name))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r checkedRow
		if err := rows.Scan(&r.id, &r.stored, &r.served); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// has reports whether there is a row with the values.
func (t *table) has(ctx context.Context, tx *sql.Tx, values []any) (found bool, err error) {
	var same []string
	for i, name := range t.columnNames() {
		same = append(same, quote(name)+" IS NOT DISTINCT FROM $"+strconv.Itoa(i+1))
	}
	query := "SELECT EXISTS (SELECT 1 FROM " + t.name() + " WHERE " + strings.Join(same, " AND ") + " AND " + quote(t.identity.name) + " = $1)"
	err = tx.QueryRowContext(ctx, query, values...).Scan(&found)
	return found, err
}

// expected returns the values with which a record would be written now, and counts its
// members.
func (t *table) expected(of row, numbers map[string]int, counted *members) ([]any, error) {
	if t.open() {
		if err := counted.count(of.stored, 1); err != nil {
			return nil, err
		}
	}
	rows, err := t.decode([]stagedRecord{{text: of.stored}}, &part{}, catalogue.LoadOptions{})
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("want one record, not %d", len(rows))
	}
	return t.values(rows[0], numbers)
}

// Insert adds a record in its JSON form to the collection with a key. Without an id it gets the next
// one. The error wraps [catalogue.ErrUnknownCollection] for an unknown key,
// [httpapi.ErrConflict] for an id in use, or [httpapi.ErrUnavailable]. For an invalid record it is that of
// [catalogue.AnyCollection].Load. O(names of all members) for an open record; to add many records
// use [Store.Load]. It is the insertion of the tests.
func (s *Store) Insert(ctx context.Context, key string, record []byte) error {
	t, err := s.table(key)
	if err != nil {
		return err
	}
	return t.write(ctx, nil, func(ctx context.Context, d *draft) error {
		return d.make(ctx, t, func(c catalogue.AnyCollection) error {
			file := "[" + string(record) + "]"
			if last := d.states[t].lastID; last > 0 && t.identity.form == formID {
				file = fmt.Sprintf(`{"results":%s,"$lastId":%d}`, file, last)
			}
			err := c.Load(strings.NewReader(file), catalogue.LoadOptions{})
			if err == nil && c.Count() != 1 {
				err = fmt.Errorf("%w: want one record, not %d", catalogue.ErrInvalidData, c.Count())
			}
			return err
		})
	})
}
