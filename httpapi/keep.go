package httpapi

import "net/http"

// serveKept answers from the cache and reports whether it could. It need not
// look at the query's format: that of a page that is kept was good.
func (v *view) serveKept(indent int) bool {
	if v.keepable = v.findPlace(indent); !v.keepable {
		return false
	}
	p := v.handler.cache.get(&v.place)
	if p == nil {
		return false
	}
	v.send(http.StatusOK, p.body, p.length)
	return true
}

// findPlace finds out where the answer is kept, if it can be: to GET and HEAD of
// a collection that tells its revision, in a request that is not too long.
func (v *view) findPlace(indent int) bool {
	h, r := v.handler, v.r
	if h.cache == nil || v.route.revisioned == nil || !isRead(r.Method) {
		return false
	}
	key := pageKey{route: v.route, query: r.URL.RawQuery, indent: indent}
	if h.base == "" {
		key.origin, key.prefix = v.origin, prefix(r)
	}
	if key.textSize() > maxKeyText {
		return false
	}
	v.place = h.cache.place(key, v.route.revisioned.Revision())
	return true
}

// keep keeps a page for those who ask for the same. Its revision was taken before
// it was made, so if something was written meanwhile it is too new for its place,
// never too old, and the next who asks looks for a later revision anyway.
func (v *view) keep(body []byte, length []string) {
	if v.keepable {
		v.handler.cache.put(&v.place, body, length)
	}
}
