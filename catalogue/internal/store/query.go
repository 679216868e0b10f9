package store

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A Query selects the records that satisfy all conditions, in the order of terms.
type Query struct {
	Terms   []ordering.Term   // if empty, the default ordering
	Window  pagination.Window // of a page
	Lenient bool              // ignore terms whose field is unknown
	Flat    bool              // ignore terms whose field is inside a member of open records
	Where   []Condition
	Match   func(*Entry) bool // a further condition, or nil
	Words   *Words            // what Match demands of texts, or nil
	Turn    *Turn             // if not nil, many entries are filtered in turns of Cores: Match must not wait for others

	// Related are fields of other records, by which there is no index, by the names that terms of
	// a lenient query for a page can have. If it is not nil, the page is sorted:
	// O(n log n) for n selected entries.
	Related map[string]func() Field

	Want  Want
	ID    int    // of the record whose position is wanted
	Token string // after which entries are wanted; "" is before the first

	// Place, if not nil, is where wanted entries begin, in place of Token and Window; its Position
	// has no effect. Its tokens are valid with other conditions, too, and in both directions.
	Place *pagination.Place
}

// A Want is what a query asks about the selected entries.
type Want uint8

const (
	// WantPage asks for the entries in the window and the number of all. Without conditions it
	// costs O(log n + page) once the index exists. One condition in the order of its field costs
	// O(log n) for each range in addition. Otherwise the entries that satisfy one condition
	// are filtered and sorted.
	WantPage Want = iota

	// WantCount asks for the number of entries. O(log n) if one index has them all; otherwise
	// the entries that satisfy one condition are filtered.
	WantCount

	// WantFirst asks for the first entry. O(log n) if one index finds it; otherwise it costs
	// as much as a page.
	WantFirst

	// WantScan asks for a function that yields all entries. This and the following may run
	// callbacks.
	WantScan

	// WantGroups asks for the values of the only term, in its order. O(log n) for each value
	// if one index has the entries in order. Otherwise they are filtered and sorted.
	WantGroups

	// WantPosition asks for the number of entries before the one with the id. O(log n) if there
	// is no entry with the id, and O(log n) if one index has the entries in order. Otherwise
	// it costs as much as a page.
	WantPosition

	// WantAfter asks for the entries after a token, at most as many as the window has, and the
	// token of the next ones. It costs O(log n) and the entries, and those that are filtered
	// between them, if an index has them in order. Otherwise it costs as much as a page.
	WantAfter

	// WantExplain asks for a description of how the entries are found. It makes the sequences
	// that are missing, but filters and sorts no entries.
	WantExplain
)

// An Answer is what a query wants. A batch may write while one of the functions runs, which
// does not change what it yields.
type Answer struct {
	Entries Entries // a page
	first   *Entry  // instead of a page of one entry; or nil
	N       int     // the number of selected entries, or a position, which is -1 if the entry is not selected
	Scan    func(yield func(*Entry) bool)
	Groups  func(yield func(first *Entry, n int) bool) // for each value the first entry that has it, and their number
	Text    string                                     // describes the plan
	Next    string                                     // the token of the next entries, or "" if these are the last
	Keys    []sortkey.Key                              // after a Place: those of the entries by the first term
	Token   func(i int) string                         // after a Place: the token of the place after an entry
	more    bool                                       // these entries are not the last
}

// First returns the first entry, or nil if none exists.
func (a *Answer) First() *Entry {
	if a.Entries.Len() > 0 {
		return a.Entries.At(0)
	}
	return a.first
}

// A Source is a Store, a State or a Tx. The records of an answer belong to one state: one that
// the store published at some time during the call, the state itself, which must be frozen, or
// the state of the batch with the changes made so far.
//
// If a query needs an index that is missing, it waits until it is built. For a state that
// is not the store's current one, it sorts the entries instead. The errors are ctx.Err(),
// an error that wraps [ordering.ErrUnknownField] or [ErrInvalidToken], and for a Tx after its
// batch [ErrTxDone].
type Source interface {
	Answer(ctx context.Context, q Query) (Answer, error)
}

