package httpapi

import (
	"context"
	"net/url"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Collection returns the pages that a [Handler] serves. The collections of a catalogue
// implement it. Package conformance tests implementations.
//
// Methods must be safe for concurrent use. ctx is the context of the request. An error
// that a method returns after ctx is done must wrap ctx.Err().
//
// An error determines the status of the response by what it wraps. If it wraps several
// of these, the first in this list counts:
//
//   - [ErrUnavailable]: 503, with a Retry-After if [Unavailable] made the error
//   - [context.Canceled] or [context.DeadlineExceeded]: 503
//   - [ErrGone]: 410
//   - [ErrConflict]: 409
//   - any other: 500
//
// The error is passed to [Options.OnError]. Its text is never sent to the client.
type Collection interface {
	// Fields returns the snake_case names of the fields that the collection can be
	// ordered by, each once. They include id, even if there are no records. Fields is
	// called for requests with an ordering and should be cheap. The handler does not
	// modify the slice.
	Fields(ctx context.Context) ([]string, error)

	// Page returns the encoded records inside the window, in the order of the terms,
	// and the number of all records, both as of one instant. If it returns an error, the
	// other results are ignored.
	//
	// There is at least one term, and no field appears twice. The last term, and no
	// other, is id, so there are no ties. The terms name fields that Fields has
	// returned, or they are the default order: start_date and id for events, id for
	// all other collections. Null is the largest value: last in ascending and
	// first in descending order. Page must neither modify the terms nor retain them.
	//
	// If a term names no field, for example because the last record with the field was
	// deleted, Page returns an error wrapping [ordering.ErrUnknownField]. The handler
	// then calls Fields and Page again. After three attempts it requests the default
	// order, and if that fails with the same error, the order by id.
	//
	// The window has a positive Limit and an Offset of at least 0, possibly past the
	// end. Both may be as large as math.MaxInt. Each record is a compact JSON object
	// in UTF-8. The handler does not modify the records. They must not change after
	// Page has returned.
	Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)
}

