package pgstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

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
	house, err := resources.New()
	if err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	if err := house.Load(bytes.NewReader(data), catalogue.LoadOptions{}); err != nil {
		return err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	return s.replace(ctx, house, slices.Collect(maps.Keys(parts)))
}

// LoadFrom replaces the records of all collections with those of a catalogue. It reads
// the collections of the catalogue one after another, so they may be of different
// instants. Its errors are those of Load. For a nil catalogue the error wraps
// [catalogue.ErrInvalidData].
func (s *Store) LoadFrom(ctx context.Context, house *catalogue.Catalogue) error {
	if house == nil {
		return fmt.Errorf("pgstore: %w: nil catalogue", catalogue.ErrInvalidData)
	}
	var keys []string
	for _, t := range s.tables {
		keys = append(keys, t.about.Key)
	}
	return s.replace(ctx, house, keys)
}

// replace replaces the records of some collections with those of a catalogue.
func (s *Store) replace(ctx context.Context, house *catalogue.Catalogue, keys []string) error {
	revisions := map[*table]uint64{}
	var failed error // has the key of the collection
	err := s.bulk(ctx, func(tx *sql.Tx, copyRows copier) error {
		for _, t := range s.tables { // all transactions lock in this order
			if !slices.Contains(keys, t.about.Key) {
				continue
			}
			records, err := encoded(house, t.about.Key)
			if err == nil {
				revisions[t], err = t.replace(ctx, tx, copyRows, records)
			}
			if err != nil {
				failed = t.fault(ctx, err)
				return failed
			}
		}
		return nil
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return fault(ctx, "pgstore", err)
	}
	for t, revision := range revisions {
		t.saw(revision)
	}
	return nil
}

// encoded returns the records of a collection of a catalogue, by id.
func encoded(house *catalogue.Catalogue, key string) ([][]byte, error) {
	c, err := house.Collection(key)
	if err != nil {
		return nil, err
	}
	byID := []ordering.Term{ordering.Asc("id")}
	list, err := c.List(context.Background(), catalogue.Query{Terms: byID})
	return list.Records, err
}

// replace replaces all records of the table.
func (t *table) replace(ctx context.Context, tx *sql.Tx, copyRows copier, records [][]byte) (revision uint64, err error) {
	at, err := t.lock(ctx, tx)
	if err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.name()); err != nil {
		return 0, err
	}
	numbers, err := t.replaceMembers(ctx, tx, records)
	if err != nil {
		return 0, err
	}
	at.count = len(records)
	rows := make([][]any, len(records)) // made first, since COPY would hide an error of values
	for i, wire := range records {
		if rows[i], err = t.values(wire, numbers); err != nil {
			return 0, err
		}
		at.lastID = max(at.lastID, int(rows[i][0].(int64)))
	}
	if err := copyRows(t.plainName, t.columnNames(), pgx.CopyFromRows(rows)); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "ANALYZE "+t.name()); err != nil {
		return 0, err
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