// Page returns the entries in the window of a query and the number of records that satisfy its
// conditions, in the order of terms, which replace those of the query. If an index of a store or
// of a state answers the query, the terms do not escape to the heap.
func Page(ctx context.Context, from Source, q Query, terms []ordering.Term) (entries Entries, count int, err error) {
	inPlace, ok := q, false
	inPlace.Terms = terms
	var a Answer
	switch from := from.(type) {
	case *Store:
		s, p := from.pin()
		ok, err = s.ready(&a, &inPlace)
		unpin(p)
	case *State:
		ok, err = from.ready(&a, &inPlace)
	}
	if !ok && err == nil {
		q.Terms = slices.Clone(terms)
		a, err = from.Answer(ctx, q)
	}
	return a.Entries, a.N, err
}

// Answer answers a query about a state that was published during the call: the pinned state
// or, if the answer takes more than a pin permits, a frozen one. It builds the index only for
// queries without conditions.
func (c *Store) Answer(ctx context.Context, q Query) (a Answer, err error) {
	if ok, err := c.answerPinned(ctx, &a, &q); ok || err != nil {
		return a, err
	}
	s := c.Current()
	if q.Want <= WantScan && len(q.Where) == 0 && c.pins != nil {
		terms, _, err := s.canonical(nil, &q)
		if err == nil {
			s, err = c.build(ctx, terms)
		}
		if err != nil {
			return Answer{}, err
		}
	}
	a, _, err = s.find(ctx, &q, false)
	return a, err
}

// answerPinned answers a query if the published state need not be frozen for that: an index has the
// entries in order.
func (c *Store) answerPinned(ctx context.Context, a *Answer, q *Query) (ok bool, err error) {
	s, p := c.pin()
	defer unpin(p) // even if the key of an entry panics
	if q.Want == WantPosition || q.Want == WantAfter {
		*a, ok, err = s.find(ctx, q, true)
		return ok, err
	}
	return s.ready(a, q)
}

// Answer answers a query. The state must be frozen or a draft.
func (s *State) Answer(ctx context.Context, q Query) (a Answer, err error) {
	if ok, err := s.ready(&a, &q); ok || err != nil {
		return a, err
	}
	a, _, err = s.find(ctx, &q, false)
	return a, err
}

// find is Answer for a query that is not ready. If the state is pinned, ok is false if no index has
// the entries in order.
func (s *State) find(ctx context.Context, q *Query, pinned bool) (a Answer, ok bool, err error) {
	sel, err := s.selection(nil, q)
	if err != nil {
		return Answer{}, false, err
	}
	var e *Entry // whose position is wanted
	if q.Want == WantPosition {
		if e = s.Get(q.ID); e == nil {
			return Answer{N: -1}, true, nil
		}
	}
	token := q.Token
	if q.Place != nil {
		token, q.Window = q.Place.Token, q.Place.Window
	}
	var start *position
	if token != "" {
		if start, err = s.parseToken(&sel, token); err != nil {
			return Answer{}, false, err
		}
	}
	var p plan
	if pinned {
		x, r, ok := s.direct(&sel)
		if !ok {
			return Answer{}, false, nil
		}
		p = s.through(nil, x, sel, r)
	} else if p, err = s.plan(ctx, sel); err != nil {
		return Answer{}, false, err
	}
	a, err = s.follow(ctx, q, p, e, start)
	return a, true, err
}

