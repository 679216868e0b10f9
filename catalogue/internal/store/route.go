package store

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A selection is what a query asks of a state: the records that satisfy conditions on
// different fields, and match, in the order of terms.
//
// The last term is the id, which makes explicit how ties break, and the first one ascends. A
// field whose condition permits one value has no term, because it does not change the order.
// Equivalent orderings are normalised to the same terms.
type selection struct {
	where []Condition
	match func(*Entry) bool
	words *Words // of match, or nil
	turn  *Turn  // of match, or nil
	terms []ordering.Term
	desc  bool // the order is the reverse of terms
	count bool // any order will do, because only the number is wanted

	related map[string]func() Field // of terms that are not those of the type
	order   []ordering.Term         // of tokens: all terms, in the direction in which entries are read
	place   *pagination.Place       // of the query, or nil
	hash    []byte                  // see identity
}

// canonical returns the canonical terms of the order.
func (sel *selection) canonical() []ordering.Term {
	if last := len(sel.terms) - 1; last >= 0 && !sel.terms[last].Desc {
		return sel.terms[:last]
	}
	return sel.terms
}

// fields returns the fields of terms.
func (sel *selection) fields(typ *Type, terms []ordering.Term) []Field {
	fields := typ.resolve(terms)
	for i, t := range terms {
		if related := sel.related[t.Field]; related != nil {
			fields[i] = related()
		}
	}
	return fields
}

