package core

import (
	"errors"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// The errors that package catalogue documents.
var (
	ErrInvalidType       = layout.ErrInvalidType
	ErrUnknownCollection = errors.New("unknown collection")

	ErrNotFound     = errors.New("no such record")
	ErrExists       = layout.ErrExists
	ErrInvalidID    = layout.ErrInvalidID
	ErrInvalid      = layout.ErrInvalid
	ErrReadOnly     = errors.New("collection is read-only")
	ErrInvalidToken = store.ErrInvalidToken
	ErrTxDone       = store.ErrTxDone
	ErrDuplicate    = errors.New("duplicate value")
	ErrReferenced   = errors.New("other records refer to it")
	ErrDangling     = errors.New("reference to no record")

	ErrHistoryTrimmed = errors.New("history has been trimmed")

	ErrInvalidData = errors.New("cannot load")
)

// Errors has functions that make the errors with fields, whose types package catalogue
// documents.
type Errors struct {
	Record     func(RecordError) error
	Violations func([]RecordError) error
}

// A RecordError describes an invalid record in loaded data.
type RecordError struct {
	Collection string
	Index      int
	Identity   schema.Identity
	Line       int
	Field      string
	Err        error
}
