package catalogue

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A Definition specifies the record type and the options of one collection of a catalogue: [Define]
// returns one, and [New] makes the collections. It is immutable and safe for concurrent use. New
// and In return [ErrUnknownCollection] for the zero Definition.
type Definition[T any] struct {
	key           string
	opts          Options
	shown, listed *core.Shown
}

// Define returns a definition of the collection with the given key, such as "films". It is usually
// assigned to a package variable:
//
//	var Films = catalogue.Define[Film]("films", catalogue.Options{
//		Description: &schema.Description{Filters: []string{"status", "minutes__gte"}},
//	})
//
// [NewCollection] lists the requirements for T. The name of the collection is the key: Options.Name
// cannot be set. Define does not check its arguments; New does.
//
// [AnyCollection].Create and Update apply the whole description. Methods that take a T, and
// loading, check the types of the fields and unique values. Unless Options.Validate is set, they do
// not check choices, formats, bounds and rules, and do not set defaults. They never check
// references, and do not set times of creation. A nil slice or map is stored as an empty one, also
// inside other fields, unless its field is Nullable.
//
// # Description
//
// The description of a collection is the result of [schema.DescriptionOf] for T, overridden by the
// members of Options.Description that are not zero. Options.Ordering overrides its Ordering. Fields
// in Options.Description replace all fields. The name of a record, in messages and titles, is the
// name of T in words, such as "film star" for FilmStar. Open records are named by the key, "films":
// set Name to "film". Without Options.Description they can only be listed and retrieved. With
// Fields, all actions are served, and records can have other members too.
//
// Its Unique fields and sets are added to Options.Unique, and those in Options.Unique to the
// description, unless it lacks one of the fields. The fields of a set of several are Required
// unless they are ReadOnly or have a Default other than null, or "" of a blank text. Those with
// such a Default are Reset. Collections of open records can be ordered by all fields of the
// description, even if no record has them.
func Define[T any](key string, opts Options) Definition[T] {
	return Definition[T]{key: key, opts: opts}
}

// Key returns the key of the collection.
func (d Definition[T]) Key() string { return d.key }

// WithDescription returns the definition with a description, unless it has one. O(1).
func (d Definition[T]) WithDescription(about schema.Description) AnyDefinition {
	if d.opts.Description == nil {
		d.opts.Description = &about
	}
	return d
}

// In returns d's collection in c, which need not have been made with d. The error wraps
// [ErrUnknownCollection] if there is no collection with the key, and [ErrInvalidType] if its
// records have another type. O(1).
func (d Definition[T]) In(c *Catalogue) (*Collection[T], error) {
	m, err := c.set.Lookup(d.key)
	if err != nil {
		return nil, err
	}
	coll, ok := m.Handle.(*Collection[T])
	if !ok {
		return nil, notOf(m, layout.TableOf[T]().Reflect)
	}
	return coll, nil
}

// notOf returns the error of a definition whose records have another type.
func notOf(c *core.Collection, t reflect.Type) error {
	return fmt.Errorf("catalogue: %s: %w: its records are %v, not %v: make the catalogue with this definition", c.Key(), ErrInvalidType, c.Type.Reflect, t)
}

// Tx returns the transaction of d's collection in b, which is the same for all calls. The error
// wraps [ErrUnknownCollection] if the catalogue of b has no collection with the key,
// [ErrInvalidType] if its records have another type, and [ErrTxDone] if b is nil or the zero Batch.
// O(1).
func (d Definition[T]) Tx(b *Batch) (*Tx[T], error) {
	if b == nil || b.set == nil {
		return nil, fmt.Errorf("catalogue: %s: %w: there is no batch", d.key, ErrTxDone)
	}
	coll, err := d.In(&Catalogue{b.set})
	if err != nil {
		return nil, err
	}
	return &Tx[T]{coll.core, b.txs[slices.Index(b.set.All, coll.core)]}, nil
}

// AnyDefinition is a [Definition] of any type.
type AnyDefinition interface {
	// Key returns the key of the collection.
	Key() string

	// WithDescription returns the definition with a description, unless it has one. The members of
	// the description that are zero follow from the type of the records.
	WithDescription(schema.Description) AnyDefinition

	// make returns a new collection of c.
	make(c *core.Set) error
}

func (d Definition[T]) make(c *core.Set) error {
	return core.Define(c, d.key, layout.TableOf[T](), layout.Options(d.opts), d.shown, d.listed, handleOf[T])
}

func handleOf[T any](c *core.Collection) any { return &Collection[T]{c} }
