package catalogue

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Catalogue is a set of collections. The collections and the types of their records are
// fixed when the catalogue is made.
//
// A Catalogue is safe for concurrent use; see [Collection]. [Catalogue.Batch], loads and
// [AnyCollection.Delete] write to several collections at one instant: a reader sees the
// changes of all or of none, even if it reads one collection after the other. Only the
// methods Create, Update and Delete of [AnyCollection] check references between records:
// other writes can leave references to records that do not exist, which [Catalogue.Check] finds.
type Catalogue struct{ set *set }

// A set is a set of collections.
type set struct {
	all      []*core // in the order of the definitions
	byKey    map[string]int
	readOnly bool // a snapshot
	cores    store.Cores
	errors   *errorTypes
}

// Collection returns the collection with the given key, for records of any type. The error
// wraps [ErrUnknownCollection] if none exists. O(1).
func (c *Catalogue) Collection(key string) (AnyCollection, error) {
	m, err := c.set.lookup(key)
	return AnyCollection{m}, err
}

// All returns an iterator over the keys and the collections in the order of their
// definitions.
func (c *Catalogue) All() iter.Seq2[string, AnyCollection] {
	return func(yield func(string, AnyCollection) bool) {
		for _, m := range c.set.all {
			if !yield(m.key(), AnyCollection{m}) {
				return
			}
		}
	}
}

func (c *set) lookup(key string) (*core, error) {
	i, ok := c.byKey[key]
	if !ok {
		return nil, fmt.Errorf("catalogue: %w", c.unknown(key))
	}
	return c.all[i], nil
}

// unknown returns the error for an unknown key.
func (c *set) unknown(key string) error {
	return fmt.Errorf("%w: %q: %s", ErrUnknownCollection, key, suggest(key, c.all, (*core).key))
}

// Clone returns an independent copy of the catalogue. All collections are cloned at one
// instant, as by [Collection.Clone]. The clone of a snapshot can be written to.
// O(collections + orderings in use).
func (c *Catalogue) Clone() *Catalogue { return &Catalogue{c.set.clone(false)} }

// Snapshot returns a read-only copy of the catalogue. All collections are copied at one
// instant. All methods that write to the copy return [ErrReadOnly].
// O(collections + orderings in use).
func (c *Catalogue) Snapshot() *Catalogue { return &Catalogue{c.set.clone(true)} }

func (c *set) clone(readOnly bool) *set {
	clone := &set{byKey: c.byKey, all: make([]*core, len(c.all)), readOnly: readOnly, errors: c.errors}
	stores := store.Clone(storesOf(c.all)...)
	for i, m := range c.all {
		clone.all[i] = newMember(clone, m.typ, stores[i])
	}
	return clone
}

// A Batch is a write to several collections of a catalogue. [Definition.Tx] returns the
// transaction of one of them.
type Batch struct {
	set *set
	txs []*store.Tx // one for each collection
}

// Batch calls f and makes all its writes, to any collections, visible at one instant. A
// reader that has seen one of them sees all. If f returns an error, Batch returns it
// unchanged. If two records would have the same values of a unique set at the end, the
// error wraps [ErrDuplicate]. It wraps [ErrReadOnly] if the catalogue is a snapshot. After an
// error or a panic the catalogue is unchanged and no id is used.
//
// Other writers to the catalogue wait for f; readers do not. f must write to the catalogue
// only through b: any other write to it would deadlock. Reads, Snapshot, Clone and Save do
// not see the writes of the batch. With k changes to a collection, it takes O(k × orderings
// in use × log n) for that collection.
func (c *Catalogue) Batch(f func(b *Batch) error) error {
	return c.set.batch(func(txs []*store.Tx) error { return f(&Batch{c.set, txs}) })
}

func (c *set) batch(f func(txs []*store.Tx) error) error {
	if err := c.writable(); err != nil {
		return err
	}
	return c.refused(store.Batch(storesOf(c.all), f))
}

// writable returns an error if the catalogue is a snapshot.
func (c *set) writable() error {
	if c.readOnly {
		return fmt.Errorf("catalogue: %w: it is a snapshot", ErrReadOnly)
	}
	return nil
}

// refused returns the error of a write that the stores refused. It names the values that two
// records would have.
func (c *set) refused(err error) error {
	d, ok := err.(*store.Duplicate) // not errors.As: the program's errors may wrap that of another catalogue
	if !ok {
		return err
	}
	s := c.of(d.Store).typ
	return s.errorf("%w", s.duplicate(d.Entry, d.Fields, s.identity.name(d.Other)))
}

// of returns the collection with the given store.
func (c *set) of(s *store.Store) *core {
	return c.all[slices.IndexFunc(c.all, func(m *core) bool { return m.store == s })]
}

// storesOf returns the stores of collections, in the same order for all catalogues: package
// store requires that.
func storesOf(all []*core) []*store.Store {
	list := make([]*store.Store, len(all))
	for i, m := range all {
		list[i] = m.store
	}
	return list
}

