package wire

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"

	"github.com/gobacklist/backlist/pagination"
)

// ReadPage returns the page in the body of a list in a style. A list without pages is a page of all records.
func ReadPage(body []byte, is pagination.Traits) (page pagination.Envelope[json.RawMessage], ok bool) {
	var err error
	if is.Members == nil {
		err = json.Unmarshal(body, &page.Records)
		page.Count = len(page.Records)
	} else {
		err = json.Unmarshal(body, &page)
	}
	return page, err == nil && page.Records != nil // null unmarshals without error
}

// A Page responds to a request in place of the handler that the request reaches, if its context has
// the Page. It may ask for what it shows until it returns.
type Page func(w http.ResponseWriter, r *http.Request, ask Operations)

// Operations are what a handler does for a Page. It checks the requests as those of other clients, but
// does not log them. Error responses are sent to w.
type Operations interface {
	http.Handler

	// Admit reports whether a request would be performed, as far as this is known before its body is
	// read: whether the path is served and the method authorized, and that for the record if this
	// decides. If use is not nil, the request is a GET of a list. Admit then calls use with what it selects, whatever the style
	// of pages is, and reports whether this succeeds.
	Admit(w http.ResponseWriter, r *http.Request, use func(Selection) error) bool

	// Unread serves a request and calls report, at least once, with each name in it that nothing reads:
	// of a parameter, of a term of an ordering, or of a member of a body, as [schema.WithUnread] does.
	// It reports none of paths that are not those of collections and their records.
	Unread(w http.ResponseWriter, r *http.Request, report func(name string, known []string))
}

// A Selection is the records that a request selects, in its order.
type Selection interface {
	// Counts returns the numbers of records that are also selected by the parameters of filters.
	Counts(of []url.Values) ([]int, error)

	// First returns the first n records, and the number of all.
	First(n int) (records [][]byte, count int, err error)

	// All returns the records of one instant. described reports whether all their members are known
	// to be fields of the description.
	All() (records iter.Seq2[[]byte, error], described bool)
}

type pageKey struct{}

// WithPage returns a context that has a Page, or none if it is nil.
func WithPage(ctx context.Context, p Page) context.Context {
	return context.WithValue(ctx, pageKey{}, p)
}

// PageOf returns the Page of a context, or nil.
func PageOf(ctx context.Context) Page {
	p, _ := ctx.Value(pageKey{}).(Page)
	return p
}

type checkKey struct{}

// WithCheck returns a context whose PUT, PATCH or DELETE changes a record only if check returns true for
// it, encoded as by Get, at the instant of the change. Otherwise the response is 412.
func WithCheck(ctx context.Context, check func(record []byte) bool) context.Context {
	return context.WithValue(ctx, checkKey{}, check)
}

// CheckOf returns the check of a context, or nil.
func CheckOf(ctx context.Context) func(record []byte) bool {
	check, _ := ctx.Value(checkKey{}).(func(record []byte) bool)
	return check
}
