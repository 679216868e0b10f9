package httpapi

import (
	"context"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Collection is what a [Handler] asks of a collection. Its methods are called
// by many requests at once; ctx is that of the request.
//
// Page may give an error that matches [ordering.ErrUnknownField] for a term
// that Fields named a moment ago; Fields is then asked again. Any other error
// of either method is answered with 500, or with 503 if it matches
// [context.Canceled] or [context.DeadlineExceeded]; its text goes to
// [Options.OnError], never to the client.
type Collection interface {
	// Fields lists the snake_case names that the collection can be ordered by.
	// It is called by each request that has an ordering and must be cheap. The
	// handler only reads the list.
	Fields(ctx context.Context) ([]string, error)

	// Page returns the encoded records inside the window, in the order of the
	// terms, and the count of all records, both observed at one instant. No
	// terms mean the default order; those there are name only Fields. The
	// window has a Limit of 1 or more and an Offset of 0 or more, which may
	// lie beyond the end. Each record is a compact JSON object in UTF-8; the
	// handler only reads what it gets.
	Page(ctx context.Context, terms []ordering.Term, w pagination.Window) (count int, records [][]byte, err error)
}

// Revisioned is implemented by a [Collection] whose pages may be kept and given
// to others who ask for the same ([Options.MaxCache]). The collections of a
// catalogue implement it; a type that embeds a [catalogue.Encoded] does not.
//
// It must not be implemented where a page depends on anything but the terms, the
// window and what the collection holds: on a value in ctx, say, or on the time.
type Revisioned interface {
	// Revision returns a number that changes with each write and never comes
	// back. It changes before the write returns, and not before Page shows what
	// was written: who has seen a new number gets a new page. It is called by
	// each request for a page and must be cheap.
	Revision() uint64
}

// Creator is implemented by a [Collection] that can be posted to. It counts
// only where the document allows POST: events and social-links. Where one of
// those does not implement it, the collection is read-only: POST is 405 and
// not mentioned in Allow.
type Creator interface {
	// Create makes a record of a request's body and returns it encoded, as
	// Page would. The body is at most [Options.MaxBody] bytes before it was
	// decoded to UTF-8; it may be empty, which stands for {}, and may be
	// anything but JSON. It belongs to the callee.
	//
	// A *[resources.SyntaxError] and [resources.FieldErrors] are answered
	// with 400 and what they say, other errors as those of a Collection.
	Create(ctx context.Context, body []byte) (record []byte, err error)
}
