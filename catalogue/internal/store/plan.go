package store

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// Matcher returns a function that reports whether an entry satisfies conditions and match,
// which may be nil.
func (typ *Type) Matcher(where []Condition, match func(*Entry) bool) func(*Entry) bool {
	all := make([]func(*Entry) bool, len(where))
	for i, c := range where {
		f, _ := typ.Field(c.Field)
		ranges, one, isText := c.Ranges, "", false
		if c.one() {
			one, isText = ranges[0].From.AsText()
		}
		if isText { // no text of another length is read
			all[i] = func(e *Entry) bool { text, ok := f.Key(e).AsText(); return ok && text == one }
		} else {
			all[i] = func(e *Entry) bool { return ordering.InRanges(ranges, f.Key(e)) }
		}
	}
	if len(all) == 1 && match == nil {
		return all[0]
	}
	return func(e *Entry) bool {
		for _, holds := range all {
			if !holds(e) {
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
	route
	sequence sequence
	spans    []span // ascending
	count    int    // the number of entries in spans, or of those that are marked
	unsorted bool
	marks    []uint64 // if not nil, a bit for each entry of an unsorted plan that satisfies the filters
}

// plan chooses the sequence to read for a selection:
//
//  1. one that needs no filters and no sort, or else
//  2. the one in which the conditions on its first fields leave the fewest entries, or
//  3. all entries in the order wanted, if all sequences leave many and have another order.
//
// It makes the sequences that it needs, unless few entries are left anyway, and compares O(log n)
// keys for each range. The state must be frozen. The error is ctx.Err().
func (s *State) plan(ctx context.Context, sel selection) (best plan, err error) {
	if len(sel.where) == 0 && sel.related == nil {
		x, err := s.indexed(ctx, sel.canonical())
		if x == nil && err == nil {
			x, err = s.sort(ctx, sel.canonical())
		}
		if err != nil {
			return plan{}, err
		}
		r := route{terms: sel.canonical(), runs: 1, sorted: true, backwards: sel.desc}
		return s.through(nil, x, sel, r), nil
	}
	if x, r, ok := s.direct(&sel); ok {
		return s.through(nil, x, sel, r), nil
	}
	best.spans = make([]span, 0, 4) // and those of other plans, until a better one is found
	best = s.cheapest(best, sel, s.primary, nil)
	used := -1
	for i := range s.indexes {
		p := s.cheapest(best, sel, s.indexes[i].index, s.indexes[i].terms)
		if p.sequence != best.sequence {
			best, used = p, i
		}
	}
	for _, c := range sel.where {
		if !s.makes(c, &best) {
			continue
		}
		terms := []ordering.Term{ordering.Asc(c.Field)}
		x, err := s.indexed(ctx, terms)
		if err != nil {
			return plan{}, err
		}
		if x == nil {
			continue // the condition is a filter
		}
		if p := s.cheapest(best, sel, x, terms); p.sequence != best.sequence {
			best, used = p, -1
		}
	}
	if used >= 0 {
		s.use(&s.indexes[used])
	}
	if best.sequence == nil {
		best = s.through(nil, s.primary, sel, s.route(&sel, nil))
	}
	return best, nil
}

// indexed returns the sequence of canonical terms, making it if necessary, or nil if its keys
// are too large for an index. The state must be frozen or a draft. The error is ctx.Err().
func (s *State) indexed(ctx context.Context, terms []ordering.Term) (sequence, error) {
	if x := s.sequence(terms); x != nil {
		return x, nil
	}
	now := s
	switch c := s.store.Value(); {
	case s.refuses(terms):
	case s.draft:
		s.install(terms)
	case c != nil && c.Revision() == s.Revision():
		built, err := c.build(ctx, terms)
		if err == nil && built.Revision() == s.Revision() {
			now = built
		} // otherwise the store has a later state, whose records may lack the field
	}
	switch x := now.sequence(terms); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case x != nil:
		return x, nil
	case s.refuses(terms):
		return nil, nil
	}
	return s.sort(ctx, terms)
}

// cheapest returns the plan that reads a sequence, or best if that costs less.
func (s *State) cheapest(best plan, sel selection, x sequence, terms []ordering.Term) plan {
	r := s.route(&sel, terms)
	if _, searched := x.(*sortedEntries); searched {
		r.merged = false
	}
	if r.by == 0 && !r.sorted {
		return best
	}
	p := s.through(best.spans[len(best.spans):], x, sel, r)
	less := p.cost() - best.cost()
	if best.sequence == nil || less < 0 || less == 0 && best.by == 0 {
		return p
	}
	return best
}

// through returns the plan to take a route through a sequence, whose spans are appended to dst.
func (s *State) through(dst []span, x sequence, sel selection, r route) plan {
	p := plan{selection: sel, state: s, route: r, sequence: x, unsorted: !r.sorted && !r.merged}
	switch {
	case r.merged:
		p.sequence = s.merged(x.(index), &sel, &r)
		p.spans, p.count, p.backwards = []span{{0, p.sequence.len()}}, p.sequence.len(), false
		return p
	case p.unsorted:
		p.backwards = sel.desc
	}
	p.spans, p.count = s.spans(dst, x, &sel, &r)
	return p
}

// direct reports whether the plan reads exactly the selected entries, in order.
func (p *plan) direct() bool {
	return p.filters == 0 && p.selection.match == nil && !p.unsorted
}

// sortCost is the number of entries that can be filtered in about the time that it takes
// to sort one.
const sortCost = 4

func (p *plan) cost() int {
	if p.unsorted && p.count > 1 {
		return p.count * sortCost
	}
	return p.count
}

// between is the number of entries that are filtered or compared between two checks of
// the context.
const between = 256

// left returns the conditions that the route does not use.
func (p *plan) left() (list []Condition) {
	for _, c := range p.selection.where {
		used := false
		for i := range p.by {
			used = used || p.state.typ.termAt(p.terms, i).Field == c.Field
		}
		if !used {
			list = append(list, c)
		}
	}
	return list
}

// makes reports whether a query should make the index of a condition's field before it reads the
// entries of the best plan so far.
func (s *State) makes(c Condition, best *plan) bool {
	if c.Field == s.typ.ID || best.by > 0 && best.count <= fewToRead {
		return false
	}
	terms := []ordering.Term{ordering.Asc(c.Field)}
	return findTerms(s.indexes, terms) < 0 && !s.refuses(terms)
}

// demand records the cost of a query that no index answers, and starts to build the index
// that would if it is due. No query waits for it. The queries of old states and of batches
// count too, although only later ones have the index.
func (s *State) demand(sel *selection, p *plan) {
	terms, left := s.wanted(sel, p)
	cost := p.work() - left
	if len(terms) > 0 && cost > 0 && s.want(terms, cost, buildCost*s.Len()) {
		if c := s.store.Value(); c != nil && !s.refuses(terms) {
			c.join(terms)
		}
	}
}

// work returns the cost of a plan for the demand. An entry that is sorted costs as much for each
// term as one that is added to an index, but at least four queries want each index.
func (p *plan) work() int {
	if p.unsorted && p.count > 1 {
		return min(p.count*buildCost*max(len(p.selection.canonical()), 1), buildCost*p.state.Len()/4)
	}
	return p.count
}

// wanted returns the terms of an index that would answer a query, or nil if none exists: the fields
// with conditions that permit one value, those with conditions that permit several, and the order.
// For a count, a field with a range is last. If conditions are left, the index has the order, and
// left is the number of its entries to be filtered.
func (s *State) wanted(sel *selection, p *plan) (terms []ordering.Term, left int) {
	if sel.match != nil || sel.related != nil || len(sel.where) == 0 {
		return nil, 0
	}
	var room [4]Condition
	where := append(room[:0], sel.where...)
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
		terms = make([]ordering.Term, 0, len(where)+len(sel.terms)+1)
		for _, c := range where {
			if c.Field != s.typ.ID && (sel.count || rank(&c) <= last) {
				terms = append(terms, ordering.Asc(c.Field))
			}
		}
		terms, _ = canonical(terms[:0], append(terms, sel.terms...), s.typ.ID) // which writes no term before it has read it
		r := s.route(sel, terms)
		switch {
		case r.filters == 0 && (r.sorted || r.merged):
			return terms, 0
		case last == 0 && r.sorted && !sel.count && r.by > 0:
			return terms, p.count
		case last == 0 && r.sorted && !sel.count:
			return terms, s.Len()
		}
	}
	return nil, 0
}

// filtered returns a plan that reads the entries that satisfy the filters. Those of an
// unsorted plan are marked, so that a query that waits for its sort holds a bit for each entry.
// Of others, the first are copied, at most as many as given. If the rest need not be counted, it
// reads no more. The error is ctx.Err() or Err of the turn.
func (p plan) filtered(ctx context.Context, most int, rest bool) (plan, error) {
	turn := p.selection.turn
	defer turn.begin(p.state.typ.Cores, p.count)()
	match, known, err := p.search(ctx, most)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return p, err
	}
	rest = rest && known < 0
	ids, left := []uint64(nil), p.left()
	if rest || p.unsorted { // otherwise few entries may be read
		ids, left = p.decided(left)
	}
	matches := p.state.typ.Matcher(left, match)
	if p.unsorted {
		p.marks = make([]uint64, p.count/64+1)
	}
	var found struct { // in one piece, because it is on the heap
		kept  sortedEntries
		n, at int
		err   error
	}
	marks := p.marks
	each := func(id int, e *Entry) bool {
		at := found.at
		if found.at++; found.at%between == 0 {
			found.err = cmp.Or(ctx.Err(), turn.Pause())
		}
		if found.err != nil || ids != nil && ids[id/64]>>(id%64)&1 == 0 || !matches(e) {
			return found.err == nil
		}
		switch found.n++; {
		case marks != nil:
			marks[at/64] |= 1 << (at % 64)
		case found.n <= most:
			found.kept.entries = append(found.kept.entries, e)
		}
		return rest || marks != nil || found.n < most
	}
	if ids != nil {
		p.ids(each)
	} else {
		p.scan(func(e *Entry) bool { return each(e.ID, e) })
	}
	if p.count = max(found.n, known); !p.unsorted {
		p.sequence, p.spans, p.backwards = &found.kept, []span{{0, found.n}}, false
	}
	return p, cmp.Or(found.err, turn.Pause())
}

