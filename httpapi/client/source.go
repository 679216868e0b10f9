package client

import "context"

// A Source provides whole collections. [Client] and [Recording] implement it.
type Source interface {
	// Keys returns the keys of the collections of the source, in the default order
	// of an import.
	Keys() []string

	// Walk returns a whole, verified collection, or an error. It must not return
	// part of a collection.
	Walk(ctx context.Context, key string) (Walk, error)
}
