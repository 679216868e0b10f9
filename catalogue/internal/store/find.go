package store

import (
	"context"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Query selects a page: a window of the records that satisfy all conditions, in the
// order of terms.
type Query struct {
	Terms   []ordering.Term // if empty, the default ordering
	Window  pagination.Window
	Lenient bool // ignore terms whose field is unknown
	Where   []Condition
	Match   func(*Entry) bool // a further condition, or nil

	want want
}

// A Condition restricts a field to ranges of keys, which are sorted and do not overlap.
type Condition struct {
	Field  string
	Ranges []ordering.Range
}

// A want is what a query asks about the selected entries.
type want uint8

const (
	wantPage want = iota
	wantCount
	wantFirst
)

// An answer is what a query wants.
type answer struct {
	entries []*Entry // a page
	first   *Entry   // instead of a page of one entry; or nil
	n       int      // the number of selected entries
}

// first returns a query for the first entry of q.
func (q Query) first() *Query {
	q.want, q.Window = wantFirst, pagination.Window{Limit: 1}
	return &q
}

// plain reports whether q wants a page of all entries.
func (q *Query) plain() bool { return len(q.Where) == 0 && q.Match == nil && q.want == wantPage }

func asPage(a answer, err error) ([]*Entry, int, error) { return a.entries, a.n, err }
func asCount(a answer, err error) (int, error)          { return a.n, err }

func asFirst(a answer, err error) (*Entry, error) {
	if len(a.entries) > 0 {
		return a.entries[0], err
	}
	return a.first, err
}

// Page returns the entries in the window of a query and the number of records that
// satisfy its conditions, both of one state that was published at some time during
// the call. If the ordering or a field with a condition has no index yet, Page first
// waits until it is built. The error is ctx.Err() or wraps [ordering.ErrUnknownField].
// O(log n + page) once the index exists, for a query without conditions; plan.go has the
// cost of others.
func (c *Store) Page(ctx context.Context, q Query) (entries []*Entry, count int, err error) {
	if q.plain() { // most reads are such pages; this is answer without a second query
		s, p := c.pin()
		entries, count, ok, err := s.readyPage(&q)
		unpin(p)
		if ok || err != nil {
			return entries, count, err
		}
	}
	return asPage(c.answer(ctx, &q))
}

// Page is like [Store.Page] for the entries of the state, which must be frozen. If
// the ordering has no index and the state is still the store's current one, the
// index is built for both. Otherwise the entries are sorted for the state alone.
func (s *State) Page(ctx context.Context, q Query) (entries []*Entry, count int, err error) {
	return asPage(s.answer(ctx, &q))
}

// Count returns the number of entries that satisfy conditions. O(log² n) if one index has
// them all; otherwise the entries that satisfy one condition are filtered.
func (c *Store) Count(ctx context.Context, where []Condition) (int, error) {
	return asCount(c.answer(ctx, &Query{Where: where, want: wantCount}))
}

// Count is like [Store.Count] for the entries of the state, which must be frozen.
func (s *State) Count(ctx context.Context, where []Condition) (int, error) {
	return asCount(s.answer(ctx, &Query{Where: where, want: wantCount}))
}

// First returns the first entry of a query, or nil if there is none. It ignores the
// window. O(log n) if one index finds the entry; otherwise the cost is that of Page.
func (c *Store) First(ctx context.Context, q Query) (*Entry, error) {
	return asFirst(c.answer(ctx, q.first()))
}

// First is like [Store.First] for the entries of the state, which must be frozen.
func (s *State) First(ctx context.Context, q Query) (*Entry, error) {
	return asFirst(s.answer(ctx, q.first()))
}

// Position is like [State.Position] for the current state.
func (c *Store) Position(ctx context.Context, id int, q Query) (int, error) {
	return c.Current().Position(ctx, id, q)
}

// Position returns the number of entries of a query before the one with the id, or -1
// if the entry is not among them. It ignores the window. The state must be frozen.
// O(log n) if there is no entry with the id, and O(log² n) if one index has the entries in
// order. Otherwise the entries that satisfy one condition are filtered and compared with
// the one with the id.
func (s *State) Position(ctx context.Context, id int, q Query) (int, error) {
	o, err := s.order(nil, q)
	e := s.Get(id)
	if err != nil || e == nil {
		return -1, err
	}
	p, err := s.planned(ctx, o)
	switch {
	case err != nil:
		return 0, err
	case p.direct():
		return p.position(e), nil
	case !s.satisfies(o, e):
		return -1, nil
	}
	f, err := p.walk(ctx)
	if err != nil || !f.unsorted {
		return slices.Index(f.entries, e), err
	}
	return f.countBefore(ctx, e)
}

// Scan returns a function that yields all entries of a query in one state that was
// published during the call. It ignores the window. Its errors and its cost are those of
// [Store.Page].
func (c *Store) Scan(ctx context.Context, q Query) (func(yield func(*Entry) bool), error) {
	s, err := c.frozen(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.Scan(ctx, q)
}

// Scan is like [Store.Scan] for the entries of the state, which must be frozen.
func (s *State) Scan(ctx context.Context, q Query) (func(yield func(*Entry) bool), error) {
	o, err := s.order(nil, q)
	if err != nil {
		return nil, err
	}
	f, err := s.find(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := f.arrange(ctx); err != nil {
		return nil, err
	}
	return f.scan, nil
}

// Explain is like [State.Explain] for the current state.
func (c *Store) Explain(ctx context.Context, q Query) (string, error) {
	return c.Current().Explain(ctx, q)
}

// Explain describes how the state finds the entries of a query. The state must be
// frozen. It makes the sequences that are missing, but filters and sorts no entries.
func (s *State) Explain(ctx context.Context, q Query) (string, error) {
	o, err := s.order(nil, q)
	if err != nil {
		return "", err
	}
	p, err := s.planned(ctx, o)
	return p.String(), err
}

// answer answers a query about a state that was published during the call: the pinned
// state or, if the answer takes more than a pin permits, a frozen one.
func (c *Store) answer(ctx context.Context, q *Query) (answer, error) {
	s, p := c.pin()
	a, ok, err := s.ready(q)
	unpin(p)
	if ok || err != nil {
		return a, err
	}
	if s, err = c.frozen(ctx, *q); err != nil {
		return answer{}, err
	}
	return s.answer(ctx, q)
}

// frozen returns a frozen state that was published during the call. It makes the index for
// the order of a query without conditions. That of another query may not be needed.
func (c *Store) frozen(ctx context.Context, q Query) (*State, error) {
	if len(q.Where) > 0 {
		return c.Current(), nil
	}
	return c.build(ctx, q)
}

// answer answers a query. The state must be frozen.
func (s *State) answer(ctx context.Context, q *Query) (answer, error) {
	if a, ok, err := s.ready(q); ok || err != nil {
		return a, err
	}
	o, err := s.order(nil, *q)
	if err != nil {
		return answer{}, err
	}
	f, err := s.find(ctx, o)
	a := answer{n: f.count}
	if err == nil && q.want != wantCount {
		a.entries, err = f.page(ctx, q.Window)
	}
	return a, err
}

// ready answers a query without the program's code, so the state may be pinned. ok is
// false if that is impossible: an index is missing, or entries must be filtered or sorted.
func (s *State) ready(q *Query) (a answer, ok bool, err error) {
	if q.plain() {
		a.entries, a.n, ok, err = s.readyPage(q)
		return a, ok, err
	}
	var terms [4]ordering.Term
	var spans [4]span
	o, err := s.order(terms[:0], *q)
	if err != nil {
		return answer{}, false, err
	}
	x, desc, ok := s.direct(o)
	if !ok {
		return answer{}, false, nil
	}
	if len(o.where) > 0 && (q.want == wantFirst || s.atMostOne(o.where[0])) {
		return seek(x, o.where[0], desc).of(*q), true, nil
	}
	selected, n := o.spans(spans[:0], x)
	if a.n = n; q.want != wantCount {
		a.entries = pageAt(x, selected, desc, n, q.Window)
	}
	return a, true, nil
}

// readyPage is ready for a plain query. ok is false if its order has no index yet.
func (s *State) readyPage(q *Query) (entries []*Entry, count int, ok bool, err error) {
	var room [4]ordering.Term
	terms, desc, err := s.canonical(room[:0], q)
	if err != nil {
		return nil, 0, false, err
	}
	x := s.sequence(terms)
	if x == nil {
		return nil, 0, false, nil
	}
	count = s.Len()
	if start, end := q.Window.Bounds(count); start < end {
		entries = x.page(make([]*Entry, 0, end-start), start, end-start, desc)
	}
	return entries, count, true, nil
}

// direct returns a sequence that has the entries of an order next to each other and
// sorted, and the direction in which to read it. ok is false if there is none, or if it
// is not an index and must be searched, which takes the program's code.
func (s *State) direct(o order) (x sequence, desc, ok bool) {
	switch {
	case o.match != nil || len(o.where) > 1:
	case len(o.where) == 0:
		x, desc = s.sequence(o.terms), o.desc
	default:
		if desc, ok = s.inOrder(o.where[0], o); ok {
			x = s.indexOf(o.where[0].Field)
		}
	}
	return x, desc, x != nil
}

// atMostOne reports whether a condition allows only one value of a unique field. No field
// of the draft of a batch is unique: only the end of the batch is checked.
func (s *State) atMostOne(c Condition) bool {
	if len(c.Ranges) != 1 || c.Ranges[0].From.Compare(c.Ranges[0].To) != 0 || c.Ranges[0].From.Compare(ordering.Null()) == 0 {
		return false
	}
	terms := [1]ordering.Term{ordering.Asc(c.Field)}
	i := findTerms(s.indexes, terms[:])
	return c.Field == s.schema.ID || i >= 0 && s.indexes[i].unique
}

// seek returns the first entry of a condition in the index of its field. It takes one
// search of the index for each range instead of two.
func seek(x sequence, c Condition, desc bool) (a answer) {
	for i := range c.Ranges {
		if desc {
			i = len(c.Ranges) - 1 - i
		}
		if a.first = x.first(c.Ranges[i], desc); a.first != nil {
			a.n = 1
			break
		}
	}
	return a
}

// of returns the answer to a query that selects only the first entry, or none.
func (a answer) of(q Query) answer {
	if start, end := q.Window.Bounds(a.n); q.want == wantPage && start < end {
		a.entries = []*Entry{a.first}
	}
	return a
}

// find returns the entries of an order. The state must be frozen. The error is ctx.Err().
func (s *State) find(ctx context.Context, o order) (selection, error) {
	p, err := s.planned(ctx, o)
	if err != nil || p.direct() {
		return p.selection, err
	}
	return p.walk(ctx)
}

// planned returns a plan, making the sequences that it needs. The state must be frozen.
func (s *State) planned(ctx context.Context, o order) (plan, error) {
	if len(o.where) == 0 {
		x, err := s.readSorted(ctx, o.terms)
		if err != nil {
			return plan{}, err
		}
		return plan{selection: s.all(x, o.desc), match: o.match, want: o.want}, nil
	}
	var have []named
	for {
		p, missing := s.plan(o, have)
		if missing == "" {
			return p, nil
		}
		x, err := s.readSorted(ctx, []ordering.Term{ordering.Asc(missing)})
		if err != nil {
			return plan{}, err
		}
		have = append(have, named{missing, x})
	}
}
