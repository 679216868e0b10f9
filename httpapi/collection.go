package httpapi

import (
	"context"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Collection returns the pages that a [Handler] serves. The collections of a catalogue
// implement it; a Handler treats them like any other implementation. Package
// conformance tests implementations.
//
// Methods must be safe for concurrent use. ctx is the context of the request. An error
// that a method returns after ctx has ended must wrap that of ctx.Err.
//
// An error determines the status of the answer by what it wraps. Of several, the first
// in this list counts:
//
//   - [ErrUnavailable]: 503, with a Retry-After if the error is made by [Unavailable]
//   - [context.Canceled] or [context.DeadlineExceeded]: 503
//   - [ErrGone]: 410
//   - [ErrConflict]: 409
//   - any other: 500
//
// The text of an error goes to [Options.OnError] and never to the client.
type Collection interface {
	// Fields returns the snake_case names of the fields that the collection can be
	// ordered by, each once. They include id, even if there are no records. Fields is
	// called for every request with an ordering and should be cheap. The handler
	// does not modify the slice.
	Fields(ctx context.Context) ([]string, error)

	// Page returns the encoded records inside the window, in the order of the terms,
	// and the number of all records, both as of one instant. If it returns an error, the
	// other results are ignored.
	//
	// There is at least one term, no field appears twice, and the last term, and only
	// that, is id, so that there are no ties. The terms name fields that Fields has
	// returned, or they are the default order: start_date and id for events, id for
	// all other collections. Null is the largest value: last in ascending and
	// first in descending order. Page must not modify the terms, nor use them after
	// it has returned. If a term names no field, or none any more, Page returns an
	// error wrapping [ordering.ErrUnknownField]. The handler then calls Fields again.
	//
	// The window has a positive Limit and an Offset of at least 0, possibly past the
	// end. Both may be as large as an int can be. Each record is a compact JSON object
	// in UTF-8. The handler does not modify the records and may keep them, so they
	// must not change.
	Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)
}

// A LenientPager is a [Collection] whose fields can change. Because it drops unknown
// terms itself, a page and the meaning of its ordering belong to one instant, whereas a
// field may come or go between Fields and Page. The collections of a catalogue implement
// it. A type that embeds a [catalogue.Encoded] does not.
type LenientPager interface {
	// PageLenient is like Page, which the handler does not call if it can call
	// PageLenient. The terms are those of the request. Terms that name no field are
	// dropped, and if none is left, the page is in the default order. Ties are broken
	// by id in the direction of the leading term.
	PageLenient(ctx context.Context, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)
}

// A Revisioned is a [Collection] whose pages have entity tags if [Options.ETags] is set.
// The collections of a catalogue implement it. A type that embeds a
// [catalogue.Encoded] and has its own Page needs its own Revision too.
//
// A page must depend only on the terms, the window and the records of the collection, and
// not, for example, on the time or on a value in ctx.
//
// If ETags is set, the handler calls Revision before and after Page. If the two numbers
// differ, the page has no tag. If they are equal, the page has the tag of that number, and
// a client that sends the tag is answered with 304 as long as Revision returns the number.
// Therefore one number must always mean the same pages, except for a write that has
// not returned yet.
//
// Replicas of a database, of which one lags behind another, need care: all calls of one
// request, which have the same ctx, must reach the same replica, or Revision must fail if
// it cannot tell which one returns the page. A 304 is then as old as the replica that
// returned the number.
type Revisioned interface {
	// Revision returns a number that every write changes and that never returns to an
	// earlier value. It must change before the write returns, and not before Page
	// returns what was written. It is called once for a request that is answered with
	// 304 and twice for any other request for a page, and should be cheap.
	//
	// If Revision returns an error, whatever it wraps, the page has no tag and is
	// otherwise answered as if the collection were not a Revisioned. [Options.OnError]
	// is called with the error at most once for each request, and not at all if the
	// request fails with another error or a panic.
	Revision(ctx context.Context) (uint64, error)
}

// A Creator is a [Collection] whose records can be created by a POST. The handler uses it
// only for the collections that the service's document allows to be posted to: events and
// social-links. If one of these does not implement it, the collection is read-only, a
// POST is answered with 405, and Allow does not contain POST.
type Creator interface {
	// Create creates a record from the body of a request and returns it encoded as by
	// Page. It must ignore read-only and unknown members.
	// [resources.Description.Validate] makes all necessary checks.
	//
	// The body has at most [Bounds.Body] bytes, or twice as many if it was converted from
	// Latin-1. It may be anything, including invalid UTF-8. An empty body means {}. Create
	// may keep and modify it.
	//
	// A *[resources.SyntaxError] and [resources.FieldErrors] are answered with 400 and
	// their text, other errors as for a Collection. Create must store nothing if it
	// returns an error or if ctx has ended before the call.
	Create(ctx context.Context, body []byte) (record []byte, err error)
}
