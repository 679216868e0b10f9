package catalogue

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/resources"
)

// A Catalogue is the set of the 39 collections of the publishing house's service. The
// collections and the types of their records are fixed when the catalogue is made.
//
// A Catalogue is safe for concurrent use; see [Collection]. Only [Catalogue.Load] and
// its variants write to several collections at one instant. References between records
// are checked by [Encoded].Create and by nothing else: other writes can leave
// references to records that do not exist.
type Catalogue struct {
	events *Collection[resources.Event]
	labels *Collection[resources.Label]
	links  *Collection[resources.SocialLink]

	all      []anyCollection // in the order of the document
	byKey    map[string]int
	readOnly bool // a snapshot
}

// New returns an empty catalogue. Events, labels and social links have types of their
// own. The other 36 collections hold open records. O(1).
func New() *Catalogue {
	c, err := NewWith()
	if err != nil { // cannot happen without definitions
		panic(err)
	}
	return c
}

// NewWith returns an empty catalogue in which the collections with definitions hold
// records of the defined types. The others are those of [New].
//
//	var Books = catalogue.Define[Book]("books", catalogue.Options{})
//
//	house, err := catalogue.NewWith(Books)
//	books, err := Books.In(house)
//
// The error wraps [ErrUnknownCollection] if a key is not one of the 39. It wraps
// [ErrInvalidType] if a definition is nil, a key is defined twice, Options.Name,
// Options.ID or Options.Ordering is not empty, or events, labels or social links are
// defined with a type that is not theirs. Otherwise the errors are those of
// [NewCollection].
func NewWith(definitions ...AnyDefinition) (*Catalogue, error) {
	chosen := map[string]AnyDefinition{}
	for _, d := range definitions {
		if d == nil {
			return nil, fmt.Errorf("catalogue: %w: nil definition", ErrInvalidType)
		}
		key, record := d.about()
		if _, ok := resources.Lookup(key); !ok {
			return nil, fmt.Errorf("catalogue: %w", unknownCollection(key, documentedKeys()))
		}
		if _, twice := chosen[key]; twice {
			return nil, fmt.Errorf("catalogue: %s: %w: it is defined twice", key, ErrInvalidType)
		}
		if own, typed := ownType(key); typed && record != own {
			return nil, fmt.Errorf("catalogue: %s: %w: its records are %v, not %v", key, ErrInvalidType, own, record)
		}
		chosen[key] = d
	}
	c := &Catalogue{byKey: map[string]int{}}
	for i, about := range resources.Descriptions() {
		d, ok := chosen[about.Key]
		if !ok {
			d = byDefault(about.Key)
		}
		m, err := d.make(c, about)
		if err != nil {
			return nil, err
		}
		c.all = append(c.all, m)
		c.byKey[about.Key] = i
	}
	c.bind()
	return c, nil
}

// NewOnly returns an empty catalogue with the collections of the definitions, in their
// order, and no others. TODO
func NewOnly(definitions ...AnyDefinition) (*Catalogue, error) { return NewWith(definitions...) }

// byDefault returns the definition of a collection for which NewWith has none.
func byDefault(key string) AnyDefinition {
	switch key {
	case "events":
		return Define[resources.Event](key, Options{})
	case "labels":
		return Define[resources.Label](key, Options{})
	case "social-links":
		return Define[resources.SocialLink](key, Options{})
	}
	return Define[resources.Record](key, Options{})
}

// ownType returns the default record type of a collection and reports whether that type
// is fixed.
func ownType(key string) (record reflect.Type, ok bool) {
	_, record = byDefault(key).about()
	return record, record != reflect.TypeFor[resources.Record]()
}

// bind sets the typed collections.
func (c *Catalogue) bind() {
	c.events, _ = Define[resources.Event]("events", Options{}).In(c)
	c.labels, _ = Define[resources.Label]("labels", Options{}).In(c)
	c.links, _ = Define[resources.SocialLink]("social-links", Options{}).In(c)
}

// Events returns the collection of events. Its default order is by start date.
func (c *Catalogue) Events() *Collection[resources.Event] { return c.events }

// Labels returns the collection of labels, which are the imprints of the house.
func (c *Catalogue) Labels() *Collection[resources.Label] { return c.labels }

// SocialLinks returns the collection of social links.
func (c *Catalogue) SocialLinks() *Collection[resources.SocialLink] { return c.links }

// Records returns the collection of open records with the given key, such as
// "authors". The error wraps [ErrUnknownCollection] if there is no collection with the
// key, and [ErrInvalidType] if its records have another type. To get such a collection,
// use [Definition.In]. O(1).
func (c *Catalogue) Records(key string) (*Collection[resources.Record], error) {
	return Define[resources.Record](key, Options{}).In(c)
}

// Encoded returns the collection with the given key for records of any type. The error
// wraps [ErrUnknownCollection] if there is none. O(1).
func (c *Catalogue) Encoded(key string) (Encoded, error) { return c.lookup(key) }

// All returns an iterator over the keys and the collections, in the order of the
// service's document.
func (c *Catalogue) All() iter.Seq2[string, Encoded] {
	return func(yield func(string, Encoded) bool) {
		for _, m := range c.all {
			if !yield(m.Key(), m) {
				return
			}
		}
	}
}

func (c *Catalogue) lookup(key string) (anyCollection, error) {
	i, ok := c.byKey[key]
	if !ok {
		return nil, fmt.Errorf("catalogue: %w", unknownCollection(key, c.keys()))
	}
	return c.all[i], nil
}

// Clone returns an independent copy of the catalogue. All collections are cloned at one
// instant, as by [Collection.Clone]. The clone of a snapshot can be written to.
// O(collections + orderings in use).
func (c *Catalogue) Clone() *Catalogue { return c.clone(false) }

// Snapshot is like [Catalogue.Clone], but the copy is read-only: all methods that write
// to it return [ErrReadOnly]. O(collections + orderings in use).
func (c *Catalogue) Snapshot() *Catalogue { return c.clone(true) }

func (c *Catalogue) clone(readOnly bool) *Catalogue {
	clone := &Catalogue{byKey: c.byKey, all: make([]anyCollection, len(c.all)), readOnly: readOnly}
	stores := store.Clone(c.stores()...)
	for i, m := range c.all {
		clone.all[i] = m.clone(clone, stores[i])
	}
	clone.bind()
	return clone
}

// stores returns the stores of all collections, in the same order for all catalogues:
// package store requires that.
func (c *Catalogue) stores() []*store.Store {
	stores := make([]*store.Store, len(c.all))
	for i, m := range c.all {
		stores[i] = m.engine()
	}
	return stores
}

// Check calls [Collection.Check] for every collection and returns the first error. It
// is for tests.
func (c *Catalogue) Check() error {
	for _, m := range c.all {
		if err := m.check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Catalogue) keys() []string {
	keys := make([]string, len(c.all))
	for i, m := range c.all {
		keys[i] = m.Key()
	}
	return keys
}

func documentedKeys() []string {
	var keys []string
	for _, d := range resources.Descriptions() {
		keys = append(keys, d.Key)
	}
	return keys
}
