package store

import (
	"fmt"
	"math"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// fewChanges is the largest number of changes that are applied one by one while
// the state mutex is held. Readers may wait that long.
const fewChanges = 8

// fewMembers is the largest number of members that are counted while the state mutex is
// held, and of names in the map that is reused by writes.
const fewMembers = 256

// A pending is what a writer changes in a store.
type pending struct {
	store    *Store
	changes  []Change // at most one for each record, sorted by id
	used     int      // highest id that was used besides theirs, or 0
	revision uint64   // at which the changes become visible
	state    *State   // the published state or, later, its successor
	woken    chan struct{}
}

// A Commit is what a journal is told about a store: the changes of one batch, which can be
// none, the revision at which they become visible, and the highest id ever used. The journal
// must not keep Changes.
type Commit struct {
	Store    *Store
	Revision uint64
	LastID   int
	Changes  []Change
}

// SetJournal sets the function that is called before the changes of a batch of any of the
// stores become visible, after everything is checked. If it returns an error or panics,
// nothing changes. It runs under the writers' mutexes. Nil removes it.
func SetJournal(stores []*Store, journal func([]Commit) error) {
	for _, c := range stores {
		c.writing.Lock()
		defer c.writing.Unlock()
	}
	for _, c := range stores {
		c.journal = journal
	}
}

// callJournal calls the journal, if there is one.
func callJournal(all []pending) error {
	journal := all[0].store.journal
	if journal == nil {
		return nil
	}
	commits := make([]Commit, len(all))
	for i, p := range all {
		commits[i] = Commit{p.store, p.revision, max(p.used, p.store.published.Load().lastID), p.changes}
	}
	return journal(commits)
}

// Write applies and returns the change that prepare returns for the current
// state. If prepare returns an error or panics, if the change would make a
// [*Duplicate], or if the journal fails, nothing changes. Other writers wait for prepare,
// which may run callbacks; readers do not. O(indexes × log n).
func (c *Store) Write(prepare func(s *State) (Change, error)) (Change, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	ch, err := prepare(c.published.Load())
	if err != nil {
		return Change{}, err
	}
	c.one[0] = ch
	c.alone[0] = pending{store: c, changes: c.one[:]}
	if err := commit(c.alone[:]); err != nil {
		return Change{}, err
	}
	return ch, nil
}

// WriteAll applies the changes that prepare returns, at most one for each record and sorted
// by id, as one batch, and returns their number. Nothing changes if prepare returns an error
// or panics, if the changes would make a [*Duplicate], or if the journal fails. Other writers
// wait for prepare, which may run callbacks; readers do not.
func (c *Store) WriteAll(prepare func() ([]Change, error)) (n int, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	changes, err := prepare()
	if err != nil || len(changes) == 0 {
		return 0, err
	}
	if err := commit([]pending{{store: c, changes: changes}}); err != nil {
		return 0, err
	}
	return len(changes), nil
}

// commit makes changes visible at one instant, in each store as one revision. The
// writers' mutexes must be held and the stores be in the order of their catalogue. If the
// error, a [*Duplicate] or that of the journal, is not nil, nothing changes.
func commit(all []pending) error {
	defer clearScratch(all)
	few := 0
	for i := range all {
		p := &all[i]
		c, s := p.store, p.store.published.Load()
		c.members = c.typ.memberChanges(c.members, p.changes)
		if err := s.unique(p.changes); err != nil {
			return err
		}
		for _, ch := range p.changes {
			if ch.New != nil {
				p.used = max(p.used, ch.New.ID)
			}
		}
		p.revision = s.revision.Load()
		if len(p.changes) > 0 {
			p.revision++
		}
		if few += len(p.changes); s.needsCompaction() || len(c.members) > fewMembers {
			few = math.MaxInt / 2
		}
	}
	if few <= fewChanges {
		return commitFew(all)
	}
	return commitMany(all)
}

// commitFew changes the published states in place, or forks of them if readers may be
// using them. While it computes keys and calls the journal, indexes can be
// installed and builds can begin or end.
func commitFew(all []pending) error {
	for i := range all {
		p := &all[i]
		p.state = p.store.published.Load()
		p.store.scratch = p.state.appendKeys(p.store.scratch[:0], p.changes)
	}
	if err := callJournal(all); err != nil {
		return err
	}
	pause()
	for i := range all {
		all[i].store.committing.Lock()
	}
	for i := range all {
		all[i].store.mu.Lock()
	}
	for i := range all {
		p := &all[i]
		c, before := p.store, p.state
		now := c.published.Load()
		p.state = c.writable(now)
		if now != before {
			c.scratch = p.state.rearrange(before, len(p.changes), c.scratch)
		}
		p.state.apply(p.changes, c.scratch)
		p.state.useID(p.used)
		p.state.history.add(p.revision, p.changes, c.typ.History)
		p.state.recount(c.members)
		p.state.age(len(p.changes))
		p.state.evict()
	}
	publish(all)
	for i := range all {
		all[i].store.committing.Unlock()
	}
	for i := range all {
		wake(all[i].woken)
	}
	return nil
}

// rearrange returns keys in the order that apply wants. They were computed for the indexes
// and builds of the state before, which has the same records. An index that was
// installed later is dropped, to be built again on its next use. A build that began later
// computes its keys itself. The state must be a fork.
func (s *State) rearrange(before *State, changes int, computed []keys) (arranged []keys) {
	place := func(terms []ordering.Term) int {
		if i := findTerms(before.indexes, terms); i >= 0 {
			return i
		}
		i := slices.IndexFunc(before.builds, func(b *build) bool { return slices.Equal(b.terms, terms) })
		if i >= 0 {
			i += len(before.indexes)
		}
		return i
	}
	s.indexes = slices.DeleteFunc(s.indexes, func(x orderingIndex) bool { return place(x.terms) < 0 })
	width := len(before.indexes) + len(before.builds)
	for i := range changes {
		row := computed[i*width:]
		for _, x := range s.indexes {
			arranged = append(arranged, row[place(x.terms)])
		}
		for _, b := range s.builds {
			k := keys{missing: true}
			if i := place(b.terms); i >= 0 {
				k = row[i]
			}
			arranged = append(arranged, k)
		}
	}
	return arranged
}

// clearScratch clears the references in the writers' scratch memory.
func clearScratch(all []pending) {
	for i := range all {
		c := all[i].store
		c.one[0], c.alone[0] = Change{}, pending{}
		clear(c.scratch[:cap(c.scratch)])
		if len(c.members) > fewMembers {
			c.members = nil // clearing a large map is slow, even when it has few names by then
		}
		clear(c.members)
	}
}

// commitMany applies changes to forks of all trees, in parallel and without
// holding the state mutexes, and publishes them.
func commitMany(all []pending) error {
	for i := range all {
		all[i].fork()
	}
	if err := callJournal(all); err != nil {
		return err
	}
	pause()
	publishForks(all)
	return nil
}

// fork makes the state to publish.
func (p *pending) fork() {
	c := p.store
	next := c.forked()
	next.recount(c.members)
	next.primary.setAll(p.changes)
	if len(p.changes) > next.Len()/2 {
		next.primary.compact()
		next.refill(next.Entries())
	} else {
		parallel(len(next.indexes), func(i int) { next.indexes[i].setAll(p.changes) })
	}
	next.compact()
	next.history.add(p.revision, p.changes, c.typ.History)
	next.useID(p.used)
	next.age(len(p.changes))
	p.state = next
}

// refill replaces all indexes but the primary one by indexes of entries.
func (s *State) refill(entries []*Entry) {
	parallel(len(s.indexes), func(i int) {
		x := &s.indexes[i]
		x.index = x.empty()
		x.fill(entries)
	})
}

// forked returns a fork of the published state.
func (c *Store) forked() *State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.published.Load().fork()
}

