package httpapi

import (
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
)

// New returns a handler of a catalogue's 39 collections: [NewHandler] with what
// the catalogue has. It returns [ErrInvalidConfig] for no catalogue, and
// [ErrInvalidConfig] for options that cannot be used. O(number of collections).
func New(house *catalogue.Catalogue, opts Options) (*Handler, error) {
	if house == nil {
		return nil, fmt.Errorf("%w: nil catalogue", ErrInvalidConfig)
	}
	collections := make(map[string]Collection)
	for key, c := range house.All() {
		collections[key] = c
	}
	return NewHandler(collections, opts)
}

// isFull reports whether a catalogue's Create failed because a record has the largest
// id. It has no other reason for a [catalogue.ErrID]: an id in a body does not count.
func isFull(err error) bool { return errors.Is(err, catalogue.ErrInvalidID) }
