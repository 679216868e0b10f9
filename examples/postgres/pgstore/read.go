package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A querier is a transaction or, for a single statement, the database.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// read calls f with a read-only snapshot transaction or, if ctx is that of a write, with its
// transaction. A single statement sees one snapshot without a transaction.
func (t *table) read(ctx context.Context, single bool, f func(ctx context.Context, q querier) error) error {
	if tx, ok := ctx.Value(t.store).(*sql.Tx); ok {
		return t.fault(ctx, f(ctx, tx))
	}
	limited, cancel := context.WithTimeout(ctx, t.store.timeout)
	defer cancel()
	if single {
		return t.fault(ctx, t.store.fresh(func() error { return f(limited, t.store.db) }))
	}
	return t.fault(ctx, t.store.transaction(limited, snapshot, func(_ *sql.Conn, tx *sql.Tx) error { return f(limited, tx) }))
}

// List returns a page of one snapshot.
func (t *table) List(ctx context.Context, q catalogue.Query) (list catalogue.Listing, err error) {
	single := t.isSingle(q)
	err = t.read(ctx, single, func(ctx context.Context, tx querier) error {
		numbers, err := t.numbers(ctx, tx, q.Terms)
		if err != nil {
			return err
		}
		terms := slices.DeleteFunc(slices.Clone(q.Terms), func(term ordering.Term) bool {
			return !t.sortable(term.Field) || new(statement).exprs(t, "t", term, numbers) == nil
		})
		sql := statement{ctx: ctx, tx: tx, rows: q.Filter.Rows}
		order, err := sql.orderBy(t, terms, numbers)
		if err != nil {
			return err
		}
		if q.Place != nil {
			list, err = sql.listAt(t, q, terms, order)
			return err
		}
		if single {
			list.Count, list.Records, err = sql.first(t, q, order)
			return err
		}
		if list.Count, err = t.count(ctx, tx, q.Filter); err != nil {
			return err
		}
		start, end := q.Window.Bounds(list.Count)
		list.Records, err = sql.page(t, q.Filter, order, start, end, list.Count)
		return err
	})
	return list, err
}

// isSingle reports whether one statement can read the page of a query: it is near the beginning, so
// that its direction does not depend on the count, and nothing else is read before it.
func (t *table) isSingle(q catalogue.Query) bool {
	const near = 1000
	groups := slices.Concat(slices.Collect(maps.Values(q.Filter.Rows)), q.Filter.Search, [][]schema.Test{q.Filter.Tests})
	for _, test := range slices.Concat(groups...) {
		if test.Match != nil {
			return false
		}
	}
	return q.Place == nil && q.Window.Offset <= near && !t.open()
}

// first returns the number of selected records and a page near the beginning, in one statement.
func (q *statement) first(t *table, query catalogue.Query, order orderBy) (count int, records [][]byte, err error) {
	where, err := q.where(t, "t", query.Filter)
	if err != nil {
		return 0, nil, err
	}
	limit := query.Window.Limit
	if limit <= 0 {
		limit = math.MaxInt
	}
	most, skip := q.param(limit, "bigint"), q.param(max(query.Window.Offset, 0), "bigint")
	n := "SELECT count(*) AS n FROM " + t.name() + " t WHERE " + where
	if isAll(query.Filter) {
		n = "SELECT count AS n FROM collections WHERE key = " + q.param(t.about.Key, "text")
	}
	text := fmt.Sprintf(`SELECT c.n, t.%[3]s FROM (%[1]s) c LEFT JOIN (SELECT t.%[4]s FROM %[2]s t WHERE %[5]s ORDER BY %[6]v LIMIT %[7]s OFFSET %[8]s) page
		ON TRUE LEFT JOIN %[2]s t ON t.%[4]s = page.%[4]s ORDER BY %[6]v`, n, t.name(), quote(t.shown()), quote(t.identity.name), where,
		order, most, skip)
	var record []byte
	count = -1
	err = each(q.ctx, q.tx, text, q.args, func() error {
		if record != nil {
			records = append(records, record)
		}
		return nil
	}, &count, &record)
	start, end := query.Window.Bounds(count)
	switch {
	case err == nil && count < 0:
		err = sql.ErrNoRows // of the collection
	case err == nil && len(records) != end-start:
		err = fmt.Errorf("%w: %d records from %d to %d of %d", ErrCount, len(records), start, end, count)
	}
	return count, records, err
}

