package layout

import (
	"errors"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// The errors that package catalogue documents.
var (
	ErrInvalidType       = errors.New("invalid record type")
	ErrExists            = errors.New("id is taken")
	ErrInvalidID         = errors.New("invalid id")
	ErrInvalid     error = invalidRecord{}
)

// invalidRecord is the type of [ErrInvalid].
type invalidRecord struct{}

func (invalidRecord) Error() string { return "invalid record" }
func (invalidRecord) Unwrap() error { return schema.ErrInvalid }
