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

// Encoded is a collection of a catalogue as a server sees it: records are JSON,
// their type does not matter. It may be used by any number of goroutines at
// once.
//
// What a catalogue gives also has a method Revision(context.Context) (uint64, error),
// in O(1): a number that changes with each write and with nothing else, at the moment
// from which the write is seen, and ctx's error; and RecordType() reflect.Type, the
// type of its records. A type that embeds an Encoded has neither.
type Encoded interface {
	// Key is the collection's key at the root.
	Key() string

	// Count is the number of records. O(1).
	Count() int

	// Fields lists the names that records can be ordered by, as
	// [Snapshot.Fields] does. The error is ctx's.
	Fields(ctx context.Context) ([]string, error)

	// Page gives the wire form of the records in a window of the order by the
	// terms, and the count of the same instant. No terms are the default order; a
	// term that is no field is an [ordering.ErrUnknownField]. The records are
	// shared: they must not be changed. O(log n + limit) once the ordering is in
	// use.
	Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)

	// Create checks a posted JSON object as the service does, stores it as a
	// record with the next id, and gives its wire form, which is the caller's. References are looked up
	// in the catalogue as it is now. The errors are those of
	// [resources.Description.Validate]; a collection that the document lets nobody
	// post to gives [ErrType].
	Create(ctx context.Context, body []byte) (record []byte, err error)

	// Load replaces all records as [Catalogue.LoadCollection] does.
	Load(r io.Reader) error
}

// anyCollection is what a catalogue asks of a collection besides.
type anyCollection interface {
	Encoded
	RecordType() reflect.Type
	engine() *store.Store
	clone(into *Catalogue, s *store.Store) anyCollection
	check() error
	read(in *scanner) ([]*store.Entry, error)
	write(w *bufio.Writer, s *store.State) error
}

// encoded is a collection with its place in a catalogue.
type encoded[T any] struct {
	c     *Collection[T]
	about *resources.Description // shared with all forks
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

func (e *encoded[T]) Key() string          { return e.about.Key }
func (e *encoded[T]) Count() int           { return e.c.Count() }
func (e *encoded[T]) check() error         { return e.c.Check() }
func (e *encoded[T]) engine() *store.Store { return e.c.store }

// Revision counts the writes that are seen. It is no part of [Encoded]: of a type
// that embeds one and has a Page of its own it would not be the revision. The error
// is ctx's.
func (e *encoded[T]) Revision(ctx context.Context) (uint64, error) {
	return e.c.store.Revision(), ctx.Err()
}

// RecordType tells what records are encoded from; it is no part of [Encoded] for the
// same reason.
func (e *encoded[T]) RecordType() reflect.Type { return reflect.TypeFor[T]() }

func (e *encoded[T]) clone(into *Catalogue, s *store.Store) anyCollection {
	return &encoded[T]{&Collection[T]{e.c.schema, s}, e.about, into}
}

func (e *encoded[T]) Fields(ctx context.Context) ([]string, error) {
	return e.c.Fields(), ctx.Err()
}

func (e *encoded[T]) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	return e.page(ctx, store.Query{Terms: terms, Window: w})
}

// PageLenient is Page but for terms that are no field: they are dropped. Which those
// are, the order and the page belong to one instant. It is no part of [Encoded]
// for the same reason.
func (e *encoded[T]) PageLenient(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	return e.page(ctx, store.Query{Terms: terms, Window: w, Lenient: true})
}

func (e *encoded[T]) page(ctx context.Context, q store.Query) (int, [][]byte, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	entries, count, err := e.c.store.Page(ctx, q)
	if err != nil {
		return 0, nil, e.c.schema.named(err)
	}
	records := make([][]byte, len(entries))
	for i, entry := range entries {
		if records[i], err = e.c.schema.encoded(entry); err != nil {
			return 0, nil, err
		}
	}
	return count, records, nil
}

func (e *encoded[T]) Create(ctx context.Context, body []byte) ([]byte, error) {
	if !e.about.Creatable {
		return nil, e.c.schema.errorf("%w: it cannot be posted to", ErrInvalidType)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	posted, err := e.about.Validate(body, e.house.has)
	if err != nil {
		return nil, err
	}
	record, err := e.c.schema.decode(posted.AppendJSON(nil), nil)
	if err != nil {
		return nil, e.c.schema.errorf("%w: %w", ErrInvalid, err)
	}
	entry, err := e.c.insert(record)
	if err != nil {
		return nil, err
	}
	stored, err := e.c.schema.encoded(entry)
	return bytes.Clone(stored), err
}

// has says whether a record is there to be referred to.
func (c *Catalogue) has(key string, id int) bool {
	m, err := c.lookup(key)
	return err == nil && m.engine().Get(id) != nil
}

func (e *encoded[T]) String() string {
	return fmt.Sprintf("%s: %d records", e.about.Key, e.Count())
}