// Check returns an error that wraps the [Violations] of all records at one instant, in the order
// of the collections and ids: the references to records that do not exist. If there are none, it
// returns nil. Writes from Go and loads can leave such references. Deletions by requests can
// leave them inside other fields; other requests leave none. For tests, Check first calls
// [Collection.Check] for every collection and returns the first error, which is a bug in this
// package. Writers do not wait. O(records × references), and the cost of Collection.Check.
func (c *Catalogue) Check() error { return c.set.check() }

func (c *set) check() error {
	for _, m := range c.all {
		if err := m.check(); err != nil {
			return err
		}
	}
	if found := c.violations(nil, func(*store.Entry) int { return 0 }); found != nil {
		return fmt.Errorf("catalogue: %w", c.errors.violations(found))
	}
	return nil
}

// violations returns the violations of all records at one instant, in which others replaces the
// records of some collections. line returns the number of the line where an entry was read.
func (c *set) violations(others map[*core][]*store.Entry, line func(*store.Entry) int) (found []violation) {
	in := &instant{context.Background(), map[*core]*store.State{}, others, map[by]*places{}}
	for i, s := range store.Freeze(storesOf(c.all)...) {
		in.states[c.all[i]] = s
	}
	for _, m := range c.all {
		if m.typ.about == nil { // standalone
			continue
		}
		columns := slices.DeleteFunc(slices.Clone(m.typ.fields), func(f *field) bool { return f.inside || f.Refers == "" })
		outer := slices.DeleteFunc(slices.Clone(m.typ.fields), func(f *field) bool { return f.inside || !refersInside(f.Field) })
		if len(columns)+len(outer) == 0 {
			continue
		}
		for _, e := range in.entries(m) {
			for _, col := range columns {
				to := c.all[c.byKey[col.Refers]]
				p := in.all(by{to, col.By})
				col.refers(e, func(v, k sortkey.Key) bool {
					if p.at(k) < 0 {
						id, _ := referenceOf(v)
						text, _ := v.AsText()
						err := fmt.Errorf("%w: %v of %s", ErrDangling, schema.Identity{ID: id, Key: text}, to.key())
						found = append(found, violation{m.key(), m.typ.identity.of(e), line(e), col.Name, err})
					}
					return false
				})
			}
			for _, col := range outer {
				eachInside(col.Field, col.name, m.typ.valueIn(e, col), func(to, path, value string) {
					if other := c.all[c.byKey[to]]; in.all(by{other, ""}).at(sortkey.JSON(value)) < 0 {
						err := fmt.Errorf("%w: %s of %s", ErrDangling, value, to)
						found = append(found, violation{m.key(), m.typ.identity.of(e), line(e), path, err})
					}
				})
			}
		}
	}
	return found
}

// New returns an empty catalogue with the collections of the definitions, in their order:
//
//	films, err := catalogue.New(Directors, Genres, Films)
//
// The error wraps [ErrInvalidType] if there is no definition or one is nil, if two have the
// same key or the same path segment, if Options.Name or Options.ID is not empty, and if a
// description is invalid: [schema.Description.Check] returns an error, a field is not a
// member of the JSON of T, or a reference or a name in Search is to a collection or a field
// that does not exist. It wraps [ErrUnknownCollection] for the zero Definition. Other errors
// are returned by [NewCollection] and [schema.DescriptionOf].
func New(definitions ...AnyDefinition) (*Catalogue, error) {
	if len(definitions) == 0 {
		return nil, fmt.Errorf("catalogue: %w: no definitions", ErrInvalidType)
	}
	c := newSet(&errorsOf)
	for _, d := range definitions {
		if v := reflect.ValueOf(d); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, fmt.Errorf("catalogue: %w: nil definition", ErrInvalidType)
		}
		if err := d.make(c); err != nil {
			return nil, err
		}
	}
	if err := c.complete(); err != nil {
		return nil, err
	}
	return &Catalogue{c}, nil
}

// complete returns an error if the descriptions of the collections contradict each other.
// Otherwise the set can be used.
func (c *set) complete() error {
	if err := c.checkTogether(); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	for _, m := range c.all { // the order of a field may follow from that of another collection
		m.store = store.New(m.typ.engine)
	}
	return nil
}

func newSet(errors *errorTypes) *set {
	return &set{byKey: map[string]int{}, cores: store.NewCores(), errors: errors}
}

// checkKey returns an error if a definition has no key, or if the key is taken.
func (c *set) checkKey(key string) error {
	if _, twice := c.byKey[key]; twice {
		return fmt.Errorf("%s: %w: it is defined twice", key, ErrInvalidType)
	}
	if key == "" {
		return fmt.Errorf("%w: the definition has no key", ErrUnknownCollection)
	}
	return nil
}
