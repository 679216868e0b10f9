package store

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// A model is what a store should contain, in plain maps and slices.
type model struct {
	records    map[int]*record
	last, used int // the highest id ever used, and that since the last replacement
	revision   uint64
	events     []Event
	from       uint64 // all events after this revision are kept
}

// apply makes changes, new records by id or nil for deletions, as one revision.
func (m *model) apply(changes map[int]*record, kept int) {
	m.revision++
	for i, id := range slices.Sorted(maps.Keys(changes)) {
		ev := Event{Revision: m.revision, ID: id, Last: i == len(changes)-1}
		if old := m.records[id]; old != nil {
			ev.Old = &old.Entry
		}
		if r := changes[id]; r == nil {
			delete(m.records, id)
		} else {
			m.records[id], ev.New = r, &r.Entry
			m.last, m.used = max(m.last, id), max(m.used, id)
		}
		m.events = append(m.events, ev)
	}
	if len(changes) > kept {
		m.events, m.from = nil, m.revision
	}
	for len(m.events) > kept {
		m.events, m.from = m.events[1:], m.events[0].Revision
	}
}

func (m *model) clone() *model {
	c := *m
	c.records, c.events = maps.Clone(m.records), slices.Clone(m.events)
	return &c
}

func (m *model) entries() (list []*Entry) {
	for _, id := range slices.Sorted(maps.Keys(m.records)) {
		list = append(list, &m.records[id].Entry)
	}
	return list
}

