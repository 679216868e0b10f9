package store

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// fewChanges is the largest number of changes that are applied one by one while
// the state mutex is held. Readers may wait that long.
const fewChanges = 8

// fewMembers is the largest number of names in the map that is reused by writes.
const fewMembers = 256

// Write applies and returns the change that prepare returns for the current
// state. If prepare returns an error or panics, or if the change would make a
// [*Duplicate], nothing changes. Other writers wait for prepare, which may run
// callbacks; readers do not. O(indexes × log n).
func (c *Store) Write(prepare func(s *State) (Change, error)) (Change, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	s := c.published.Load()
	ch, err := prepare(s)
	if err != nil {
		return Change{}, err
	}
	c.one[0] = ch
	if err := c.commit(c.one[:], 0); err != nil {
		return Change{}, err
	}
	return ch, nil
}

// commit applies changes, at most one for each record and sorted by id, as one
// revision. used is the highest id that was used besides theirs, or 0. The
// writers' mutex must be held. If the error, a [*Duplicate], is not nil, nothing changes.
func (c *Store) commit(changes []Change, used int) error {
	defer c.clearScratch()
	c.members = c.typ.memberChanges(c.members, changes)
	if err := c.published.Load().unique(changes); err != nil {
		return err
	}
	for _, ch := range changes {
		if ch.New != nil {
			used = max(used, ch.New.ID)
		}
	}
	if len(changes) <= fewChanges && !c.published.Load().needsCompaction() {
		c.commitFew(changes, used)
	} else {
		c.commitMany(changes, used)
	}
	return nil
}

// commitFew changes the published state in place, or a fork of it if a reader may
// be using it.
func (c *Store) commitFew(changes []Change, used int) {
	s := c.published.Load()
	for {
		c.scratch = s.appendKeys(c.scratch[:0], changes)
		c.committing.Lock()
		c.mu.Lock()
		now := c.published.Load()
		if now == s {
			break
		}
		c.mu.Unlock() // meanwhile an index was installed or a build started or ended
		c.committing.Unlock()
		s = now
	}
	s = c.writable(s)
	s.apply(changes, c.scratch)
	s.use(used)
	s.revision++
	s.history.add(s.revision, changes, c.typ.History)
	s.recount(c.members)
	s.evict()
	next := c.publish(s)
	c.mu.Unlock()
	c.committing.Unlock()
	wake(next)
}

// clearScratch clears the references in the writer's scratch memory.
func (c *Store) clearScratch() {
	c.one[0] = Change{}
	clear(c.scratch[:cap(c.scratch)])
	if len(c.members) > fewMembers {
		c.members = nil // clearing a large map is slow, even when it has few names by then
	}
	clear(c.members)
}

// commitMany applies changes to forks of all trees, in parallel and without
// holding the state mutex, and publishes them.
func (c *Store) commitMany(changes []Change, used int) {
	next := c.forked()
	next.recount(c.members)
	next.primary.merge(changes)
	if len(changes) > next.Len()/2 {
		next.primary.compact()
		next.refill(next.Entries())
	} else {
		parallel(len(next.indexes), func(i int) { next.indexes[i].merge(changes) })
	}
	next.compact()
	next.history.add(next.revision+1, changes, c.typ.History)
	next.use(used)

	publishTogether([]successor{{c, next}})
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

// A successor is the next state of a store, which began as a fork of the published one.
type successor struct {
	store *Store
	state *State
}

// publishTogether makes the next states of stores visible at one instant. It withdraws
// all published states before it publishes the first successor, so a reader that has seen
// one successor does not see the predecessor of another. Between the two steps it does
// nothing else, because readers wait. All callers must hold the writers' mutexes and list
// the stores in the same order. O(indexes of all stores).
func publishTogether(all []successor) {
	stores := make([]*Store, len(all))
	woken := make([]chan struct{}, len(all))
	for i, next := range all {
		stores[i] = next.store
	}
	lock(stores)
	for _, next := range all {
		next.store.succeed(next.state)
	}
	for _, c := range stores {
		c.published.Store(nil)
	}
	for i, c := range stores {
		woken[i] = c.publish(all[i].state)
	}
	unlock(stores)
	for _, next := range woken {
		wake(next)
	}
}

// succeed makes s, which began as a fork of the published state, the state of the next
// revision. An index that was installed since the fork is dropped, to be built
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
	s.revision = now.revision + 1
	s.evict()
}

// A Replacement specifies the new records of a store for [Replace]. Entries are
// sorted by id. UsedID is the highest id that is known to have been used, or 0.
type Replacement struct {
	Store   *Store
	Entries []*Entry
	UsedID  int
}

// Replace replaces the records of stores at one instant. All callers must list the
// stores in the same order. If a callback panics, nothing changes.
// O(n log n × indexes).
func Replace(all []Replacement) {
	for _, r := range all {
		r.Store.writing.Lock()
		defer r.Store.writing.Unlock()
	}
	replace(all)
}

// Replace replaces all records by the entries that prepare returns, which must be
// sorted by id. If prepare returns an error or panics, nothing changes.
// O(n log n × indexes).
func (c *Store) Replace(prepare func(s *State) ([]*Entry, error)) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	entries, err := prepare(c.published.Load())
	if err == nil {
		replace([]Replacement{{Store: c, Entries: entries}})
	}
	return err
}

// replace is [Replace] for stores whose writers' mutexes are held.
func replace(all []Replacement) {
	next := make([]successor, len(all))
	for i, r := range all {
		next[i] = successor{r.Store, r.prepare()}
	}
	publishTogether(next)
}

// prepare returns the state to publish.
func (r Replacement) prepare() *State {
	c := r.Store
	s := c.forked()
	s.names = c.typ.membersOf(r.Entries)
	s.dropUnnamed()
	if s.history.events != nil {
		s.history.add(s.revision+1, difference(s.Entries(), r.Entries), c.typ.History)
	}
	s.primary = newPrimary()
	s.primary.fill(r.Entries)
	s.usedID = 0
	s.use(max(r.UsedID, s.MaxID()))
	s.refill(r.Entries)
	return s
}

// A Duplicate is the error of a write after which two records would have the same value
// of a unique field.
type Duplicate struct {
	Field string
	Entry *Entry // the entry that was to be written
	Other int    // the id of the record that has the value
}

func (d *Duplicate) Error() string {
	return fmt.Sprintf("id %d has the %s of id %d", d.Entry.ID, d.Field, d.Other)
}

// uniqueIndexes returns an empty index for each unique field. They are never dropped.
func (typ *Type) uniqueIndexes() (list []orderingIndex) {
	for _, field := range typ.Unique {
		terms := []ordering.Term{ordering.Asc(field)}
		if field != typ.ID && findTerms(list, terms) < 0 {
			list = append(list, orderingIndex{terms, newIndex(typ.resolve(terms), terms), new(atomic.Int64), true})
		}
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
				return &Duplicate{x.terms[0].Field, ch.New, id}
			}
			written[encoded] = ch.New.ID
		}
		other := x.first(ordering.Range{From: k, To: k, ToIncluded: true}, false)
		if other != nil && !changed(changes, other.ID) {
			return &Duplicate{x.terms[0].Field, ch.New, other.ID}
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
