package pgstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// everything is the query for all records.
var everything = catalogue.Query{Window: pagination.Window{Limit: math.MaxInt}}

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
	batch, err := changesOf(cat, func() error { return cat.Load(bytes.NewReader(data), catalogue.LoadOptions{}) })
	if err != nil {
		return err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &parts); err != nil {
		return fmt.Errorf("pgstore: %w", err)
	}
	var failed error
	err = s.transaction(ctx, writing, func(conn *sql.Conn, tx *sql.Tx) error {
		for _, t := range s.tables { // all transactions lock in this order
			if _, given := parts[t.about.Key]; !given {
				continue
			}
			var commit catalogue.Commit
			if i := slices.IndexFunc(batch, func(c catalogue.Commit) bool { return c.Collection == t.about.Key }); i >= 0 {
				commit = batch[i]
			}
			if err := t.replace(ctx, conn, tx, cat, commit); err != nil {
				failed = t.fault(ctx, err)
				return failed
			}
		}
		return nil
	})
	if failed != nil {
		return failed
	}
	return fault(ctx, "pgstore", err)
}

// replace replaces all records of the table in a transaction of a connection by those that a commit
// of a catalogue has.
func (t *table) replace(ctx context.Context, conn *sql.Conn, tx *sql.Tx, cat *catalogue.Catalogue, commit catalogue.Commit) error {
	at, err := t.lock(ctx, tx)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.name()); err != nil {
		return err
	}
	records, err := t.rowsOf(cat, commit)
	if err != nil {
		return err
	}
	numbers, err := t.replaceMembers(ctx, tx, records)
	if err != nil {
		return err
	}
	at.count, at.usedID, at.lastID = len(records), commit.LastID, max(at.lastID, commit.LastID)
	if err := t.copyRows(ctx, conn, records, numbers); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "ANALYZE "+t.name()); err != nil {
		return err
	}
	return t.advance(ctx, tx, at)
}

// rowsOf returns the records that a commit of a catalogue has.
func (t *table) rowsOf(cat *catalogue.Catalogue, commit catalogue.Commit) (records []row, err error) {
	served, err := t.servedBy(cat)
	if err != nil || commit.Changes == nil {
		return nil, err
	}
	for id, stored := range commit.Changes {
		records = append(records, row{stored, served[identityText(id)]})
	}
	return records, nil
}

// copyRows inserts records by COPY.
func (t *table) copyRows(ctx context.Context, conn *sql.Conn, records []row, numbers map[string]int) (err error) {
	rows := make([][]any, len(records)) // made first, since COPY would hide an error of values
	for i, r := range records {
		if rows[i], err = t.values(r, numbers); err != nil {
			return err
		}
	}
	return conn.Raw(func(driver any) error {
		_, err := driver.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{t.plainName}, t.columnNames(), pgx.CopyFromRows(rows))
		return err
	})
}

// replaceMembers counts the members of open records again. Numbers do not change, since
// indexes may use them.
func (t *table) replaceMembers(ctx context.Context, tx *sql.Tx, records []row) (numbers map[string]int, err error) {
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
	for _, of := range records {
		r, err := schema.ParseKeyed(of.stored)
		if err != nil {
			return nil, err
		}
		if err := all.count(r, 1); err != nil {
			return nil, err
		}
	}
	return all.numbers, t.saveMembers(ctx, tx, all)
}