// names returns the sorted names of the fields of records with members.
func (m *model) names() []string {
	names := map[string]bool{"id": true}
	for _, r := range m.records {
		for _, name := range r.members {
			names[ordering.Snake(name)] = true
		}
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}

// A tested condition has a predicate in plain Go for the records that satisfy it.
type tested struct {
	ordering.Condition
	holds func(r *record) bool
}

// A testedQuery is a query with its conditions as predicates.
type testedQuery struct {
	Query
	terms string
	all   []tested
	one   bool // a condition permits one id
}

func (q testedQuery) holds(r *record) bool {
	return !slices.ContainsFunc(q.all, func(c tested) bool { return !c.holds(r) }) && (q.Match == nil || q.Match(&r.Entry))
}

// find returns the ids that a query should find, or false if it has an unknown field.
func (m *model) find(q testedQuery, typ *Type) (ids []int, ok bool) {
	names := m.names()
	unknown := func(name string) bool { return typ.Members != nil && !slices.Contains(names, name) }
	var terms []string
	for _, term := range strings.Split(q.terms, ",") {
		switch {
		case term != "" && !unknown(strings.TrimPrefix(term, "-")):
			terms = append(terms, term)
		case term != "" && !q.Lenient:
			return nil, false
		}
	}
	if slices.ContainsFunc(q.all, func(c tested) bool { return unknown(c.Field()) }) && len(m.records) > 0 {
		return nil, false
	}
	order := strings.Join(terms, ",")
	if first := typ.Default[0].Field; order == "" && !unknown(first) {
		order = ordering.Format(typ.Default)
	}
	return selected(m.entries(), order, q.holds), true
}

// A player makes random calls to stores and compares them with their models.
type player struct {
	t      *testing.T
	rng    *rand.Rand
	typ    *Type
	prefix string // of all texts and notes
	orders []string
	stores []*Store
	models []*model
	held   []heldState
	places int // writes in place
	wanted int // indexes that a query wanted

	queries, groups int // the numbers of queries and of those for counts of values
}

// A heldState is a state that must not change, with its model. If it is not frozen, it is
// pinned.
type heldState struct {
	state *State
	pin   pin
	model *model
}

func (p *player) open() bool { return p.typ.Members != nil }

func (p *player) record(id int) *record {
	r := randomRecord(p.rng, id)
	r.text = p.prefix + r.text
	if r.note != nil {
		*r.note = p.prefix + *r.note
	}
	for _, name := range []string{"a", "b", "startDate", "start_date", "__"} {
		if p.rng.IntN(4) == 0 {
			r.members = append(r.members, name)
		}
	}
	return r
}

func (p *player) condition() tested {
	rng := p.rng
	n, m := rng.Int64N(11)-5, rng.Int64N(11)-5
	n, m = min(n, m), max(n, m)
	s := p.prefix + strings.Repeat("ab", rng.IntN(4)) + []string{"", "a", "b"}[rng.IntN(3)]
	note, one := p.prefix+string(rune('0'+rng.IntN(6))), p.prefix+"1"
	id := rng.IntN(90)
	all := []tested{
		{ordering.Equal("id", id), func(r *record) bool { return r.ID == id }},
		{ordering.AtLeast("id", id), func(r *record) bool { return r.ID >= id }},
		{ordering.Between("id", id, id+20), func(r *record) bool { return id <= r.ID && r.ID <= id+20 }},
		{ordering.AtMost("id", float64(id)+0.5), func(r *record) bool { return r.ID <= id }},
		{ordering.OneOf("id", id, id/2), func(r *record) bool { return r.ID == id || r.ID == id/2 }},
	}
	if p.open() {
		name := []string{"a", "b", "start_date", "c"}[rng.IntN(4)]
		has := func(r *record) bool { return slices.Contains(r.members, name) }
		all = append(all, []tested{
			{ordering.Equal(name, n), func(r *record) bool { return has(r) && r.number == n }},
			{ordering.NotNull(name), has},
			{ordering.IsNull(name), func(r *record) bool { return !has(r) }},
		}...)
	} else {
		all = append(all, []tested{
			{ordering.Equal("number", n), func(r *record) bool { return r.number == n }},
			{ordering.OneOf("number", m, n, m), func(r *record) bool { return r.number == n || r.number == m }},
			{ordering.OneOf[int]("number"), func(r *record) bool { return false }},
			{ordering.Less("number", n), func(r *record) bool { return r.number < n }},
			{ordering.AtMost("number", float64(n)+0.5), func(r *record) bool { return r.number <= n }},
			{ordering.Greater("number", float64(n)-0.5), func(r *record) bool { return r.number >= n }},
			{ordering.Between("number", n, m), func(r *record) bool { return n <= r.number && r.number <= m }},
			{ordering.Less("number", math.Inf(1)), func(*record) bool { return true }},
			{ordering.Equal("number", "1"), func(*record) bool { return false }},
			{ordering.Equal("text", s), func(r *record) bool { return r.text == s }},
			{ordering.OneOf("text", s, p.prefix+"ab"), func(r *record) bool { return r.text == s || r.text == p.prefix+"ab" }},
			{ordering.Not(ordering.Equal("text", s)), func(r *record) bool { return r.text != s }},
			{ordering.Or(ordering.Less("number", n), ordering.Greater("number", m)), func(r *record) bool { return r.number < n || r.number > m }},
			{ordering.Prefix("text", s), func(r *record) bool { return strings.HasPrefix(r.text, s) }},
			{ordering.Greater("text", s), func(r *record) bool { return r.text > s }},
			{ordering.NotNull("text"), func(*record) bool { return true }},
			{ordering.IsNull("note"), func(r *record) bool { return r.note == nil }},
			{ordering.NotNull("note"), func(r *record) bool { return r.note != nil }},
			{ordering.AtMost("note", note), func(r *record) bool { return r.note != nil && *r.note <= note }},
			{ordering.OneOf("note", one, note), func(r *record) bool { return r.note != nil && (*r.note == one || *r.note == note) }},
		}...)
	}
	return all[rng.IntN(len(all))]
}

func (p *player) query() (q testedQuery) {
	var list []ordering.Condition
	for range p.rng.IntN(4) {
		c := p.condition()
		q.all, list = append(q.all, c), append(list, c.Condition)
	}
	q.terms = p.orders[p.rng.IntN(len(p.orders))]
	q.Query = Query{Where: conditions(p.t, list...), Terms: parse(q.terms), Lenient: p.rng.IntN(3) == 0}
	q.one = slices.ContainsFunc(q.Where, func(c Condition) bool { return c.Field == "id" && c.one() })
	if p.rng.IntN(6) == 0 {
		q.Match = func(e *Entry) bool { return e.ID%3 != 0 }
	}
	if p.rng.IntN(3) == 0 {
		p.words(&q.Query)
	}
	return q
}

// words adds words to a query: lists of words in texts and notes.
func (p *player) words(q *Query) {
	other := q.Match
	q.Words = new(Words)
	for range 1 + p.rng.IntN(2) {
		var list []Word
		for range 1 + p.rng.IntN(2) {
			word := []string{"A", "B", "AB", "BA", "BB", "ABAB", "1", "2", "Z"}[p.rng.IntN(9)]
			list = append(list, [...]Word{textWord(word), noteWord(word)}[p.rng.IntN(2)])
			q.Words.Key += list[len(list)-1].Field + "=" + word + "|"
		}
		q.Words.Lists = append(q.Words.Lists, list)
		q.Words.Key += "&"
	}
	if other != nil {
		q.Words.Loose = true
	}
	lists := q.Words.Lists
	q.Match = func(e *Entry) bool { return hasWords(recordOf(e), lists) && (other == nil || other(e)) }
}

// prepare builds an index that a query wants, if there is one.
func (p *player) prepare(c *Store, q Query) {
	s := c.Current()
	sel, err := s.selection(nil, &q)
	if err != nil {
		return
	}
	if terms, _ := s.wanted(&sel, new(plan)); terms != nil {
		if _, _, err := of(c).Page(within(p.t), Query{Terms: terms}); err != nil {
			p.t.Error(err)
		}
		p.wanted++
	}
}

// find compares what a query finds.
func (p *player) find(what string, from Source, m *model) {
	p.t.Helper()
	q := p.query()
	if c, ok := from.(*Store); ok && p.rng.IntN(2) == 0 {
		p.prepare(c, q.Query)
	}
	want, ok := m.find(q, p.typ)
	if !ok {
		for method, err := range errorsOf(p.t, from, q.Query) {
			if !errors.Is(err, ordering.ErrUnknownField) {
				p.t.Errorf("%s: %s of %v by %q: error %v, want %v", what, method, q.all, q.terms, err, ordering.ErrUnknownField)
			}
		}
		return
	}
	p.queries += 10 + len(want) // of found
	if diff := cmp.Diff(want, found(p.t, from, q.Query), emptyIsNil); diff != "" {
		plan, _ := of(from).Explain(within(p.t), q.Query)
		p.t.Errorf("%s: %v by %q: %s (-want +got):\n%s", what, q.all, q.terms, plan, diff)
	}
	if text, _ := of(from).Explain(within(p.t), q.Query); q.one && !readsOne.MatchString(text) {
		p.t.Errorf("%s: %v by %q reads more than the one record: %s", what, q.all, q.terms, text)
	}
	p.group(what, from, m, q)
	q.Window = allRecords
	entries, _, _ := of(from).Page(within(p.t), q.Query)
	for _, e := range entries.list() {
		if e != &m.records[e.ID].Entry {
			p.t.Errorf("%s: id %d is not the record of the model", what, e.ID)
		}
	}
	id := p.rng.IntN(100)
	if at, err := of(from).Position(within(p.t), id, q.Query); at != slices.Index(want, id) || err != nil {
		p.t.Errorf("%s: %v by %q: Position(%d) = %d, %v, want %d", what, q.all, q.terms, id, at, err, slices.Index(want, id))
	}
}

// A group is the first record with a value and the number of records that have it.
type group struct{ First, N int }

// group compares the values of a field.
func (p *player) group(what string, from Source, m *model, q testedQuery) {
	p.t.Helper()
	name := strings.TrimPrefix(strings.Split(p.orders[p.rng.IntN(len(p.orders))], ",")[0], "-")
	if name == "" || p.open() && !slices.Contains(m.names(), name) {
		return
	}
	var want, got []group
	var last *record
	for _, id := range selected(m.entries(), name, q.holds) {
		if r := m.records[id]; last == nil || compareField(last, r, name) != 0 {
			last, want = r, append(want, group{id, 0})
		}
		want[len(want)-1].N++
	}
	q.Terms = parse(name)
	p.groups++
	groups, err := of(from).Groups(within(p.t), q.Query)
	if err != nil {
		p.t.Errorf("%s: Groups of %v by %s: %v", what, q.all, name, err)
		return
	}
	groups(func(e *Entry, n int) bool { got = append(got, group{e.ID, n}); return true })
	if diff := cmp.Diff(want, got); diff != "" {
		plan, _ := of(from).Explain(within(p.t), q.Query)
		p.t.Errorf("%s: groups of %v by %s: %s (-want +got):\n%s", what, q.all, name, plan, diff)
	}
}

func (p *player) change(id int, old *Entry, changes map[int]*record) Change {
	if old != nil && p.rng.IntN(2) == 0 {
		changes[id] = nil
		return Change{Old: old}
	}
	changes[id] = p.record(id)
	return Change{old, &changes[id].Entry}
}

// batch makes up to n changes in a batch, which may fail, and queries between them.
func (p *player) batch(c *Store, m *model, n int) {
	refused := errors.New("refused")
	fails, next, used := p.rng.IntN(5) == 0, m.clone(), 0
	changes := map[int]*record{}
	err := c.Batch(func(tx *Tx) error {
		for range n {
			id := 1 + p.rng.IntN(80)
			tx.Write(p.change(id, tx.Get(id), changes))
			if r := changes[id]; r != nil {
				next.records[id], used = r, max(used, id)
			} else if delete(next.records, id); m.records[id] == nil {
				delete(changes, id)
			}
			if tx.Get(id) != entryOf(next.records[id]) || tx.LastID() != max(m.last, used) {
				p.t.Errorf("batch: Get(%d) = %v, LastID() = %d", id, tx.Get(id), tx.LastID())
			}
			if p.rng.IntN(n) < 2 {
				p.find("batch", tx, next)
				p.find("store during a batch", c, m)
			}
		}
		if fails {
			return refused
		}
		return nil
	})
	if fails != (err == refused) {
		p.t.Errorf("Batch() = %v", err)
	}
	if !fails && len(changes) > 0 {
		m.apply(changes, p.typ.History)
	}
	if !fails {
		m.last, m.used = max(m.last, used), max(m.used, used)
	}
}

// entryOf returns the entry of a record, or nil.
func entryOf(r *record) *Entry {
	if r == nil {
		return nil
	}
	return &r.Entry
}

// replace replaces all records.
func (p *player) replace(c *Store, m *model) {
	changes, r := map[int]*record{}, Replacement{Store: c, UsedID: p.rng.IntN(100)}
	for id := range m.records {
		changes[id] = nil
	}
	for id := 1; id < p.rng.IntN(60); id += 1 + p.rng.IntN(3) {
		changes[id] = p.record(id)
		r.Entries = append(r.Entries, &changes[id].Entry)
	}
	must(p.t, replace(r))
	m.used = 0
	m.apply(changes, p.typ.History)
	m.last, m.used = max(m.last, r.UsedID), max(m.used, r.UsedID)
}

// ask asks for an order 30 times beside writes, after which it has its index.
func (p *player) ask(c *Store, m *model) {
	order := p.orders[p.rng.IntN(len(p.orders))]
	q := Query{Terms: parse(order), Lenient: true}
	for range 30 {
		p.batch(c, m, []int{1, 20}[p.rng.IntN(2)])
		if _, n, err := of(c).Page(within(p.t), q); n != len(m.records) || err != nil {
			p.t.Errorf("by %q: count %d, %v, want %d", order, n, err, len(m.records))
		}
	}
	s := c.Current()
	terms, _, err := s.canonical(nil, &q)
	if err != nil || findTerms(s.indexes, terms) < 0 && len(terms) > 0 && p.prefix == "" {
		p.t.Errorf("after 30 pages by %q there are the indexes %v, %v", order, indexed(c), err)
	}
}

// bounded reports whether the indexes that queries cause are few and small.
func bounded(s *State) bool {
	n, bytes := 0, 0
	for _, x := range s.indexes {
		if !x.kept {
			n, bytes = n+1, bytes+x.keySize()+itemSize*x.len()
		}
	}
	return n <= maxSingle+maxCombined && bytes <= 3*maxPerRecord*s.Len()
}

// readsOne reports whether a plan reads at most one record.
var readsOne = regexp.MustCompile(`^range of [^:]*: [01] of |^all [01] records`)

// step makes a random call.
func (p *player) step() {
	i := p.rng.IntN(len(p.stores))
	c, m := p.stores[i], p.models[i]
	switch p.rng.IntN(16) {
	case 0:
		j := p.rng.IntN(3)
		if j >= len(p.stores) {
			p.stores, p.models, j = append(p.stores, nil), append(p.models, nil), len(p.stores)
		}
		p.stores[j], p.models[j] = Clone(c)[0], m.clone()
	case 1:
		p.held = append(p.held, heldState{c.Current(), nil, m.clone()})
	case 2:
		s, pin := c.pin()
		p.held = append(p.held, heldState{s, pin, m.clone()})
	case 3:
		p.replace(c, m)
	case 4, 5:
		p.batch(c, m, []int{1, 3, fewChanges, 20, 150}[p.rng.IntN(5)])
	case 6:
		if p.rng.IntN(10) == 0 {
			p.ask(c, m)
		}
		fallthrough
	case 7, 8:
		p.find("store", c, m)
		p.find("current state", c.Current(), m)
	default:
		id, before := 1+p.rng.IntN(80), c.published.Load()
		changes := map[int]*record{}
		if ch := p.change(id, c.Get(id), changes); ch.New != nil {
			put(c, changes[id])
		} else {
			remove(c, id)
		}
		m.apply(changes, p.typ.History)
		if c.published.Load() == before {
			p.places++
		}
	}
	if p.rng.IntN(4) == 0 { // it freezes the state, so that the next write is not in place
		p.compare(c, m)
	}
	for i := len(p.held) - 1; i >= 0; i-- {
		h := p.held[i]
		if !slices.Equal(h.state.Entries(), h.model.entries()) || h.state.Revision() != h.model.revision {
			p.t.Fatal("a state has changed")
		}
		if h.pin == nil && p.rng.IntN(4) == 0 {
			p.find("held state", h.state, h.model)
		}
		if p.rng.IntN(4) == 0 {
			unpin(h.pin)
			p.held = slices.Delete(p.held, i, i+1)
		}
	}
}

// compare compares all that needs no query.
func (p *player) compare(c *Store, m *model) {
	s, since := c.Current(), []uint64{0, m.from, m.revision, math.MaxUint64, p.rng.Uint64N(m.revision + 1)}[p.rng.IntN(5)]
	events, from, now := c.Since(since)
	want := slices.DeleteFunc(slices.Clone(m.events), func(ev Event) bool { return ev.Revision <= since })
	if !slices.Equal(want, events) || from != m.from || now != m.revision || c.Revision() != now {
		p.t.Fatalf("Since(%d) = %v, %d, %d, want %v, %d, %d", since, events, from, now, want, m.from, m.revision)
	}
	highest := 0
	for id := range m.records {
		highest = max(highest, id)
	}
	got := []int{c.Len(), s.LastID(), s.UsedID(), s.MaxID()}
	if diff := cmp.Diff([]int{len(m.records), m.last, m.used, highest}, got); diff != "" {
		p.t.Fatalf("Len, LastID, UsedID, MaxID (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(m.names(), s.Names()); diff != "" && p.open() {
		p.t.Fatalf("names (-want +got):\n%s", diff)
	}
	if id := p.rng.IntN(90); c.Get(id) != entryOf(m.records[id]) {
		p.t.Fatalf("Get(%d) is not the record of the model", id)
	}
	if !bounded(s) {
		p.t.Fatalf("the indexes %v of %d records exceed the bound", indexed(c), s.Len())
	}
	must(p.t, c.Check())
}

// All random calls to stores, clones, batches and held states have the results of the
// model.
func TestModel(t *testing.T) {
	fixed, open, declared := newType(50), newMemberType(), newType(10)
	for _, order := range []string{"number,text", "note,-number,id", "text,-id", "note"} {
		must(t, declared.AddIndex(parse(order)))
	}
	declared.Default = parse("text")
	open.History, open.Default, fixed.Default = 20, parse("-a"), parse("-number")
	steps, err := strconv.Atoi(os.Getenv("BACKLIST_MODEL_STEPS"))
	if err != nil {
		steps = 300
		if os.Getenv("BACKLIST_LONG") != "" {
			steps = 1000
		}
	}
	orders := []string{
		"", "id", "-id", "number", "-number", "text", "-note", "number,text", "-number,text", "note,-id", "-text,id",
		"text,-number,note", "number,-id", "-id,text",
	}
	for _, row := range []struct {
		reason string
		typ    *Type
		prefix string
		orders []string
	}{
		{"records with the same fields", fixed, "", orders},
		{"declared indexes", declared, "", orders},
		{"declared indexes with large keys", declared, strings.Repeat("x", 2*maxPerRecord), orders},
		{"keys that are too large for indexes", fixed, strings.Repeat("x", 2*maxPerRecord), orders},
		{"records with members", open, "", []string{"", "-id", "a", "-a", "b,a", "-start_date,b", "a,-id", "c", "c,-a", "b,-c"}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			p := &player{t: t, rng: random(t), typ: row.typ, prefix: row.prefix, orders: row.orders, stores: []*Store{New(row.typ)},
				models: []*model{{records: map[int]*record{}}}}
			for range steps {
				p.step()
			}
			t.Logf("%d queries, %d of counts of values", p.queries, p.groups)
			for _, h := range p.held {
				unpin(h.pin)
			}
			for _, c := range p.stores {
				if !c.pins.idle() {
					t.Error("a query left a pin")
				}
			}
			if p.wanted == 0 {
				t.Error("no index was built for a query")
			}
			if p.places < steps/20 {
				t.Errorf("%d writes were made in place", p.places)
			}
		})
	}
}
