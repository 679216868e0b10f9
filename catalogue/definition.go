package catalogue

import (
	"fmt"
	"reflect"

	"github.com/gobacklist/backlist/resources"
)

// A Definition specifies the record type and the options of one collection of a
// catalogue. [Define] returns a Definition, [NewWith] makes the collections, and
// [Definition.In] returns the collection of a catalogue. A Definition is immutable and
// safe for concurrent use. The zero Definition has no key: NewWith and In return
// [ErrUnknownCollection] for it.
type Definition[T any] struct {
	key  string
	opts Options
}

// Define returns a definition of the collection with the given key, such as "books".
// It is usually assigned to a package variable:
//
//	var Books = catalogue.Define[Book]("books", catalogue.Options{History: 1000})
//
// [NewCollection] lists the requirements for T. The types of events, labels and social
// links are fixed. The options Name, ID and Ordering cannot be set: the name is the key,
// the id is the field id, and the default order is that of the service's document. The
// definition does not change which collections accept posts. Define does not check its
// arguments; NewWith does.
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
		return nil, fmt.Errorf("catalogue: %s: %w: its records are %v, not %v: make the catalogue with NewWith", d.key, ErrInvalidType, m.RecordType(), reflect.TypeFor[T]())
	}
	return e.Collection, nil
}

// AnyDefinition is a [Definition] of any type.
type AnyDefinition interface {
	about() (key string, record reflect.Type)
	make(house *Catalogue, about resources.Description) (anyCollection, error)
}

func (d Definition[T]) about() (key string, record reflect.Type) {
	return d.key, reflect.TypeFor[T]()
}

// make returns a new collection of house.
func (d Definition[T]) make(house *Catalogue, about resources.Description) (anyCollection, error) {
	opts := d.opts
	switch {
	case len(opts.Ordering) > 0:
		return nil, fmt.Errorf("catalogue: %s: %w: Options.Ordering is not empty", d.key, ErrInvalidType)
	case opts.Name != "":
		return nil, fmt.Errorf("catalogue: %s: %w: Options.Name is not empty", d.key, ErrInvalidType)
	case opts.ID != "":
		return nil, fmt.Errorf("catalogue: %s: %w: Options.ID is not empty", d.key, ErrInvalidType)
	}
	opts.Name, opts.Ordering = about.Key, about.Ordering
	return makeEncoded[T](house, about, opts)
}
