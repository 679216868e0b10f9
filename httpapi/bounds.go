package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/pagination"
)

// What a request may ask for when the options do not say it.
const (
	defaultMaxTerms  = 100
	defaultMaxParams = 1000 // Django's
	defaultMaxQuery  = 16 << 10
	defaultMaxDepth  = 200 // how deep a record of a catalogue may be nested
	defaultMaxBody   = 1 << 20
)

// maxPath is how long a path may be as the client sent it, and escaped, in bytes. The links of
// the root repeat what precedes /api/ in it 39 times.
const maxPath = 2048

// bounds are the limits of a handler's options, as they are in force.
type bounds struct {
	terms, params, query, depth int
	body                        int64
}

// newBounds fills in defaults. It returns [ErrOptions] where there must be a limit.
func newBounds(o *Options) (bounds, error) {
	if o.MaxBody < 0 {
		return bounds{}, fmt.Errorf("%w: MaxBody %d is negative", ErrOptions, o.MaxBody)
	}
	if o.MaxDepth < 0 {
		return bounds{}, fmt.Errorf("%w: MaxDepth %d is negative", ErrOptions, o.MaxDepth)
	}
	return bounds{
		terms:  bound(o.MaxTerms, defaultMaxTerms),
		params: bound(o.MaxParams, defaultMaxParams),
		query:  bound(o.MaxQuery, defaultMaxQuery),
		depth:  bound(o.MaxDepth, defaultMaxDepth),
		body:   bound(o.MaxBody, defaultMaxBody),
	}, nil
}

// bound is the limit that an option stands for: 0 the default, less none.
func bound[N int | int64](option, byDefault N) N {
	switch {
	case option == 0:
		return byDefault
	case option < 0:
		return math.MaxInt
	}
	return option
}

// targetFault says what is too long about the target of a request, "" if nothing is.
func (b *bounds) targetFault(r *http.Request) string {
	if b.queryTooLong(r.URL.RawQuery) {
		return fmt.Sprintf("The query of the request is longer than %d bytes.", b.query)
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if len(path) > maxPath || len(path) > maxPath/3 && len(escapePath(path)) > maxPath {
		return fmt.Sprintf("The path of the request is longer than %d bytes.", maxPath)
	}
	return ""
}

// queryTooLong says whether the parameters, less a limit and an offset, are too
// long, be it as they were sent or as links write them: what was taken once is
// taken again when its links are followed.
func (b *bounds) queryTooLong(rawQuery string) bool {
	const growth = len("%EF%BF%BD") // what a byte that is not UTF-8 becomes
	switch {
	case len(rawQuery) <= b.query/growth:
		return false
	case len(rawQuery)-paramLen(rawQuery, "limit=")-paramLen(rawQuery, "offset=") > b.query:
		return true
	}
	link, _ := pagination.AppendNext(nil, "", pagination.ParseQuery(rawQuery), pagination.Window{Limit: 1}, 2)
	return len(link)-len("?limit=1&offset=1&") > b.query
}

// paramsFault says whether a query has too many parameters, a limit and an offset
// aside, which links add. It counts as Django does: empty parameters too.
func (b *bounds) paramsFault(rawQuery string) string {
	if len(rawQuery) < b.params {
		return ""
	}
	others := strings.Count(rawQuery, "&") + 1
	if others <= b.params {
		return ""
	}
	for _, name := range []string{"limit=", "offset="} {
		if paramLen(rawQuery, name) > 0 {
			others--
		}
	}
	if others <= b.params {
		return ""
	}
	return fmt.Sprintf("Too many query parameters: at most %d are allowed.", b.params)
}

// paramLen is the length of the first parameter that begins so, as it was sent,
// and of an '&'; 0 if there is none.
func paramLen(rawQuery, begin string) int {
	for param := range strings.SplitSeq(rawQuery, "&") {
		if strings.HasPrefix(param, begin) {
			return len(param) + len("&")
		}
	}
	return 0
}

// orderingFault says whether an ordering has too many terms, be they names or not.
func (b *bounds) orderingFault(ordering string) string {
	if len(ordering) >= b.terms && strings.Count(ordering, ",") >= b.terms {
		return fmt.Sprintf("Too many terms in the ordering: at most %d are allowed.", b.terms)
	}
	return ""
}