// compact compacts the trees that need it.
func (s *State) compact() {
	if s.primary.needsCompaction() {
		s.primary.compact()
	}
	for _, x := range s.indexes {
		if x.needsCompaction() {
			x.compact()
		}
	}
}

// publishForks makes forks visible at one instant. The writers' mutexes must be held. All
// callers must list the stores in the same order. O(indexes of all stores).
func publishForks(all []pending) {
	for i := range all {
		all[i].store.mu.Lock()
	}
	for i := range all {
		all[i].store.succeed(all[i].state)
	}
	publish(all)
	for i := range all {
		wake(all[i].woken)
	}
}

// publish makes the next states visible at one instant and unlocks the state mutexes, which
// must be held. It withdraws all published states before it publishes the first, so a reader
// that has seen one, or its revision, does not see the predecessor of another. Between the
// two steps it does nothing else, because readers wait. The caller passes woken to wake.
func publish(all []pending) {
	if len(all) > 1 {
		for i := range all {
			all[i].store.published.Store(nil)
		}
	}
	for i := range all {
		c := all[i].store
		all[i].woken, c.next = c.next, nil
		all[i].state.revision.Store(all[i].revision)
		c.published.Store(all[i].state)
	}
	for i := range all {
		all[i].store.mu.Unlock()
	}
}

func wake(next chan struct{}) {
	if next != nil {
		close(next)
	}
}

// succeed prepares s, which began as a fork of the published state, for its publication.
// An index that was installed since the fork is dropped, to be built
// again on its next use, and the builds in progress start over. If the writer
// started over instead, readers that request new orderings could delay it without
// limit. The state mutex must be held.
func (c *Store) succeed(s *State) {
	now := c.published.Load()
	s.indexes = slices.DeleteFunc(s.indexes, func(x orderingIndex) bool { return findTerms(now.indexes, x.terms) < 0 })
	s.builds = now.builds
	for _, b := range s.builds {
		b.stale, b.missed = true, nil
	}
	s.evict()
}

