package catalogue

import (
	"fmt"
	"reflect"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// New returns an empty catalogue with the 39 documented collections. Events, labels and
// social links have types of their own. The other 36 collections hold open records. O(1).
func New() *Catalogue {
	c, err := NewWith()
	if err != nil { // cannot happen without definitions
		panic(err)
	}
	return c
}

// NewWith returns an empty catalogue with the collections of [New] and those of the
// definitions. A definition with one of the 39 keys replaces the type of the records of
// that collection. Collections with other keys follow the 39, in the order of the
// definitions.
//
//	var Books = catalogue.Define[Book]("books", catalogue.Options{})
//
//	house, err := catalogue.NewWith(Books)
//	books, err := Books.In(house)
//
// The errors are those of [NewOnly]. The error also wraps [ErrInvalidType] if events,
// labels or social links are defined with a type that is not theirs, and if
// Options.Ordering is set for one of the 39 keys without an Options.Description.
func NewWith(definitions ...AnyDefinition) (*Catalogue, error) {
	chosen, err := byKey(definitions)
	if err != nil {
		return nil, err
	}
	var all []AnyDefinition
	for _, about := range schema.Descriptions() {
		d, ok := chosen[about.Key]
		if !ok {
			d = byDefault(about.Key)
		} else if own, typed := ownType(about.Key); typed {
			if _, record := d.about(); record != own {
				return nil, fmt.Errorf("catalogue: %s: %w: its records are %v, not %v", about.Key, ErrInvalidType, own, record)
			}
		}
		all = append(all, d)
	}
	for _, d := range definitions {
		key, _ := d.about()
		if _, documented := schema.Lookup(key); !documented {
			all = append(all, d)
		}
	}
	return newCatalogue(all, false)
}

// NewOnly returns an empty catalogue with the collections of the definitions, in their
// order, and no others:
//
//	films, err := catalogue.NewOnly(Directors, Genres, Films)
//
// The error wraps [ErrInvalidType] if there is no definition or one is nil, if two have
// the same key or the same path segment, if Options.Name or Options.ID is not empty, and
// if a description is invalid: [schema.Description.Check] returns an error, a field is
// not a member of the JSON of T, or a reference or a name in Search is to a collection or
// a field that does not exist. It wraps [ErrUnknownCollection] for the zero Definition.
// Otherwise the errors are those of [NewCollection] and [schema.DescriptionOf].
func NewOnly(definitions ...AnyDefinition) (*Catalogue, error) {
	if len(definitions) == 0 {
		return nil, fmt.Errorf("catalogue: %w: no definitions", ErrInvalidType)
	}
	if _, err := byKey(definitions); err != nil {
		return nil, err
	}
	return newCatalogue(definitions, true)
}

// byKey returns the definitions by their keys.
func byKey(definitions []AnyDefinition) (map[string]AnyDefinition, error) {
	chosen := map[string]AnyDefinition{}
	for _, d := range definitions {
		if v := reflect.ValueOf(d); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, fmt.Errorf("catalogue: %w: nil definition", ErrInvalidType)
		}
		key, _ := d.about()
		if key == "" {
			return nil, fmt.Errorf("catalogue: %w: the definition has no key", ErrUnknownCollection)
		}
		if _, twice := chosen[key]; twice {
			return nil, fmt.Errorf("catalogue: %s: %w: it is defined twice", key, ErrInvalidType)
		}
		chosen[key] = d
	}
	return chosen, nil
}

// newCatalogue returns an empty catalogue. only reports whether it has only collections
// that the program defines.
func newCatalogue(definitions []AnyDefinition, only bool) (*Catalogue, error) {
	c := &Catalogue{byKey: map[string]int{}, referred: map[string]bool{}}
	var about []schema.Description
	for i, d := range definitions {
		m, err := d.make(c, only)
		if err != nil {
			return nil, err
		}
		c.all = append(c.all, m)
		c.byKey[m.Key()] = i
		about = append(about, m.Description())
		for _, f := range m.Description().Fields {
			c.referred[f.Refers] = true
		}
	}
	if err := checkTogether(about); err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	c.bind()
	return c, nil
}

// byDefault returns the definition of a collection for which NewWith has none.
func byDefault(key string) AnyDefinition {
	switch key {
	case "events":
		return Define[schema.Event](key, Options{})
	case "labels":
		return Define[schema.Label](key, Options{})
	case "social-links":
		return Define[schema.SocialLink](key, Options{})
	}
	return Define[schema.Record](key, Options{})
}

// ownType returns the default record type of a collection and reports whether that type
// is fixed.
func ownType(key string) (record reflect.Type, ok bool) {
	_, record = byDefault(key).about()
	return record, record != reflect.TypeFor[schema.Record]()
}
