package catalogue

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Encoded is a collection of a catalogue whose records are read and written as JSON,
// whatever their type. Servers use it. It is safe for concurrent use.
//
// A type that embeds an Encoded and overrides Page must override Revision too: callers
// use the revision to find out whether the result of Page may have changed.
type Encoded interface {
	// Key returns the key of the collection.
	Key() string

	// Description returns the description of the collection. The caller must not modify
	// its slices. O(1).
	Description() schema.Description

	// RecordType returns the type of the records.
	RecordType() reflect.Type

	// Count returns the number of records. O(1).
	Count() int

	// Revision returns the revision of the current state, like [Snapshot.Revision]. It
	// changes exactly when a write becomes visible. The error is that of ctx. O(1).
	Revision(ctx context.Context) (uint64, error)

	// Fields returns the names of the fields that records can be ordered by, like
	// [Snapshot.Fields]. The error is that of ctx. O(fields).
	Fields(ctx context.Context) ([]string, error)

	// Page returns the JSON of the records in a window, in the order of terms, and the
	// number of all records of the same state. If there are no terms, the records are
	// in the default order. The JSON must not be modified.
	//
	// The error is that of ctx, or wraps [ordering.ErrUnknownField] if a term names an
	// unknown field, or [ErrInvalid] if a method MarshalJSON or MarshalText returns an
	// error. O(log n + limit) after the first use of the ordering.
	Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)

	// PageWhere is like Page for the records that a filter selects. Terms that name no
	// field are dropped, and if none is left, the order is the default one. The
	// parameters are those of [schema.Description.Filter]; the error may be its
	// FieldErrors.
	//
	// Filters compare values, even if Options.Keys has a function for the field. Those
	// with an order of values, such as minutes__gte, and of beginnings of text use the
	// index of the field; [Selection] has their cost. These are O(n): filters of text in
	// any letters, of parts of text, and of lists of ids, a search, and filters of fields
	// that Options.Keys or methods of their type sort in another way. A search in another
	// collection reads the records that are referred to, in one state of that collection,
	// which may differ from that of the page.
	PageWhere(ctx context.Context, params url.Values, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)

	// Get returns the JSON of the record with the given id, which must not be modified.
	// The error is that of ctx or of [schema.Description.Filter], even if there is no
	// such record, or wraps [ErrNotFound] if there is none or the filter does not select
	// it. O(log n).
	Get(ctx context.Context, id int, params url.Values) (record []byte, err error)

	// Create validates a posted JSON object as the service does, stores it as a record
	// with the next id, and returns the JSON of the record, which the caller may modify.
	// References must be to records that exist; see Delete.
	//
	// The error is that of ctx or of [schema.Description.Validate], or wraps
	// [ErrReadOnly] if the service does not accept posts to the collection or the
	// catalogue is a snapshot, [ErrDuplicate] and [schema.FieldErrors] if another
	// record gets the value of a unique field at the same time, [ErrInvalid] if the
	// record type cannot hold the result, or [ErrInvalidID] if no id is left. If the type
	// of a field cannot hold a valid value, the error wraps [schema.FieldErrors] too.
	// The cost is that of Validate and of [Collection.Insert].
	Create(ctx context.Context, body []byte) (record []byte, err error)

	// Update validates the JSON object of a PUT or, if partial is set, of a PATCH,
	// replaces the record with the given id, and returns its JSON, which the caller may
	// modify. Fields that the object does not have, and those that are not in the JSON of
	// the record, keep their values. No other write comes in between, so concurrent
	// updates of different fields lose nothing. The errors are those of Get, and then
	// those of Create, except that for ids.
	Update(ctx context.Context, id int, params url.Values, body []byte, partial bool) (record []byte, err error)

	// Delete deletes the record with the given id. Before that, or at the same instant,
	// it removes the id from all [schema.References] to the collection in other
	// records, each collection at one instant. The errors are those of Get. The error
	// wraps [ErrReadOnly] like that of Create, and [ErrReferenced] if a
	// [schema.Reference] of another record, in any collection of the catalogue, holds
	// the id; nothing changes then. After an error of a method of the record type, the id
	// may have been removed from the lists of some collections.
	//
	// Delete waits for calls of Create and Update in collections with references, and for
	// those of Update in collections that are referred to. They wait for it, so that the
	// three leave no reference to a record that is deleted.
	// Reads do not wait. Other writes are not checked. The functions of
	// [Collection.Update] and [Collection.Batch] must not call the three: they could
	// deadlock. O(n) for n records in the collections that refer to this one.
	Delete(ctx context.Context, id int, params url.Values) error

	// Load is like [Collection.Load].
	Load(r io.Reader) error
}

