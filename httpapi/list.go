package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

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
	if v.anyMatches() {
		return
	}
	window := v.handler.limits.Window(v.query)
	count, records, err := v.page(order, window)
	if err != nil {
		v.failWith(err)
		return
	}
	v.made()
	var room [256]byte
	url := v.appendLink(room[:0], v.route.path)
	body, ok := v.indented(envelope(url, v.query, window, count, records))
	if !ok {
		return
	}
	length := contentLength(body)
	v.keep(body, length, count)
	v.note(count)
	v.send(http.StatusOK, body, length)
}

// maxTries is how often the fields are asked for again because one that they
// named was gone when the page was to be made.
const maxTries = 3

// page asks for the page in the order of a text. The last record with some
// member may be deleted between Fields and Page: then its name is none any more.
func (v *view) page(order string, w pagination.Window) (count int, records [][]byte, err error) {
	for range maxTries {
		terms, err := v.terms(order)
		if err != nil {
			return 0, nil, err
		}
		count, records, err = v.route.collection.Page(v.r.Context(), v.route.whole(terms), w)
		if !errors.Is(err, ordering.ErrUnknownField) {
			return count, records, err
		}
	}
	standard := v.route.standard
	count, records, err = v.route.collection.Page(v.r.Context(), standard, w)
	if errors.Is(err, ordering.ErrUnknownField) { // events without a date, perhaps none at all
		return v.route.collection.Page(v.r.Context(), standard[len(standard)-1:], w)
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
	return ordering.Parse(order, func(name string) bool {
		return slices.Contains(fields, name)
	}), nil
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

// The constant parts of a page.
const (
	envelopeCount    = `{"count":`
	envelopeNext     = `,"next":`
	envelopePrevious = `,"previous":`
	envelopeResults  = `,"results":[`
	envelopeEnd      = `]}`
)

// envelope writes a page in one allocation of its exact size. Links need no
// escaping: what they are made of has none of what JSON escapes.
func envelope(url []byte, q pagination.Query, w pagination.Window, count int, records [][]byte) []byte {
	var nextRoom, previousRoom [256]byte
	next, hasNext := pagination.AppendNext(append(nextRoom[:0], url...), "", q, w, count)
	previous, hasPrevious := pagination.AppendPrevious(append(previousRoom[:0], url...), "", q, w, count)
	var countRoom [20]byte
	digits := strconv.AppendInt(countRoom[:0], int64(count), 10)

	size := len(envelopeCount) + len(envelopeNext) + len(envelopePrevious) + len(envelopeResults) + len(envelopeEnd) +
		len(digits) + linkSize(next, hasNext) + linkSize(previous, hasPrevious) + max(len(records)-1, 0)
	for _, record := range records {
		size += len(record)
	}

	body := make([]byte, 0, size)
	body = append(body, envelopeCount...)
	body = append(body, digits...)
	body = append(body, envelopeNext...)
	body = appendLink(body, next, hasNext)
	body = append(body, envelopePrevious...)
	body = appendLink(body, previous, hasPrevious)
	body = append(body, envelopeResults...)
	for i, record := range records {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, record...)
	}
	return append(body, envelopeEnd...)
}

// linkSize is how much appendLink appends.
func linkSize(link []byte, ok bool) int {
	if !ok {
		return len("null")
	}
	return len(link) + 2
}

func appendLink(dst, link []byte, ok bool) []byte {
	if !ok {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = append(dst, link...)
	return append(dst, '"')
}
