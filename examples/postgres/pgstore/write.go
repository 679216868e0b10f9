package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Create validates a posted record as the service does, at one instant, and stores it
// with the next id. For a read-only collection the error wraps
// [catalogue.ErrReadOnly], as in memory.
func (t *table) Create(ctx context.Context, body []byte, assigned schema.Record) (record []byte, err error) {
	err = t.write(ctx, schema.Create, nil, func(ctx context.Context, d *draft) error {
		_, _ = t.about.Validate(ctx, slices.Clone(body), d.checks(t, "", assigned)) // which Create does again
		return d.make(ctx, t, func(c catalogue.AnyCollection) (err error) {
			record, err = c.Create(ctx, slices.Clone(body), assigned)
			return err
		})
	})
	return record, err
}

// Update changes the record that a segment names, and what refers to a text of it that changes.
func (t *table) Update(ctx context.Context, segment string, u catalogue.Edit) (record []byte, err error) {
	action := schema.Update
	if u.Partial {
		action = schema.PartialUpdate
	}
	change := func(wide []*table) error {
		return t.write(ctx, action, wide, func(ctx context.Context, d *draft) error {
			old, err := d.target(ctx, t, segment, u.Filter)
			if err != nil {
				return err
			}
			checks := d.checks(t, t.identity.in(old), u.Assigned)
			fresh, invalid := t.about.ValidateUpdate(ctx, old, slices.Clone(u.Body), u.Partial, checks) // which Update does again
			if invalid == nil {
				if err := d.readRenamed(ctx, t, old, fresh, wide != nil); err != nil {
					return err
				}
			}
			return d.make(ctx, t, func(c catalogue.AnyCollection) (err error) {
				e := u
				e.Filter, e.Body = schema.Filter{}, slices.Clone(u.Body)
				record, err = c.Update(ctx, segment, e)
				return err
			})
		})
	}
	if err = change(nil); errors.Is(err, errRenamed) {
		err = change(t.referrers)
	}
	return record, err
}

// Delete deletes the record that a segment names, and changes what refers to it.
func (t *table) Delete(ctx context.Context, segment string, filter schema.Filter, precondition func(record []byte) error) error {
	return t.write(ctx, schema.Destroy, t.referrers, func(ctx context.Context, d *draft) error {
		old, err := d.target(ctx, t, segment, filter)
		if err != nil {
			return err
		}
		if err := d.readDeletion(ctx, t, old); err != nil {
			return err
		}
		return d.make(ctx, t, func(c catalogue.AnyCollection) error {
			return c.Delete(ctx, segment, schema.Filter{}, precondition)
		})
	})
}

// write calls f with a draft in a transaction that locks this and other collections. It
// may call f several times. Writers of this process wait without a connection, which leaves the
// connections to readers.
func (t *table) write(ctx context.Context, action schema.Actions, others []*table, f func(ctx context.Context, d *draft) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", t.about.Key, err)
	}
	if !t.about.Actions.Has(action) {
		return fmt.Errorf("%s: %w: the service does not accept this request", t.about.Key, catalogue.ErrReadOnly)
	}
	return t.change(ctx, others, f)
}

// change is write for any action.
func (t *table) change(ctx context.Context, others []*table, f func(ctx context.Context, d *draft) error) error {
	limited, cancel := t.store.limit(ctx)
	defer cancel()
	tables := append([]*table{t}, others...)
	for _, m := range t.store.tables {
		if !slices.Contains(tables, m) {
			continue
		}
		select {
		case m.turn <- struct{}{}:
			defer func() { <-m.turn }()
		case <-limited.Done():
			return t.fault(ctx, limited.Err())
		}
	}
	return t.fault(ctx, retried(func() error {
		return t.store.transaction(limited, writing, func(_ *sql.Conn, tx *sql.Tx) error {
			d := newDraft(t.store, tx)
			if err := d.lock(limited, tables); err != nil {
				return err
			}
			err := f(context.WithValue(limited, t.store, tx), d)
			if d.err != nil { // a look-up failed, so that what the validation says is wrong
				return d.err
			}
			return err
		})
	}))
}

// retried calls f, at most three times while it fails because of other transactions.
func retried(f func() error) error {
	const attempts = 3
	for try := 1; ; try++ {
		err := f()
		if try == attempts || !hasCode(err, serializationFailure, deadlock) {
			return err
		}
	}
}

// target adds the record that a segment names, locks it, and returns it.
func (d *draft) target(ctx context.Context, t *table, segment string, filter schema.Filter) (schema.Record, error) {
	stored, err := t.find(ctx, d.tx, "record", segment, filter, " FOR UPDATE OF t")
	if err != nil {
		return schema.Record{}, err
	}
	r, _, err := d.add(t, stored)
	return r, err
}

// errRenamed is the error of an update that must change other records, but has not locked their
// collections.
var errRenamed = errors.New("pgstore: a text changes to which other records refer")

// readRenamed adds the records that refer to a text of a record that changes.
func (d *draft) readRenamed(ctx context.Context, t *table, old, fresh schema.Record, locked bool) error {
	for m, c := range d.store.referring(t) {
		by, _ := t.column(c.refersBy(t))
		if c.field.By == "" || by.in(old) == by.in(fresh) {
			continue
		}
		if !locked {
			return errRenamed
		}
		if _, err := d.readReferrers(ctx, m, c, t, []schema.Record{old}, 0); err != nil {
			return err
		}
	}
	return nil
}