// anyCollection is the internal interface of an [Encoded].
type anyCollection interface {
	Encoded
	engine() *store.Store
	clone(into *Catalogue, s *store.Store) anyCollection
	check() error
	read(in *scanner) ([]*store.Entry, error)
	write(w *bufio.Writer, s *store.State) error
	column(name string) *column
	referring(ctx context.Context, key string, id int) (lists []int, by *ReferenceError, err error)
	removeReferences(key string, id int, from []int) error
}

// encoded implements [Encoded].
type encoded[T any] struct {
	*Collection[T]
	about   *schema.Description // shared with clones, like columns
	columns []column            // of the fields of about
	now     func() time.Time
	house   *Catalogue
}

func makeEncoded[T any](house *Catalogue, about schema.Description, opts Options) (anyCollection, error) {
	keys := opts.Keys
	opts.Keys = allKeys[T](about.Fields, keys)
	s, engine, err := newRecordType[T](opts)
	if err != nil {
		return nil, err
	}
	if err := s.checkFields(about); err != nil {
		return nil, fmt.Errorf("catalogue: %s: %w: %w", about.Key, ErrInvalidType, err)
	}
	for _, f := range about.Fields {
		if isOpen[T]() {
			engine.Known = append(engine.Known, ordering.Snake(f.Name))
		}
		if f.Required && documented[T]() {
			s.required = append(s.required, f.Name)
		}
	}
	if !documented[T]() {
		s.lists = listsOf(s.members, about.Fields)
	}
	c := &Collection[T]{typ: s, store: store.New(engine)}
	return &encoded[T]{c, &about, s.columns(about.Fields, keys), opts.Now, house}, nil
}

func (e *encoded[T]) Description() schema.Description { return *e.about }
func (e *encoded[T]) Key() string                     { return e.about.Key }
func (e *encoded[T]) RecordType() reflect.Type        { return reflect.TypeFor[T]() }
func (e *encoded[T]) check() error                    { return e.Check() }
func (e *encoded[T]) engine() *store.Store            { return e.store }

func (e *encoded[T]) read(in *scanner) ([]*store.Entry, error) { return e.typ.read(in) }

func (e *encoded[T]) write(w *bufio.Writer, s *store.State) error { return e.typ.write(w, s) }

func (e *encoded[T]) clone(into *Catalogue, s *store.Store) anyCollection {
	c := &Collection[T]{typ: e.typ, store: s, readOnly: into.readOnly}
	return &encoded[T]{c, e.about, e.columns, e.now, into}
}

func (e *encoded[T]) Revision(ctx context.Context) (uint64, error) {
	return e.store.Revision(), ctx.Err()
}

func (e *encoded[T]) Fields(ctx context.Context) ([]string, error) {
	return e.Collection.Fields(), ctx.Err()
}

func (e *encoded[T]) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	return e.page(ctx, store.Query{Terms: terms, Window: w})
}

// PageLenient is like Page, but drops terms with unknown fields. The fields, the order
// and the page are of one state. PageLenient is not part of [Encoded]: a type that embeds
// an Encoded and overrides Page would inherit a PageLenient that ignores its Page.
func (e *encoded[T]) PageLenient(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	return e.page(ctx, store.Query{Terms: terms, Window: w, Lenient: true})
}

func (e *encoded[T]) page(ctx context.Context, q store.Query) (int, [][]byte, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	entries, count, err := e.store.Page(ctx, q)
	if err != nil {
		return 0, nil, e.typ.named(err)
	}
	records := make([][]byte, len(entries))
	for i, entry := range entries {
		if records[i], err = e.typ.encoded(entry); err != nil {
			return 0, nil, err
		}
	}
	return count, records, nil
}

// has reports whether the collection with the key has a record with the id.
func (c *Catalogue) has(key string, id int) bool {
	m, err := c.lookup(key)
	return err == nil && m.engine().Get(id) != nil
}

func (e *encoded[T]) String() string {
	return fmt.Sprintf("%s: %d records", e.about.Key, e.Count())
}
