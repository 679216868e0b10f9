package catalogue

import (
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Selection is the set of records that satisfy some conditions. It holds no records: each of its
// methods reads one state of its source, the current one of a collection. It is immutable and,
// unless it is of a batch, safe for concurrent use. The methods of the zero Selection panic.
//
// Methods that take terms use them as the order. Without terms, records are in the default order.
//
// Conditions and terms name a field of a struct inside a record, or of an object inside an open
// record, by the names of both: address__city is the city of the address. It is null if there is no
// address. Elements of lists have no names. A member of an open record that is itself named
// address__city takes precedence.
//
// The methods return an error that wraps [ordering.ErrUnknownField] if a condition or a term names
// an unknown field, [ordering.ErrInvalidCondition] if a condition is invalid, and [ErrTxDone] after
// the batch. A field of open records is unknown in a condition if there are records and none has
// the field, unless it is in [Options].Unique. As for address__city, it is unknown if none has an
// address.
//
// # Cost
//
// A page costs O(log n + limit) at any offset if an index has the records in the order of the
// terms. With conditions, an index answers the query if
//
//   - its first fields are those with conditions,
//   - all of these conditions but the last permit one value only, and
//   - the other fields, with the ids that break ties, are the order, or its exact reverse.
//
// An index by status,created answers pages with Equal("status", …) by created and by -created, and
// counts with a range of created in addition. Then a page costs O(log² n + limit) at any offset, a
// count O(log n), and First O(log n). If conditions permit several values, as [ordering.OneOf]
// does, up to 16 such combinations are merged: v of them cost O(v log n + v × limit).
//
// All else takes time for each of the records that are selected: a range, a prefix or a Not with
// another order, more than 16 values, and a Filter. The records of the condition that fewest
// records satisfy are filtered by the other conditions, and sorted if the order differs: O(r log r)
// for r records, for each page. Once queries have cost as much as building the index that answers
// them, or that has their order, it is built in the background; no query waits for it. To read many
// pages of a selection that no index answers, use [Selection.All], which finds the records once.
//
// The first use of an ordering, and of a field with a condition, sorts the records: O(n log n),
// unless another condition leaves one record. Indexes that are neither declared nor unique take a
// bounded number of bytes for each record; the least recently used are dropped first. A field whose
// keys are too large for an index is only filtered.
//
// Filters of requests are conditions if their lookup compares values, is startswith, or is that of
// the year, iso_year or date of a field, which are ranges of it. All others are a Filter.
// [Selection.Explain] describes which way is taken.
type Selection[T any] struct{ sel core.Selection }

// Where returns the records that satisfy all conditions, or all records if there are none. The
// methods of the Selection report an invalid condition.
func (c *Collection[T]) Where(conditions ...ordering.Condition) Selection[T] {
	return Selection[T]{core.NewSelection(c.core, nil, conditions)}
}

// Filter returns the records of the selection for which f returns true. Whenever a method reads the
// selection, it calls f with each stored record that satisfies the conditions, and with some of
// them more than once. f must not modify the record and, in an Update, a Delete or a batch, must
// not write to the collection. A nil f selects all records. A page costs O(r log r) for the r
// records that satisfy the conditions.
func (s Selection[T]) Filter(f func(record *T) bool) Selection[T] {
	if f == nil {
		return s
	}
	return Selection[T]{s.sel.Filter(func(e *store.Entry) bool { return f(layout.Typed[T](layout.RecordOf(e))) })}
}

// Count returns the number of records. O(1) without conditions, and O(log n) if an index answers
// it. Otherwise records are filtered, as for a page.
func (s Selection[T]) Count() (int, error) { return s.sel.Count() }

// Counts returns an iterator over the values of a field in ascending order, null and absent members
// last: for each value, a copy of the record with the lowest id that has it, and the number of
// records that have it. A list is one value. All numbers are of the state at the time of the call.
// After an error the iterator is empty.
//
// O(log n) for each value that is read, if one index has the records in the order of the field:
// without conditions always. Otherwise the records are filtered and sorted, as for a page.
func (s Selection[T]) Counts(field string) (iter.Seq2[T, int], error) {
	groups, err := s.sel.Groups(field)
	return func(yield func(T, int) bool) {
		groups(func(e *store.Entry, n int) bool { return yield(layout.CopyOf[T](s.sel.Type.Copier, e), n) })
	}, err
}

// First returns a copy of the first record in the order of terms. The error wraps [ErrNotFound] if
// no record is selected. O(log n) if one index can find the record.
func (s Selection[T]) First(terms ...ordering.Term) (record T, err error) {
	e, err := s.sel.First(terms)
	return layout.CopyOf[T](s.sel.Type.Copier, e), err
}

// Page returns copies of the records in a window, in the order of terms, and the number of selected
// records. A window past the end has no records, and the zero Window has all.
func (s Selection[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	entries, count, err := s.sel.Page(w, terms)
	if err != nil {
		return Page[T]{}, err
	}
	return Page[T]{Count: count, Records: copies[T](s.sel.Type.Type, entries)}, nil
}

// View returns the records in a window, in the order of terms, and the number of selected records.
// The records are the stored ones and must not be modified.
func (s Selection[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	found, count, err := s.sel.Page(w, terms)
	if err != nil {
		return View[T]{}, err
	}
	return View[T]{s.sel.Type.Type, entries{found}, count}, nil
}

// PageAfter returns copies of at most n records after a position in the order of terms, and the
// token of the position after them, or "" if no more records are selected. The empty token is the
// position before all records. An n of zero or less means no limit.
//
// A token has the values of the last record by the terms, and its id. Records that are inserted or
// deleted before the position do not move the following pages, as they would with a
// [pagination.Window]. A walk from token to token returns each record that stays selected, with the
// same values in the ordering, exactly once. A record that moves may be returned twice, or not at
// all.
//
// The error wraps [ErrInvalidToken] if the token is not one of PageAfter, or of another order or
// other conditions, as far as that can be recognized. The functions of Filter are not compared. A
// token remains valid when its record is deleted, after a restart of the program, and for snapshots
// and batches. It is not secret: the values in it can be read.
//
// O(log n + records) if an index has the records in order. Records that Filter or other conditions
// exclude count too, but only those between the position and the last record. If no index has the
// order, each call filters and sorts, as for a page; [Selection.All] sorts once.
func (s Selection[T]) PageAfter(token string, n int, terms ...ordering.Term) (records []T, next string, err error) {
	a, err := s.sel.Ask(store.Query{Want: store.WantAfter, Token: token, Window: pagination.Window{Limit: n}, Terms: terms})
	if err != nil {
		return nil, "", err
	}
	return copies[T](s.sel.Type.Type, a.Entries), a.Next, nil
}

// copies returns copies of the records of entries.
func copies[T any](s *layout.Type, found store.Entries) []T {
	es, records, copier := entries{found}, make([]T, found.Len()), s.Copier
	for i := range records {
		layout.CopyTo(copier, &records[i], layout.Typed[T](es.at(i)))
	}
	return records
}

// All returns an iterator over copies of the records in the order of terms. It yields the
// state at the time of the call; later writes do not affect it. After an error the iterator
// is empty. O(1) for each record, after the records have been found.
func (s Selection[T]) All(terms ...ordering.Term) (iter.Seq[T], error) {
	scan, err := s.sel.Scan(terms)
	return func(yield func(T) bool) {
		scan(func(e *store.Entry) bool { return yield(layout.CopyOf[T](s.sel.Type.Copier, e)) })
	}, err
}

// Position returns the number of selected records before the one with the given id, in the order of
// terms. The page of limit l that contains it has the offset p - p%l. The error wraps [ErrNotFound]
// if the record is not selected. O(log n) without conditions.
func (s Selection[T]) Position(id int, terms ...ordering.Term) (int, error) {
	return s.sel.Position(id, terms)
}

// Delete deletes the selected records in one batch and returns their number. In a batch, the
// deletions are part of it. The error wraps [ErrReadOnly] if the selection is of a snapshot.
// References to the records are not checked. Other writers wait; readers do not. In addition to
// finding them, it takes O(k × orderings in use × log n) for k records, or O(n log n × orderings in
// use) for more than half of the records.
func (s Selection[T]) Delete() (n int, err error) { return s.sel.Remove() }

// Update calls f with a copy of each selected record, in the order of their ids, and stores the
// results in one batch. It returns the number of records, or 0 after an error. If f returns an
// error, Update returns it unchanged. Otherwise the error wraps [ErrReadOnly] if the selection is
// of a snapshot, [ErrInvalidID] if f changed an id, [ErrDuplicate], or [ErrInvalid]. After an error
// or a panic nothing has changed. In a batch, the updates are part of it, and a duplicate value is
// an error of the batch; ErrInvalid then also reports that f wrote to a selected record. Other
// writers wait for f; readers do not. f must not write to the collection: it would deadlock. In
// addition to f, it costs as much as Delete.
func (s Selection[T]) Update(f func(record *T) error) (n int, err error) {
	return s.sel.Modify(layout.Untyped(f))
}

// Explain describes for people how the records are found in the order of terms, such as "range of
// status: 512 of 100000 records, in order". It counts the records before they are filtered. The
// text may change between versions of this package. It costs as much as finding the ranges.
func (s Selection[T]) Explain(terms ...ordering.Term) (string, error) { return s.sel.Explain(terms) }

// A Page holds copies of the records in a window, which can be modified, and the number of all
// records of the collection or the [Selection], both of one state.
type Page[T any] struct {
	Count   int // number of all records
	Records []T // those in the window
}

// A View is a page of stored records, which must not be modified. It is immutable and safe for
// concurrent use. While it is held, its records stay in memory even after they are replaced or
// deleted, and so may some hundred records next to them. The zero View is empty.
type View[T any] struct {
	typ     *layout.Type
	entries entries
	count   int
}

// entries are entries whose methods do not depend on the type of the records. The compiler inlines
// them into programs because it has inlined what they call in this package.
type entries struct{ store.Entries }

func (es *entries) len() int { return es.Len() }

func (es *entries) at(i int) *layout.Record { return layout.RecordOf(es.At(i)) }

func (es *entries) all() iter.Seq2[int, *store.Entry] { return es.All() }

// Count returns the number of all records of the collection or the [Selection] at the time of the
// view. O(1).
func (v View[T]) Count() int { return v.count }

// Len returns the number of records in the view. O(1).
func (v View[T]) Len() int { return v.entries.len() }

// At returns the record with index i. At panics if i is not in [0, Len). O(1).
func (v View[T]) At(i int) *T { return layout.Typed[T](v.entries.at(i)) }

// All yields the records with their indexes. O(records).
func (v View[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i, e := range v.entries.all() {
			if !yield(i, layout.Typed[T](layout.RecordOf(e))) {
				return
			}
		}
	}
}

// JSON returns the JSON of the record with index i. It must not be modified. The error
// wraps [ErrInvalid] if a method MarshalJSON or MarshalText returns an error. JSON
// panics if i is not in [0, Len). O(1) after the first call for a record.
func (v View[T]) JSON(i int) ([]byte, error) { return v.typ.Encoded(v.entries.At(i)) }
