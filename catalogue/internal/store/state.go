package store

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"weak"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A State is a collection at one instant. A frozen state never changes. A writer
// may withdraw any other published state, change it in place and publish it again.
type State struct {
	typ   *Type
	store weak.Pointer[Store] // weak, so that a state does not keep later records alive
	*policy
	slots slots

	primary primary
	indexes []orderingIndex
	names   members // names of the fields if typ.Members is set
	lastID  int     // highest id ever used
	usedID  int     // highest id used by the last replacement or after it
	history history

	// revision is the number of writes. Readers load it without a pin.
	revision atomic.Uint64

	frozen atomic.Bool  // a caller may use the state without a pin
	hot    bool         // the next read freezes it; set before it is published
	reads  atomic.Int32 // pinned reads since the last write

	sorted sortCache
	hits   atomic.Pointer[hits]
	draft  bool // of a batch, with changes that the store does not have
}

// Len returns the number of records. O(1).
func (s *State) Len() int { return s.primary.len() }

// Revision returns the number of writes that led to the state.
func (s *State) Revision() uint64 { return s.revision.Load() }

// LastID returns the highest id that was ever used. The next assigned id is
// greater.
func (s *State) LastID() int { return s.lastID }

// UsedID returns the highest id that was used by the last replacement of all
// records or after it. It is saved with the records.
func (s *State) UsedID() int { return s.usedID }

// useID records that an id is used.
func (s *State) useID(id int) { s.lastID, s.usedID = max(s.lastID, id), max(s.usedID, id) }

// MaxID returns the highest id of a record, or 0 if there are no records.
// O(log n).
func (s *State) MaxID() int { return s.primary.maxID() }

// Names returns the sorted names of the fields that at least one record has. It
// returns nil if the type has no Members. O(names).
func (s *State) Names() []string { return s.names.names() }

// Get returns the entry with the id, or nil if none exists. O(log n).
func (s *State) Get(id int) *Entry { return s.primary.get(id) }

// Holder returns the first entry with a key of a unique field, or nil if none exists. O(log n).
func (s *State) Holder(field string, k sortkey.Key) *Entry {
	i := slices.IndexFunc(s.indexes, func(x orderingIndex) bool { return len(x.terms) == 1 && x.terms[0].Field == field })
	return s.indexes[i].first(bound{key: k}, bound{key: k, id: beforeNext}, false)
}

// Entries returns all entries, sorted by id. O(n).
func (s *State) Entries() []*Entry {
	return s.primary.walk(make([]*Entry, 0, s.Len()), 0, s.Len(), false)
}

// fork returns a state with the same records for a writer to change. It writes to
// the trees of s, so the state mutex of its store must be held, and it excludes forks of the states of
// other stores that have the same trees: of a collection and of its snapshots. O(indexes).
func (s *State) fork() *State {
	s.policy.mu.Lock()
	defer s.policy.mu.Unlock()
	f := s.sibling()
	f.primary = s.primary.fork().(primary)
	f.indexes = slices.Clone(s.indexes)
	for i := range f.indexes {
		f.indexes[i].index = s.indexes[i].fork()
	}
	f.history = s.history.fork()
	return f
}

// sibling returns a state with the same trees. Neither state may be changed in
// place.
func (s *State) sibling() *State {
	sibling := &State{
		typ: s.typ, store: s.store, policy: s.policy, slots: s.slots,
		primary: s.primary, indexes: s.indexes, names: s.names, draft: s.draft,
		lastID: s.lastID, usedID: s.usedID, history: s.history,
	}
	sibling.revision.Store(s.revision.Load())
	return sibling
}

// index returns the index of a canonical ordering, or nil if none exists. It records the use.
func (s *State) index(terms []ordering.Term) sequence {
	if len(terms) == 0 {
		return s.primary
	}
	i := findTerms(s.indexes, terms)
	if i < 0 {
		return nil
	}
	s.use(&s.indexes[i])
	return s.indexes[i].index
}

// sequence returns the entries in the order of canonical terms, or nil if there is no
// such sequence yet.
func (s *State) sequence(terms []ordering.Term) sequence {
	if x := s.index(terms); x != nil {
		return x
	}
	return s.sorted.ready(terms)
}

// prepare computes the items of changes for all trees. It may run callbacks.
func (s *State) prepare(changes []Change) {
	s.primary.prepare(changes)
	for _, x := range s.indexes {
		x.prepare(changes)
	}
}

// apply makes the changes that a state, or the one of which it is a fork, has prepared.
// O(changes × indexes × log n).
func (s *State) apply(prepared *State) {
	s.primary.apply(prepared.primary)
	for i := range s.indexes {
		s.indexes[i].apply(prepared.indexes[i].index)
	}
}

