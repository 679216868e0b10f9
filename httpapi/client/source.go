package client

import "context"

// A Source is where whole collections come from: a [Client], a [Recording], or
// something of the program's own.
type Source interface {
	// Keys are those of the collections it has, in the order in which they are
	// imported unless the caller says otherwise.
	Keys() []string

	// Walk gives a whole collection with its proof, or an error. It must not give a
	// part of it.
	Walk(ctx context.Context, key string) (Walk, error)
}