// put writes the row of a record that was old and becomes fresh, one of which may be nil, and counts
// the members of open records. In the same statement it writes the state, if it is not nil.
func (t *table) put(ctx context.Context, tx *sql.Tx, identity schema.Identity, old []byte, fresh row, at *state) error {
	numbers, err := t.countMembers(ctx, tx, old, fresh.stored)
	if err != nil {
		return err
	}
	var text string
	var values []any
	if fresh.stored == nil {
		var id any
		id, err = t.identity.value(identityText(identity))
		text, values = "DELETE FROM "+t.name()+" WHERE "+quote(t.identity.name)+" = $1", []any{id}
	} else {
		values, err = t.values(fresh, numbers)
		text = t.putText(old != nil)
	}
	if err != nil {
		return err
	}
	if at != nil {
		text = `WITH "$state" AS (` + advanceQuery(len(values)+1) + ") " + text
		values = append(values, t.advanced(*at)...)
	}
	_, err = tx.ExecContext(ctx, text, values...)
	return err
}

// countMembers counts the members of an open record that was old and becomes fresh, and returns the
// numbers of the fields.
func (t *table) countMembers(ctx context.Context, tx *sql.Tx, old, fresh []byte) (map[string]int, error) {
	if !t.open() {
		return nil, nil
	}
	all, err := t.members(ctx, tx)
	if err != nil {
		return nil, err
	}
	for n, record := range map[int64][]byte{-1: old, 1: fresh} {
		if record == nil {
			continue
		}
		r, err := schema.ParseKeyed(record)
		if err == nil {
			err = all.count(r, n)
		}
		if err != nil {
			return nil, err
		}
	}
	return all.numbers, t.saveMembers(ctx, tx, all)
}

// putText returns the statement that inserts values, or updates the row that has the first.
func (t *table) putText(update bool) string {
	var names, params, sets []string
	for i, name := range t.columnNames() {
		names, params = append(names, quote(name)), append(params, "$"+strconv.Itoa(i+1))
		sets = append(sets, names[i]+" = "+params[i])
	}
	if update {
		return "UPDATE " + t.name() + " SET " + strings.Join(sets[1:], ", ") + " WHERE " + sets[0]
	}
	return "INSERT INTO " + t.name() + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(params, ", ") + ")"
}

// ofID reports whether a violation is that of the primary key.
func (t *table) ofID(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == uniqueViolation && e.ConstraintName == t.plainName+"_pkey"
}

// referring yields the columns of all tables that refer to records of one.
func (s *Store) referring(to *table) func(yield func(*table, column) bool) {
	return func(yield func(*table, column) bool) {
		for _, m := range s.tables {
			for _, c := range m.columns {
				if c.field.Refers == to.about.Key && len(c.path) == 1 && c.form != formUpper && !yield(m, c) {
					return
				}
			}
		}
	}
}

// referrersOf returns a table, and those whose records a deletion in it can read or change.
func (s *Store) referrersOf(t *table) []*table {
	read, deleted := []*table{t}, []*table{t}
	for i := 0; i < len(deleted); i++ {
		for m, c := range s.referring(deleted[i]) {
			if !slices.Contains(read, m) {
				read = append(read, m)
			}
			if c.field.OnDelete == schema.Cascade && !slices.Contains(deleted, m) {
				deleted = append(deleted, m)
			}
		}
	}
	return read
}

// foldedPaths returns the fields that lookups without regard to case can read.
func (t *table) foldedPaths() (paths []string) {
	for _, name := range t.about.Filters {
		field, lookup, _ := cutLast(name, "__")
		if slices.ContainsFunc(textual[:], func(l textLookup) bool { return l.upper && l.lookup == lookup }) {
			paths = append(paths, field)
		}
	}
	for _, entry := range t.about.Search {
		paths = append(paths, strings.TrimLeft(entry, "^=@$"))
	}
	return paths
}

// cutLast cuts a text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// Insert adds a record in its JSON form to the collection with a key. Without an id it gets the next
// one. The error wraps [catalogue.ErrUnknownCollection] for an unknown key,
// [httpapi.ErrConflict] for an id in use, or [httpapi.ErrUnavailable]. For an invalid record it is that of
// [catalogue.AnyCollection].Load. O(names of all members) for an open record; to add many records
// use [Store.Load].
func (s *Store) Insert(ctx context.Context, key string, record []byte) error {
	t, err := s.table(key)
	if err != nil {
		return err
	}
	return t.change(ctx, nil, func(ctx context.Context, d *draft) error {
		cat, err := d.catalogue() // empty
		if err != nil {
			return err
		}
		c, err := cat.Collection(key)
		if err != nil {
			return err
		}
		file := "[" + string(record) + "]"
		if last := d.states[t].lastID; last > 0 && t.identity.form == formID {
			file = fmt.Sprintf(`{"results":%s,"$lastId":%d}`, file, last)
		}
		batch, err := changesOf(cat, func() error { return c.Load(strings.NewReader(file), catalogue.LoadOptions{}) })
		if err != nil {
			return err
		}
		if c.Count() != 1 {
			return fmt.Errorf("%w: want one record, not %d", catalogue.ErrInvalidData, c.Count())
		}
		return d.apply(ctx, cat, batch[0])
	})
}
