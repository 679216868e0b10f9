package pagination

import (
	"net/url"
	"strings"
)

// Page returns the page of items that the query of a URL requests. The page is bounded
// by l; the zero Limits are those of the service. A nil u is an empty URL, and nil items
// are an empty list.
//
// The links are absolute if u is. They contain the path of u as it is spelled in u, but
// not its fragment or user information. The URL of a server's request usually has no
// scheme and host. For absolute links, set both in a copy of it. If u has no host and
// its path begins with two slashes, the second slash is written as %2F in the links,
// because the path would otherwise begin with the name of another host.
//
// The records of the page share memory with items, as in [Slice]. The cost is that of
// [ParseQuery] and [Links] and does not depend on the number of items.
func Page[T any](items []T, u *url.URL, l Limits) Envelope[T] {
	if u == nil {
		u = new(url.URL)
	}
	q := ParseQuery(u.RawQuery)
	w := l.Window(q)
	next, previous := Links(baseOf(*u), q, w, len(items))
	return Envelope[T]{
		Count:    len(items),
		Next:     next,
		Previous: previous,
		Records:  Slice(items, w),
	}
}

// baseOf returns the URL without its query, fragment and user information.
func baseOf(u url.URL) string {
	u.User = nil
	u.RawQuery, u.ForceQuery = "", false
	u.Fragment, u.RawFragment = "", ""
	base := u.String()
	// url.URL does not escape such a path, although it parses as a host.
	if path, found := strings.CutPrefix(base, "//"); found && u.Host == "" {
		return "/%2F" + path
	}
	return base
}