// wordCost is the number of entries whose texts are searched in about the time that it takes to
// filter one.
const wordCost = 8

// search finds the entries that have the words of a selection, and makes the plan read them, unless it
// reads few entries anyway, or those that are wanted are soon found in order. Then it returns the
// function that is left to filter with, and how many there are, if that is known. The error is ctx.Err()
// or Err of the turn.
func (p *plan) search(ctx context.Context, most int) (match func(*Entry) bool, known int, err error) {
	s, sel := p.state, &p.selection
	if sel.words == nil || p.count <= s.Len()/wordCost {
		return sel.match, -1, nil
	}
	found, err := s.search(ctx, sel.words, sel.turn)
	if err != nil {
		return nil, -1, err
	}
	loose := found.loose || sel.words.Loose
	switch {
	case found.n > p.count, loose && found.n > p.count/wordCost:
		return sel.match, -1, nil
	case loose:
		match = sel.match
	case !p.unsorted && len(sel.where) == 0 && most < found.n*found.n/p.count:
		return sel.match, found.n, nil
	}
	p.route = route{filters: len(sel.where)}
	p.backwards, p.sorted = s.follows(sel, nil, 0)
	p.sequence, p.unsorted = &sortedEntries{entries: found.entries(s.primary)}, !p.sorted
	p.spans, p.count = []span{{0, found.n}}, found.n
	return match, -1, nil
}