// A Replacement specifies the new records of a store for [Replace]. Entries are
// sorted by id. UsedID is the highest id that is known to have been used, or 0.
type Replacement struct {
	Store   *Store
	Entries []*Entry
	UsedID  int
}

// Replace replaces the records of stores at one instant. The stores must be sorted by their
// order. If a callback panics or the journal returns an error, nothing changes.
// O(n log n × indexes).
func Replace(all []Replacement) error {
	for _, r := range all {
		r.Store.writing.Lock()
		defer r.Store.writing.Unlock()
	}
	return replace(all)
}

// Replace replaces all records by the entries that prepare returns, which must be
// sorted by id. If prepare or the journal returns an error or panics, nothing changes.
// O(n log n × indexes).
func (c *Store) Replace(prepare func(s *State) ([]*Entry, error)) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	entries, err := prepare(c.published.Load())
	if err != nil {
		return err
	}
	return replace([]Replacement{{Store: c, Entries: entries}})
}

// replace is [Replace] for stores whose writers' mutexes are held.
func replace(all []Replacement) error {
	next := make([]pending, len(all))
	for i, r := range all {
		next[i] = r.prepare()
	}
	if len(all) == 0 {
		return nil
	}
	if err := callJournal(next); err != nil {
		return err
	}
	publishForks(next)
	return nil
}

// prepare makes the state to publish.
func (r Replacement) prepare() pending {
	c := r.Store
	s := c.forked()
	p := pending{store: c, revision: s.revision.Load() + 1, state: s}
	s.names = c.typ.membersOf(r.Entries)
	s.dropUnnamed()
	if s.history.events != nil || c.journal != nil {
		p.changes = difference(s.Entries(), r.Entries)
		s.history.add(p.revision, p.changes, c.typ.History)
	}
	s.primary = newPrimary()
	s.primary.fill(r.Entries)
	s.usedID = 0
	s.useID(max(r.UsedID, s.MaxID()))
	p.used = s.usedID
	s.refill(r.Entries)
	return p
}

// A Duplicate is the error of a write after which two records would have the same value
// of a unique field.
type Duplicate struct {
	Store *Store
	Field string
	Entry *Entry // the entry that was to be written
	Other int    // the id of the record that has the value
}

func (d *Duplicate) Error() string {
	return fmt.Sprintf("id %d has the %s of id %d", d.Entry.ID, d.Field, d.Other)
}

// keptIndexes returns an empty index for each unique field and each declared order. They are
// never dropped.
func (typ *Type) keptIndexes() (list []orderingIndex) {
	keep := func(terms []ordering.Term, unique bool) {
		if findTerms(list, terms) < 0 {
			x := newIndex(typ.resolve(terms), terms)
			list = append(list, orderingIndex{terms: terms, index: x, usage: newUsage(0), kept: true, unique: unique})
		}
	}
	for _, field := range typ.Unique {
		if field != typ.ID {
			keep([]ordering.Term{ordering.Asc(field)}, true)
		}
	}
	for _, terms := range typ.indexes {
		keep(terms, false)
	}
	return list
}

// unique returns a [*Duplicate] if the state would have one after changes, which have at
// most one change for each record. It runs callbacks.
// O(changes × unique fields × log n).
func (s *State) unique(changes []Change) (err error) {
	for _, x := range s.indexes {
		if x.unique && err == nil {
			err = s.uniqueIn(x, changes)
		}
	}
	return err
}

func (s *State) uniqueIn(x orderingIndex, changes []Change) error {
	key := s.typ.resolve(x.terms)[0].Key
	var written map[string]int // ids by encoded key
	if len(changes) > 1 {
		written = make(map[string]int, len(changes))
	}
	for _, ch := range changes {
		if ch.New == nil {
			continue
		}
		k := key(ch.New)
		if k.Compare(sortkey.Null()) == 0 {
			continue
		}
		if written != nil {
			encoded := string(k.Append(nil))
			if id, twice := written[encoded]; twice {
				return &Duplicate{s.store.Value(), x.terms[0].Field, ch.New, id}
			}
			written[encoded] = ch.New.ID
		}
		other := x.first(bound{key: k}, bound{key: k, id: beforeNext}, false)
		if other != nil && !changed(changes, other.ID) {
			return &Duplicate{s.store.Value(), x.terms[0].Field, ch.New, other.ID}
		}
	}
	return nil
}

// changed reports whether changes, which are sorted by id, have one for the record with
// the id.
func changed(changes []Change, id int) bool {
	_, found := slices.BinarySearchFunc(changes, id, func(ch Change, id int) int { return ch.ID() - id })
	return found
}
