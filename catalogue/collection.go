package catalogue

import (
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
)

// Options say what a collection of one's own is like. The zero value is a
// nameless collection of records whose id is called id, listed by id.
type Options struct {
	// Name stands in front of its errors; "" is written "collection" there.
	Name string
	// ID is the JSON name of the int field that holds the id; "" is "id".
	ID string
	// Ordering is the default order; none is by id. Open records that lack a
	// member which it names are listed by id.
	Ordering []ordering.Term
	// History is how many of the last changes are kept for [Collection.Since] and
	// [Collection.Changes]; none if it is 0 or less. A change takes about 70 bytes,
	// taken as changes are made, and keeps the record as it was then.
	History int
}

// A Collection holds records of one type by id, and in any order that their
// fields give. T is a struct with an int field called id in JSON, or a
// [resources.Record].
//
// A Collection is safe for concurrent use. Each read sees one state: everything
// that was written before the read began, nothing that is written after it. A read
// never waits for a writer's work, whatever a writer does in an Update or a Load;
// it waits at most for the step that puts a few records in their places, which runs
// no code of the program. Writers of one collection take turns. The writes of one
// Update become visible together or, on an error or a panic, not at all.
//
// Records are copied on the way in and out. Only [View] exposes stored records;
// they must not be modified.
type Collection[T any] struct {
	schema *schema[T]
	store  *store.Store
}

// NewCollection makes an empty collection that belongs to no catalogue.
// [ErrInvalidType] says that T is no struct, that it has no int field for the id, or
// that it holds what can be neither copied nor written as JSON; the error names
// the field. Fields that are not in the JSON are copied, too; a type with a field
// that cannot be copied, such as a func, needs a method Clone. An Ordering that is
// none of T's fields is an [ordering.ErrUnknownField]. Reflection over T happens
// here, once.
//
// What Insert takes can be saved and loaded again, but for types that write their own
// JSON and cannot read it: of those only the form of the JSON is checked.
func NewCollection[T any](opts Options) (*Collection[T], error) {
	s, engine, err := newSchema[T](opts)
	if err != nil {
		return nil, err
	}
	return &Collection[T]{s, store.New(engine)}, nil
}

// Name is the collection's name: its key, in a catalogue.
func (c *Collection[T]) Name() string { return c.schema.name }

// Clone returns an independent copy of the collection. The two share all records
// until one of them writes, and nothing that either writes is seen by the other.
// Both keep the history so far, and go on with their own. O(orderings in use).
func (c *Collection[T]) Clone() *Collection[T] {
	return &Collection[T]{c.schema, store.Clone(c.store)[0]}
}
