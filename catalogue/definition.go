package catalogue

import (
	"fmt"
	"reflect"

	"github.com/gobacklist/backlist/resources"
)

// A Definition says which type the records of one collection have, and with which
// options it is kept. It is made by [Define] and passed to [NewWith]. [Definition.In]
// then returns the collection. A Definition never changes and is safe for concurrent
// use. The zero Definition has no key and defines nothing.
type Definition[T any] struct {
	key  string
	opts Options
}

// Define returns the definition of the collection with a key, such as "books".
// A program usually has it in a package variable:
//
//	var Books = catalogue.Define[Book]("books", catalogue.Options{History: 1000})
//
// [NewCollection] lists the types that T can be. Events, labels and social links
// hold their own types and no others. Of the options only History can be set: the name is
// the key, the id is the field id, and the default order is the documented one. A type of
// its own does not change which collections can be posted to. Nothing is checked before
// NewWith.
func Define[T any](key string, opts Options) Definition[T] {
	return Definition[T]{key, opts}
}

// In returns the collection of a catalogue that d defines. The catalogue need not
// have been made with d itself: key and type must be the same. Otherwise the error is
// [ErrUnknownCollection] or [ErrInvalidType]. O(1).
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

// make returns a new collection for a catalogue.
func (d Definition[T]) make(house *Catalogue, about resources.Description) (anyCollection, error) {
	opts := d.opts
	switch {
	case len(opts.Ordering) > 0:
		return nil, fmt.Errorf("catalogue: %s: %w: the default order of a documented collection cannot be changed by Options.Ordering", d.key, ErrInvalidType)
	case opts.Name != "":
		return nil, fmt.Errorf("catalogue: %s: %w: Options.Name is for collections outside a catalogue", d.key, ErrInvalidType)
	case opts.ID != "":
		return nil, fmt.Errorf("catalogue: %s: %w: Options.ID is for collections outside a catalogue", d.key, ErrInvalidType)
	}
	opts.Name, opts.Ordering = about.Key, about.Ordering
	return makeEncoded[T](house, about, opts)
}
