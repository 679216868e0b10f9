package pagination

import (
	"net/url"
	"strings"
)

// Page returns the page of items that the query of a URL asks for. It reads the
// window from u.RawQuery, within limits, cuts the items and makes the links.
//
// The links are absolute if u is. They have the path of u as u spells it, and
// neither its fragment nor its user information. The requests of a server mostly
// hold no scheme and host in their URL: set both in a copy of it to have absolute
// links. If u has neither, and its path begins with two slashes, the second is
// written %2F in the links: otherwise the path would begin with the name of
// another host. A nil u is an empty URL. Nil items are an empty list. The zero
// Limits are those of the service.
//
// Results share memory with items, as in [Slice]. The cost is that of [ParseQuery]
// and [Links], whatever the number of items.
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

// baseOf returns the URL without its query, and without what no link shows.
func baseOf(u url.URL) string {
	u.User = nil
	u.RawQuery, u.ForceQuery = "", false
	u.Fragment, u.RawFragment = "", ""
	base := u.String()
	// url.URL writes such a path as it is, though it reads as a host.
	if path, found := strings.CutPrefix(base, "//"); found && u.Host == "" {
		return "/%2F" + path
	}
	return base
}