// follow answers a query from a plan. The position that is wanted is that of e, and the entries
// are those after start. Both may be nil.
func (s *State) follow(ctx context.Context, q *Query, p plan, e *Entry, start *position) (a Answer, err error) {
	sel := &p.selection
	switch {
	case q.Want == WantExplain:
		return Answer{Text: p.String()}, nil
	case e != nil && !p.direct() && !s.typ.Matcher(sel.where, sel.match)(e):
		return Answer{N: -1}, nil
	}
	if !p.direct() && (p.unsorted || q.Want != WantAfter) {
		if p.unsorted || q.Want != WantFirst { // otherwise few entries are read
			s.demand(sel, &p)
		}
		most := p.count // how many to keep, if they are in order
		switch q.Want {
		case WantPage:
			_, most = q.Window.Bounds(most)
		case WantFirst:
			most = min(most, 1)
		case WantCount:
			most = 0
		}
		if p, err = p.filtered(ctx, most, q.Want != WantFirst); err != nil {
			return Answer{}, err
		}
	}
	a.N = p.count
	switch q.Want {
	case WantAfter:
		a, err = p.after(ctx, q.Window, start)
		p.place(&a)
	case WantPosition:
		a.N, err = p.position(ctx, e)
	case WantScan:
		err = p.sort(ctx, 0)
		sorted := p // only a scan needs it later
		a.Scan = sorted.scan
	case WantGroups:
		err = p.sort(ctx, 0)
		sorted, field := p, q.Terms[0].Field
		a.Groups = func(yield func(*Entry, int) bool) { sorted.groups(field, yield) }
	case WantPage, WantFirst:
		a.Entries, err = p.page(ctx, q.Window)
	}
	return a, err
}

// place sets the tokens of an answer with the entries after a position, and their keys after a Place.
func (p *plan) place(a *Answer) {
	sel, typ := &p.selection, p.state.typ
	switch {
	case sel.place != nil:
		a.Keys = make([]sortkey.Key, a.Entries.Len())
		for i := range a.Keys {
			a.Keys[i] = sel.keyOf(typ, sel.order[0].Field, a.Entries.At(i))
		}
		of, entries := *sel, a.Entries
		a.Token = func(i int) string { return of.token(typ, entries.At(i)) }
	case a.more:
		a.Next = sel.token(typ, a.Entries.At(a.Entries.Len()-1))
	}
}

// ready answers a query without callbacks, so the state may be pinned. ok is
// false if that is impossible: an index is missing, or entries must be filtered or sorted.
func (s *State) ready(a *Answer, q *Query) (ok bool, err error) {
	switch {
	case q.Related != nil, q.Want >= WantScan:
		return false, nil
	case len(q.Where) == 0 && q.Match == nil && q.Want == WantPage: // the most frequent query
		return s.readyPage(a, q)
	case q.Want == WantFirst:
		q.Window = pagination.Window{Limit: 1}
	}
	var terms [8]ordering.Term
	var spans [4]span
	sel, err := s.selection(terms[:0], q)
	if err != nil {
		return false, err
	}
	x, r, ok := s.direct(&sel)
	if !ok {
		return false, nil
	}
	switch {
	case r.merged:
		m := s.merged(x, &sel, &r)
		if a.N = m.len(); q.Want != WantCount {
			start, end := q.Window.Bounds(a.N)
			a.Entries = viewOf(m, start, end-start, false)
		}
	case len(sel.where) > 0 && q.Want == WantFirst:
		a.first = s.first(x, &sel, &r)
	default:
		selected, n := s.spans(spans[:0], x, &sel, &r)
		if a.N = n; q.Want != WantCount {
			a.Entries = pageAt(x, selected, r.backwards, n, q.Window)
		}
	}
	return true, nil
}

// readyPage is ready for a page of all entries.
func (s *State) readyPage(a *Answer, q *Query) (ok bool, err error) {
	var room [4]ordering.Term
	terms, desc, err := s.canonical(room[:0], q)
	if err != nil {
		return false, err
	}
	x := s.sequence(terms)
	if x == nil {
		return false, nil
	}
	a.N = s.Len()
	start, end := q.Window.Bounds(a.N)
	a.Entries = viewOf(x, start, end-start, desc)
	return true, nil
}

