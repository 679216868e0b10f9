package httpapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A Collection is a list of records that a [Handler] serves. [catalogue.AnyCollection] implements
// it and the optional interfaces Getter, Creator, Updater, Deleter, ReferenceChecker and Counter,
// and its pages have entity tags, as those of a Revisioner. Package httpapitest tests
// implementations.
//
// [Describe] serves the same records at a second path, with pages, filters and an order of its own.
// [Restrict] restricts what a user can see. A type that embeds a Collection and declares List and
// Get can do so too. It must declare Update and Delete as well, because a record may change between
// Get and a write. A type that embeds a catalogue.AnyCollection has its other methods, but no
// Count, and no tags of pages unless it declares Revision: equal numbers would have to mean equal
// pages for all users. If the embedded type is a Revisioner of its own, declare a Revision that
// returns an error.
//
// Methods must be safe for concurrent use. ctx is the context of the request. An error that a
// method returns after ctx is done must wrap ctx.Err().
//
// An error determines the status of the response by what it wraps, the first in this list if
// several:
//
//   - an error made by [Unauthorized] or [Forbidden]: 401 or 403, with its detail; also that of a
//     Precondition of a [catalogue.Edit]
//   - [ErrUnavailable]: 503, with a Retry-After if [Unavailable] made the error
//   - [context.Canceled] or [context.DeadlineExceeded]: 503
//   - [ErrConflict]: 409
//   - any other: 500
//
// Any but the first is passed to [Options].OnError. Its text is never sent to the client, unless it
// wraps [schema.FieldErrors] about parameters of the request, such as those of Match of a
// [schema.Test]: these result in 400.
type Collection interface {
	// Description returns the description of the collection. The handler calls it once, when it is
	// made.
	Description() schema.Description

	// List returns the records in the window of q, in the order of its terms, and the number of all
	// records that its filter selects, all of one instant. If it returns an error, the Listing is
	// ignored. List must neither modify nor retain the filter and the terms.
	//
	// The filter is what [schema.Description.Filter] returns for the parameters of the request;
	// [Restrict] adds Tests and Rows. A request with an invalid value results in 400 without a call
	// of List.
	//
	// The terms are those of the request, with names in snake_case. No field appears twice. If the
	// description has Fields or Sortable, the terms name the id or a field that records can be
	// ordered by. Otherwise List drops those that name no member of a record. If none is left, it
	// uses the default order of the description. It breaks ties by id in the direction of the first
	// term. Null is the largest value: last in ascending and first in descending order.
	//
	// The window has a positive Limit and an Offset of at least 0, possibly past the end. Both may
	// be as large as [math.MaxInt]. Each record is a compact JSON object in UTF-8, which the
	// handler does not modify, and which must not change later. With Positions in the description,
	// List begins at the Place of a query, and returns Keys and Token, as [catalogue.Query] and
	// [catalogue.Listing] specify. An error that wraps [catalogue.ErrInvalidToken] results in 404.
	List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error)
}

// A Counter is a [Collection] that counts records without a page of them. Package browse shows the
// numbers beside the values of filters. For a collection that is no Counter, the handler calls List
// for each value.
type Counter interface {
	// Count returns, for each group of tests, the number of records that the filter selects and
	// that pass all tests of the group. Filter and tests are as for List.
	Count(ctx context.Context, filter schema.Filter, groups [][]schema.Test) ([]int, error)
}

// A Getter is a [Collection] whose records have paths of their own.
type Getter interface {
	// Get returns the record that the last segment of a path names, encoded as by List. The segment
	// is decoded; [schema.ParseID] returns the id in it. The filter is as for List. An error
	// wrapping [catalogue.ErrNotFound] means that there is no such record or that the filter does
	// not select it, and results in 404.
	Get(ctx context.Context, segment string, filter schema.Filter) (record []byte, err error)
}

// A Creator is a [Collection] in which a POST can create records. Without it, a POST results in
// 405, and Allow does not contain POST.
type Creator interface {
	// Create creates a record from the body of a request and returns it encoded as by List. It must
	// ignore read-only and unknown members. The values in assigned, which [Options].Assign returns,
	// replace those in the body, and may be of read-only fields. [schema.Description.Validate]
	// makes all necessary checks.
	//
	// The body has at most [Options].MaxBody bytes, or twice as many if it was converted from
	// Latin-1. It may be anything, including invalid UTF-8. An empty body means {}. Create may
	// retain and modify it.
	//
	// A [*schema.SyntaxError] and [schema.FieldErrors] result in 400 and are sent to the client, an
	// error wrapping [catalogue.ErrInvalidID], if no id is left, or [catalogue.ErrExists], if
	// another record has the new key, in 409. Create must store nothing if it returns an error or
	// if ctx is done before the call.
	Create(ctx context.Context, body []byte, assigned schema.Record) (record []byte, err error)
}

