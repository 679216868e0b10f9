package layout

import (
	"errors"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// The errors that package catalogue documents.
var (
	ErrInvalidType       = errors.New("invalid record type")
	ErrExists            = errors.New("id or key is taken")
	ErrInvalidID         = errors.New("invalid id")
	ErrInvalid     error = invalidRecord{}
)

// invalidRecord is the type of [ErrInvalid].
type invalidRecord struct{}

func (invalidRecord) Error() string { return "invalid record" }
func (invalidRecord) Unwrap() error { return schema.ErrInvalid }

// Invalid returns an error that wraps [ErrInvalid] and err, which may say itself that the record is
// invalid.
func Invalid(err error) error { return refusal{"", err} }

// A refusal is the error of a record, whose name with a colon it may have.
type refusal struct {
	record string
	reason error
}

func (e refusal) Error() string {
	reason := strings.TrimPrefix(e.reason.Error(), schema.ErrInvalid.Error()+" record: ")
	return ErrInvalid.Error() + ": " + e.record + reason
}

func (e refusal) Unwrap() []error { return []error{ErrInvalid, e.reason} }
