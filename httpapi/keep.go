package httpapi

import "net/http"

// serveKnown answers without asking the collection, if the client or the cache
// has the answer already, and reports whether it could. It need not look at the
// query's format: that of a page which was given once was good.
func (v *view) serveKnown(indent int) bool {
	v.findPlace(indent)
	if v.notModified() {
		return true
	}
	if !v.keepable {
		return false
	}
	p := v.handler.cache.get(&v.place)
	if p == nil {
		return false
	}
	if v.anyMatches() {
		return true
	}
	v.note(p.count)
	v.send(http.StatusOK, p.body, p.length)
	return true
}

// findPlace finds out where the answer is kept and whether it has a tag. Both
// are for GET and HEAD of a collection that tells its revision, the tag for the
// root as well, and only requests that are not too long have theirs kept.
func (v *view) findPlace(indent int) {
	h, r := v.handler, v.r
	isRoot := v.route.collection == nil
	if h.cache == nil && !h.tags || v.route.revisioned == nil && !isRoot || !isRead(r.Method) {
		return
	}
	key := pageKey{route: v.route, query: r.URL.RawQuery, indent: indent}
	if h.base == "" {
		key.origin, key.prefix = v.origin, prefix(r)
	}
	v.keepable = h.cache != nil && !isRoot && key.textSize() <= maxKeyText
	v.tagged = h.tags
	if !v.keepable && !v.tagged {
		return
	}
	revision := uint64(0)
	if !isRoot {
		revision = v.revision()
	}
	v.place = key.place(h.seed, revision)
}

// revision asks the collection for its revision. If it cannot tell, the request
// goes on as if it never could.
func (v *view) revision() uint64 {
	revision, err := v.route.revisioned.Revision(v.r.Context())
	if err != nil {
		v.keepable, v.tagged = false, false
		v.untold = err
	}
	return revision
}

// made is told that the page is made. Its revision was taken before that: if
// something was written meanwhile the page may be too new for its place, which
// is then no place to keep it at, nor its tag the page's.
func (v *view) made() {
	if (v.keepable || v.tagged) && v.revision() != v.place.revision {
		v.keepable, v.tagged = false, false
	}
}

// keep keeps a page for those who ask for the same.
func (v *view) keep(body []byte, length []string, count int) {
	if v.keepable {
		v.handler.cache.put(&v.place, body, length, count)
	}
}