// needsCompaction reports whether a tree of the state should be compacted.
func (s *State) needsCompaction() bool {
	return s.primary.needsCompaction() ||
		slices.ContainsFunc(s.indexes, func(x orderingIndex) bool { return x.needsCompaction() })
}

// An Event is the change of one record in a history.
type Event struct {
	Revision uint64
	ID       int
	Old      *Entry // nil if the record was inserted
	New      *Entry // nil if the record was deleted
	Last     bool   // the last event of its revision
}

// history keeps the last events of a state in a tree. Adding an event and dropping
// the oldest is O(log events), a fork is O(1), and dropped events can be collected.
// The zero value keeps no events.
type history struct {
	events set[Event]
	from   uint64 // all events after this revision are kept
}

// newHistory returns a history without events that begins after a revision.
func newHistory(from uint64) history {
	return history{newSet(func(a, b Event) bool {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.ID, b.ID)) < 0
	}), from}
}

// fork returns a fork of the history. It writes to h. O(1).
func (h history) fork() history {
	if h.events != nil {
		h.events = forkSet(h.events)
	}
	return h
}

// add appends the changes of a revision, which are sorted by id, and drops the
// oldest events beyond limit.
func (h *history) add(revision uint64, changes []Change, limit int) {
	if h.events == nil {
		return
	}
	if len(changes) > limit {
		*h = newHistory(revision)
		return
	}
	for i, ch := range changes {
		h.events.Load(Event{revision, ch.ID(), ch.Old, ch.New, i == len(changes)-1})
	}
	for h.events.Len() > limit {
		oldest, _ := h.events.PopMin()
		h.from = oldest.Revision
	}
}

// after yields the events after a revision, oldest first.
func (h history) after(revision uint64) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		if h.events != nil && revision < math.MaxUint64 {
			h.events.Ascend(Event{Revision: revision + 1, ID: math.MinInt}, yield)
		}
	}
}

// members counts the records of a state that have each member, and so knows the names of
// its fields. The zero value is for records that all have the same fields.
type members struct {
	// records has the number of records that have the member, by JSON name. All states of a
	// store share it. A writer changes it in place while it holds [Store.committing].
	records set[count]
	// fields has the number of JSON names that are the field, by its name. It does not change.
	fields  set[count]
	fieldOf func(member string) string
}

// A count is a positive number for a name.
type count struct {
	name string
	n    int
}

func newCounts() set[count] { return newSet(func(a, b count) bool { return a.name < b.name }) }

// newMembers returns the members of no records. The fields are the ones that the type names.
func newMembers(typ *Type) (m members) {
	if typ.Members == nil {
		return m
	}
	m = members{newCounts(), newCounts(), typ.FieldOf}
	for _, name := range slices.Concat([]string{typ.ID}, slices.Concat(typ.Unique...), typ.Known) {
		add(m.fields, outerOf(name), 1)
	}
	for _, terms := range typ.indexes {
		for _, t := range terms {
			add(m.fields, outerOf(t.Field), 1)
		}
	}
	return m
}

// fork returns independent counts. It writes to m. O(1).
func (m members) fork() members {
	if m.records != nil {
		m.records, m.fields = forkSet(m.records), forkSet(m.fields)
	}
	return m
}

// add adds by to the number of a name and returns the sum.
func add(c set[count], name string, by int) int {
	found, ok := c.Get(count{name: name})
	if !ok {
		found.name = strings.Clone(name) // which may be part of the text of a record
	}
	if found.n += by; found.n == 0 {
		c.Delete(found)
	} else {
		c.Set(found)
	}
	return found.n
}

// has reports whether there is a field with the name, or one that may contain it. O(log names).
func (m members) has(name string) bool { return m.hasMember(name) || m.hasMember(outerOf(name)) }

func (m members) hasMember(name string) bool {
	_, ok := m.fields.Get(count{name: name})
	return ok
}

// outerOf returns the part of a name before the first two underscores.
func outerOf(name string) string {
	outer, _, _ := strings.Cut(name, "__")
	return outer
}

// names returns the sorted names of the fields, or nil if all records have the same.
// O(names).
func (m members) names() (names []string) {
	if m.fields != nil {
		for _, c := range m.fields.Items() {
			names = append(names, c.name)
		}
	}
	return names
}

// countMembers adds by to the numbers of the members of an entry, which may be nil.
func (typ *Type) countMembers(numbers map[string]int, e *Entry, by int) {
	if e != nil {
		for name := range typ.Members(e) {
			numbers[name] += by
		}
	}
}

// memberChanges adds to dst, which may be nil, by how much changes change the number of
// records that have each member. It returns nil if all records have the same fields.
// O(members of the records).
func (typ *Type) memberChanges(dst map[string]int, changes []Change) map[string]int {
	if typ.Members == nil {
		return nil
	}
	if dst == nil {
		dst = map[string]int{}
	}
	for _, ch := range changes {
		typ.countMembers(dst, ch.New, 1)
		typ.countMembers(dst, ch.Old, -1)
	}
	return dst
}

