package catalogue

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// An Encoded is a collection of a catalogue as a server sees it: its records are JSON,
// whatever their type. It is safe for concurrent use.
//
// A type that embeds an Encoded and has its own Page must have its own Revision too:
// the revision is that of what Page returns.
type Encoded interface {
	// Key returns the key of the collection.
	Key() string

	// RecordType returns the type of the records.
	RecordType() reflect.Type

	// Count returns the number of records. O(1).
	Count() int

	// Revision returns the number of writes that are visible. It changes at the
	// instant at which a write becomes visible, and at no other. The error is that of
	// ctx. O(1).
	Revision(ctx context.Context) (uint64, error)

	// Fields returns the names of the fields that records can be ordered by, like
	// [Snapshot.Fields]. The error is that of ctx.
	Fields(ctx context.Context) ([]string, error)

	// Page returns the records in a window, in the order of terms, and the number of
	// all records at the same instant. Without terms the records are in the default
	// order. The records must not be modified. The error is
	// [ordering.ErrUnknownField], or that of ctx. O(log n + limit) once the ordering
	// is in use.
	Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)

	// Create validates a posted JSON object as the service does, stores it as a record
	// with the next id, and returns the record, which belongs to the caller. References
	// are looked up in the catalogue as it is now. The errors are those of
	// [resources.Description.Validate], and [ErrReadOnly] if the service does not accept
	// posts to the collection or the catalogue is a snapshot.
	Create(ctx context.Context, body []byte) (record []byte, err error)

	// Load replaces all records, like [Collection.Load].
	Load(r io.Reader) error
}

// anyCollection is a collection of a catalogue, whatever its records.
type anyCollection interface {
	Encoded
	engine() *store.Store
	clone(into *Catalogue, s *store.Store) anyCollection
	check() error
	read(in *scanner) ([]*store.Entry, error)
	write(w *bufio.Writer, s *store.State) error
}

// encoded is a collection of a catalogue.
type encoded[T any] struct {
	*Collection[T]
	about *resources.Description // shared with clones
	house *Catalogue
}

func makeEncoded[T any](house *Catalogue, about resources.Description, opts Options) (anyCollection, error) {
	c, err := NewCollection[T](opts)
	if err != nil {
		return nil, err
	}
	for _, f := range about.Fields {
		if f.Required {
			c.schema.required = append(c.schema.required, f.Name)
		}
	}
	return &encoded[T]{c, &about, house}, nil
}

func (e *encoded[T]) Key() string              { return e.about.Key }
func (e *encoded[T]) RecordType() reflect.Type { return reflect.TypeFor[T]() }
func (e *encoded[T]) check() error             { return e.Check() }
func (e *encoded[T]) engine() *store.Store     { return e.store }

func (e *encoded[T]) read(in *scanner) ([]*store.Entry, error) { return e.schema.read(in) }

func (e *encoded[T]) write(w *bufio.Writer, s *store.State) error { return e.schema.write(w, s) }

func (e *encoded[T]) clone(into *Catalogue, s *store.Store) anyCollection {
	c := &Collection[T]{schema: e.schema, store: s, readOnly: into.readOnly}
	return &encoded[T]{c, e.about, into}
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

// PageLenient is like Page, but drops terms that are not fields. Which those are, the
// order and the page are of one instant. It is not part of [Encoded]: a type that
// embeds an Encoded and has its own Page would have the wrong PageLenient.
func (e *encoded[T]) PageLenient(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	return e.page(ctx, store.Query{Terms: terms, Window: w, Lenient: true})
}

func (e *encoded[T]) page(ctx context.Context, q store.Query) (int, [][]byte, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	entries, count, err := e.store.Page(ctx, q)
	if err != nil {
		return 0, nil, e.schema.named(err)
	}
	records := make([][]byte, len(entries))
	for i, entry := range entries {
		if records[i], err = e.schema.encoded(entry); err != nil {
			return 0, nil, err
		}
	}
	return count, records, nil
}

func (e *encoded[T]) Create(ctx context.Context, body []byte) ([]byte, error) {
	if !e.about.Creatable {
		return nil, e.schema.errorf("%w: the service does not accept posts to it", ErrReadOnly)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	posted, err := e.about.Validate(body, e.house.has)
	if err != nil {
		return nil, err
	}
	record, err := e.schema.decode(posted.AppendJSON(nil), nil)
	if err != nil {
		return nil, e.schema.errorf("%w: %w", ErrInvalid, err)
	}
	entry, err := e.insert(record)
	if err != nil {
		return nil, err
	}
	stored, err := e.schema.encoded(entry)
	return bytes.Clone(stored), err
}

// has reports whether a record has the id.
func (c *Catalogue) has(key string, id int) bool {
	m, err := c.lookup(key)
	return err == nil && m.engine().Get(id) != nil
}

func (e *encoded[T]) String() string {
	return fmt.Sprintf("%s: %d records", e.about.Key, e.Count())
}
