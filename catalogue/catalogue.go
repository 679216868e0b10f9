package catalogue

import (
	"fmt"
	"iter"
	"sync"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A Catalogue is a set of collections: the 39 of the publishing house's service, those of
// a program, or both. The collections and the types of their records are fixed when the
// catalogue is made.
//
// A Catalogue is safe for concurrent use; see [Collection]. Only [Catalogue.Load] and
// its variants write to several collections at one instant. References between records
// are checked by the methods Create, Update and Delete of [Encoded] and by nothing else:
// other writes can leave references to records that do not exist.
type Catalogue struct {
	events *Collection[schema.Event]
	labels *Collection[schema.Label]
	links  *Collection[schema.SocialLink]

	all      []anyCollection // in the order of the definitions
	byKey    map[string]int
	referred map[string]bool // by the keys of the collections that fields refer to
	readOnly bool            // a snapshot

	// references protects references between records. A write that can add a reference
	// and an update of a record that can be referred to hold it for reading, a deletion of
	// such a record for writing.
	// It is locked before the mutexes of the collections. No read locks it.
	references sync.RWMutex
}

// bind sets the typed collections.
func (c *Catalogue) bind() {
	c.events, _ = Define[schema.Event]("events", Options{}).In(c)
	c.labels, _ = Define[schema.Label]("labels", Options{}).In(c)
	c.links, _ = Define[schema.SocialLink]("social-links", Options{}).In(c)
}

// Events returns the collection of events, or nil if the catalogue has no collection
// events of [schema.Event]. Its default order is by start date.
func (c *Catalogue) Events() *Collection[schema.Event] { return c.events }

// Labels returns the collection of labels, which are the imprints of the house. It
// returns nil if the catalogue has no collection labels of [schema.Label].
func (c *Catalogue) Labels() *Collection[schema.Label] { return c.labels }

// SocialLinks returns the collection of social links, or nil if the catalogue has no
// collection social-links of [schema.SocialLink].
func (c *Catalogue) SocialLinks() *Collection[schema.SocialLink] { return c.links }

// Records returns the collection of open records with the given key, such as
// "authors". The error wraps [ErrUnknownCollection] if there is no collection with the
// key, and [ErrInvalidType] if its records have another type. To get such a collection,
// use [Definition.In]. O(1).
func (c *Catalogue) Records(key string) (*Collection[schema.Record], error) {
	return Define[schema.Record](key, Options{}).In(c)
}

// Encoded returns the collection with the given key for records of any type. The error
// wraps [ErrUnknownCollection] if there is none. O(1).
func (c *Catalogue) Encoded(key string) (Encoded, error) { return c.lookup(key) }

// All returns an iterator over the keys and the collections: the 39 in the order of the
// service's document, and the others in the order of their definitions.
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
	clone := &Catalogue{byKey: c.byKey, referred: c.referred, all: make([]anyCollection, len(c.all)), readOnly: readOnly}
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