// decided returns a bit for each id, set if the entry satisfies those conditions that have an
// index, and the other conditions. It reads indexes, not entries, which would be cache misses. If
// reading the entries costs less, or the sequence is no index, it returns no bits.
func (p *plan) decided(where []Condition) (ids []uint64, left []Condition) {
	s, most := p.state, p.state.MaxID()
	if _, ok := p.sequence.(index); !ok || p.merged || most/64 > p.count {
		return nil, where
	}
	for _, c := range where {
		terms, one := []ordering.Term{ordering.Asc(c.Field)}, selection{where: []Condition{c}, count: true}
		x, ok := s.index(terms).(index)
		if !ok {
			left = append(left, c)
			continue
		}
		r := s.route(&one, terms)
		spans, n := s.spans(nil, x, &one, &r)
		if n > 4*p.count {
			left = append(left, c)
			continue
		}
		found, before := make([]uint64, most/64+1), ids
		for _, sp := range spans {
			x.ids(sp.start, sp.end-sp.start, false, func(id int, _ *Entry) bool {
				if found[id/64] |= 1 << (id % 64); before != nil {
					found[id/64] &= before[id/64]
				}
				return true
			})
		}
		ids = found
	}
	return ids, left
}

// ids yields all entries of an index, with their ids.
func (p *plan) ids(yield func(id int, e *Entry) bool) {
	more := true
	for i := 0; more && i < len(p.spans); i++ {
		from, n := runAt(p.sequence, p.spans, p.backwards, i)
		if p.backwards {
			from = p.sequence.len() - 1 - from
		}
		p.sequence.(index).ids(from, n, p.backwards, func(id int, e *Entry) bool {
			more = yield(id, e)
			return more
		})
	}
}

