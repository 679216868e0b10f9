package store

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gobacklist/backlist/ordering"
)

// A demand adds up what queries cost for want of an index. Once the queries that an index
// would answer without filters and sorting have cost as much as its build, it is built.
// For any queries, builds therefore cost at most as much as those queries did, and the
// queries that want one index cost at most twice what they would if it had been built for
// the first of them.
//
// There are sums for at most maxWanted indexes. If there are more, the least of them is
// subtracted from all. An index is then built at the latest when its queries have
// cost as much as the build and a share of 1/(maxWanted+1) of all queries. No clock and no
// random number plays a part, so the same queries always have the same effect.
type demand struct {
	mu  sync.Mutex
	all []wanted
}

// A wanted is the cost of the queries that want an index.
type wanted struct {
	terms []ordering.Term
	cost  int // as of a plan
}

const (
	// buildCost is the number of entries that can be filtered in about the time that it
	// takes to add one to an index by several terms.
	buildCost = 16

	maxWanted = 2 * maxCombined
)

// add adds the cost of a query that wants an index by terms. If the sum reaches limit, add
// forgets it and returns true.
func (d *demand) add(terms []ordering.Term, cost, limit int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.all, func(w wanted) bool { return slices.Equal(w.terms, terms) })
	if i < 0 {
		i = len(d.all)
		d.all = append(d.all, wanted{terms: terms})
	}
	if d.all[i].cost += cost; d.all[i].cost >= limit {
		d.all = slices.Delete(d.all, i, i+1)
		return true
	}
	if len(d.all) > maxWanted {
		least := slices.MinFunc(d.all, func(a, b wanted) int { return cmp.Compare(a.cost, b.cost) }).cost
		for i := range d.all {
			d.all[i].cost -= least
		}
		d.all = slices.DeleteFunc(d.all, func(w wanted) bool { return w.cost == 0 })
	}
	return false
}

// demand records the cost of a query that no index answers, and starts to build the index
// that would if it is due. No query waits for it. The queries of old states and of batches
// count too, although only later ones have the index.
func (s *State) demand(sel *selection, p *plan) {
	c := s.store.Value()
	if c == nil {
		return
	}
	terms, left := s.wanted(sel, p)
	if cost := p.cost() - left; len(terms) > 0 && cost > 0 && c.demand.add(terms, cost, buildCost*s.Len()) {
		c.join(terms)
	}
}

// wanted returns the terms of an index that would answer a query, or nil if none exists:
// the fields with conditions that permit one value, those with conditions that permit
// several, and the order. For a count, a field with a range is last. If conditions are left,
// it wants an index in the order, whose entries are filtered but not sorted, and returns how
// many that are.
func (s *State) wanted(sel *selection, p *plan) (terms []ordering.Term, left int) {
	if sel.match != nil || len(sel.where) == 0 {
		return nil, 0
	}
	where := slices.Clone(sel.where)
	rank := func(c *Condition) int {
		switch {
		case c.one():
			return 0
		case c.values():
			return 1
		}
		return 2
	}
	slices.SortFunc(where, func(a, b Condition) int {
		return cmp.Or(rank(&a)-rank(&b), cmp.Compare(a.Field, b.Field))
	})
	for _, last := range []int{1, 0} { // the last rank of the fields
		terms = nil
		for _, c := range where {
			if c.Field != s.typ.ID && (sel.want == wantCount || rank(&c) <= last) {
				terms = append(terms, ordering.Asc(c.Field))
			}
		}
		terms, _ = canonical(nil, append(terms, sel.terms...), s.typ.ID)
		r := s.route(sel, terms)
		switch {
		case r.filters == 0 && (r.sorted || r.merged):
			return terms, 0
		case last == 0 && r.sorted && sel.want != wantCount && r.by > 0:
			return terms, p.count
		case last == 0 && r.sorted && sel.want != wantCount:
			return terms, s.Len()
		}
	}
	return nil, 0
}
