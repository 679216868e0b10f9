package catalogue

import (
	"fmt"

	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// The errors of this package are wrapped by errors that contain the name of the
// collection, or "catalogue". Use [errors.Is]. An ordering by an unknown field is
// reported as [ordering.ErrUnknownField], an invalid condition as
// [ordering.ErrInvalidCondition].
var (
	// Making a catalogue or a collection.

	// ErrInvalidType is returned for a type that records cannot have, for another type than a
	// collection's records have, and for an invalid [Definition].
	ErrInvalidType = core.ErrInvalidType
	// ErrUnknownCollection is returned when there is no collection with the key.
	ErrUnknownCollection = core.ErrUnknownCollection

	// Reading and writing.

	// ErrNotFound is returned when there is no record with the id.
	ErrNotFound = core.ErrNotFound
	// ErrExists is returned when another record has the id, or the key.
	ErrExists = core.ErrExists
	// ErrInvalidID is returned when an id is negative, does not fit in an int or, in loaded data,
	// is not a positive integer; when an update changes the id or the key; when the key is empty;
	// and when no id is left.
	ErrInvalidID = core.ErrInvalidID
	// ErrInvalid is returned for a record that JSON cannot represent, for one that could not be
	// loaded from its JSON, and, with [Options].Validate, for one that requests could not write. It
	// wraps [schema.ErrInvalid].
	ErrInvalid = core.ErrInvalid
	// ErrReadOnly is returned by writes to a snapshot, and by the methods of [AnyCollection] for an
	// action that the description does not have.
	ErrReadOnly = core.ErrReadOnly
	// ErrInvalidToken is returned for a token that is incomplete or altered, or of another query.
	ErrInvalidToken = core.ErrInvalidToken
	// ErrTxDone is returned by the methods of a [Tx] after its batch.
	ErrTxDone = core.ErrTxDone
	// ErrDuplicate is returned by a write after which two records would have the same values of a
	// set in [Options].Unique. The error names the fields, the values and the other record, by its
	// id or by its index in a list.
	ErrDuplicate = core.ErrDuplicate
	// ErrReferenced is returned by [AnyCollection.Delete] for a record that others refer to. The
	// error wraps [Violations] too, with the first reference that would then be to no record.
	ErrReferenced = core.ErrReferenced

	// ErrDangling is wrapped by [Violations] that are references to no record.
	ErrDangling = core.ErrDangling

	// Following changes.

	// ErrHistoryTrimmed is returned when the history does not lead from the revision to the current
	// one; see [Collection.Since]. The caller starts again with a snapshot.
	ErrHistoryTrimmed = core.ErrHistoryTrimmed

	// Loading.

	// ErrInvalidData is returned for input that cannot be loaded. [*RecordError] wraps it.
	ErrInvalidData = core.ErrInvalidData
)

// A RecordError describes an invalid record: in loaded data, or as one of [Violations]. It wraps
// [ErrInvalidData] and Err.
type RecordError struct {
	Collection string          // key or name of the collection
	Index      int             // index of the record in the array of loaded data, from 0
	Identity   schema.Identity // its id or key, or the zero Identity if it is invalid
	Line       int             // number of the line of loaded data where it begins, from 1, or 0
	Field      string          // JSON name, a path such as address__country, or "" for the whole record
	Err        error           // what is wrong; of Violations, ErrDangling, or what LoadOptions find
}

// Error returns a message with the collection, the id or the key, the line, the member and Err.
// If the record has neither an id nor a key, the message has its index instead.
func (e *RecordError) Error() string {
	record := "record " + e.Identity.String()
	if e.Identity == (schema.Identity{}) {
		record = fmt.Sprint("record at index ", e.Index)
	}
	text := fmt.Sprintf("%s: %v: %s (line %d): ", e.Collection, ErrInvalidData, record, e.Line)
	if e.Field != "" {
		text += e.Field + ": "
	}
	return text + e.Err.Error()
}

// Unwrap returns [ErrInvalidData] and Err.
func (e *RecordError) Unwrap() []error { return []error{ErrInvalidData, e.Err} }

// Violations lists the values that records should not have: what [Catalogue.Check] finds, a load
// with Validate or References set in its [LoadOptions], or a deletion that is refused.
type Violations []RecordError

// Error returns a text with the number of violations and the first ten of them.
func (v Violations) Error() string {
	text := "1 violation"
	if len(v) != 1 {
		text = fmt.Sprintf("%d violations", len(v))
	}
	for i, one := range v[:min(len(v), 10)] {
		text += fmt.Sprintf("%s record %v of %s", []string{":", ";"}[min(i, 1)], one.Identity, one.Collection)
		if one.Line > 0 {
			text += fmt.Sprintf(" (line %d)", one.Line)
		}
		if one.Field != "" {
			text += ", in the field " + one.Field
		}
		text += fmt.Sprintf(": %v", one.Err)
	}
	return text
}

// Unwrap returns the errors of all violations.
func (v Violations) Unwrap() []error {
	errs := make([]error, len(v))
	for i, one := range v {
		errs[i] = one.Err
	}
	return errs
}

// errorsOf makes the errors with fields.
var errorsOf = core.Errors{
	Record: func(f core.RecordError) error { return (*RecordError)(&f) },
	Violations: func(found []core.RecordError) error {
		all := make(Violations, len(found))
		for i, v := range found {
			all[i] = RecordError(v)
		}
		return all
	},
}