// marked returns the marked entries.
func (p *plan) marked() []*Entry {
	entries, at := make([]*Entry, 0, p.count), -1
	p.scan(func(e *Entry) bool {
		if at++; p.marks[at/64]>>(at%64)&1 != 0 {
			entries = append(entries, e)
		}
		return len(entries) < p.count
	})
	return entries
}

// sort copies and sorts the marked entries of a plan that is unsorted. Only the first ones that most
// says need be kept, in reading direction, or all if it is 0. The error is ctx.Err().
func (p *plan) sort(ctx context.Context, most int) error {
	if !p.unsorted {
		return nil
	}
	terms := p.selection.canonical()
	if len(terms) > 0 && p.count > fewEntries {
		release, err := p.state.slots.take(ctx, terms)
		if err != nil {
			return err
		}
		defer release()
	}
	typ := p.state.typ
	c := cut{most, p.selection.desc}
	if most > p.count/8 { // then it is as fast to sort all
		c.most = 0
	}
	sorted, err := typ.sort(ctx, p.marked(), p.selection.fields(typ, terms), terms, c)
	if err == nil {
		p.sequence, p.spans, p.marks = &sortedEntries{entries: sorted}, []span{{0, len(sorted)}}, nil
		p.backwards, p.unsorted = p.selection.desc, false
	}
	return err
}

// runAt returns where span i begins in the sequence, in reading direction, and its length.
func runAt(x sequence, spans []span, desc bool, i int) (offset, n int) {
	if !desc {
		return spans[i].start, spans[i].end - spans[i].start
	}
	sp := spans[len(spans)-1-i]
	return x.len() - sp.end, sp.end - sp.start
}

// viewOf returns n entries of a sequence after the first offset entries.
func viewOf(x sequence, offset, n int, desc bool) Entries {
	if n <= 0 {
		return Entries{}
	}
	if es, ok := x.view(offset, n, desc); ok {
		return es
	}
	return Entries{head: x.page(make([]*Entry, 0, n), offset, n, desc)}
}

// pageAt returns the entries in a window of the n entries of a sequence at the positions in
// spans, which do not escape.
func pageAt(x sequence, spans []span, desc bool, n int, w pagination.Window) Entries {
	start, end := w.Bounds(n)
	var entries []*Entry
	for i := 0; start < end; i++ {
		from, size := runAt(x, spans, desc, i)
		if entries == nil && start < size && end <= size {
			return viewOf(x, from+start, end-start, desc)
		}
		if m := min(end, size) - start; m > 0 {
			if entries == nil {
				entries = make([]*Entry, 0, end-start)
			}
			entries = x.page(entries, from+start, m, desc)
		}
		start, end = max(start-size, 0), end-size
	}
	return Entries{head: entries}
}

// page returns the entries in a window. The error is ctx.Err().
func (p *plan) page(ctx context.Context, w pagination.Window) (Entries, error) {
	start, end := w.Bounds(p.count)
	if start >= end {
		return Entries{}, nil
	}
	if err := p.sort(ctx, end); err != nil {
		return Entries{}, err
	}
	return pageAt(p.sequence, p.spans, p.backwards, p.count, w), nil
}