// A LenientPager is a [Collection] that drops unknown terms itself. It is useful if fields
// can appear or disappear between Fields and Page: with PageLenient, the fields and the
// page are of one instant. The collections of a catalogue implement it. A type that
// embeds a [catalogue.Encoded] does not.
type LenientPager interface {
	// PageLenient is like Page. The handler calls it instead of Page. The terms are
	// those of the request, possibly none. PageLenient drops terms that name no field.
	// If none is left, it uses the default order. It breaks ties by id in the direction
	// of the leading term.
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
// differ, the page has no tag. If they are equal, the page has the tag of that number. A
// client that sends the tag receives a 304 as long as Revision returns the same number.
// Therefore equal numbers must imply equal pages, except for writes that have not
// returned yet.
//
// If the collection reads from replicas of a database, one of which may be outdated, all
// calls for one request, which have the same ctx, must use the same replica. If Revision
// cannot determine which replica returns the page, it must return an error. A 304 is as
// old as the replica that returned the number.
type Revisioned interface {
	// Revision returns a number that every write changes to a value that it has never
	// had. It must change before the write returns, and not before Page includes the
	// write. Revision is called once for a response of 304 and at most twice for any
	// other request for a page. It should be cheap.
	//
	// If Revision returns an error, whatever it wraps, the page has no tag. The response
	// is otherwise the same as if the collection were not a Revisioned.
	// [Options.OnError] is called with the error at most once for each request, and not
	// at all if the request fails with another error or a panic.
	Revision(ctx context.Context) (uint64, error)
}

// A Describer is a [Collection] with a description. One that is not documented must be a
// Describer. The handler calls Description once, when it is made.
type Describer interface {
	Description() schema.Description
}

// A Filterer is a [Collection] whose records parameters of a query can select. The handler
// uses it if the description has Filters or Search. If the collection is not a Filterer,
// these parameters have no effect.
type Filterer interface {
	// PageWhere is like PageLenient of a [LenientPager] for the records that the
	// parameters select. These are the parameters of the query that the description has
	// in Filters, and search if it has a Search; there is at least one.
	// [schema.Description.Filter] reads them. [schema.FieldErrors] result in 400
	// and are sent to the client. Other errors are handled as those of Page.
	PageWhere(ctx context.Context, params url.Values, w pagination.Window, terms []ordering.Term) (count int, records [][]byte, err error)
}

// A Retriever is a [Collection] whose records have paths of their own.
type Retriever interface {
	// Get returns the record with the given id, encoded as by Page. The parameters are
	// those of [Filterer]; there may be none. They are checked even if there is no record
	// with the id. An error wrapping [catalogue.ErrNotFound] means that there is no such
	// record or that the parameters do not select it, and results in 404. If there are
	// parameters, [schema.FieldErrors] result in 400. Other errors are handled as those
	// of Page. The id may be 0, which is not the id of a record.
	Get(ctx context.Context, id int, params url.Values) (record []byte, err error)
}

// An Updater is a [Retriever] whose records can be replaced with PUT and PATCH.
type Updater interface {
	// Update changes the record with the given id as the body of a PUT or, if partial is
	// set, of a PATCH specifies, and returns the record as Get does.
	// [schema.Description.ValidateUpdate] makes all necessary checks. The body is as
	// for a [Creator]. An error wrapping [catalogue.ErrNotFound] results in 404, and a
	// *[schema.SyntaxError] and [schema.FieldErrors] in 400. Other errors are handled
	// as those of Page. Update must store nothing if it returns an error or if ctx is done before the call. The handler calls
	// Get with the same arguments before it reads the body, so that a request for a record
	// that does not exist fails first.
	Update(ctx context.Context, id int, params url.Values, body []byte, partial bool) (record []byte, err error)
}

// A Deleter is a [Retriever] whose records can be deleted.
type Deleter interface {
	// Delete deletes the record with the given id, which is never used again. Errors are handled as those of Get. An
	// error wrapping [catalogue.ErrReferenced] results in 409; if it is or wraps a
	// [*catalogue.ReferenceError], the response names the record that refers to this one.
	Delete(ctx context.Context, id int, params url.Values) error
}

// A ConditionalUpdater is an [Updater] that can compare a record with a precondition of the
// request at the instant at which it changes the record. The handler uses it if
// [Options.ETags] is set and a PUT or PATCH has entity tags in If-Match or If-None-Match.
// If a collection is not a ConditionalUpdater, such a request results in 412, since another
// write could come between a comparison and the change. The collections of a catalogue
// implement it. A type that embeds a [catalogue.Encoded] does not, so that its own Update
// cannot be bypassed.
type ConditionalUpdater interface {
	// UpdateIf is like Update, but changes the record only if check returns nil for it,
	// encoded as by Get. No other write to the record may come between the last call of
	// check and the change. If check returns an error, UpdateIf stores nothing and returns
	// an error that wraps it, even if the body is invalid. check may be called several
	// times. It does not modify the record and retains nothing.
	UpdateIf(ctx context.Context, id int, params url.Values, body []byte, partial bool, check func(record []byte) error) (record []byte, err error)
}

// A ConditionalDeleter is to a [Deleter] what a [ConditionalUpdater] is to an [Updater].
type ConditionalDeleter interface {
	// DeleteIf is like Delete, but deletes the record only if check returns nil for it, as
	// described for UpdateIf.
	DeleteIf(ctx context.Context, id int, params url.Values, check func(record []byte) error) error
}

// A Creator is a [Collection] in which a POST can create records. If a collection whose
// description has the action does not implement it, a POST results in 405, and Allow does
// not contain POST.
type Creator interface {
	// Create creates a record from the body of a request and returns it encoded as by
	// Page. It must ignore read-only and unknown members.
	// [schema.Description.Validate] makes all necessary checks.
	//
	// The body has at most [Bounds.Body] bytes, or twice as many if it was converted from
	// Latin-1. It may be anything, including invalid UTF-8. An empty body means {}. Create
	// may retain and modify it.
	//
	// A *[schema.SyntaxError] and [schema.FieldErrors] result in 400 and are sent to
	// the client. An error wrapping [catalogue.ErrInvalidID] means that no id is left and
	// results in 409. Other errors are handled as for a Collection. Create must store
	// nothing if it returns an error or if ctx is done before the call.
	Create(ctx context.Context, body []byte) (record []byte, err error)
}
