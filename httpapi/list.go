package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering/jsonmember"
	"github.com/gobacklist/backlist/pagination"
)

// maxTerms is the maximum number of terms in an ordering, including unknown and empty ones.
const maxTerms = 100

// list sends a page of the collection, or the root listing.
func (v *view) list() {
	if v.route.collection == nil {
		v.sendRoot()
		return
	}
	if !v.selected() {
		return
	}
	p, ok := v.ask()
	if !ok {
		return
	}
	if v.findTag(); v.sentInstead() {
		return
	}
	ok, err := v.read(&p)
	if err != nil {
		v.failBecause(err, 0)
		return
	}
	if !ok {
		v.fail(http.StatusNotFound, v.route.is.NoPage)
		return
	}
	if v.confirmTag(); v.sentInstead() {
		return
	}
	v.sendPage(&p)
}

// selected sets v.q to the records that the request for a list selects, in their order. It sends a
// response to an error and then returns false.
func (v *view) selected() bool {
	order, _ := v.query.Get(v.route.order)
	if strings.Count(order, ",") >= maxTerms {
		v.fail(http.StatusBadRequest, fmt.Sprintf("Too many terms in the ordering: at most %d are allowed.", maxTerms))
		return false
	}
	terms, known := v.route.orders[order]
	if !known {
		terms = wire.Terms(*v.route.about, order, v.route.sorts)
	}
	if len(terms) == 0 {
		terms = v.route.byDefault
	}
	v.q.Terms = terms
	return v.filter()
}

// Counts, First and All implement [wire.Selection].
func (v *view) Counts(of []url.Values) (counts []int, err error) {
	groups := make([][]schema.Test, len(of))
	for i, params := range of {
		selected, err := v.route.about.Filter(v.r.Context(), func(name string) []string { return params[name] }, v.route.checks)
		if err != nil {
			v.failBecause(err, ifFields)
			return nil, nil
		}
		groups[i] = selected.Tests
		if err := v.see(selected.Tests); err != nil {
			return nil, err
		}
	}
	if v.route.counter != nil && len(groups) > 0 {
		return v.route.counter.Count(v.r.Context(), v.q.Filter, groups)
	}
	counts = make([]int, len(groups))
	for i, tests := range groups { // a record of each is listed
		one := *v
		one.q.Filter.Tests = slices.Concat(v.q.Filter.Tests, tests)
		if _, counts[i], err = one.First(1); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

func (v *view) First(n int) (records [][]byte, count int, err error) {
	q := v.q
	q.Window.Limit = n
	list, err := v.route.all.List(v.r.Context(), q)
	return list.Records, list.Count, err
}

// All yields records one by one only from a catalogue: a type that embeds its collection may list only
// some of its records.
func (v *view) All() (records iter.Seq2[[]byte, error], described bool) {
	if own, ok := v.route.all.(catalogue.AnyCollection); ok {
		return own.All(v.r.Context(), v.q), v.route.described()
	}
	list, _, err := v.First(math.MaxInt)
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for _, record := range list {
			if !yield(record, nil) {
				return
			}
		}
	}, false
}

// described reports whether all members of the records are known to be fields of the description: those
// of structs of a catalogue, whose JSON is that of encoding/json.
func (r *route) described() bool {
	own, ok := r.all.(catalogue.AnyCollection)
	if !ok {
		return false
	}
	_, listed := own.ShownTypes()
	if reflect.PointerTo(listed).Implements(reflect.TypeFor[json.Marshaler]()) {
		return false
	}
	members, _ := jsonmember.Of(listed)
	return !slices.ContainsFunc(members, func(m jsonmember.Member) bool {
		return !slices.ContainsFunc(wire.ShownInLists(*r.about), func(f schema.Field) bool { return f.Name == m.Name })
	})
}

// sendRoot sends the URLs of the collections. As in Django REST framework, they have the
// format of the request.
func (v *view) sendRoot() {
	if v.findTag(); v.sentInstead() {
		return
	}
	query := ""
	if format, ok := v.query.Get("format"); ok {
		query = "format=" + format
	}
	body := []byte("{")
	for i, r := range v.handler.collections {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, wire.Quote(r.key)+`:"`...)
		body = v.origin.AppendURL(body, r.link)
		if q := cmp.Or(r.about.Query, query); q != "" {
			body = append(body, "?"+q...)
		}
		body = append(body, '"')
	}
	v.write(http.StatusOK, append(body, '}'))
}

// ask sets the window and the place of v.q to the requested page. If there can be no such page, it
// sends a response and returns false.
func (v *view) ask() (p page, ok bool) {
	is := &v.route.is
	p.Place, ok = pagination.Requested(v.style, v.query, math.MaxInt)
	v.q.Window = p.Window
	if ok && !is.Counted {
		ok = v.askAfter(&p)
	}
	if !ok {
		v.fail(http.StatusNotFound, is.NoPage)
	}
	return p, ok
}

// lastReads is how often the last page is read while the number of records changes.
const lastReads = 3

// read reads the page and finds its neighbours. ok is false if there is no such page.
func (v *view) read(p *page) (ok bool, err error) {
	counted := v.route.is.Counted
	var list catalogue.Listing
	for n := range lastReads {
		if list, err = v.route.all.List(v.r.Context(), v.q); errors.Is(err, catalogue.ErrInvalidToken) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if !counted || v.route.is.Anywhere { // the place does not depend on the count
			break
		}
		at, ok := pagination.Requested(v.style, v.query, list.Count)
		if !ok {
			return false, nil
		}
		if at == p.Place || n == lastReads-1 {
			break
		}
		p.Place, v.q.Window = at, at.Window // of the last page, whose number is known now
	}
	if p.count, p.records = list.Count, list.Records; v.route.is.Members == nil && p.count > v.route.is.Max {
		return false, &refusal{status: http.StatusBadRequest, detail: fmt.Sprintf("Too many records: the list has %d, and at most %d are sent.", p.count, v.route.is.Max)}
	}
	if counted {
		p.next, p.previous = pagination.Neighbours(v.style, p.Place, list.Count, nil)
		return true, nil
	}
	p.turn(list.Records)
	return true, v.link(p, list)
}