// on returns the condition on a field, or nil.
func (sel *selection) on(field string) *Condition {
	for i := range sel.where {
		if sel.where[i].Field == field {
			return &sel.where[i]
		}
	}
	return nil
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

// A route is how a sequence in the order of canonical terms serves a selection. The entries
// that satisfy the conditions on its first fields are at consecutive positions, or in
// several runs if conditions permit several values or ranges.
type route struct {
	terms     []ordering.Term // of the sequence
	by        int             // the number of leading terms whose conditions are used
	fixed     int             // the number of leading terms that have one value in each run
	runs      int             // at most
	filters   int             // the number of conditions that the route does not use
	sorted    bool            // the runs, one after the other, are in the order of the selection
	merged    bool            // each run is
	backwards bool            // the direction in which the sequence is read
}

// maxRuns is the largest number of values before another term, and of runs that are merged.
const maxRuns = 16

// route returns how a sequence in the order of canonical terms serves a selection. The id
// is their last term, even if they do not have it.
func (s *State) route(sel *selection, terms []ordering.Term) route {
	r := route{terms: terms, runs: 1}
	for i := 0; i == r.fixed && i <= len(terms); i++ {
		t := s.typ.termAt(terms, i)
		c := sel.on(t.Field)
		if c == nil {
			break
		}
		r.by++
		r.runs *= len(c.Ranges)
		if c.values() && r.runs <= maxRuns {
			r.fixed++
		}
		if t.Field == s.typ.ID {
			break
		}
	}
	r.filters = len(sel.where) - r.by
	if r.backwards, r.sorted = s.follows(sel, terms, 0); !r.sorted && r.runs <= maxRuns && r.filters == 0 {
		r.backwards, r.merged = s.follows(sel, terms, r.fixed)
	}
	return r
}

// termAt returns a term of canonical terms, which the id follows.
func (typ *Type) termAt(terms []ordering.Term, i int) ordering.Term {
	if i < len(terms) {
		return terms[i]
	}
	return ordering.Asc(typ.ID)
}

// follows reports whether entries that are sorted by the terms from an index on are in the
// order of a selection, if each has the same value of the fields whose condition permits one
// value, and whether they must be read backwards.
func (s *State) follows(sel *selection, terms []ordering.Term, from int) (backwards, ok bool) {
	if sel.count {
		return false, true
	}
	wanted := sel.terms
	for i := from; i <= len(terms); i++ {
		t := s.typ.termAt(terms, i)
		if t.Field != s.typ.ID && t.Field != wanted[0].Field {
			if c := sel.on(t.Field); c != nil && c.one() {
				continue
			}
		}
		if len(wanted) == len(sel.terms) {
			backwards = t.Desc // relative to the first wanted term, which ascends
		}
		if t.Field != wanted[0].Field || t.Desc != (wanted[0].Desc != backwards) {
			return sel.desc, false
		}
		if wanted = wanted[1:]; len(wanted) == 0 {
			return sel.desc != backwards, true
		}
	}
	return sel.desc, false
}

// direct returns the index that has the entries of a selection next to each other and
// sorted, or in runs that are, and the route through it. ok is false if none exists.
func (s *State) direct(sel *selection) (x index, r route, ok bool) {
	if sel.match != nil {
		return nil, route{}, false
	}
	found := -1
	for i := -1; i < len(s.indexes) && !r.sorted; i++ {
		var terms []ordering.Term
		if i >= 0 {
			terms = s.indexes[i].terms
		}
		if len(sel.where) > 0 && sel.on(s.typ.termAt(terms, 0).Field) == nil {
			continue
		}
		if other := s.route(sel, terms); other.filters == 0 && (other.sorted || other.merged && !ok) {
			r, found, ok = other, i, true
		}
	}
	switch {
	case !ok:
		return nil, route{}, false
	case found < 0:
		return s.primary, r, true
	}
	s.use(&s.indexes[found])
	return s.indexes[found].index, r, true
}

// spans appends the positions of the entries of a route, and returns the number of these
// entries.
func (s *State) spans(dst []span, x sequence, sel *selection, r *route) (spans []span, count int) {
	if r.by == 0 {
		return append(dst, span{0, x.len()}), x.len()
	}
	s.ranges(sel, r, false, func(from, to bound) bool {
		if sp := (span{x.rank(from), x.rank(to)}); sp.start < sp.end {
			dst = append(dst, sp)
			count += sp.end - sp.start
		}
		return true
	})
	return dst, count
}

// merged returns the entries of a route as one sequence.
func (s *State) merged(x index, sel *selection, r *route) sequence {
	runs := make([]run, 0, r.runs)
	s.ranges(sel, r, false, func(from, to bound) bool {
		shared := math.MaxInt // all of a key
		switch {
		case r.fixed < r.by && r.by <= len(r.terms):
			shared = len(from.prefix)
		case r.by < len(r.terms):
			var room [64]byte
			shared = len(from.prefix) + len(appendKey(room[:0], from.key, from.desc))
		}
		if sp := (span{x.rank(from), x.rank(to)}); sp.start < sp.end {
			runs = append(runs, run{sp, shared})
		}
		return true
	})
	return x.merge(runs, r.backwards)
}

// first returns the first entry of a route that reads runs one after the other, or nil. It
// takes one descent of the index for each run.
func (s *State) first(x index, sel *selection, r *route) (e *Entry) {
	s.ranges(sel, r, r.backwards, func(from, to bound) bool {
		e = x.first(from, to, r.backwards)
		return e == nil
	})
	return e
}

// ranges yields the bounds of the runs, in the order of the sequence or in the reverse order.
func (s *State) ranges(sel *selection, r *route, reverse bool, yield func(from, to bound) bool) {
	s.rangesAt(0, bound{}, sel, r, reverse, yield)
}

// rangesAt yields the bounds of the runs whose keys of the terms before i are given: the prefix and the
// key of last.
func (s *State) rangesAt(i int, last bound, sel *selection, r *route, reverse bool, yield func(from, to bound) bool) bool {
	t := s.typ.termAt(r.terms, i)
	ranges := sel.on(t.Field).Ranges
	prefix := last.prefix
	if 0 < i && i < len(r.terms) {
		prefix = appendKey(slices.Clip(prefix), last.key, last.desc)
	}
	for j := range ranges {
		if t.Desc != reverse {
			j = len(ranges) - 1 - j
		}
		from, to := bounds(ranges[j], t.Desc, prefix)
		if 0 < i && i == len(r.terms) { // the id, which is not part of the key
			low, high := lastID(from), lastID(to)
			from, to = last, last
			from.id, to.id = low, high
		}
		more := false
		if i+1 == r.by {
			more = yield(from, to)
		} else {
			more = s.rangesAt(i+1, from, sel, r, reverse, yield)
		}
		if !more {
			return false
		}
	}
	return true
}

// A Condition restricts a field to ranges of keys, which are sorted and do not overlap.
type Condition struct {
	Field  string
	Ranges []ordering.Range
}

// one reports whether the condition permits one value only.
func (c *Condition) one() bool { return len(c.Ranges) == 1 && c.values() }

// values reports whether each range of the condition is a single value.
func (c *Condition) values() bool {
	for i := range c.Ranges {
		if c.Ranges[i].From.Compare(c.Ranges[i].To) != 0 {
			return false
		}
	}
	return true
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

// mergedRuns is the entries of several runs of an index as one sequence, in the order of
// what their keys have after the shared bytes, and then of their ids. It can only be read
// forwards.
type mergedRuns[K any] struct {
	*tree[K]
	runs []run
	desc bool // each run is read backwards
	size int
}

func (t *tree[K]) merge(runs []run, desc bool) sequence {
	m := &mergedRuns[K]{t, runs, desc, 0}
	for _, r := range runs {
		m.size += r.end - r.start
	}
	return m
}

func (m *mergedRuns[K]) len() int { return m.size }

// A cursor reads a run.
type cursor struct {
	run
	at   int    // the number of entries before head
	head *Entry // nil if unknown
	rest string // the key of head after the shared bytes
}

func (m *mergedRuns[K]) cursors() []cursor {
	list := make([]cursor, len(m.runs))
	for i, r := range m.runs {
		list[i].run = r
	}
	return list
}

func (c *cursor) len() int { return c.end - c.start }

// setHead makes an entry with a key the head.
func (m *mergedRuns[K]) setHead(c *cursor, k K, e *Entry) {
	text := m.text(k)
	c.head, c.rest = e, text[min(c.shared, len(text)):]
}

// read makes entry i of the run the head.
func (m *mergedRuns[K]) read(c *cursor, i int) {
	pos := c.start + i
	if m.desc {
		pos = c.end - 1 - i
	}
	k, e := m.entryAt(pos)
	m.setHead(c, k, e)
}

// before reports whether the head of a is before the head of b.
func (m *mergedRuns[K]) before(a, b *cursor) bool {
	c := strings.Compare(a.rest, b.rest)
	if c == 0 {
		c = a.head.ID - b.head.ID
	}
	return c < 0 != m.desc && c != 0
}

// least returns the cursor with the first head, or nil if no head is known.
func (m *mergedRuns[K]) least(list []cursor) (first *cursor) {
	for i := range list {
		if c := &list[i]; c.head != nil && (first == nil || m.before(c, first)) {
			first = c
		}
	}
	return first
}

// split returns cursors after the first n entries. It makes O(runs × log n) comparisons of
// items.
//
// It looks at an item some steps ahead in each run. The steps are n at most together, so
// the items up to the first of those are among the first n.
func (m *mergedRuns[K]) split(n int) []cursor {
	list := m.cursors()
	for step := max(n/len(list), 1); n > 0; {
		if step > 1 && step*len(list) > n {
			step /= 2
			for i := range list {
				list[i].head = nil
			}
		}
		for i := range list {
			if c := &list[i]; c.head == nil && c.at < c.len() {
				m.read(c, min(c.at+step, c.len())-1)
			}
		}
		c := m.least(list)
		steps := min(step, c.len()-c.at)
		c.at += steps
		n -= steps
		c.head = nil
	}
	for i := range list {
		list[i].head = nil
	}
	return list
}

// page merges the runs.
func (m *mergedRuns[K]) page(dst []*Entry, offset, n int, _ bool) []*Entry {
	list := m.split(offset)
	for i := range list {
		if c := &list[i]; c.at < c.len() {
			m.read(c, c.at)
		}
	}
	for range min(n, m.size-offset) {
		c := m.least(list)
		dst = append(dst, c.head)
		if c.at++; c.at < c.len() {
			m.read(c, c.at)
		} else {
			c.head = nil
		}
	}
	return dst
}

func (m *mergedRuns[K]) view(int, int, bool) (es Entries, ok bool) { return es, false }

// position returns the number of entries before e, or -1 if e is in no run.
func (m *mergedRuns[K]) position(e *Entry) (n int) {
	at := m.tree.position(e)
	for _, r := range m.runs {
		if r.start <= at && at < r.end {
			own := cursor{run: r}
			m.setHead(&own, m.of(e), e)
			return m.passed(own.rest, e.ID) - 1
		}
	}
	return -1
}

// passed returns the number of entries up to and including the one with an id and a key that ends
// with rest after the shared bytes. If there is none, it returns the number before its place.
func (m *mergedRuns[K]) passed(rest string, id int) (n int) {
	own := cursor{head: &Entry{ID: id}, rest: rest}
	for _, c := range m.cursors() {
		n += sort.Search(c.len(), func(i int) bool {
			m.read(&c, i)
			return m.before(&own, &c)
		})
	}
	return n
}