// scan yields all entries. The state must be frozen.
func (p *plan) scan(yield func(*Entry) bool) {
	const chunk = 256
	buf := make([]*Entry, 0, min(chunk, p.count))
	for i := range p.spans {
		from, n := runAt(p.sequence, p.spans, p.backwards, i)
		for at := 0; at < n; at += chunk {
			entries := p.sequence.page(buf, from+at, min(chunk, n-at), p.backwards)
			ids := 0
			for _, e := range entries { // so that cache misses overlap, which those of yield do not
				ids += e.ID
			}
			runtime.KeepAlive(ids)
			for _, e := range entries {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// groups yields the first entry of each value of a field and the number of entries that have
// it. The entries must be in the order of the field. It reads some entries of small groups at
// once, and one of each large group.
func (p *plan) groups(field string, yield func(first *Entry, n int) bool) {
	const small = 16
	f, _ := p.state.typ.Field(field)
	read := small
	for at := 0; at < p.count; {
		entries := p.some(at, read)
		size := entries.Len()
		i := 0
		for i < size {
			k, n := f.Key(entries.At(i)), 1
			if f.Key(entries.At(size-1)).Compare(k) == 0 {
				n = p.groupSize(field, k, at+i, size-i)
			}
			for i+n < size && f.Key(entries.At(i+n)).Compare(k) == 0 {
				n++
			}
			if !yield(entries.At(i), n) {
				return
			}
			i += n
			read = 1
			if n < small {
				read = small
			}
		}
		at += i
	}
}

// some returns n entries after the first offset entries, or as many as there are.
func (p *plan) some(offset, n int) Entries {
	return pageAt(p.sequence, p.spans, p.backwards, p.count, pagination.Window{Limit: n, Offset: offset})
}

// groupSize returns the number of entries whose field has the key k. They begin with entry at, and
// the first known have been read. If an index has them in order, the others are not read.
func (p *plan) groupSize(field string, k sortkey.Key, at, known int) int {
	if field == p.state.typ.ID {
		return known
	}
	if from, to, ok := p.group(field, k); ok {
		if !p.backwards && len(p.spans) == 1 {
			return p.sequence.rank(to) - p.spans[0].start - at
		}
		return p.sequence.rank(to) - p.sequence.rank(from)
	}
	f, _ := p.state.typ.Field(field)
	for n := known; ; {
		entries := p.some(at+n, 256)
		for i := range entries.Len() {
			if f.Key(entries.At(i)).Compare(k) != 0 {
				return n
			}
			n++
		}
		if entries.Len() == 0 {
			return n
		}
	}
}

// group returns the bounds of the entries that have a key. All terms of the index before the
// field's have one value. ok is false if there is no index, or if conditions on later terms
// exclude some of the entries.
func (p *plan) group(field string, k sortkey.Key) (from, to bound, ok bool) {
	if _, ok := p.sequence.(index); !ok || p.merged {
		return bound{}, bound{}, false
	}
	var prefix []byte
	for i := 0; ; i++ {
		t := p.state.typ.termAt(p.terms, i)
		if t.Field == field {
			from, to = bounds(ordering.Range{From: k, To: k, ToIncluded: true}, t.Desc, prefix)
			return from, to, i+1 >= p.by
		}
		prefix = appendKey(prefix, p.selection.on(t.Field).Ranges[0].From, t.Desc)
	}
}

// position returns the number of entries before e, or -1 if e is not among them. It sorts the
// entries if they are not in order. The error is ctx.Err().
func (p *plan) position(ctx context.Context, e *Entry) (int, error) {
	if err := p.sort(ctx, 0); err != nil {
		return 0, err
	}
	before, at := 0, p.sequence.position(e)
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

// String describes the plan for people.
func (p *plan) String() string {
	text := fmt.Sprintf("all %d records", p.count)
	if p.by > 0 {
		var by []ordering.Term
		for i := range p.by {
			by = append(by, p.state.typ.termAt(p.terms, i))
		}
		text = fmt.Sprintf("range of %s: %d of %d records", ordering.Format(by), p.count, p.state.Len())
	}
	for i, c := range p.left() {
		text += []string{", filtered by ", " and "}[min(i, 1)] + c.Field
	}
	switch {
	case p.unsorted:
		return text + ", then sorted"
	case p.merged:
		return text + ", merged in order"
	}
	return text + ", in order"
}
