package httpapi

import (
	"context"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Collection is what a [Handler] asks of a collection. Its methods are called
// by many requests at once; ctx is that of the request.
//
// Page gives an error that matches [ordering.ErrUnknownField] for a term that names
// no field, also one that Fields named a moment ago; Fields is then asked again.
// When ctx has ended, an error of either method matches what ctx.Err gives.
//
// What an error matches decides how it is answered: [ErrUnavailable] 503, with a
// Retry-After if it was made by [Unavailable]; [context.Canceled] and
// [context.DeadlineExceeded] 503; [ErrGone] 410; [ErrConflict] 409; of several the
// first in this list. Any other is answered with 500. Its text goes to
// [Options.OnError], never to the client.
//
// Package conformance tests an implementation. The collections of a catalogue are
// some among others: a [Handler] treats none specially.
type Collection interface {
	// Fields lists the snake_case names that the collection can be ordered by,
	// each once; id is one of them, also when there are no records. It is called
	// by each request that has an ordering and must be cheap. The handler only
	// reads the list.
	Fields(ctx context.Context) ([]string, error)

	// Page returns the encoded records inside the window, in the order of the
	// terms, and the count of all records, both observed at one instant. On an
	// error the other results do not count.
	//
	// There is at least one term, none names a field twice, and the last, and no
	// other, is id: no ties are left, and an ORDER BY of the terms is all that
	// a database needs. They name Fields, or are the default order: start_date and
	// id of events, id of all others. Null is larger than all else: last in an
	// ascending term, first in a descending one. The callee only reads the terms,
	// and not when Page has returned.
	//
	// The window has a Limit of 1 or more and an Offset of 0 or more, which may
	// lie beyond the end; both may be the largest int. Each record is a compact
	// JSON object in UTF-8. The handler only reads the records, and they must not
	// change: it may hold them as long as it likes.
	Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)
}

// LenientPager is implemented by a [Collection] whose fields can change, so that
// a page and the meaning of its ordering belong to one instant: between Fields and
// Page a field may come or go. The collections of a catalogue implement it; a type that
// embeds a [catalogue.Encoded] does not.
type LenientPager interface {
	// PageLenient is Page, but for the terms: they are those of the request. Terms
	// that name no field are dropped, and where none is left the page is in the
	// default order. Ties break by id in the direction of the leading term. The
	// handler does not call Page where this is implemented.
	PageLenient(ctx context.Context, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)
}

// Revisioned is implemented by a [Collection] whose pages may have entity tags
// ([Options.ETags]). The collections of a catalogue implement it; a type that embeds
// a [catalogue.Encoded] does not.
//
// It must not be implemented where a page depends on anything but the terms, the
// window and what the collection holds: on a value in ctx, say, or on the time.
//
// With tags, the handler asks for the revision before Page and after it; without
// tags, never. If the two differ, the page has no tag. If they are the same, it is
// the page of that revision, and a client that has it is answered with 304 while
// Revision returns that number. Nothing else is compared, so this must hold: what is
// seen under one number is always the same page, apart from a write that has not
// returned. Where replicas of a database answer, one behind another, it does not hold
// by itself: the calls of one request, which have one ctx, must reach one replica, or
// Revision must fail when it cannot tell which one returns the page. An answer of 304
// is then as old as the replica that returned the number.
type Revisioned interface {
	// Revision returns a number that changes with each write and never stands
	// for anything else again. It changes before the write returns, and not
	// before Page shows what was written: a client that has seen a new number gets
	// a new page. With tags it is called once by each request for a page that ends
	// in 304, twice by each that makes one, and must be cheap. ctx is that of the
	// request; after it has ended, the error matches what ctx.Err returns.
	//
	// An error, whatever it matches, means that the number does not count and that
	// the page has no tag in this request: the collection is asked for it as if it
	// were not Revisioned, and what Page returns is answered, records or an error;
	// that of a ctx which has ended is Page's to return, too. [Options.OnError] is
	// called with the error once a request; where the request fails with another
	// error, or a panic, it is called with that alone.
	Revision(ctx context.Context) (uint64, error)
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
	// with 400 and what they say, other errors as those of a Collection. On an
	// error, and when ctx had ended before, nothing is stored. Members that are
	// read-only or unknown are ignored; [resources.Description.Validate] does all
	// that a body has to be checked for.
	Create(ctx context.Context, body []byte) (record []byte, err error)
}
