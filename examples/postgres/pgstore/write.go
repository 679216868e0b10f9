package pgstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// write runs f in a transaction that locks the collection. f changes the state except
// for the revision. It may run several times. Writers of this process wait in write
// without a connection, which leaves the connections to readers.
func (t *table) write(ctx context.Context, f func(tx *sql.Tx, at *state) error) error {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	const attempts = 3
	for try := 1; ; try++ {
		err := t.writeOnce(ctx, f)
		if try == attempts || !hasCode(err, serializationFailure, deadlock) {
			return err
		}
	}
}

func (t *table) writeOnce(ctx context.Context, f func(tx *sql.Tx, at *state) error) error {
	tx, err := t.store.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	defer tx.Rollback() // has no effect after Commit
	at, err := t.lock(ctx, tx)
	if err != nil {
		return err
	}
	if err := f(tx, &at); err != nil {
		return err
	}
	if err := t.advance(ctx, tx, at); err != nil {
		return err
	}
	return tx.Commit()
}

// insert writes the row of a record and counts the members of an open record.
func (t *table) insert(ctx context.Context, tx *sql.Tx, wire []byte) error {
	var numbers map[string]int
	if t.open() {
		r, err := schema.ParseRecord(wire)
		if err != nil {
			return err
		}
		all, err := t.members(ctx, tx)
		if err != nil {
			return err
		}
		if err := all.count(r); err != nil {
			return err
		}
		if err := t.saveMembers(ctx, tx, all); err != nil {
			return err
		}
		numbers = all.numbers
	}
	row, err := t.values(wire, numbers)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, t.insertText(), row...)
	return err
}

// insertText returns the statement that inserts values.
func (t *table) insertText() string {
	var names, params []string
	for i, name := range t.columnNames() {
		names = append(names, quote(name))
		params = append(params, "$"+strconv.Itoa(i+1))
	}
	return "INSERT INTO " + t.name() + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(params, ", ") + ")"
}

// Create validates a posted record as the service does, at one instant, and stores it
// with the next id. For a read-only collection the error wraps
// [catalogue.ErrReadOnly], as in memory.
func (t *table) Create(ctx context.Context, body []byte, assigned schema.Record) (record []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", t.about.Key, err)
	}
	if !t.about.Actions.Has(schema.Create) {
		return nil, fmt.Errorf("%s: %w: the service does not accept posts to it", t.about.Key, catalogue.ErrReadOnly)
	}
	limited, cancel := t.store.limit(ctx)
	defer cancel()
	posted, err := t.validate(limited, body, assigned)
	if err != nil {
		return nil, t.fault(ctx, err)
	}
	err = t.write(limited, func(tx *sql.Tx, at *state) error {
		if at.lastID == math.MaxInt {
			return fmt.Errorf("%w: no id is left after %d", catalogue.ErrInvalidID, at.lastID)
		}
		at.lastID++
		at.count++
		posted.ID = at.lastID
		if record, err = t.canonical([]byte(posted.String()), 0); err != nil {
			return err
		}
		err := t.insert(limited, tx, record)
		if hasCode(err, uniqueViolation) && t.ofID(err) { // not a conflict that the client caused
			return fmt.Errorf("%w: id %d exists, but is greater than last_id: %v", ErrCount, at.lastID, err)
		}
		return err
	})
	if err != nil {
		return nil, t.fault(ctx, err)
	}
	return record, nil
}

// validate validates a body with references looked up in one snapshot.
func (t *table) validate(ctx context.Context, body []byte, assigned schema.Record) (record schema.Record, err error) {
	err = inSnapshot(ctx, t.store.db, func(tx *sql.Tx) error {
		record, err = t.about.Validate(ctx, body, schema.Checks{
			Assigned: assigned,
			Find: func(ctx context.Context, key, field, text string) (int, string, error) {
				return t.store.find(ctx, tx, key, field, text)
			},
			Taken: func(ctx context.Context, fields, values []string) (bool, error) {
				return t.taken(ctx, tx, fields, values)
			},
		})
		return err
	})
	return record, err
}

// taken reports whether a record has the values of some fields. Two posts at the same time may
// both find that none has them: the index then refuses one.
func (t *table) taken(ctx context.Context, tx *sql.Tx, fields, values []string) (found bool, err error) {
	var tests []string
	var args []any
	for _, c := range t.columns {
		i := slices.Index(fields, c.wire)
		if i < 0 {
			continue
		}
		v, err := c.value(values[i])
		if err != nil || v == nil {
			return false, err
		}
		args = append(args, v)
		tests = append(tests, fmt.Sprintf("%s = $%d", quote(c.name), len(args)))
	}
	if len(args) < len(fields) {
		return false, nil
	}
	query := "SELECT EXISTS (SELECT 1 FROM " + t.name() + " WHERE " + strings.Join(tests, " AND ") + ")"
	err = tx.QueryRowContext(ctx, query, args...).Scan(&found)
	return found, err
}

