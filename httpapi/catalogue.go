package httpapi

import "github.com/gobacklist/backlist/catalogue"

// New returns a handler of a catalogue's 39 collections: [NewHandler] with what
// the catalogue has. It returns [ErrOptions] for options that cannot be used.
// O(number of collections).
func New(house *catalogue.Catalogue, opts Options) (*Handler, error) {
	collections := make(map[string]Collection)
	for key, c := range house.All() {
		collections[key] = c
	}
	return NewHandler(collections, opts)
}