// canonical returns the canonical terms of a query and reports whether their index
// is read backwards. If the query has no terms or all are ignored, the terms are
// those of the default ordering, or by id if that names a field that no record
// has. canonical may append to buf. The error wraps [ordering.ErrUnknownField].
func (s *State) canonical(buf []ordering.Term, q *Query) (canon []ordering.Term, desc bool, err error) {
	typ, terms := s.typ, q.Terms
	switch {
	case len(terms) == 0:
	case q.Lenient:
		terms = s.known(q)
	default:
		if err := typ.check(terms, s.names); err != nil {
			return nil, false, err
		}
	}
	if len(terms) == 0 {
		terms = typ.Default
		if typ.Members != nil && !typ.hasAll(terms, s.names) {
			return nil, false, nil
		}
	}
	canon, desc = canonical(buf, typ.tied(terms), typ.ID)
	return canon, desc, nil
}

// known returns the terms of a query whose field is known.
func (s *State) known(q *Query) []ordering.Term {
	unknown := func(t ordering.Term) bool {
		flat := !q.Flat || s.typ.Members == nil || s.names.hasMember(t.Field)
		return q.Related[t.Field] == nil && !(flat && s.typ.has(t.Field, s.names))
	}
	if !slices.ContainsFunc(q.Terms, unknown) {
		return q.Terms
	}
	return slices.DeleteFunc(slices.Clone(q.Terms), unknown)
}

// selection returns what a query asks. It may append to buf. The error wraps
// [ordering.ErrUnknownField].
func (s *State) selection(buf []ordering.Term, q *Query) (sel selection, err error) {
	if sel.where, err = s.merge(q.Where); err != nil {
		return selection{}, err
	}
	sel.match, sel.words, sel.turn, sel.count, sel.related = q.Match, q.Words, q.Turn, q.Want == WantCount, q.Related
	if sel.count {
		return sel, nil
	}
	var room [4]ordering.Term
	terms, desc, err := s.canonical(room[:0], q)
	if err != nil {
		return selection{}, err
	}
	sel.place = q.Place
	desc = desc != sel.reversed()
	if q.Want == WantAfter {
		sel.order = slices.Concat(terms, []ordering.Term{ordering.Asc(s.typ.ID)}) // possibly twice
		for i := range sel.order {
			sel.order[i].Desc = sel.order[i].Desc != desc
		}
	}
	for _, t := range terms {
		if c := sel.on(t.Field); c == nil || !c.one() || t.Field == s.typ.ID {
			buf = append(buf, t)
		}
	}
	if len(terms) == 0 || terms[len(terms)-1].Field != s.typ.ID {
		buf = append(buf, ordering.Asc(s.typ.ID))
	}
	if buf[0].Desc {
		desc = !desc
		for i := range buf {
			buf[i].Desc = !buf[i].Desc
		}
	}
	sel.terms, sel.desc = buf, desc
	return sel, nil
}

// after answers a query for the entries after a position, which may be nil. It filters the entries
// that follow until there are enough. If the window has no limit, it returns all. The error is
// ctx.Err() or Err of the turn.
func (p plan) after(ctx context.Context, w pagination.Window, start *position) (a Answer, err error) {
	sel, terms, isDirect := &p.selection, p.terms, p.direct()
	if p.unsorted {
		if err = p.sort(ctx, 0); err != nil {
			return a, err
		}
		terms, isDirect = sel.terms, true
	}
	at, n, skip := 0, w.Limit, max(w.Offset, 0)
	if n <= 0 {
		n = math.MaxInt
	}
	if start != nil {
		at = p.passed(start, terms)
	}
	if isDirect {
		at += min(skip, p.count-at)
		a.Entries = p.some(at, min(n, p.count-at))
		a.more = n < p.count-at
		return a, nil
	}
	matches := p.state.typ.Matcher(p.left(), sel.match)
	list := make([]*Entry, 0, min(n, p.count-at, between))
	defer sel.turn.begin(p.state.typ.Cores, p.count-at)()
	for step := min(n, between-1) + 1; at < p.count && err == nil; at, step = at+step, between {
		for _, e := range p.some(at, step).All() {
			switch {
			case !matches(e):
			case skip > 0:
				skip--
			case len(list) == n:
				a.more, a.Entries.head = true, list
				return a, nil
			default:
				list = append(list, e)
			}
		}
		err = cmp.Or(ctx.Err(), sel.turn.Pause())
	}
	a.Entries.head = list
	return a, err
}