// membersOf returns the members of entries, which are sorted by id.
func (typ *Type) membersOf(entries []*Entry) members {
	return newMembers(typ).counted(typ.memberChanges(nil, difference(nil, entries)))
}

// counted adds changes to the numbers of records and returns the members after them. A member
// without a name is not a field. O(changes × log names).
func (m members) counted(changes map[string]int) members {
	forked := false
	for name, by := range changes {
		if by == 0 {
			continue
		}
		n := add(m.records, name, by)
		if n != 0 && n != by {
			continue
		}
		if !forked {
			m.fields, forked = forkSet(m.fields), true
		}
		switch field := m.fieldOf(name); {
		case field == "":
		case n == 0:
			add(m.fields, field, -1)
		default:
			add(m.fields, field, 1)
		}
	}
	return m
}

// rename sets the members, and drops the indexes of fields that no record has.
func (s *State) rename(names members) {
	same := s.names.fields == names.fields
	if s.names = names; same {
		return
	}
	s.indexes = slices.DeleteFunc(s.indexes, func(x orderingIndex) bool { return !s.typ.hasAll(x.terms, s.names) })
}

// has reports whether a state with these names has the field.
func (typ *Type) has(name string, names members) bool {
	if typ.Members == nil {
		_, ok := typ.Field(name)
		return ok
	}
	return names.has(name)
}

// hasAll reports whether a state with these names has the fields of all terms.
func (typ *Type) hasAll(terms []ordering.Term, names members) bool {
	return !slices.ContainsFunc(terms, func(t ordering.Term) bool { return !typ.has(t.Field, names) })
}

// check returns an error for the first term whose field is unknown. Making the error takes
// O(names).
func (typ *Type) check(terms []ordering.Term, names members) error {
	for _, t := range terms {
		switch {
		case typ.has(t.Field, names):
		case typ.Members == nil:
			return fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, t.Field, ordering.Suggest(t.Field, typ.Names))
		default:
			if outer := outerOf(t.Field); outer != t.Field {
				return fmt.Errorf("%w: %q: no record has %q: %s", ordering.ErrUnknownField, t.Field, outer, ordering.Suggest(outer, names.names()))
			}
			return fmt.Errorf("%w: no record has %q: %s", ordering.ErrUnknownField, t.Field, ordering.Suggest(t.Field, names.names()))
		}
	}
	return nil
}

// Check returns an error that describes the first violated invariant of the state
// that it finds, or nil: each index has each entry once, in order, by its key and
// at its position, and is within its limits. It is for tests. O(indexes × n log n).
func (s *State) Check() error {
	for _, e := range s.Entries() {
		if e.ID < 1 || e.ID > s.lastID {
			return fmt.Errorf("id %d is stored, the highest id is %d", e.ID, s.lastID)
		}
	}
	if err := cmp.Or(s.checkIndex(nil, s.primary), s.unique(difference(nil, s.Entries()))); err != nil {
		return err
	}
	for _, x := range s.typ.keptIndexes() {
		if i := findTerms(s.indexes, x.terms); i < 0 || !s.indexes[i].kept {
			return fmt.Errorf("the index by %s is missing", ordering.Format(x.terms))
		}
	}
	for i, x := range s.indexes {
		if err := s.checkIndex(x.terms, x.index); err != nil {
			return err
		}
		if findTerms(s.indexes, x.terms) != i {
			return fmt.Errorf("ordering %s has two indexes", ordering.Format(x.terms))
		}
	}
	limited := s.sibling()
	limited.indexes = slices.Clone(s.indexes)
	// Searches may have made texts since the last write.
	if limited.evictBeside(0); len(limited.indexes) < len(s.indexes) {
		return fmt.Errorf("%d indexes exceed the limits", len(s.indexes)-len(limited.indexes))
	}
	return nil
}

// checkIndex checks that the index of terms has all entries, sorted by them.
func (s *State) checkIndex(terms []ordering.Term, x index) error {
	fields := s.typ.resolve(terms)
	all := x.page(nil, 0, x.len(), false)
	for i, e := range all {
		if s.Get(e.ID) != e || i > 0 && compareEntries(all[i-1], e, fields, terms) >= 0 {
			return fmt.Errorf("ordering %q: id %d is out of order or not the record", ordering.Format(terms), e.ID)
		}
	}
	if len(all) != s.Len() {
		return fmt.Errorf("ordering %q: %d entries, want %d", ordering.Format(terms), len(all), s.Len())
	}
	if err := x.check(); err != nil {
		return fmt.Errorf("ordering %q: %w", ordering.Format(terms), err)
	}
	return nil
}
