package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/pagination"
)

// Bounds limits the size of requests. In each field, zero means the default and
// negative means no limit.
type Bounds struct {
	// Terms is the maximum number of terms in an ordering, including unknown and
	// empty ones. A request with more is rejected with 400. The default is 100.
	Terms int

	// Parameters is the maximum number of query parameters, including empty ones
	// but not counting one limit and one offset. A request with more is rejected
	// with 400. The default is 1000, as in Django.
	Parameters int

	// Query is the maximum length of the query in bytes, not counting one limit
	// and one offset. It applies to the query as sent and to the query as escaped
	// in links. A longer one is rejected with 414. The default is 16 KiB. A path
	// longer than 2 KiB is always rejected with 414.
	Query int

	// Body is the maximum length of a request body in bytes. A longer one is
	// rejected with 413. The default is 1 MiB.
	Body int64
}

// maxPath is the maximum length of a path in bytes, both as sent and as escaped. Each of
// the 39 links of the root repeats the part before /api/.
const maxPath = 2048

// effective returns b with defaults filled in. No limit becomes math.MaxInt.
func (b Bounds) effective() Bounds {
	return Bounds{
		Terms:      bound(b.Terms, 100),
		Parameters: bound(b.Parameters, 1000),
		Query:      bound(b.Query, 16<<10),
		Body:       bound(b.Body, 1<<20),
	}
}

func bound[N int | int64](n, defaultValue N) N {
	switch {
	case n == 0:
		return defaultValue
	case n < 0:
		return math.MaxInt
	}
	return n
}

// targetFault returns an error text if the path or the query of a request is too long,
// or "".
func (b *Bounds) targetFault(r *http.Request) string {
	if b.queryTooLong(r.URL.RawQuery) {
		return fmt.Sprintf("The query of the request is longer than %d bytes.", b.Query)
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if len(path) > maxPath || len(path) > maxPath/3 && len(origin.EscapePath(path)) > maxPath {
		return fmt.Sprintf("The path of the request is longer than %d bytes.", maxPath)
	}
	return ""
}

// queryTooLong reports whether the parameters without a limit and an offset are too
// long, as sent or as written in links. If a query is accepted, so are those of its links.
func (b *Bounds) queryTooLong(rawQuery string) bool {
	const growth = len("%EF%BF%BD") // the longest escape of a byte, one that is not UTF-8
	switch {
	case len(rawQuery) <= b.Query/growth:
		return false
	case len(rawQuery)-paramLen(rawQuery, "limit=")-paramLen(rawQuery, "offset=") > b.Query:
		return true
	}
	link, _ := pagination.AppendNext(nil, "", pagination.ParseQuery(rawQuery), pagination.Window{Limit: 1}, 2)
	return len(link)-len("?limit=1&offset=1&") > b.Query
}

// paramsFault returns an error text if a query has too many parameters, or "". Like
// Django, it counts empty parameters. It does not count one limit and one offset, which
// links add.
func (b *Bounds) paramsFault(rawQuery string) string {
	if len(rawQuery) < b.Parameters {
		return ""
	}
	others := strings.Count(rawQuery, "&") + 1
	if others <= b.Parameters {
		return ""
	}
	for _, name := range []string{"limit=", "offset="} {
		if paramLen(rawQuery, name) > 0 {
			others--
		}
	}
	if others <= b.Parameters {
		return ""
	}
	return fmt.Sprintf("Too many query parameters: at most %d are allowed.", b.Parameters)
}

// paramLen returns the length of the first parameter with a prefix, as sent, plus that
// of an '&'. It returns 0 if there is none.
func paramLen(rawQuery, prefix string) int {
	for param := range strings.SplitSeq(rawQuery, "&") {
		if strings.HasPrefix(param, prefix) {
			return len(param) + len("&")
		}
	}
	return 0
}

// orderingFault returns an error text if an ordering has too many terms, or "".
func (b *Bounds) orderingFault(ordering string) string {
	if len(ordering) >= b.Terms && strings.Count(ordering, ",") >= b.Terms {
		return fmt.Sprintf("Too many terms in the ordering: at most %d are allowed.", b.Terms)
	}
	return ""
}