// An Updater is a [Getter] whose records can be replaced with PUT and PATCH.
type Updater interface {
	// Update changes the record that Get returns as the body of a PUT or, if u.Partial is set, of a
	// PATCH specifies, and returns the new record as Get does. [schema.Description.ValidateUpdate]
	// makes all necessary checks. The body, u.Assigned and errors are as for Create, and an error
	// wrapping [catalogue.ErrNotFound] results in 404. The handler calls Get with the same filter
	// before it reads the body, so that a request for a record that does not exist fails first.
	//
	// If there is a precondition, Update changes the record only if it returns nil for the record,
	// encoded as by Get. No other write to the record may come between its last call and the
	// change. If it returns an error, Update stores nothing and returns an error that wraps it,
	// even if the body is invalid. It may be called several times. It neither modifies nor retains
	// the record.
	Update(ctx context.Context, segment string, u catalogue.Edit) (record []byte, err error)
}

// A Deleter is a [Getter] whose records can be deleted.
type Deleter interface {
	// Delete deletes the record that Get returns. The handler calls Get with the same filter
	// before. The id of the record is never used again. An error wrapping [catalogue.ErrNotFound]
	// results in 404, and one wrapping [catalogue.ErrReferenced] in 409; if it wraps
	// [catalogue.Violations] too, the response names the first record that refers to this one. If
	// precondition is not nil, Delete deletes the record only if precondition returns nil for it,
	// as for Update.
	//
	// Package browse says before a deletion what else it does if the collection has the method
	// Dependents of [catalogue.AnyCollection], which must say what Delete does.
	Delete(ctx context.Context, segment string, filter schema.Filter, precondition func(record []byte) error) error
}

// A ReferenceChecker is a [Collection] with filters by references in which an id or text that no
// record has is an invalid value, as in Django REST framework, and results in 400. In other
// collections it selects no record.
type ReferenceChecker interface {
	// Find returns the id of the record of a collection that has a text in a field, as Find of
	// [schema.Checks] does. It returns 0 if no record exists.
	Find(ctx context.Context, collection, field, text string) (id int, stored string, err error)
}

// A Revisioner is a [Collection] whose pages have entity tags if [Options].ETags is set. A page
// must depend only on the query and the records of the collection, and not, for example, on the
// time or on a value in ctx.
//
// The handler calls Revision before and after List. If the two numbers are equal, the page has the
// tag of that number, otherwise none. A client that sends the tag receives a 304 as long as
// Revision returns the same number. Therefore equal numbers must imply equal pages, except for
// writes that have not returned yet.
//
// If the collection reads from replicas of a database, one of which may be outdated, all calls for
// one request, which have the same ctx, must use the same replica. If Revision cannot determine
// which replica returns the page, it must return an error. A 304 is as old as the replica that
// returned the number.
type Revisioner interface {
	// Revision returns a number that every write changes to a value that it has never had, before
	// the write returns, and not before List includes the write. It is called once for a response
	// of 304 and at most twice for any other request for a page. If a field is Hidden, it is called
	// for requests for records, too, and by preconditions of Update and Delete. It should be cheap.
	//
	// If Revision returns an error, the page has no tag. [Options].OnError is called with it at
	// most once for each request, and not at all if the request fails with another error or a
	// panic.
	Revision(ctx context.Context) (uint64, error)
}

// Restrict returns a collection of the records of c that the parameters returned by rows select,
// like get_queryset of Django REST framework. rows is called with the context of each request that
// reads, changes or deletes records. Other records do not exist for the request: they are neither
// in its pages, nor counted, nor found. No parameters select all records.
//
// The parameters are those of [schema.Description.Filter], of any field in the description or at the end
// of a path to other records, whether or not the description lists them as Filters. An unknown
// parameter, an invalid value, a parameter whose value counts as absent, and regular expressions
// that take too much work are errors, handled like those of List.
//
// A reference in a body or in a filter finds only records that the request can see, if the
// collection to which it refers is restricted in the same Handler. Across references,
// [schema.Filter].Rows hides other records. The parameters that rows returns read all records, and so do
// the functions of [catalogue.Show]. The detail of a 409 names the record that refers to another only if
// the request can read it.
//
// Restrict does not restrict what is written: a POST, PUT or PATCH may result in a record that the
// request cannot see, which the response nevertheless contains. [Options].Assign determines fields
// of such records. Values of unique fields and keys are compared with all records, so that a 400
// shows that one exists. A deletion changes or deletes all records that refer to the deleted one,
// as the references determine.
//
// Responses to GET and HEAD, and those of other collections that depend on rows, have the
// Cache-Control "private, no-cache" unless middleware has set another before. The tag of a page
// depends on the parameters of rows. Each write to the collection changes it.
//
// Of the optional interfaces, the handler uses those that c implements. rows must be safe for
// concurrent use. If c or rows is nil, Restrict returns nil.
func Restrict(c Collection, rows func(ctx context.Context) (url.Values, error)) Collection {
	if isNil(c) || rows == nil {
		return nil
	}
	about := c.Description()
	return restricted{wrapped{c}, func(ctx context.Context) ([]schema.Test, error) {
		params, err := rows(ctx)
		if err != nil {
			return nil, err
		}
		d := schema.Description{Key: about.Key, Of: about.Of, Fields: about.Fields, Related: about.Related, Parameters: about.Parameters}
		d.Filters = slices.Sorted(maps.Keys(params))
		filter, err := d.Filter(schema.WithVisible(ctx, nil), func(name string) []string { return params[name] }, anyRecord())
		if err == nil && len(filter.Tests) < len(params) {
			err = fmt.Errorf("%s: one of the parameters %q is unknown or has no value", about.Key, d.Filters)
		}
		if err != nil {
			return nil, fmt.Errorf("httpapi: Restrict: %w", err)
		}
		for i := range filter.Tests {
			filter.Tests[i].All = true
		}
		return filter.Tests, nil
	}}
}

