package catalogue

import (
	"context"
	"io"
	"iter"
	"reflect"

	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A Query asks an [AnyCollection] for a page.
type Query struct {
	// Filter selects records, as [schema.Description.Filter] reads it from the parameters of a
	// request. Its fields must be described. The zero Filter selects all records.
	Filter schema.Filter

	// Window is the page of the selected records.
	Window pagination.Window

	// Terms order the records. They name fields in snake_case or as in JSON, those inside others as
	// in address__city. Terms by fields that are neither in Sortable of the description nor in the
	// default order are dropped. If Sortable is nil, it is the names of Fields that are not Hidden
	// or, if these are nil too, of all members of the records. If no term is left, the order is the
	// default one.
	Terms []ordering.Term

	// Place, if not nil, is where the page begins, and its Window replaces that of the Query. It
	// has a Token of a [Listing] of the same collection by the same Terms, or a Position, or
	// neither: then the page begins at the start of the order, or at its end if Reverse is set. A
	// Position is a value of a [schema.Test] of the field of the first term, which must be
	// described: records with greater values, null included, are after it, or those with lesser
	// ones if the term descends. A page in Reverse has the records before the place, nearest first.
	Place *pagination.Place
}

// A Listing is the page that a [Query] asks for, all of one instant.
type Listing struct {
	Records [][]byte // JSON objects, which must not be modified
	Count   int      // number of selected records, or -1 if the Query has a Place

	// Keys are the sort keys of the Records by the first term, if the Query has a Place.
	Keys []sortkey.Key

	// Token returns the token of the place at Records[i], if the Query has a Place. The page of the
	// token begins after the record or, in Reverse, ends before it, even if the record has been
	// deleted or changed since. A token is text of URLs. It contains the values of the record by
	// the terms, of which long text is shortened: if the record is gone, the page begins before all
	// that begin with the same 512 bytes. O(length of the values).
	Token func(i int) string
}

// An Edit asks an [AnyCollection] to change a record. The zero Edit is a PUT of an empty object.
type Edit struct {
	// Filter hides records from the update: those that it does not select count as missing.
	Filter schema.Filter

	// Body is the JSON object of a PUT or, if Partial is set, of a PATCH. Empty means {}.
	Body    []byte
	Partial bool

	// Assigned has the values of fields that the server determines, whatever the Body has. See
	// [schema.Checks].
	Assigned schema.Record

	// Precondition, if not nil, is called with the JSON of the record at the instant of the change.
	// If it returns an error, the record does not change. It must neither modify nor retain the
	// JSON.
	Precondition func(record []byte) error
}

// An AnyCollection is a collection of a catalogue whose records are read and written as JSON,
// whatever their type. Servers use it. It is safe for concurrent use. The methods of the zero
// AnyCollection panic.
//
// Methods that take a context return ctx.Err() if it ends. If a [schema.Filter] names a field that
// is not described, lacks a value or takes too much work, the error wraps
// [ordering.ErrUnknownField] or [schema.ErrInvalid]. If the record of a segment does not exist or
// the filter does not select it, the error wraps [ErrNotFound]. Create, Update and Delete return
// one that wraps [ErrReadOnly] if the description lacks the action or the catalogue is a snapshot.
// After an error nothing has changed.
type AnyCollection struct{ core *core.Collection }

// Description returns the description of the collection. Its slices must not be modified. O(1).
func (c AnyCollection) Description() schema.Description { return *c.core.Type.About }

// Indexes returns the orders of Options.Indexes, for other stores of the records. An order that
// descends in all terms is returned as the ascending one. They must not be modified. O(1).
func (c AnyCollection) Indexes() [][]ordering.Term { return c.core.Type.Engine.Indexes() }

// ShownTypes returns the types of what is served of a record, alone and in lists: its own unless [Show]
// or [ShowInLists] say otherwise. O(1).
func (c AnyCollection) ShownTypes() (record, listed reflect.Type) { return c.core.ShownTypes() }

// Count returns the number of records. O(1).
func (c AnyCollection) Count() int { return c.core.Store.Len() }

// Revision returns the revision of the current state. It changes exactly when a write
// becomes visible: of the collection, or of one that its records are shown with, as [Show] says. O(1).
func (c AnyCollection) Revision() uint64 { return c.core.Revision() }

// List returns the page that a query asks for. The error also wraps [ErrInvalidToken] if the Place
// has a token of another order, or [ErrInvalid] if a method MarshalJSON or MarshalText returns an
// error. O(log n + limit) after the first use of the ordering, without a Filter.
//
// Filters by order, such as minutes__gte, and by prefix use indexes; [Selection] describes their
// cost. These are O(n): case-insensitive filters of text, filters of parts of text and of lists of
// references, and a search. The first filter or search for text within text collects the texts of
// all records in memory.
//
// A page that fields of other records select or order belongs to one instant of all collections
// concerned. It takes O(n + m) for n records in the collection and m in those to which the
// references lead, and O(n log n) if it is ordered by such a field. No index depends on another
// collection.
func (c AnyCollection) List(ctx context.Context, q Query) (Listing, error) {
	list, err := c.core.List(ctx, core.Query(q))
	return Listing(list), err
}

// All returns the JSON of the records that the Filter of a query selects, in the order of its
// Terms, all of the instant of the call. It ignores other fields of the query. The sequence may be
// ranged over several times. The JSON must not be modified. An error, as of List, is the last
// element. The sequence keeps the state of the collection in memory. O(log n + m) time for m
// records and constant memory if an index has them in order; otherwise as much as List takes for
// all of them.
func (c AnyCollection) All(ctx context.Context, q Query) iter.Seq2[[]byte, error] {
	return c.core.All(ctx, core.Query(q))
}

// Counts returns, for each group of tests, the number of records that the filter selects and that
// pass all tests of the group. If others write meanwhile, the numbers may belong to different
// instants. O(log n) for each group that an index answers; the others are counted in one pass over
// the selected records.
func (c AnyCollection) Counts(ctx context.Context, wanted schema.Filter, groups [][]schema.Test) ([]int, error) {
	return c.core.Counts(ctx, wanted, groups)
}

// Find returns the id of the record whose field, in snake_case, equals a text, and the text that it
// has, or 0 if none exists. The record is one of the collection of the catalogue with the given
// key. The field is unique text, or id, of which the text is the digits. Find implements that of
// [schema.Checks]. O(log n) after the first use of the field.
func (c AnyCollection) Find(ctx context.Context, key, field, text string) (id int, stored string, err error) {
	return c.core.Set.Find(ctx, key, field, text)
}

// Get returns the JSON of a record by the segment of its path: its id, with or without white space
// around it, its key or, with a Lookup, that text. The JSON must not be modified. O(log n).
func (c AnyCollection) Get(ctx context.Context, segment string, filter schema.Filter) (record []byte, err error) {
	return c.core.Get(ctx, segment, filter)
}

// Stored returns what Get without a filter does, but as the record is stored: without [Show]. Package browse
// fills forms with it. O(log n).
func (c AnyCollection) Stored(ctx context.Context, segment string) (record []byte, err error) {
	return c.core.Stored(ctx, segment)
}

// Create validates a posted JSON object, stores it as a record with the next id, and returns the
// JSON of the record, which the caller may modify. References must be to records that exist.
// assigned has the values of fields that the server determines, whatever the body has, or is the
// zero Record; see [schema.Checks].
//
// The error is a [*schema.SyntaxError] or [schema.FieldErrors] about the body, or wraps
// [ErrDuplicate] and [schema.FieldErrors] if another record has the values of a unique set that the
// description does not have, [ErrInvalid] if the record type cannot hold the result, or
// [ErrInvalidID] if no id is left. If the type of a field cannot hold a valid value, the error
// wraps [schema.FieldErrors] too; the message is the text of the error if a method UnmarshalText or
// UnmarshalJSON returns one.
//
// Other writers wait during validation, so that rules see the records to which the new one is
// added. If a rule panics, nothing changes, and the panic passes to the caller. O(length of the
// body + orderings in use × log n).
func (c AnyCollection) Create(ctx context.Context, body []byte, assigned schema.Record) (record []byte, err error) {
	return c.core.Create(ctx, body, assigned)
}

// Update validates a JSON object, changes the record that Get returns, and returns its JSON, which
// the caller may modify. Fields that are absent from the object or from the JSON of the record keep
// their values. If a text changes to which fields of other records refer, these change at the same
// instant. If the precondition returns an error, Update returns it. It must not write to the
// catalogue, and may be called twice. Other errors are those of Create. Concurrent updates of
// different fields lose nothing.
func (c AnyCollection) Update(ctx context.Context, segment string, e Edit) (record []byte, err error) {
	return c.core.Update(ctx, segment, core.Edit(e))
}

// Delete deletes the record that Get returns. At the same instant the records that refer to it
// change: those with a reference that is [schema.Cascade] are deleted too, and then those that
// refer to these; a reference that is [schema.SetNull] becomes null; lists lose the item. These
// records are not validated, and their descriptions need not have actions. The error wraps
// [ErrReferenced] if another record, in any collection of the catalogue, has a [schema.Protect]
// reference to a record that would be deleted, even if it would be deleted itself. If precondition
// is not nil, Delete calls it with the JSON of the record at the instant of the deletion and
// returns its error. precondition must not write to the catalogue: it could deadlock.
//
// Create, Update and Delete leave no reference to a record that does not exist: writes to the
// collections whose records Delete may read or change wait for it. Reads do not wait. O(k log n)
// for k records that change, of n in the collections that refer to them, after the first deletion
// has made the indexes of the fields that do; O(n) for a list, and for each step of a chain of
// lists.
func (c AnyCollection) Delete(ctx context.Context, segment string, filter schema.Filter, precondition func(record []byte) error) error {
	return c.core.Delete(ctx, segment, filter, precondition)
}

// Dependents calls report for each record that a deletion of the record of a segment would change, all of
// one instant: with the key of its collection, the segment of its path, and what happens to it.
// [schema.Cascade] means that it is deleted, [schema.SetNull] that it loses a reference or an item of a
// list, and [schema.Protect] that it prevents the deletion. Whatever the number of references, a record is
// reported once with each of these. Records of a collection that refer to the same one are in the order of
// their ids. Nothing changes, and no writer waits. All records are reported, whoever asks. report must not be
// nil. O(k log n) for k records, as for Delete.
func (c AnyCollection) Dependents(ctx context.Context, segment string, report func(collection, segment string, does schema.OnDelete)) error {
	return c.core.Dependents(ctx, segment, report)
}

// Load replaces all records at one instant by the ones in r, as [Collection.Load] does. The error
// wraps the error of r, [ErrReadOnly] if the catalogue is a snapshot, or [ErrInvalidData]. O(n) for
// records sorted by id.
func (c AnyCollection) Load(r io.Reader, opts LoadOptions) error {
	return core.Loader{Set: c.core.Set, One: c.core, Options: core.LoadOptions(opts)}.Load(r)
}
