package client

import (
	"errors"
	"fmt"
)

// What is returned wraps one of these once, with the place where; errors.Is finds
// them. Those of a page come as a [PageError]. Errors of the context, of the
// network and of reading are wrapped as they are.
var (
	// ErrInvalidOptions says that an option cannot be used, and why.
	ErrInvalidOptions = errors.New("client: bad option")
	// ErrHAR says that a file is no HAR.
	ErrHAR = errors.New("not a HAR file")

	// Of one answer.

	// ErrAnswer says that an answer is no page: its status, its type, its size or
	// what is in it.
	ErrAnswer = errors.New("not a page")
	// ErrUnavailable says that the service went on answering 429 or 503, or wants
	// to be left alone for longer than the client may wait.
	ErrUnavailable = errors.New("service is unavailable")
	// ErrLink says that next or previous leads elsewhere than to the neighbour of
	// its page, or to one where there is none, or that previous is missing. Where
	// next is missing there is an [ErrGap].
	ErrLink = errors.New("bad link")

	// Of a walk.

	// ErrGap says that records are missing.
	ErrGap = errors.New("gap")
	// ErrRepeat says that a record comes again.
	ErrRepeat = errors.New("repeat")
	// ErrOrder says that records are not in the order that was asked for.
	ErrOrder = errors.New("wrong order")
	// ErrChanged says that the collection was not the same from page to page: the
	// count was another, or two recordings of a record differ.
	ErrChanged = errors.New("changed under the walk")
	// ErrTooMany says that there are more records than the client may take.
	ErrTooMany = errors.New("too many records")
)

// A PageError says where a walk failed.
type PageError struct {
	Collection string // key
	Offset     int    // how many records stand before the place
	Page       string // URL of the page, or file, or entry of a HAR
	Err        error
}

// Error names all of it.
func (e *PageError) Error() string {
	return fmt.Sprintf("%s: offset %d: %v (%s)", e.Collection, e.Offset, e.Err, e.Page)
}

// Unwrap gives Err.
func (e *PageError) Unwrap() error { return e.Err }