// ofID reports whether a violation is that of the primary key.
func (t *table) ofID(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.ConstraintName == t.plainName+"_pkey"
}

// find returns the id of the record of a collection that has the id in a text, or 0 if none exists.
// References by other fields find nothing.
func (s *Store) find(ctx context.Context, tx *sql.Tx, key, field, text string) (id int, stored string, err error) {
	t, err := s.table(key)
	if err != nil || field != "id" {
		return 0, "", nil // the collection is not stored
	}
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM "+t.name()+" WHERE id = $1", schema.ParseID(text)).Scan(&id)
	return id, "", err
}

// Insert adds a record in its JSON form to the collection with a key. Without an id it gets the next
// one. The error wraps [catalogue.ErrUnknownCollection] for an unknown key, [httpapi.ErrConflict] for an id in
// use, or [httpapi.ErrUnavailable]. For an invalid record it is that of
// [catalogue.AnyCollection].Load. O(names of all members) for an open record; to add many records
// use [Store.Load].
func (s *Store) Insert(ctx context.Context, key string, record []byte) error {
	t, err := s.table(key)
	if err != nil {
		return err
	}
	if _, err := t.canonical(record, 0); err != nil {
		return err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	err = t.write(limited, func(tx *sql.Tx, at *state) error {
		wire, err := t.canonical(record, at.lastID)
		if err != nil {
			return err
		}
		r, err := schema.ParseRecord(wire)
		if err != nil {
			return err
		}
		at.lastID = max(at.lastID, r.ID)
		at.count++
		return t.insert(limited, tx, wire)
	})
	return t.fault(ctx, err)
}

// Load replaces the records of every collection in the JSON object that it reads from
// r, like [catalogue.Catalogue.Load] and with its errors. The error wraps
// [httpapi.ErrUnavailable] if the database is unavailable. All records become visible
// together or, on an error, not at all. Load holds the input in memory. Writers of
// these collections wait for it; readers do not. O(n log n).
func (s *Store) Load(ctx context.Context, r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	cat := s.empty.Clone()
	if err := cat.Load(bytes.NewReader(data), catalogue.LoadOptions{}); err != nil {
		return err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	return s.replace(ctx, cat, slices.Collect(maps.Keys(parts)))
}

// replace replaces the records of some collections with those of a catalogue.
func (s *Store) replace(ctx context.Context, cat *catalogue.Catalogue, keys []string) error {
	conn, err := s.db.Conn(ctx) // which can COPY, unlike database/sql
	if err != nil {
		return fault(ctx, "pgstore", err)
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return fault(ctx, "pgstore", err)
	}
	defer tx.Rollback()          // has no effect after Commit
	for _, t := range s.tables { // all transactions lock in this order
		if !slices.Contains(keys, t.about.Key) {
			continue
		}
		records, err := encoded(cat, t.about.Key)
		if err == nil {
			err = t.replace(ctx, conn, tx, records)
		}
		if err != nil {
			return t.fault(ctx, err)
		}
	}
	return fault(ctx, "pgstore", tx.Commit())
}

// encoded returns the records of a collection of a catalogue, by id.
func encoded(cat *catalogue.Catalogue, key string) ([][]byte, error) {
	c, err := cat.Collection(key)
	if err != nil {
		return nil, err
	}
	byID := []ordering.Term{ordering.Asc("id")}
	list, err := c.List(context.Background(), catalogue.Query{Terms: byID})
	return list.Records, err
}

// replace replaces all records of the table in a transaction of a connection.
func (t *table) replace(ctx context.Context, conn *sql.Conn, tx *sql.Tx, records [][]byte) error {
	at, err := t.lock(ctx, tx)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.name()); err != nil {
		return err
	}
	numbers, err := t.replaceMembers(ctx, tx, records)
	if err != nil {
		return err
	}
	at.count = len(records)
	rows := make([][]any, len(records)) // made first, since COPY would hide an error of values
	for i, wire := range records {
		if rows[i], err = t.values(wire, numbers); err != nil {
			return err
		}
		at.lastID = max(at.lastID, int(rows[i][0].(int64)))
	}
	err = conn.Raw(func(driver any) error {
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{t.plainName}, t.columnNames(), pgx.CopyFromRows(rows))
		return err
	})
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "ANALYZE "+t.name()); err != nil {
		return err
	}
	return t.advance(ctx, tx, at)
}

// replaceMembers counts the members of open records again. Numbers do not change, since
// indexes may use them.
func (t *table) replaceMembers(ctx context.Context, tx *sql.Tx, records [][]byte) (numbers map[string]int, err error) {
	if !t.open() {
		return nil, nil
	}
	all, err := t.members(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, m := range all.byName {
		m.records = 0
	}
	for _, wire := range records {
		r, err := schema.ParseRecord(wire)
		if err != nil {
			return nil, err
		}
		if err := all.count(r); err != nil {
			return nil, err
		}
	}
	return all.numbers, t.saveMembers(ctx, tx, all)
}
