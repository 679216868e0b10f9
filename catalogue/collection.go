package catalogue

import (
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Collection holds records of type T and returns them by id or in any order of their fields.
// [NewCollection] lists the requirements for T. The methods of the zero Collection panic.
//
// A Collection is safe for concurrent use. Each read sees one state: every write that returned
// before the read began, and no write that begins after it. A read never waits for a writer's work.
// It takes a lock for microseconds, never while your functions run. Writers of one collection take
// turns. The writes of one batch become visible together or, after an error or a panic, not at all.
//
// Records are copied on the way in and out. Only a [View] exposes stored records; they must not be
// modified.
//
// Methods that write return [ErrReadOnly] if the collection is a snapshot. After an error or a
// panic the collection is unchanged and no id is used. If [Options].Validate is set, the stored
// record can differ from the given one, and [ErrInvalid] also reports a record that is not valid.
type Collection[T any] struct{ core *core.Collection }

// NewCollection returns an empty collection that belongs to no catalogue.
//
// T must be [schema.Record] or a struct with a field for the id, an integer of any type, or for a key,
// a text, such as a string, a UUID, or any type with MarshalText. It may be a pointer, or in an
// embedded struct. [Options].ID names it; if it does not, it is the field that is named id, or as
// ids usually are. Open records have a key if a field of Options.Description is the Key. Every
// field must have a type that package encoding/json can marshal, unless its tag is "-", and that
// can be copied:
//
//   - booleans, numbers, strings, time.Time and encoding/json.RawMessage
//   - structs, pointers, slices, arrays and maps of these types
//   - any, for numbers, booleans, strings, time.Time, and lists and maps of these and of any;
//     other values are rejected when they are written. A value that is loaded or posted has the
//     type that encoding/json decodes, such as []any for a []string, but a number is an
//     encoding/json.Number, so that no digit is lost
//   - net/netip.Addr, AddrPort and Prefix, time.Location, and the numbers of math/big
//   - types with a method Clone that returns a copy, of the same type as its receiver:
//     func (t Type) Clone() Type
//
// Fields that are not in the JSON are copied too. Unexported fields that contain references, other
// than these types, are not kept: those of what is read are zero. If a struct with such fields has
// methods that write or read its JSON, it must be part of a type with a method Clone.
//
// The JSON of a record is what encoding/json writes without HTML escapes, with two exceptions,
// which are as Django REST framework writes them. A float has a point or an exponent: 7.0, 1e+16,
// 1e-05. The fraction of a time.Time has six digits, or nine if there are nanoseconds, or is absent
// if it is zero. Neither exception applies to the output of methods of a type or to values of the
// type any. The options inline, unknown, format and case of a json tag are errors, except inline on
// an embedded struct. If T has a method MarshalJSON, it must have UnmarshalJSON too. Its JSON must
// be an object, so T cannot have MarshalText or UnmarshalText without the corresponding method for
// JSON.
//
// A field with the word key in the tag backlist identifies the records in place of an id, and a
// field with unique is added to Options.Unique. All other words but those of the order are for
// requests. They have no effect in a standalone collection unless Options.Validate is set, but must
// be valid; [schema.DescriptionOf] lists them.
//
// A field has one order, by which orderings, conditions, filters, unique sets, keys and references
// compare. A type with a method OrderingKey decides it, as [ordering.FieldsOf] specifies. Otherwise
// text with the word decimal compares as a number, and text with the word fold without regard to
// case. Times compare by the microsecond, as in requests. A reference by a text or a key compares
// as the field to which it refers.
//
// The error wraps [ErrInvalidType] and names the field if T does not meet these requirements, or if
// a set in Options.Unique has no fields or one twice. It wraps [ordering.ErrUnknownField] if T is a
// struct and Options.Ordering, Options.Unique or Options.Indexes names no field of it.
//
// A record that Insert accepts can be saved and loaded, unless the type of a field has a method
// that marshals its JSON but none that unmarshals it. Insert rejects a time.Time whose zone has
// seconds, such as Paris before 1911, because JSON has no such offsets, and numbers beyond a
// float64, such as 1e400, in a json.Number or in free JSON.
func NewCollection[T any](opts Options) (*Collection[T], error) {
	c, err := core.New(layout.TableOf[T](), layout.Options(opts), &errorsOf)
	if err != nil {
		return nil, err
	}
	return &Collection[T]{c}, nil
}

// Clone returns an independent copy of the current state of the collection, which continues its
// revisions and its history. Both refer to the same records in memory until one of them replaces or
// deletes them. The clone of a read-only collection can be written to. O(orderings in use).
func (c *Collection[T]) Clone() *Collection[T] {
	return &Collection[T]{c.core.Clone()}
}

// Snapshot returns a read-only collection with the current state, which never changes. It belongs
// to no catalogue, and has the history of the collection until then. While it is held, the records
// of that state stay in memory, even after they are replaced or deleted. O(1), but the next write
// copies the tree nodes that it changes.
func (c *Collection[T]) Snapshot() *Collection[T] { return &Collection[T]{c.core.Snapshot()} }

// Count returns the number of records. O(1).
func (c *Collection[T]) Count() int { return c.core.Store.Len() }

// Revision returns the number of writes that led to the current state. A batch counts as one write,
// or as none if it changes nothing. A clone starts at the revision of its original. Revisions are
// not saved. O(1).
func (c *Collection[T]) Revision() uint64 { return c.core.Store.Revision() }

// Has reports whether there is a record with the given id. O(log n).
func (c *Collection[T]) Has(id int) bool {
	_, err := c.core.Type.Find(c.core.Store, id)
	return err == nil
}

// Get returns a copy of the record with the given id. The error wraps [ErrNotFound] if none exists,
// or if the records have keys, which [Collection.By] finds. O(log n).
func (c *Collection[T]) Get(id int) (T, error) {
	return copied[T](c.core.Type, c.core.Store, id)
}

// Page returns copies of the records in a window, in the order of terms or, without terms, in the
// default order, and the number of all records. A window past the end has no records, and the zero
// Window has all. The error wraps [ordering.ErrUnknownField] if a term names an unknown field.
// O(log n + limit) at any offset, after the first use of the ordering.
func (c *Collection[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	return c.Where().Page(w, terms...)
}

// All returns an iterator over copies of all records in the default order. It yields the state at
// the time of the call; later writes do not affect it. O(1) for each record. [Selection.All] has
// other orders.
func (c *Collection[T]) All() iter.Seq[T] {
	all, _ := c.Where().All() // without terms there is no error
	return all
}

// copied returns a copy of the record with an id. The error wraps [ErrNotFound] if none exists.
func copied[T any](s *core.Type, from layout.Getter, id int) (record T, err error) {
	e, err := s.Find(from, id)
	return layout.CopyOf[T](s.Copier, e), err
}

// Check returns an error that describes the first violated invariant of the collection, or nil. It
// is for tests. Each index must contain each record once, in order, and at its key and position.
// The stored JSON must match the records. O(orderings in use × n log n).
func (c *Collection[T]) Check() error { return c.core.Check() }

// Insert stores a copy of the record and returns its id, or 0 if records have keys; Insert of
// [Collection.By] returns the record with its key. If the id of the record is zero, Insert assigns
// one more than the highest id ever used. The error wraps [ErrExists] if another record has the id,
// [ErrInvalidID] if the id is negative or no id is left, [ErrDuplicate] if another record has the
// values of a unique set, and [ErrInvalid] if JSON cannot represent the record; it then names the
// field. O(orderings in use × log n).
func (c *Collection[T]) Insert(record T) (id int, err error) {
	return c.core.Put(nil, layout.NewEntry(record), false)
}

// Upsert replaces the record that has the same id by a copy of the given one. If there is none, or
// the id is zero, it inserts the record. It returns the id. The error wraps [ErrInvalidID],
// [ErrDuplicate] or [ErrInvalid]. O(orderings in use × log n).
func (c *Collection[T]) Upsert(record T) (id int, err error) {
	return c.core.Put(nil, layout.NewEntry(record), true)
}

// Update calls f with a copy of the record with the given id and stores the result. If f returns an
// error, Update returns it unchanged. Otherwise the error wraps [ErrNotFound] if there is no record
// with the id, [ErrInvalidID] if f changed the id, [ErrDuplicate] or [ErrInvalid].
//
// Other writers wait for f; readers do not. f must not write to the same collection: it would
// deadlock. Writes to others of its catalogue can deadlock too. O(orderings in use × log n),
// without f.
func (c *Collection[T]) Update(id int, f func(record *T) error) error {
	return c.core.Modify(nil, id, layout.Untyped(f))
}

// Delete deletes the record with the given id. The error wraps [ErrNotFound] if there is none. The
// id is not assigned again. O(orderings in use × log n).
func (c *Collection[T]) Delete(id int) error { return c.core.Remove(nil, id) }

// ReplaceAll replaces all records by copies of the given ones at one instant. A nil sequence counts
// as an empty one. Records whose id is zero are assigned ids greater than the highest id ever used
// and the highest given id, in the order of the sequence.
//
// ReplaceAll iterates over the whole sequence before it starts to write. The sequence may therefore
// read or write the same collection. If the source of the sequence can fail, collect its records
// first and look at its error:
//
//	var list []Film
//	for rows.Next() {
//		var f Film
//		if err := rows.Scan(&f.ID, &f.Title); err != nil {
//			return err
//		}
//		list = append(list, f)
//	}
//	if err := rows.Err(); err != nil {
//		return err
//	}
//	return films.ReplaceAll(slices.Values(list))
//
// Other writers wait while the new records are checked, copied and sorted; readers do not.
//
// The error contains the index of the invalid record, from 0. It wraps [ErrExists] if two given
// records have the same id, [ErrDuplicate] if they have the same values of a unique set,
// [ErrInvalidID] if an id is negative or no id is left, and [ErrInvalid] if JSON cannot represent a
// record. O(n log n × orderings in use).
func (c *Collection[T]) ReplaceAll(records iter.Seq[T]) error {
	if err := c.core.Writable(); err != nil {
		return err
	}
	var fresh []*store.Entry
	if records != nil {
		for record := range records {
			fresh = append(fresh, layout.NewEntry(record))
		}
	}
	return c.core.ReplaceAll(fresh)
}