// isAll reports whether a filter selects all records.
func isAll(f schema.Filter) bool { return len(f.Tests) == 0 && len(f.Search) == 0 }

// count returns the number of records that a filter selects.
func (t *table) count(ctx context.Context, tx querier, filter schema.Filter) (n int, err error) {
	if isAll(filter) {
		at, err := t.state(ctx, tx, stateQuery)
		return at.count, err
	}
	q := statement{ctx: ctx, tx: tx, rows: filter.Rows}
	where, err := q.where(t, "t", filter)
	if err == nil {
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM "+t.name()+" t WHERE "+where, q.args...).Scan(&n)
	}
	return n, err
}

// page returns the selected records from start to end of count. The subquery finds their ids,
// from the nearer end and, if possible, in an index alone.
func (q *statement) page(t *table, filter schema.Filter, order orderBy, start, end, count int) ([][]byte, error) {
	if start == end {
		return nil, nil
	}
	inner, skip := order, start
	if count-end < start {
		inner, skip = order.reverse(), count-end
	}
	where, err := q.where(t, "t", filter)
	if err != nil {
		return nil, err
	}
	query := fmt.Sprintf(`SELECT t.%[4]s FROM (SELECT t.%[5]s FROM %[1]s t WHERE %[6]s ORDER BY %[2]v LIMIT %[7]s OFFSET %[8]s) page
		JOIN %[1]s t ON t.%[5]s = page.%[5]s ORDER BY %[3]v`, t.name(), inner, order, quote(t.shown()), quote(t.identity.name), where,
		q.param(end-start, "bigint"), q.param(skip, "bigint"))
	records := make([][]byte, 0, end-start)
	var record []byte
	err = each(q.ctx, q.tx, query, q.args, func() error {
		records = append(records, record)
		return nil
	}, &record)
	if err == nil && len(records) != end-start {
		err = fmt.Errorf("%w: %d records from %d to %d of %d", ErrCount, len(records), start, end, count)
	}
	return records, err
}

// Get returns the record that a segment names and a filter selects.
func (t *table) Get(ctx context.Context, segment string, filter schema.Filter) (record []byte, err error) {
	single := len(t.spellings(t.lookup(), segment)) == 1 && isAll(filter)
	err = t.read(ctx, single, func(ctx context.Context, q querier) error {
		record, err = t.find(ctx, q, quote(t.shown()), segment, filter, "")
		return err
	})
	return record, err
}

// Dependents reports what a deletion would change, as in memory: it reads what the deletion reads, in one
// snapshot, without locks.
func (t *table) Dependents(ctx context.Context, segment string, report func(collection, segment string, does schema.OnDelete)) error {
	return t.read(ctx, false, func(ctx context.Context, q querier) error {
		d := newDraft(t.store, q.(*sql.Tx)) // of a snapshot or a write
		stored, err := t.find(ctx, q, "record", segment, schema.Filter{}, "")
		if err != nil {
			return err
		}
		old, _, err := d.add(t, stored)
		if err == nil {
			err = d.readDeletion(ctx, t, old)
		}
		if err != nil {
			return err
		}
		_, c, err := d.catalogue(t)
		if err != nil {
			return err
		}
		return c.Dependents(ctx, segment, report)
	})
}

// find returns a column of the record that a segment names and a filter selects.
func (t *table) find(ctx context.Context, tx querier, column, segment string, filter schema.Filter, lock string) (text []byte, err error) {
	text, err = t.findBy(ctx, tx, t.lookup(), segment, column, filter, lock)
	if err == nil && text == nil {
		err = fmt.Errorf("%w: %s", catalogue.ErrNotFound, segment)
	}
	return text, err
}

// lookup returns the column that a segment names.
func (t *table) lookup() (at column) {
	at = t.identity
	if t.about.Lookup != "" {
		at, _ = t.column(t.about.Lookup)
	}
	return at
}

