package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A selection is what a query asks of a state: the records that satisfy conditions on
// different fields, and match, in the order of canonical terms.
type selection struct {
	where []Condition
	match func(*Entry) bool
	terms []ordering.Term
	desc  bool
	want  want // any order will do for a count
}

// selection returns what a query asks. It may append to buf. The error wraps
// [ordering.ErrUnknownField].
func (s *State) selection(buf []ordering.Term, q *Query) (sel selection, err error) {
	if sel.where, err = s.merge(q.Where); err != nil {
		return selection{}, err
	}
	sel.match, sel.want = q.Match, q.want
	if q.want != wantCount {
		sel.terms, sel.desc, err = s.canonical(buf, q)
	}
	return sel, err
}

// merge returns conditions that are equivalent to the given ones, one for each field.
func (s *State) merge(where []Condition) ([]Condition, error) {
	if s.typ.Members != nil && s.Len() == 0 {
		return nil, nil // no record has any field, so none is unknown
	}
	for _, c := range where {
		if !s.typ.has(c.Field, s.names) {
			return nil, s.typ.check([]ordering.Term{ordering.Asc(c.Field)}, s.names)
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

// matcher returns a function that reports whether an entry satisfies conditions and match,
// which may be nil.
func (typ *Type) matcher(where []Condition, match func(*Entry) bool) func(*Entry) bool {
	fields := make([]Field, len(where))
	for i, c := range where {
		fields[i], _ = typ.Field(c.Field)
	}
	return func(e *Entry) bool {
		for i, c := range where {
			if !ordering.InRanges(c.Ranges, fields[i].Key(e)) {
				return false
			}
		}
		return match == nil || match(e)
	}
}

// A plan is a way to find the entries of a selection: read those at some positions of a
// sequence, keep those that satisfy the filters, and sort them if they are unsorted.
type plan struct {
	selection selection
	state     *State
	sequence  sequence
	spans     []span // ascending
	backwards bool   // the direction in which the sequence is read
	count     int    // the number of entries in spans
	by        string // the field whose ranges are read, or "" for all entries
	filters   []Condition
	unsorted  bool
}

// A span is the positions of consecutive entries of a sequence.
type span struct{ start, end int }

// plan chooses the sequence to read for a selection: the ranges of the condition that has
// the fewest entries, or, if all have many and are in another order than the query wants,
// all entries in that order. It makes the sequences that it needs and compares O(log n)
// keys for each range. The state must be frozen. The error is ctx.Err().
func (s *State) plan(ctx context.Context, sel selection) (best plan, err error) {
	if len(sel.where) == 0 {
		x, err := s.readSorted(ctx, sel.terms)
		if err != nil {
			return plan{}, err
		}
		return s.all(sel, x), nil
	}
	for i, c := range sel.where {
		p := plan{selection: sel, state: s, by: c.Field}
		if p.sequence, err = s.readSorted(ctx, s.termsOf(nil, c.Field)); err != nil {
			return plan{}, err
		}
		p.spans, p.count = spansOf(nil, p.sequence, c.Ranges)
		backwards, sorted := s.inOrder(c, sel)
		p.backwards, p.unsorted = backwards, !sorted
		if i == 0 || p.cost() < best.cost() {
			best = p
		}
	}
	if x := s.index(sel.terms); x != nil && x.len() < best.cost() {
		best = s.all(sel, x)
	}
	for _, c := range sel.where {
		if c.Field != best.by {
			best.filters = append(best.filters, c)
		}
	}
	return best, nil
}

// all returns the plan that reads all entries of a sequence in the order of a selection.
func (s *State) all(sel selection, x sequence) plan {
	return plan{selection: sel, state: s, sequence: x, spans: []span{{0, x.len()}}, backwards: sel.desc, count: x.len()}
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
// direction desc, are in the order of a selection. If the condition permits one value
// only, they are in the order of their ids as well.
func (s *State) inOrder(c Condition, sel selection) (desc, ok bool) {
	id := s.typ.ID
	switch {
	case sel.want == wantCount, len(sel.terms) == 0 && c.Field == id,
		len(sel.terms) == 1 && sel.terms[0].Field == c.Field:
		return sel.desc, true
	case len(c.Ranges) != 1 || c.Ranges[0].From.Compare(c.Ranges[0].To) != 0:
		return sel.desc, false
	}
	var rest []ordering.Term
	for _, t := range sel.terms {
		if t.Field != c.Field {
			rest = append(rest, t)
		}
	}
	rest, reverse := canonical(nil, rest, id)
	return sel.desc != reverse, len(rest) == 0
}

// direct reports whether the plan reads exactly the selected entries, in order.
func (p *plan) direct() bool {
	return len(p.filters) == 0 && p.selection.match == nil && !p.unsorted
}

// sortCost is the number of entries that can be filtered in about the time that it takes
// to sort one.
const sortCost = 4

func (p *plan) cost() int {
	if p.unsorted {
		return p.count * sortCost
	}
	return p.count
}

// between is the number of entries that are filtered or compared between two checks of
// the context.
const between = 256

// filtered returns a plan that reads a copy of the entries that satisfy the filters. If
// only the first is wanted, one in order suffices, and for a count none is copied. The
// error is ctx.Err().
func (p plan) filtered(ctx context.Context) (plan, error) {
	sel := p.selection
	matches := p.state.typ.matcher(p.filters, sel.match)
	kept, n, seen, err := new(sortedEntries), 0, 0, ctx.Err()
	p.scan(func(e *Entry) bool {
		if seen++; seen%between == 0 {
			err = ctx.Err()
		}
		if err != nil || !matches(e) {
			return err == nil
		}
		if n++; sel.want != wantCount {
			kept.entries = append(kept.entries, e)
		}
		return sel.want != wantFirst || p.unsorted
	})
	p.sequence, p.spans, p.count = kept, []span{{0, n}}, n
	p.backwards = p.unsorted && sel.desc // otherwise the entries are in the order wanted
	return p, err
}

// fewEntries is the largest number of entries that are sorted without a slot. Their keys
// take at most fewEntries*maxPerRecord bytes.
const fewEntries = 1000

// sort sorts the entries of a filtered plan if they are not in order. The error is
// ctx.Err().
func (p *plan) sort(ctx context.Context) error {
	if !p.unsorted {
		return nil
	}
	kept, terms := p.sequence.(*sortedEntries), p.selection.terms
	if len(terms) > 0 && p.count > fewEntries {
		release, err := p.state.slots.take(ctx, terms)
		if err != nil {
			return err
		}
		defer release()
	}
	sorted, err := p.state.typ.sort(ctx, kept.entries, terms)
	if err == nil {
		kept.entries, p.unsorted = sorted, false
	}
	return err
}

// runAt returns the offset and the number of the entries of a span in a sequence that is
// read in the direction desc. The numbers of spans are in that direction, too.
func runAt(x sequence, spans []span, desc bool, i int) (offset, n int) {
	if !desc {
		return spans[i].start, spans[i].end - spans[i].start
	}
	sp := spans[len(spans)-1-i]
	return x.len() - sp.end, sp.end - sp.start
}

// pageAt returns the entries in a window of the n entries of a sequence at the positions in
// spans, which do not escape.
func pageAt(x sequence, spans []span, desc bool, n int, w pagination.Window) []*Entry {
	start, end := w.Bounds(n)
	if start >= end {
		return nil
	}
	entries := make([]*Entry, 0, end-start)
	for i := 0; start < end; i++ {
		from, size := runAt(x, spans, desc, i)
		if m := min(end, size) - start; m > 0 {
			entries = x.page(entries, from+start, m, desc)
		}
		start, end = max(start-size, 0), end-size
	}
	return entries
}

// page returns the entries in a window. The error is ctx.Err().
func (p *plan) page(ctx context.Context, w pagination.Window) ([]*Entry, error) {
	if start, end := w.Bounds(p.count); start >= end {
		return nil, nil
	}
	err := p.sort(ctx)
	return pageAt(p.sequence, p.spans, p.backwards, p.count, w), err
}

// scan yields all entries. The state must be frozen.
func (p *plan) scan(yield func(*Entry) bool) {
	const chunk = 256
	if p.count == p.sequence.len() {
		p.sequence.scan(p.backwards, yield)
		return
	}
	buf := make([]*Entry, 0, min(chunk, p.count))
	for i := range p.spans {
		from, n := runAt(p.sequence, p.spans, p.backwards, i)
		for at := 0; at < n; at += chunk {
			for _, e := range p.sequence.page(buf, from+at, min(chunk, n-at), p.backwards) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// position returns the number of entries before e, or -1 if e is not among them. It does
// not sort the entries. The error is ctx.Err().
func (p *plan) position(ctx context.Context, e *Entry) (int, error) {
	before := 0
	at, err := p.rank(ctx, e)
	if err != nil {
		return 0, err
	}
	for _, sp := range p.spans {
		if sp.start <= at && at < sp.end {
			before += at - sp.start
			if p.backwards {
				before = p.count - 1 - before
			}
			return before, nil
		}
		before += sp.end - sp.start
	}
	return -1, nil
}

// rank returns the position of e in the sequence once that is sorted. The error is
// ctx.Err().
func (p *plan) rank(ctx context.Context, e *Entry) (n int, err error) {
	if !p.unsorted {
		return p.sequence.position(e), nil
	}
	terms := p.selection.terms
	fields := p.state.typ.resolve(terms)
	own := appendKeys(nil, e, fields, terms)
	var buf []byte
	for i, other := range p.sequence.(*sortedEntries).entries {
		if i%between == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		buf = appendKeys(buf[:0], other, fields, terms)
		if c := bytes.Compare(buf, own); c < 0 || c == 0 && other.ID < e.ID {
			n++
		}
	}
	return n, nil
}

// String describes the plan for people.
func (p *plan) String() string {
	text := fmt.Sprintf("all %d records", p.count)
	if p.by != "" {
		text = fmt.Sprintf("range of %s: %d of %d records", p.by, p.count, p.state.Len())
	}
	for i, c := range p.filters {
		text += []string{", filtered by ", " and "}[min(i, 1)] + c.Field
	}
	if p.unsorted {
		return text + ", then sorted"
	}
	return text + ", in order"
}
