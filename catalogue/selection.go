package catalogue

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Selection is the records that satisfy some conditions. Collections, snapshots and
// batches have a method Where that returns one. A Selection holds no records: each of its
// methods reads one state of its source, which for a collection is the current one. It is
// immutable and, unless it is of a batch, safe for concurrent use. The methods of the zero
// Selection panic.
//
// The methods return an error that wraps [ordering.ErrUnknownField] if a condition or a
// term names an unknown field, and [ordering.ErrInvalidCondition] if a condition is
// invalid. A field of open records is unknown in a condition if there are records and
// none has the field, unless it is in Options.Unique. For a batch that has ended, the
// error wraps [ErrTxDone].
//
// # Cost
//
// The first use of a field with a condition sorts the records by that field, as an
// ordering by the field does. After that, with n records, each page costs:
//
//   - One condition, or several on the same field, in the order of that field: O(log² n +
//     limit) at any offset, with O(log n) comparisons. [ordering.OneOf] with v values
//     costs v times as many comparisons. The count is exact and costs no more. The
//     records of a condition that a field equals one value are also in the order of the
//     ids.
//   - Otherwise, the condition that fewest records satisfy is found in the same way. These
//     records are filtered by the other conditions, and sorted if the order differs:
//     O(r log r) for r records, at any offset and for each page. If even that condition
//     holds for many records, all records may be filtered instead, in the order wanted.
//     To read many pages, use [Selection.Ordered], which finds the records once.
//
// [Selection.Explain] describes which way is taken.
type Selection[T any] struct {
	typ    *recordType[T]
	source source
	where  []store.Condition
	err    error
}

// A source is a store, a state or a batch.
type source interface {
	Page(ctx context.Context, q store.Query) (entries []*store.Entry, count int, err error)
	Count(ctx context.Context, where []store.Condition) (int, error)
	First(ctx context.Context, q store.Query) (*store.Entry, error)
	Scan(ctx context.Context, q store.Query) (func(yield func(*store.Entry) bool), error)
	Position(ctx context.Context, id int, q store.Query) (int, error)
	Explain(ctx context.Context, q store.Query) (string, error)
}

// Where returns the records that satisfy all conditions. Without conditions, it returns
// all records. An invalid condition is reported by the methods of the Selection.
func (c *Collection[T]) Where(conditions ...ordering.Condition) Selection[T] {
	return c.typ.where(c.store, conditions)
}

// Where is like [Collection.Where].
func (s Snapshot[T]) Where(conditions ...ordering.Condition) Selection[T] {
	return s.typ.where(s.state, conditions)
}

// Where is like [Collection.Where], and includes the writes of the batch. In a batch, the
// first call of a method of a Selection costs O(orderings in use + writes so far ×
// orderings in use × log n) in addition, and makes each later write of the batch about
// twice as expensive.
func (tx *Tx[T]) Where(conditions ...ordering.Condition) Selection[T] {
	return tx.typ.where(tx.tx, conditions)
}

// First returns a copy of the first record, in the default order, that satisfies all
// conditions. The error wraps [ErrNotFound] if there is none; the others are those of
// [Selection]. To use another order, call [Selection.First].
func (c *Collection[T]) First(conditions ...ordering.Condition) (T, error) {
	return c.Where(conditions...).First()
}

// First is like [Collection.First].
func (s Snapshot[T]) First(conditions ...ordering.Condition) (T, error) {
	return s.Where(conditions...).First()
}

// First is like [Collection.First], and includes the writes of the batch.
func (tx *Tx[T]) First(conditions ...ordering.Condition) (T, error) {
	return tx.Where(conditions...).First()
}

// Position returns the number of records before the one with the given id, in the order
// of terms. The page of limit l that contains the record has the offset p - p%l. The
// error wraps [ErrNotFound] if there is no record with the id, and
// [ordering.ErrUnknownField] if a term names an unknown field. O(log² n) after the first
// use of the ordering, with O(log n) comparisons.
func (c *Collection[T]) Position(id int, terms ...ordering.Term) (int, error) {
	return c.Where().Position(id, terms...)
}

// Position is like [Collection.Position].
func (s Snapshot[T]) Position(id int, terms ...ordering.Term) (int, error) {
	return s.Where().Position(id, terms...)
}

