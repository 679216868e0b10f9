package catalogue

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/gobacklist/backlist/catalogue/internal/core"
)

// A Catalogue is a set of collections. The collections and the types of their records are fixed
// when it is made. It is safe for concurrent use; see [Collection]. [Catalogue.Batch], loads and
// [AnyCollection.Delete] write to several collections at one instant: a reader sees the changes of
// all or of none, even if it reads one collection after the other.
type Catalogue struct{ set *core.Set }

// Collection returns the collection with the given key, for records of any type. The error
// wraps [ErrUnknownCollection] if none exists. O(1).
func (c *Catalogue) Collection(key string) (AnyCollection, error) {
	m, err := c.set.Lookup(key)
	return AnyCollection{m}, err
}

// All returns an iterator over the keys and the collections in the order of their
// definitions.
func (c *Catalogue) All() iter.Seq2[string, AnyCollection] {
	return func(yield func(string, AnyCollection) bool) {
		for _, m := range c.set.All {
			if !yield(m.Key(), AnyCollection{m}) {
				return
			}
		}
	}
}

// Clone returns an independent copy of the catalogue, all of one instant; see [Collection.Clone].
// The clone of a snapshot can be written to. O(collections + orderings in use).
func (c *Catalogue) Clone() *Catalogue { return &Catalogue{c.set.Clone(false)} }

// Snapshot returns a read-only copy of the catalogue, all of one instant. All methods that write to
// the copy return [ErrReadOnly]. O(collections + orderings in use).
func (c *Catalogue) Snapshot() *Catalogue { return &Catalogue{c.set.Clone(true)} }

// Check returns an error that wraps the [Violations] of all records at one instant, in the order of
// the collections and ids, or nil. A violation is a reference to a record that does not exist or,
// in a collection with Options.Validate, a value that is not valid. Writes from Go, loads, and
// deletions of records to which fields inside others refer can leave such references. Values become
// invalid if the description changes, or what rules look at. Check first returns an error of
// [Collection.Check], which is a bug in this package. Writers do not wait. O(records × references),
// and the cost of Collection.Check.
func (c *Catalogue) Check() error { return c.set.Check() }

// New returns an empty catalogue with the collections of the definitions, in their order:
//
//	films, err := catalogue.New(Directors, Genres, Films)
//
// The error wraps [ErrInvalidType] if there is no definition or one is nil, if two have the same
// key or the same path segment, if Options.Name is not empty, and if a description is invalid:
// [schema.Description.Check] returns an error, a field is not a member of the JSON of T, or a
// reference or a name in Search is to a collection or a field that does not exist. It wraps
// [ErrUnknownCollection] for the zero Definition. Other errors are those of [NewCollection] and
// [schema.DescriptionOf].
func New(definitions ...AnyDefinition) (*Catalogue, error) {
	if len(definitions) == 0 {
		return nil, fmt.Errorf("catalogue: %w: no definitions", ErrInvalidType)
	}
	c := core.NewSet(&errorsOf)
	for _, d := range definitions {
		if v := reflect.ValueOf(d); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, fmt.Errorf("catalogue: %w: nil definition", ErrInvalidType)
		}
		if err := d.make(c); err != nil {
			return nil, err
		}
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	return &Catalogue{c}, nil
}
