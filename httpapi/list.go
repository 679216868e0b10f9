package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// list sends a page of the collection, or the root listing.
func (v *view) list() {
	if v.route.collection == nil {
		v.sendRoot()
		return
	}
	order, _ := v.query.Get("ordering")
	if fault := v.handler.bounds.orderingFault(order); fault != "" {
		v.fail(http.StatusBadRequest, fault)
		return
	}
	window := v.handler.limits.Window(v.query)
	params := v.params()
	v.findTag(params)
	if v.hasPage(params) {
		v.observe(window, order, -1)
		v.sendNotModified()
		return
	}
	count, records, err := v.page(order, window, params)
	if err != nil {
		v.failBecause(err, causesOfParams(params))
		return
	}
	v.confirmTag()
	if status := v.readStatus(); status != 0 {
		if status == http.StatusNotModified {
			v.observe(window, order, -1)
		}
		v.sendInstead(status)
		return
	}
	v.sendPage(window, order, count, records)
}

// sendPage sends a page.
func (v *view) sendPage(w pagination.Window, order string, count int, records [][]byte) {
	buffer := v.handler.buffers.get()
	page, err := v.newEnvelope(*buffer, w, count, records)
	if err != nil {
		v.failIndented(err)
		return
	}
	v.observe(w, order, count)
	if v.begin(http.StatusOK, page.size) {
		err = page.write(v.w)
	}
	if err == nil { // otherwise net/http may still read the chunk of a reset HTTP/2 stream
		*buffer = page.chunk
		v.handler.buffers.put(buffer)
	}
}

// hasPage reports whether the response is a 304 and no page is needed to know it. If-Match
// comes before If-None-Match, and "*" does not imply that the parameters are valid.
func (v *view) hasPage(params url.Values) bool {
	return !v.ifMatch().sent && (params == nil || !v.ifNoneMatch().isAny()) && v.clientHas()
}

// maxTries is the maximum number of attempts to get a page in the requested order while
// the fields of the collection change.
const maxTries = 3

// page returns a page in an order. A field may disappear between Fields and Page, when
// the last record with that member is deleted.
func (v *view) page(order string, w pagination.Window, params url.Values) (count int, records [][]byte, err error) {
	if params != nil {
		return v.route.filterer.PageWhere(v.r.Context(), params, w, ordering.Parse(order, nil))
	}
	if v.route.lenient != nil {
		return v.route.lenient.PageLenient(v.r.Context(), w, ordering.Parse(order, nil))
	}
	for range maxTries {
		terms, err := v.terms(order)
		if err != nil {
			return 0, nil, err
		}
		if count, records, err = v.route.collection.Page(v.r.Context(), w, v.route.whole(terms)); !errors.Is(err, ordering.ErrUnknownField) {
			return count, records, err
		}
	}
	standard := v.route.standard
	count, records, err = v.route.collection.Page(v.r.Context(), w, standard)
	if errors.Is(err, ordering.ErrUnknownField) { // such as start_date, if no event has one
		return v.route.collection.Page(v.r.Context(), w, standard[len(standard)-1:])
	}
	return count, records, err
}

// terms returns the known terms of an ordering. Nil means the default order.
func (v *view) terms(order string) ([]ordering.Term, error) {
	if order == "" {
		return nil, nil
	}
	fields, err := v.route.collection.Fields(v.r.Context())
	if err != nil {
		return nil, err
	}
	return ordering.Parse(order, func(name string) bool { return slices.Contains(fields, name) }), nil
}

// whole returns the terms to pass to Page: those given, completed by id, or the default
// order if there are none.
func (r *route) whole(terms []ordering.Term) []ordering.Term {
	if len(terms) == 0 {
		return r.standard
	}
	return endInID(terms)
}

// endInID drops the terms after id, which have no effect, or appends id in the
// direction of the leading term to break ties. Without terms, it returns the ascending id.
func endInID(terms []ordering.Term) []ordering.Term {
	for i, t := range terms {
		if t.Field == "id" {
			return terms[:i+1]
		}
	}
	return append(terms, ordering.Term{Field: "id", Desc: len(terms) > 0 && terms[0].Desc})
}