// Describe returns a collection of the same records as c with another description, so that requests to
// a second path of them have pages, filters, searches and a default order of their own. about is a
// changed copy of the description of c:
//
//	about := books.Description()
//	about.Of, about.Key, about.Segment = "books", "shelves", "shelves"
//	about.Pages = pagination.Numbers{}
//	h, err := httpapi.NewHandler([]httpapi.Collection{books, httpapi.Describe(books, about)}, opts)
//
// Its Fields are those of c. Sortable and Filters must be ones that the List of c evaluates: a
// collection of a catalogue drops terms that its own description does not permit. References still
// lead to the path whose Key they name. A restriction by [Restrict] is one of c or of what Describe
// returns; each path to restricted records needs it. Of the optional interfaces, the handler uses
// those that c implements. If c is nil, Describe returns nil. O(1).
func Describe(c Collection, about schema.Description) Collection {
	if isNil(c) {
		return nil
	}
	return redescribed{wrapped{c}, about}
}

// redescribed is a collection that Describe returns. A handler takes it apart, like a restricted one.
type redescribed struct {
	wrapped
	about schema.Description
}

func (c redescribed) Description() schema.Description { return c.about }

// List sends the default order, which may be another one than that of the collection.
func (c redescribed) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	if len(q.Terms) == 0 {
		q.Terms = defaultOrder(&c.about)
	}
	return c.Collection.List(ctx, q)
}

// defaultOrder returns the order of lists without terms.
func defaultOrder(d *schema.Description) []ordering.Term {
	if len(d.Ordering) > 0 {
		return d.Ordering
	}
	return []ordering.Term{ordering.Asc(ordering.Snake(d.Identity().Name))}
}

// isNil reports whether c is nil or the zero AnyCollection.
func isNil(c Collection) bool { return c == nil || c == Collection(catalogue.AnyCollection{}) }

// anyRecord returns the checks of a collection that is no ReferenceChecker.
func anyRecord() schema.Checks {
	return schema.Checks{
		Find: func(context.Context, string, string, string) (int, string, error) { return 1, "", nil },
	}
}

// restricted is a collection that Restrict returns. A handler takes it apart, because it must use
// the optional interfaces of the Collection.
type restricted struct {
	wrapped
	rows func(ctx context.Context) ([]schema.Test, error)
}

func (c restricted) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	tests, err := c.rows(ctx)
	if err != nil {
		return catalogue.Listing{}, err
	}
	q.Filter.Tests = slices.Concat(tests, q.Filter.Tests)
	return c.Collection.List(ctx, q)
}

// wrapped is a collection around which there is another one. Packages openapi and browse ask it for what
// only a catalogue knows.
type wrapped struct{ Collection }

// Unwrap returns the collection inside.
func (c wrapped) Unwrap() Collection { return c.Collection }

// Errors that a [Collection] returns to determine the status of the response. It may wrap
// them together with a cause: fmt.Errorf("%w: %w", httpapi.ErrUnavailable, err). The
// cause is passed to [Options.OnError] and never sent to the client.
var (
	// ErrUnavailable means that the same request may succeed later, for instance
	// because the database is restarting or all its connections are in use. It results
	// in 503. To tell the client when to try again, use [Unavailable].
	ErrUnavailable = errors.New("httpapi: collection is unavailable")

	// ErrConflict means that a posted record is valid but conflicts with stored
	// records or with a concurrent write. It results in 409. If the invalid field is
	// known, [schema.FieldErrors] are more helpful to the client.
	ErrConflict = errors.New("httpapi: conflict with stored records")
)

// ErrPanic is wrapped by the error that is passed to [Options.OnError] after a panic. The
// error also wraps the value of the panic if that is an error. Its text ends with the
// stack trace. A panic with [http.ErrAbortHandler] is not recovered.
var ErrPanic = errors.New("httpapi: panic")

// unavailable is an [ErrUnavailable] with a time after which to try again.
type unavailable struct {
	error
	after time.Duration
}

// Unavailable returns an error that wraps [ErrUnavailable], and err if it is not nil. The
// response has a Retry-After of retryAfter in seconds, rounded up, or none if retryAfter
// is not positive.
func Unavailable(retryAfter time.Duration, err error) error {
	if err == nil {
		return &unavailable{ErrUnavailable, retryAfter}
	}
	return &unavailable{fmt.Errorf("%w: %w", ErrUnavailable, err), retryAfter}
}

func (e *unavailable) Unwrap() error { return e.error }
