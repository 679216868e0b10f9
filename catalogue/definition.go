package catalogue

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// A Definition specifies the record type and the options of one collection of a
// catalogue. [Define] returns a Definition, [NewOnly] and [NewWith] make the collections,
// and [Definition.In] returns the collection of a catalogue. A Definition is immutable and
// safe for concurrent use. The zero Definition has no key: NewOnly, NewWith and In return
// [ErrUnknownCollection] for it.
type Definition[T any] struct {
	key  string
	opts Options
}

// Define returns a definition of the collection with the given key, such as "films". It
// is usually assigned to a package variable:
//
//	var Films = catalogue.Define[Film]("films", catalogue.Options{
//		Description: &schema.Description{Filters: []string{"status", "minutes__gte"}},
//	})
//
// [NewCollection] lists the requirements for T. The options Name and ID cannot be set:
// the name is the key, and the id is the field id. Define does not check its arguments;
// NewOnly and NewWith do.
//
// Only requests are validated: [Encoded].Create and Update apply the whole description.
// [Collection.Insert], the other methods that take a T, and loading check the types of the
// fields and unique values. They do not check choices, formats, bounds and references, and
// do not set defaults and times of creation. A nil slice or map is stored as an empty one
// unless the field is Nullable.
//
// # Description
//
// The description of a collection is that of [schema.DescriptionOf] for T, overridden
// by the members of Options.Description that are not zero, and by Options.Ordering, which
// is the same as Ordering in the description. Fields in Options.Description replace all
// fields; to change one, change the result of DescriptionOf. The name of a record, which
// appears in messages and titles, is that of T in words, such as "social link" for
// SocialLink. Open records are named by the key, "films": set Name to "film". There are
// two exceptions:
//
//   - A documented collection keeps its documented description, which Options.Description
//     overrides. It is documented if it is made by NewWith and the key is one of the 39, or
//     if it is made by NewOnly, the key is one of the 39, T is one of the record types of
//     package resources, and there is no Options.Description.
//   - The fields of other collections of open records are not known. Without
//     Options.Description, they can only be listed and retrieved. With Fields in it, all
//     actions are served. Records can have members that are not among the fields.
//
// The fields of the description configure the collection. Those that are Unique are added
// to Options.Unique. In a collection that is not documented, fields in Options.Unique are
// Unique in the description. A [schema.Decimal] that is a string compares by value, and
// a [schema.Timestamp] that is one by instant, unless Options.Keys has a function for
// it. Collections of open records can be ordered by all fields of the description, even if
// no record has them.
func Define[T any](key string, opts Options) Definition[T] {
	return Definition[T]{key, opts}
}

// In returns the collection of house that has the key and the type of d. It need not
// have been made with d. The error wraps [ErrUnknownCollection] if there is no
// collection with the key, and [ErrInvalidType] if its records have another type. O(1).
func (d Definition[T]) In(house *Catalogue) (*Collection[T], error) {
	m, err := house.lookup(d.key)
	if err != nil {
		return nil, err
	}
	e, ok := m.(*encoded[T])
	if !ok {
		return nil, fmt.Errorf("catalogue: %s: %w: its records are %v, not %v: make the catalogue with this definition", d.key, ErrInvalidType, m.RecordType(), reflect.TypeFor[T]())
	}
	return e.Collection, nil
}

// AnyDefinition is a [Definition] of any type.
type AnyDefinition interface {
	about() (key string, record reflect.Type)
	make(house *Catalogue, only bool) (anyCollection, error)
}

func (d Definition[T]) about() (key string, record reflect.Type) {
	return d.key, reflect.TypeFor[T]()
}

// make returns a new collection of house. only reports whether the catalogue has only the
// defined collections.
func (d Definition[T]) make(house *Catalogue, only bool) (anyCollection, error) {
	opts := d.opts
	documented := d.documented(only)
	switch {
	case len(opts.Ordering) > 0 && documented && opts.Description == nil:
		return nil, d.errorf("Options.Ordering is not empty")
	case opts.Name != "":
		return nil, d.errorf("Options.Name is not empty")
	case opts.ID != "":
		return nil, d.errorf("Options.ID is not empty: in a catalogue the id is the field id")
	}
	about, err := d.describe(documented)
	if err != nil {
		return nil, d.errorf("%w", err)
	}
	opts.Name, opts.Ordering = about.Key, about.Ordering
	opts.Unique = addUnique(opts.Unique, about.Fields)
	for i, f := range about.Fields {
		if !documented && slices.Contains(opts.Unique, ordering.Snake(f.Name)) {
			about.Fields[i].Unique = true
		}
	}
	return makeEncoded[T](house, about, opts)
}

func (d Definition[T]) errorf(format string, args ...any) error {
	return fmt.Errorf("catalogue: %s: %w: "+format, append([]any{d.key, ErrInvalidType}, args...)...)
}