// findBy returns a column of the record that has a text in another one, or nil.
func (t *table) findBy(ctx context.Context, tx querier, at column, text, column string, filter schema.Filter, lock string) (found []byte, err error) {
	for _, value := range t.spellings(at, text) {
		q := statement{ctx: ctx, tx: tx, rows: filter.Rows}
		where, err := q.where(t, "t", filter)
		if err != nil {
			return nil, err
		}
		query := "SELECT t." + column + " FROM " + t.name() + " t WHERE " + q.compare(at, "t", "=", value) + " AND " + where + lock
		if err = tx.QueryRowContext(ctx, query, q.args...).Scan(&found); !errors.Is(err, sql.ErrNoRows) {
			return found, err
		}
	}
	return nil, nil
}

// spellings returns the values of a column that a text can mean: the digits of an id, or the text
// and, if it is a UUID, its usual spelling.
func (t *table) spellings(at column, text string) []string {
	if at.form == formID {
		if id := schema.ParseID(text); id > 0 {
			return []string{fmt.Sprint(id)}
		}
		return nil
	}
	usual := schema.Description{Fields: []schema.Field{at.target}, Lookup: ordering.Snake(at.target.Name)}.LookupText(text)
	list := slices.Compact([]string{text, usual})
	return slices.DeleteFunc(list, func(s string) bool { return s == "" || hasNull(s) || strings.ToValidUTF8(s, "") != s })
}

// Count returns the number of selected records for which all tests of each group hold.
func (t *table) Count(ctx context.Context, filter schema.Filter, groups [][]schema.Test) (counts []int, err error) {
	if len(groups) == 0 {
		return nil, ctx.Err()
	}
	err = t.read(ctx, false, func(ctx context.Context, tx querier) error {
		q := statement{ctx: ctx, tx: tx, rows: filter.Rows}
		where, err := q.where(t, "t", filter)
		var list []string
		counts = make([]int, len(groups))
		targets := make([]any, len(groups))
		for i, tests := range groups {
			group, failed := q.where(t, "t", schema.Filter{Tests: tests})
			err = errors.Join(err, failed)
			list, targets[i] = append(list, "count(*) FILTER (WHERE "+group+")"), &counts[i]
		}
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+t.name()+" t WHERE "+where, q.args...).Scan(targets...)
	})
	return counts, err
}

// Revision returns the revision of the collection.
func (t *table) Revision(ctx context.Context) (revision uint64, err error) {
	err = t.read(ctx, true, func(ctx context.Context, q querier) error {
		at, err := t.state(ctx, q, stateQuery)
		revision = at.revision
		return err
	})
	return revision, err
}

// state is the row of a collection.
type state struct {
	count    int
	lastID   int // the highest ever used
	usedID   int // the highest used since a load
	revision uint64
}

// stateQuery reads the state. With FOR UPDATE it also locks the collection for writing.
const stateQuery = `SELECT count, last_id, used_id, revision FROM collections WHERE key = $1`

// definedAs is the condition that a collection has a definition.
const definedAs = " AND definition = $2"

// state reads the state with a query.
func (t *table) state(ctx context.Context, q querier, query string, args ...any) (at state, err error) {
	err = q.QueryRowContext(ctx, query, append([]any{t.about.Key}, args...)...).Scan(&at.count, &at.lastID, &at.usedID, &at.revision)
	return at, err
}

// lock locks the collection for writing and returns its state. The error is [ErrTable] if a program
// with another definition has migrated it.
func (t *table) lock(ctx context.Context, tx *sql.Tx) (state, error) {
	at, err := t.state(ctx, tx, stateQuery+definedAs+" FOR UPDATE", t.digest())
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrTable
	}
	return at, err
}

// advance writes the state, with the next revision.
func (t *table) advance(ctx context.Context, tx *sql.Tx, at state) error {
	_, err := tx.ExecContext(ctx, advanceQuery(1), t.advanced(at)...)
	return err
}

// advanceQuery is the statement of advance, with a number as the first of its parameters.
func advanceQuery(n int) string {
	return fmt.Sprintf(`UPDATE collections SET count = $%d, last_id = $%d, used_id = $%d, revision = $%d WHERE key = $%d`, n, n+1, n+2, n+3, n+4)
}

func (t *table) advanced(at state) []any {
	return []any{at.count, at.lastID, at.usedID, int64(at.revision + 1), t.about.Key}
}
