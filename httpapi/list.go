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
		v.note(window, order, -1)
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
	v.note(window, order, count)
	if v.send(http.StatusOK, body) { // else whoever writes it may hold it still
		v.handler.buffers.put(buffer)
	}
}

// maxTries is how often the fields are asked for again because one that they
// named was gone when the page was to be made.
const maxTries = 3

// page asks for the page in the order of a text. The last record with some
// member may be deleted between Fields and Page: then its name is none any more.
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
	if errors.Is(err, ordering.ErrUnknownField) { // events without a date, perhaps none at all
		return v.route.collection.Page(v.r.Context(), w, standard[len(standard)-1:])
	}
	return count, records, err
}

// terms reads an ordering, leniently: what the collection cannot be ordered by is
// dropped. Nil is the default order.
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

// whole is what a collection is given for the terms that were read: never none,
// and id the last.
func (r *route) whole(terms []ordering.Term) []ordering.Term {
	if len(terms) == 0 {
		return r.standard
	}
	return endInID(terms)
}

// endInID drops what stands behind an id and counts for nothing, or appends the
// id that breaks ties, in the direction of the leading term. There is at least one.
func endInID(terms []ordering.Term) []ordering.Term {
	for i, t := range terms {
		if t.Field == "id" {
			return terms[:i+1]
		}
	}
	return append(terms, ordering.Term{Field: "id", Desc: terms[0].Desc})
}
