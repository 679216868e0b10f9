package catalogue

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/resources"
)

// A Catalogue is a publishing house: all 39 collections of the service.
//
// Which collections there are and what they hold never changes, so a Catalogue
// may be used by any number of goroutines at once, as a [Collection] may. There
// is no write across collections; references between records are checked when
// one is posted, see [Encoded], and not enforced later.
type Catalogue struct {
	events *Collection[resources.Event]
	labels *Collection[resources.Label]
	links  *Collection[resources.SocialLink]

	all   []anyCollection // in the document's order
	byKey map[string]int
}

// New makes a house without records: events, labels and social links typed, the
// other 36 collections of open records. O(1).
func New() *Catalogue {
	c, err := NewTyped()
	if err != nil { // only a type of the caller's can be at fault
		panic(err)
	}
	return c
}

// NewTyped is New with types of the program's own in place of open records:
//
//	house, err := catalogue.NewTyped(catalogue.Typed[Book]("books"))
//
// A key that is none of the 39 or comes twice is an [ErrUnknownCollection]; a
// type that can be no record, or stands for one of the three described
// collections and is not its own, is an [ErrType]; the error names it.
func NewTyped(types ...Type) (*Catalogue, error) {
	chosen := map[string]Type{}
	for _, t := range types {
		if _, ok := resources.Find(t.key); !ok {
			return nil, fmt.Errorf("catalogue: %w: %q", ErrUnknownCollection, t.key)
		}
		if _, twice := chosen[t.key]; twice {
			return nil, fmt.Errorf("catalogue: %w: %q is given two types", ErrUnknownCollection, t.key)
		}
		chosen[t.key] = t
	}
	c := &Catalogue{byKey: map[string]int{}}
	for i, about := range resources.Collections() {
		m, err := c.make(about, chosen)
		if err != nil {
			return nil, err
		}
		c.all = append(c.all, m)
		c.byKey[about.Key] = i
	}
	c.bind()
	return c, nil
}

// make makes one collection, of the type chosen for it.
func (c *Catalogue) make(about resources.Collection, chosen map[string]Type) (anyCollection, error) {
	t, described := Typed[resources.Record](about.Key), true
	switch about.Key {
	case "events":
		t = Typed[resources.Event](about.Key)
	case "labels":
		t = Typed[resources.Label](about.Key)
	case "social-links":
		t = Typed[resources.SocialLink](about.Key)
	default:
		described = false
	}
	if own, ok := chosen[about.Key]; ok {
		if described && own.record != t.record {
			return nil, fmt.Errorf("catalogue: %s: %w: its records are described by the document, and are %v", about.Key, ErrType, t.record)
		}
		t = own
	}
	return t.make(c, about, t.history)
}

// bind finds the typed collections among all.
func (c *Catalogue) bind() {
	c.events, _ = Of[resources.Event](c, "events")
	c.labels, _ = Of[resources.Label](c, "labels")
	c.links, _ = Of[resources.SocialLink](c, "social-links")
}

// A Type says what one collection of a house holds, and whether its changes can
// be followed, see [NewTyped]. The zero Type names no collection.
type Type struct {
	key     string
	record  reflect.Type
	history int
	make    func(house *Catalogue, about resources.Collection, history int) (anyCollection, error)
}

// Typed says that the collection with that key holds records of type T: a
// struct with an int field called id in JSON, or [resources.Record] for open
// ones. Events, labels and social links hold their own types and no others.
func Typed[T any](key string) Type {
	return Type{key: key, record: reflect.TypeFor[T](), make: makeEncoded[T]}
}

// WithHistory says that the collection keeps so many of its last changes, as
// [Options].History does.
func (t Type) WithHistory(changes int) Type {
	t.history = changes
	return t
}

// Events are the events, by default in order of their start.
func (c *Catalogue) Events() *Collection[resources.Event] { return c.events }

// Labels are the labels: the house's imprints.
func (c *Catalogue) Labels() *Collection[resources.Label] { return c.labels }

// SocialLinks are the links of the authors.
func (c *Catalogue) SocialLinks() *Collection[resources.SocialLink] { return c.links }

// Open gives a collection of open records by its key, such as "books".
// [ErrUnknownCollection] says that the document has none of that key, [ErrType]
// that it is typed: see [Of]. O(1).
func (c *Catalogue) Open(key string) (*Collection[resources.Record], error) {
	return Of[resources.Record](c, key)
}

// Of gives a collection by its key with the type that its records have:
//
//	books, err := catalogue.Of[Book](house, "books")
//
// [ErrUnknownCollection] says that there is none of that key, [ErrType] that
// its records are of another type than T. O(1).
func Of[T any](c *Catalogue, key string) (*Collection[T], error) {
	m, err := c.lookup(key)
	if err != nil {
		return nil, err
	}
	e, ok := m.(*encoded[T])
	if !ok {
		return nil, fmt.Errorf("catalogue: %s: %w: it holds %v", key, ErrType, m.RecordType())
	}
	return e.c, nil
}

// Encoded gives a collection by its key, whatever its records are, or
// [ErrUnknownCollection]. O(1).
func (c *Catalogue) Encoded(key string) (Encoded, error) { return c.lookup(key) }

// All yields every collection in the document's order, with its key.
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
		return nil, fmt.Errorf("catalogue: %w: %q", ErrUnknownCollection, key)
	}
	return c.all[i], nil
}

// Clone returns an independent copy of the whole catalogue as it is at one
// instant, each collection as [Collection.Clone] copies it. O(collections and their
// orderings in use), whatever they hold.
func (c *Catalogue) Clone() *Catalogue {
	clone := &Catalogue{byKey: c.byKey, all: make([]anyCollection, len(c.all))}
	stores := store.Clone(c.stores()...)
	for i, m := range c.all {
		clone.all[i] = m.clone(clone, stores[i])
	}
	clone.bind()
	return clone
}

// stores returns the stores of all collections, always in this order.
func (c *Catalogue) stores() []*store.Store {
	stores := make([]*store.Store, len(c.all))
	for i, m := range c.all {
		stores[i] = m.engine()
	}
	return stores
}

// Check is [Collection.Check] of every collection.
func (c *Catalogue) Check() error {
	for _, m := range c.all {
		if err := m.check(); err != nil {
			return err
		}
	}
	return nil
}
