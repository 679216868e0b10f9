package store

import (
	"math"
)

// fewChanges is the largest number of changes that are applied one by one while
// the state mutex is held. Readers may wait that long.
const fewChanges = 8

// fewMembers is the largest number of names in the map that is reused by writes.
const fewMembers = 256

// A pending is what a writer changes in a store.
type pending struct {
	store *Store
	edit
	used     int     // highest id that was used besides theirs, or 0
	revision uint64  // at which the changes become visible
	state    *State  // the published state or, later, its successor
	names    members // after the changes
	woken    chan struct{}
}

// An edit is what a write does to the entries.
type edit struct {
	changes  []Change // at most one for each record, sorted by id
	replaced bool     // entries replace all records; changes then serve the history and the journal only
	entries  []*Entry // sorted by id
}

// apply returns the index after the edit. It may change x and run callbacks.
func (e *edit) apply(x index) index {
	if e.replaced {
		x = x.empty()
		x.fill(e.entries)
	} else {
		x.setAll(e.changes)
	}
	return x
}

// A Commit has what one batch changes in a store: the changes, which can be none, the
// revision at which they become visible, and the highest id ever used. The journal must not
// keep Changes.
type Commit struct {
	Store    *Store
	Revision uint64
	LastID   int
	Changes  []Change
}

// SetJournal sets a function that is called with each validated batch before it is visible.
// If it returns an error or panics, nothing changes. It runs under the writers' mutexes. Nil
// removes it.
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
	c.alone[0] = pending{store: c, edit: edit{changes: c.one[:]}}
	if err := commit(c.alone[:]); err != nil {
		return Change{}, err
	}
	return ch, nil
}

// commit makes changes visible at one instant, in each store as one revision. The writers'
// mutexes must be held and the stores be in the order of their catalogue. If the error, a
// [*Duplicate] or the journal's, is not nil, nothing changes.
func commit(all []pending) (err error) {
	defer func() { clearScratch(all, err != nil) }()
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
		if few += len(p.changes); s.needsCompaction() {
			few = math.MaxInt / 2
		}
	}
	if few <= fewChanges {
		return commitFew(all)
	}
	return commitMany(all)
}

// commitFew changes the published states in place, or forks of them if readers may be
// using them.
func commitFew(all []pending) error {
	for i := range all {
		p := &all[i]
		p.state = p.store.published.Load()
		p.state.prepare(p.changes)
	}
	if err := callJournal(all); err != nil {
		return err
	}
	conclude(all, func(p *pending) {
		c, prepared := p.store, p.state
		p.state = c.writable(prepared)
		p.state.apply(prepared)
		p.state.useID(p.used)
		p.state.history.add(p.revision, p.changes, c.typ.History)
		p.state.rename(p.names)
		p.state.age(len(p.changes))
	})
	return nil
}

// clearScratch clears the references in the writers' scratch memory.
func clearScratch(all []pending, failed bool) {
	for i := range all {
		c := all[i].store
		if failed {
			c.published.Load().prepare(nil)
		}
		c.one[0], c.alone[0] = Change{}, pending{}
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
	conclude(all, func(p *pending) { p.state.rename(p.names) })
	return nil
}

// fork makes the state to publish.
func (p *pending) fork() {
	c := p.store
	c.mu.Lock()
	next := c.published.Load().fork()
	c.mu.Unlock()
	refilled := p.edit
	if p.replaced {
		next.rename(c.typ.membersOf(p.entries))
		next.primary = newPrimary()
		next.primary.fill(p.entries)
		next.renew()
		next.usedID = 0
		p.used = max(p.used, next.MaxID())
	} else {
		next.primary.setAll(p.changes)
		if len(p.changes) > next.Len()/2 {
			next.primary.compact()
			refilled = edit{replaced: true, entries: next.Entries()}
		}
	}
	parallel(len(next.indexes), func(i int) { next.indexes[i].index = refilled.apply(next.indexes[i].index) })
	next.compact()
	next.history.add(p.revision, p.changes, c.typ.History)
	next.useID(p.used)
	next.age(len(p.changes))
	p.state = next
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

// conclude makes the states that change leaves in all visible at one instant. It calls change
// while it holds the state mutexes. The writers' mutexes must be held. All callers must list
// the stores in the same order.
func conclude(all []pending, change func(*pending)) {
	for i := range all {
		all[i].store.committing.Lock()
		all[i].names = all[i].state.names.counted(all[i].store.members) // readers do not wait for that
	}
	for i := range all {
		all[i].store.mu.Lock()
	}
	for i := range all {
		change(&all[i])
		s := all[i].state
		s.evict(s.primary.textSize())
	}
	publish(all)
	for i := range all {
		all[i].store.committing.Unlock()
		if woken := all[i].woken; woken != nil {
			close(woken)
		}
	}
}

// publish makes the next states visible at one instant and unlocks the state mutexes, which
// must be held. It withdraws all published states before it publishes the first, so a reader
// that has seen one, or its revision, does not see the predecessor of another. Between the
// two steps it does nothing else, because readers wait. The caller closes woken.
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
		p := &all[i]
		for _, b := range p.store.builds {
			b.miss(p.changes, p.replaced, p.state.Len())
		}
		p.store.mu.Unlock()
	}
}

// A Replacement has the new records of a store. Entries are sorted by id. UsedID is the highest
// id that is known to have been used, or 0.
type Replacement struct {
	Store   *Store
	Entries []*Entry
	UsedID  int
}

// Replace replaces, at one instant, the records of those of the stores for which prepare returns a
// replacement. Both lists are in the order of the catalogue. Other writers to stores wait for
// prepare. If prepare or the journal returns an error or panics, nothing changes.
// O(n log n × indexes).
func Replace(stores []*Store, prepare func() ([]Replacement, error)) (err error) {
	for _, c := range stores {
		c.writing.Lock()
		defer c.writing.Unlock()
	}
	all, err := prepare()
	if err != nil || len(all) == 0 {
		return err
	}
	next := make([]pending, len(all))
	defer func() { clearScratch(next, err != nil) }()
	for i, r := range all {
		s := r.Store.published.Load()
		next[i] = pending{store: r.Store, edit: edit{replaced: true, entries: r.Entries}, used: r.UsedID, revision: s.revision.Load() + 1}
		if s.history.events != nil || r.Store.journal != nil {
			next[i].changes = difference(s.Entries(), r.Entries)
		}
	}
	return commitMany(next)
}
