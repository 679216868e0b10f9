package catalogue

import (
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// Errors of this package. A returned error wraps one of these once and begins with
// the name of the collection. An ordering by an unknown field is reported as
// [ordering.ErrUnknownField].
var (
	// Making a catalogue or a collection.

	// ErrInvalidType is returned for a type that cannot be a record, and for a type
	// other than that of a collection's records.
	ErrInvalidType = errors.New("invalid record type")
	// ErrUnknownCollection is returned when no collection has the key.
	ErrUnknownCollection = errors.New("unknown collection")

	// Reading and writing.

	// ErrNotFound is returned when no record has the id.
	ErrNotFound = errors.New("no such record")
	// ErrExists is returned when another record has the id.
	ErrExists = errors.New("id is taken")
	// ErrInvalidID is returned for an id that is negative or was changed, and when
	// no id is left.
	ErrInvalidID = errors.New("invalid id")
	// ErrInvalid is returned for a record that its JSON cannot represent. It wraps
	// [resources.ErrInvalid].
	ErrInvalid error = invalidRecord{}
	// ErrReadOnly is returned when the collection cannot be written to: it belongs
	// to a snapshot, or the service does not accept posts to it.
	ErrReadOnly = errors.New("collection is read-only")
	// ErrTxDone is returned by a [Tx] after its batch has ended.
	ErrTxDone = errors.New("batch has ended")

	// Following changes.

	// ErrHistoryTrimmed is returned when changes since the revision are no longer kept.
	ErrHistoryTrimmed = errors.New("history has been trimmed")
	// ErrFutureRevision is returned for a revision that does not exist yet.
	ErrFutureRevision = errors.New("revision does not exist yet")
	// ErrNoHistory is returned by a collection without [Options].History.
	ErrNoHistory = errors.New("no history is kept")

	// Loading.

	// ErrInvalidData is returned for input that cannot be loaded. An invalid record is
	// reported as a [RecordError], which wraps it.
	ErrInvalidData = errors.New("cannot load")
)

// unknownCollection returns the error for a key that no collection has.
func unknownCollection(key string, known []string) error {
	return fmt.Errorf("%w: %q: %s", ErrUnknownCollection, key, ordering.Suggest(key, known))
}

// invalidRecord is the type of [ErrInvalid].
type invalidRecord struct{}

func (invalidRecord) Error() string { return "invalid record" }
func (invalidRecord) Unwrap() error { return resources.ErrInvalid }
