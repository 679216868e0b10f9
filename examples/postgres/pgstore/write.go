package pgstore

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
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
		revision, err := t.writeOnce(ctx, f)
		if err == nil {
			t.saw(revision)
			return nil
		}
		if try == attempts || !isTransient(err) {
			return err
		}
	}
}

func (t *table) writeOnce(ctx context.Context, f func(tx *sql.Tx, at *state) error) (revision uint64, err error) {
	tx, err := begin(ctx, t.store.primary, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // has no effect after Commit
	at, err := t.lock(ctx, tx)
	if err != nil {
		return 0, err
	}
	if err := f(tx, &at); err != nil {
		return 0, err
	}
	if revision, err = t.advance(ctx, tx, at); err != nil {
		return 0, err
	}
	return revision, tx.Commit()
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
