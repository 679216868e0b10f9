package pagination

import "net/url"

// Page is the page of items that the query of a URL asks for. It reads the window
// from u.RawQuery, within limits, cuts the items and makes the links.
//
// The links are absolute if u is. They have the path of u as u spells it, and
// neither its fragment nor its user information. A server's requests mostly hold
// no scheme and host in their URL: fill them into a copy to have absolute links. A
// nil u is like an empty one. Nil items are an empty list. The zero Limits are
// those of the service.
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
		Results:  Slice(items, w),
	}
}

// baseOf is the URL without what is no part of a link's base.
func baseOf(u url.URL) string {
	u.User = nil
	u.RawQuery, u.ForceQuery = "", false
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}