func (s *recordType[T]) where(from source, conditions []ordering.Condition) Selection[T] {
	sel := Selection[T]{typ: s, source: from, where: make([]store.Condition, len(conditions))}
	for i, c := range conditions {
		ranges, err := s.ranges(c)
		if err != nil {
			sel.err = s.named(err)
			return sel
		}
		sel.where[i] = store.Condition{Field: c.Field(), Ranges: ranges}
	}
	return sel
}

// query returns the query of the selection in the order of terms.
func (sel Selection[T]) query(w pagination.Window, terms []ordering.Term) store.Query {
	return store.Query{Where: sel.where, Window: w, Terms: terms}
}

// Count returns the number of records. It is O(1) without conditions and O(log² n) with
// conditions on one field. Otherwise records are filtered, as for a page.
func (sel Selection[T]) Count() (int, error) {
	if sel.err != nil {
		return 0, sel.err
	}
	n, err := sel.source.Count(context.Background(), sel.where)
	return n, sel.typ.named(err)
}

// First returns a copy of the first record in the order of terms, or in the default order
// if there are none. The error wraps [ErrNotFound] if no record is selected. If one index
// can find the record, First is O(log n).
func (sel Selection[T]) First(terms ...ordering.Term) (record T, err error) {
	if sel.err != nil {
		return record, sel.err
	}
	e, err := sel.source.First(context.Background(), sel.query(pagination.Window{}, terms))
	switch {
	case err != nil:
		return record, sel.typ.named(err)
	case e == nil:
		if len(sel.where) > 0 {
			return record, sel.typ.errorf("%w: none satisfies %s", ErrNotFound, sel.restriction())
		}
		return record, sel.typ.errorf("%w: there are none", ErrNotFound)
	}
	return sel.typ.clone(recordOf[T](e)), nil
}

// restriction returns the conditions as text for an error.
func (sel Selection[T]) restriction() string {
	var fields []string
	for _, c := range sel.where {
		if !slices.Contains(fields, c.Field) {
			fields = append(fields, c.Field)
		}
	}
	return "the conditions on " + strings.Join(fields, " and ")
}

// Page returns copies of the records in a window, in the order of terms, and the number of
// selected records. Otherwise it is like [Snapshot.Page].
func (sel Selection[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := sel.View(w, terms...)
	return v.page(), err
}

// View is like [Selection.Page] but returns the stored records instead of copies. They
// must not be modified.
func (sel Selection[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	if sel.err != nil {
		return View[T]{}, sel.err
	}
	entries, count, err := sel.source.Page(context.Background(), sel.query(w, terms))
	return sel.typ.view(entries, count, err)
}

// Ordered returns an iterator over copies of the records in the order of terms, or in the
// default order if there are none. Later writes do not affect the iterator.
func (sel Selection[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	if sel.err != nil {
		return func(func(T) bool) {}, sel.err
	}
	scan, err := sel.source.Scan(context.Background(), sel.query(pagination.Window{}, terms))
	return sel.typ.seq(scan, err)
}

// Position returns the number of selected records before the one with the given id, in
// the order of terms. The error wraps [ErrNotFound] if the record is not selected.
func (sel Selection[T]) Position(id int, terms ...ordering.Term) (int, error) {
	if sel.err != nil {
		return 0, sel.err
	}
	p, err := sel.source.Position(context.Background(), id, sel.query(pagination.Window{}, terms))
	switch {
	case err != nil:
		return 0, sel.typ.named(err)
	case p < 0:
		if len(sel.where) > 0 {
			return 0, sel.typ.errorf("%w: id %d is not among those that satisfy %s", ErrNotFound, id, sel.restriction())
		}
		return 0, sel.typ.errorf("%w: id %d", ErrNotFound, id)
	}
	return p, nil
}

// Explain describes for people how the records are found in the order of terms, such as
// "range of status: 512 of 100000 records, in order". The text may change between
// versions of this package. It counts the records before they are filtered. The cost is
// that of finding the ranges.
func (sel Selection[T]) Explain(terms ...ordering.Term) (string, error) {
	if sel.err != nil {
		return "", sel.err
	}
	text, err := sel.source.Explain(context.Background(), sel.query(pagination.Window{}, terms))
	return text, sel.typ.named(err)
}
