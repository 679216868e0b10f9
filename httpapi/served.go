package httpapi

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// served is a collection with its description.
type served struct {
	description schema.Description
	collection  Collection
}

// servedFrom returns the collections of a catalogue in its order.
func servedFrom(house *catalogue.Catalogue) (list []served) {
	for _, c := range house.All() {
		list = append(list, served{c.Description(), c})
	}
	return list
}

// servedBy returns the collections of a map: the documented ones in the order of the
// document, and then the others by key. The error wraps [ErrInvalidConfig].
func servedBy(collections map[string]Collection) (list []served, err error) {
	documented := schema.Descriptions()
	rank := make(map[string]int, len(documented))
	var names []string
	for i, d := range documented {
		rank[d.Key] = i - len(documented)
		names = append(names, d.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(collections)) {
		c := collections[key]
		d, known := schema.Lookup(key)
		if c == nil {
			return nil, fmt.Errorf("%w: collection %q is nil", ErrInvalidConfig, key)
		}
		if describer, ok := c.(Describer); ok {
			d = describer.Description()
		} else if !known {
			return nil, fmt.Errorf("%w: collection %q is not documented and has no method Description: %s", ErrInvalidConfig, key, ordering.Suggest(key, names))
		}
		if d.Key != key {
			return nil, fmt.Errorf("%w: collection %q has a description with the key %q", ErrInvalidConfig, key, d.Key)
		}
		list = append(list, served{d, c})
	}
	slices.SortStableFunc(list, func(a, b served) int { return rank[a.description.Key] - rank[b.description.Key] })
	return list, nil
}

// inOrder moves the collections with the given keys, which [Options.Order] lists, to the
// front. The error wraps [ErrInvalidConfig].
func inOrder(list []served, keys []string) error {
	for i, key := range keys {
		at := slices.IndexFunc(list, func(s served) bool { return s.description.Key == key })
		if at < 0 {
			return fmt.Errorf("%w: Order: there is no collection %q", ErrInvalidConfig, key)
		}
		if at < i {
			return fmt.Errorf("%w: Order has %q twice", ErrInvalidConfig, key)
		}
		moved := list[at]
		copy(list[i+1:at+1], list[i:at])
		list[i] = moved
	}
	return nil
}

// checkServed returns an error if there are no collections, a description is invalid or
// two have the same key or segment.
func checkServed(list []served) error {
	if len(list) == 0 {
		return fmt.Errorf("%w: there are no collections", ErrInvalidConfig)
	}
	keys, segments := map[string]bool{}, map[string]string{}
	for _, s := range list {
		d := s.description
		if err := d.Check(); err != nil {
			return fmt.Errorf("%w: collection %q: %w", ErrInvalidConfig, d.Key, err)
		}
		if other, twice := segments[d.Segment]; twice || keys[d.Key] {
			return fmt.Errorf("%w: collections %q and %q have the same segment or key", ErrInvalidConfig, other, d.Key)
		}
		keys[d.Key], segments[d.Segment] = true, d.Key
	}
	return nil
}
