package httpapi

import (
	"errors"
	"net/http"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// list answers with one page of the collection.
func (v *view) list() {
	order, _ := v.query.Get("ordering")
	if fault := v.handler.bounds.orderingFault(order); fault != "" {
		v.fail(http.StatusBadRequest, fault)
		return
	}
	window := v.handler.limits.Window(v.query)
	v.findTag()
	if v.clientHas() {
		v.observe(window, order, -1)
		v.sendNotModified()
		return
	}
	count, records, err := v.page(order, window)
	if err != nil {
		v.failWith(err)
		return
	}
	v.confirmTag()
	buffer := v.handler.buffers.get()
	*buffer = v.appendEnvelope(*buffer, window, count, records)
	body, ok := v.indented(*buffer)
	if !ok {
		return
	}
	v.observe(window, order, count)
	if v.send(http.StatusOK, body) { // otherwise it may still be read
		v.handler.buffers.put(buffer)
	}
}

// maxTries is the number of attempts to make a page whose ordering names only fields
// that the collection has at that moment.
const maxTries = 3

// page returns the page in an order. Between Fields and Page, the last record with some
// member may be deleted, so that the member is no longer a field.
func (v *view) page(order string, w pagination.Window) (count int, records [][]byte, err error) {
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

// terms returns the terms of an ordering without those that name no field. Nil means
// the default order.
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

// whole returns the terms that a collection is called with: those given or the default
// order, ending in id.
func (r *route) whole(terms []ordering.Term) []ordering.Term {
	if len(terms) == 0 {
		return r.standard
	}
	return endInID(terms)
}

// endInID drops the terms after id, which have no effect, or appends id in the
// direction of the leading term to break ties. There must be at least one term.
func endInID(terms []ordering.Term) []ordering.Term {
	for i, t := range terms {
		if t.Field == "id" {
			return terms[:i+1]
		}
	}
	return append(terms, ordering.Term{Field: "id", Desc: terms[0].Desc})
}
