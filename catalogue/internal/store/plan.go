package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A plan is a way to find the entries that satisfy conditions: read the selection, and
// keep the entries that satisfy the filters.
type plan struct {
	selection
	by      string      // the field whose ranges are read, or "" for all entries
	filters []Condition // on other fields
	match   func(*Entry) bool
	want    want
}

// direct reports whether the plan reads exactly the selected entries, in order.
func (p *plan) direct() bool { return len(p.filters) == 0 && p.match == nil && !p.unsorted }

// sortCost is the number of entries that can be filtered in about the time that it takes
// to sort one.
const sortCost = 4

func (p *plan) cost() int {
	if p.unsorted {
		return p.count * sortCost
	}
	return p.count
}

// plan chooses the sequence to read for an order with conditions: the ranges of the condition that has the fewest
// entries, or, if all have many and are in another order than the query wants, all
// entries in that order. It compares O(log n) keys for each range. It runs the program's
// code only for a sequence without an index, whose keys are not kept. If a field with a
// condition has no sequence, in the state or in have, plan returns the name of the field.
func (s *State) plan(o order, have []named) (p plan, missing string) {
	var best plan
	for i, c := range o.where {
		x := s.sequenceOf(c.Field, have)
		if x == nil {
			return plan{}, c.Field
		}
		p := plan{selection: selection{state: s, sequence: x}, by: c.Field}
		p.spans, p.count = spansOf(nil, x, c.Ranges)
		var ok bool
		if p.desc, ok = s.inOrder(c, o); !ok {
			p.unsorted, p.terms, p.desc = true, o.terms, o.desc
		}
		if i == 0 || p.cost() < best.cost() {
			best = p
		}
	}
	if x := s.index(o.terms); x != nil && x.len() < best.cost() {
		best = plan{selection: s.all(x, o.desc)}
		if len(o.terms) > 1 {
			s.touch(&s.indexes[findTerms(s.indexes, o.terms)])
		}
	}
	for _, c := range o.where {
		if c.Field != best.by {
			best.filters = append(best.filters, c)
		}
	}
	best.match, best.want = o.match, o.want
	return best, ""
}

// An order is what a query asks of a state: the records that satisfy conditions on
// different fields, and match, in the order of canonical terms.
type order struct {
	where []Condition
	match func(*Entry) bool
	terms []ordering.Term
	desc  bool
	want  want // any order will do for a count
}

// order returns what a query asks. It may append to buf. The error wraps
// [ordering.ErrUnknownField].
func (s *State) order(buf []ordering.Term, q Query) (o order, err error) {
	if o.where, err = s.merge(q.Where); err != nil {
		return order{}, err
	}
	o.match, o.want = q.Match, q.want
	if q.want != wantCount {
		o.terms, o.desc, err = s.canonical(buf, &q)
	}
	return o, err
}

// spans appends the positions of the entries of an order without filters in the sequence
// that has them, and returns their number.
func (o order) spans(dst []span, x sequence) (spans []span, count int) {
	if len(o.where) == 0 {
		return append(dst, span{0, x.len()}), x.len()
	}
	return spansOf(dst, x, o.where[0].Ranges)
}

// A named is the sequence of the ordering by one field.
type named struct {
	field string
	sequence
}

// merge returns conditions that are equivalent to the given ones, one for each field.
func (s *State) merge(where []Condition) ([]Condition, error) {
	if s.schema.Members != nil && s.Len() == 0 {
		return nil, nil // no record has any field, so none is unknown
	}
	for _, c := range where {
		if !s.schema.has(c.Field, s.names) {
			return nil, s.schema.check([]ordering.Term{ordering.Asc(c.Field)}, s.names)
		}
	}
	for i, c := range where {
		if slices.ContainsFunc(where[:i], func(d Condition) bool { return d.Field == c.Field }) {
			return intersected(where), nil
		}
	}
	return where, nil
}

func intersected(where []Condition) (list []Condition) {
	for _, c := range where {
		i := slices.IndexFunc(list, func(d Condition) bool { return d.Field == c.Field })
		if i < 0 {
			list = append(list, c)
		} else {
			list[i].Ranges = intersect(list[i].Ranges, c.Ranges)
		}
	}
	return list
}

// intersect returns the ranges of the keys that are in both lists of ranges.
func intersect(a, b []ordering.Range) (both []ordering.Range) {
	for len(a) > 0 && len(b) > 0 {
		r := a[0]
		if c := b[0].From.Compare(r.From); c > 0 || c == 0 && b[0].FromExcluded {
			r.From, r.FromExcluded = b[0].From, b[0].FromExcluded
		}
		c := b[0].To.Compare(r.To)
		if c < 0 || c == 0 && !b[0].ToIncluded {
			r.To, r.ToIncluded = b[0].To, b[0].ToIncluded
		}
		if d := r.From.Compare(r.To); d < 0 || d == 0 && !r.FromExcluded && r.ToIncluded {
			both = append(both, r)
		}
		if c < 0 || c == 0 && a[0].ToIncluded {
			b = b[1:]
		} else {
			a = a[1:]
		}
	}
	return both
}

// sequenceOf returns the entries in the order of a field, or nil if there is no such
// sequence yet, in the state or in have.
func (s *State) sequenceOf(field string, have []named) sequence {
	for _, h := range have {
		if h.field == field {
			return h.sequence
		}
	}
	if x := s.indexOf(field); x != nil {
		return x
	}
	return s.sorted.ready([]ordering.Term{ordering.Asc(field)})
}

// indexOf returns the index of a field, or nil if there is none.
func (s *State) indexOf(field string) sequence {
	if field == s.schema.ID {
		return s.primary
	}
	terms := [1]ordering.Term{ordering.Asc(field)}
	return s.index(terms[:])
}

// spansOf appends the positions of the entries whose keys are in ranges, and returns
// the number of these entries.
func spansOf(dst []span, x sequence, ranges []ordering.Range) (spans []span, count int) {
	for _, r := range ranges {
		if sp := (span{x.rank(lower(r)), x.rank(upper(r))}); sp.start < sp.end {
			dst = append(dst, sp)
			count += sp.end - sp.start
		}
	}
	return dst, count
}

// inOrder reports whether the entries of a condition, sorted by its field and read in the
// direction desc, are in the order o. If the condition permits one value only, they are
// in the order of their ids as well.
func (s *State) inOrder(c Condition, o order) (desc, ok bool) {
	id := s.schema.ID
	switch {
	case o.want == wantCount, len(o.terms) == 0 && c.Field == id,
		len(o.terms) == 1 && o.terms[0].Field == c.Field:
		return o.desc, true
	case len(c.Ranges) != 1 || c.Ranges[0].From.Compare(c.Ranges[0].To) != 0:
		return false, false
	}
	var rest []ordering.Term
	for _, t := range o.terms {
		if t.Field != c.Field {
			rest = append(rest, t)
		}
	}
	rest, reverse := canonical(nil, rest, id)
	return o.desc != reverse, len(rest) == 0
}

// String describes the plan for people.
func (p plan) String() string {
	var b strings.Builder
	if p.by == "" {
		fmt.Fprintf(&b, "all %d records", p.count)
	} else {
		fmt.Fprintf(&b, "range of %s: %d of %d records", p.by, p.count, p.state.Len())
	}
	for i, c := range p.filters {
		b.WriteString([]string{", filtered by ", " and "}[min(i, 1)])
		b.WriteString(c.Field)
	}
	if p.unsorted {
		b.WriteString(", then sorted")
	} else {
		b.WriteString(", in order")
	}
	return b.String()
}
