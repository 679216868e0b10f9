package catalogue

import (
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
)

// Options configures a [Collection]. The zero value is a collection without a name
// and without a history, whose id is the field id and whose default order is by id.
type Options struct {
	// Name begins the errors of the collection. If empty, "collection" does.
	Name string

	// ID is the name in JSON of the int field that holds the id. If empty, it is
	// "id".
	ID string

	// Ordering is the default order. If empty, it is by id. Open records are in the
	// order of their ids while no record has a member that Ordering names.
	Ordering []ordering.Term

	// History is the number of last changes that are kept for [Collection.Since] and
	// [Collection.Changes]. If zero or negative, none are kept. A kept change takes
	// about 70 bytes and keeps the record as it was at that time.
	History int
}

// A Collection holds records of type T by id and in any order of their fields. T is
// a struct with an int field that is named id in JSON, or [resources.Record].
//
// A Collection is safe for concurrent use. Each read sees one state: every write
// that returned before the read began, and no write that begins after it. A read
// never waits for a writer's work. It waits at most for the step that puts a few
// records in place, which runs no code of the program. Writers of one collection take
// turns. The writes of one batch become visible together or, after an error or a
// panic, not at all.
//
// Records are copied on the way in and out. Only [View] exposes stored records;
// they must not be modified.
type Collection[T any] struct {
	schema   *schema[T]
	store    *store.Store
	readOnly bool
}

// NewCollection returns an empty collection that belongs to no catalogue.
//
// T must be [resources.Record] or a struct with an int field for the id. A field
// can be of any type that package encoding/json can write, and that can be copied:
// booleans, numbers, strings, [time.Time], [encoding/json.RawMessage], structs,
// pointers, slices, arrays and maps of these, interfaces that hold these, and types
// with a method Clone that returns a copy. A struct with unexported fields that
// hold references, such as [math/big.Int], needs a method Clone on itself or on a
// struct around it. Fields that are not in the JSON are copied too.
//
// The error is [ErrInvalidType] if T is not such a type; it names the field and what
// is missing. It is [ordering.ErrUnknownField] if Options.Ordering names no field of
// T. Reflection over T happens here, once.
//
// What Insert accepts can be saved and loaded again, except if T writes its own JSON
// and does not read it. Of such a T only the form of the JSON is checked.
func NewCollection[T any](opts Options) (*Collection[T], error) {
	s, engine, err := newSchema[T](opts)
	if err != nil {
		return nil, err
	}
	return &Collection[T]{schema: s, store: store.New(engine)}, nil
}

// Name returns [Options].Name, or the key of a catalogue's collection.
func (c *Collection[T]) Name() string { return c.schema.name }

// Clone returns an independent copy of the collection. The copies share records until
// one of them writes, and neither sees what the other writes. Both keep the history
// so far. A clone of a snapshot's collection can be written to.
// O(orderings in use).
func (c *Collection[T]) Clone() *Collection[T] {
	return &Collection[T]{schema: c.schema, store: store.Clone(c.store)[0]}
}

// writable returns an error if the collection is read-only.
func (c *Collection[T]) writable() error {
	if c.readOnly {
		return c.schema.errorf("%w: it belongs to a snapshot", ErrReadOnly)
	}
	return nil
}
