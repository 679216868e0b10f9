package catalogue

import (
	"errors"
	"fmt"
)

// What is returned wraps one of these once, with the collection's name in
// front; errors.Is finds them. Terms that name no field are
// [ordering.ErrUnknownField].
var (
	// Making a catalogue or a collection.

	// ErrInvalidType says that a type cannot be a record, or is not the one that a
	// collection holds.
	ErrInvalidType = errors.New("wrong record type")
	// ErrUnknownCollection says that no collection has that key.
	ErrUnknownCollection = errors.New("unknown collection")

	// Reading and writing.

	// ErrNotFound says that no record has that id.
	ErrNotFound = errors.New("no such record")
	// ErrExists says that a record of that id is there already.
	ErrExists = errors.New("id is taken")
	// ErrInvalidID says that an id is negative, was changed, or that none is left.
	ErrInvalidID = errors.New("bad id")
	// ErrInvalid says that a record holds what its JSON cannot.
	ErrInvalid = errors.New("invalid record")
	// ErrTxDone says that a transaction was used after its Update had returned.
	ErrTxDone = errors.New("transaction is over")

	// Following changes.

	// ErrHistoryTrimmed says that changes so old are not kept any more.
	ErrHistoryTrimmed = errors.New("the history does not reach back so far")
	// ErrFutureRevision says that a revision has not come yet.
	ErrFutureRevision = errors.New("no such revision yet")
	// ErrNoHistory says that a collection keeps no changes: [Options].History.
	ErrNoHistory = errors.New("no history is kept")

	// Loading.

	// ErrInvalidData says that what was to be loaded is not in the form that is loaded.
	// A bad record is told by a [RecordError] besides.
	ErrInvalidData = errors.New("cannot load")
)

// unknownCollection returns the error for a key that no collection has.
func unknownCollection(key string) error {
	return fmt.Errorf("catalogue: %w: %q", ErrUnknownCollection, key)
}
