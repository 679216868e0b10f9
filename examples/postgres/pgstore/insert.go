package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// Insert adds a record in its JSON form, with its id, to the collection with a key. The
// error wraps [ErrCollection] for an unknown key, [httpapi.ErrConflict] for an id in
// use, or [httpapi.ErrUnavailable]. For an invalid record it is that of
// [catalogue.AnyCollection].Load. O(names of all members) for an open record; to
// add many records use [Store.Load].
func (s *Store) Insert(ctx context.Context, key string, record []byte) error {
	t, err := s.table(key)
	if err != nil {
		return err
	}
	wire, err := wireForm(key, record)
	if err != nil {
		return err
	}
	r, err := schema.ParseRecord(wire)
	if err != nil {
		return err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	err = t.write(limited, func(tx *sql.Tx, at *state) error {
		at.lastID = max(at.lastID, r.ID)
		at.count++
		return t.insert(limited, tx, wire)
	})
	return t.fault(ctx, err)
}

// wireForm returns the JSON of a record as a catalogue in memory would store it.
func wireForm(key string, record []byte) (wire []byte, err error) {
	house, err := resources.New()
	if err != nil {
		return nil, err
	}
	c, err := house.Collection(key)
	if err != nil {
		return nil, err
	}
	if err := c.Load(strings.NewReader("["+string(record)+"]"), catalogue.LoadOptions{}); err != nil {
		return nil, err
	}
	wires, err := encoded(house, key)
	if err != nil {
		return nil, err
	}
	if len(wires) != 1 {
		return nil, fmt.Errorf("%s: %w: want one record, not %d", key, catalogue.ErrInvalidData, len(wires))
	}
	return wires[0], nil
}
