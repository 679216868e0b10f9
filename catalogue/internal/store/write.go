package store

import "slices"

// fewChanges is the largest number of changes that are applied one by one while
// the state mutex is held. Readers may wait that long.
const fewChanges = 8

// Write applies and returns the change that prepare returns for the current
// state. If prepare returns an error or panics, or if the change would make a
// [*Duplicate], nothing changes. Other writers wait for prepare, which may run the
// program's code; readers do not. O(indexes × log n).
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
		c.mu.Lock()
		now := c.published.Load()
		if now == s {
			break
		}
		c.mu.Unlock() // meanwhile an index was installed or a build started or ended
		s = now
	}
	s = c.writable(s)
	s.apply(changes, c.scratch)
	s.use(used)
	s.revision++
	s.history.add(s.revision, changes, c.schema.History)
	c.count(s, changes)
	s.evict()
	next := c.publish(s)
	c.mu.Unlock()
	wake(next)
}

// clearScratch clears the references in the writer's scratch memory.
func (c *Store) clearScratch() {
	c.one[0] = Change{}
	clear(c.scratch[:cap(c.scratch)])
}

// commitMany applies changes to forks of all trees, in parallel and without
// holding the state mutex, and publishes them.
func (c *Store) commitMany(changes []Change, used int) {
	next := c.forked()
	next.primary.merge(changes)
	rebuild := len(changes) > next.Len()/2
	var entries []*Entry
	if rebuild {
		next.primary.compact()
		entries = next.Entries()
	}
	parallel(len(next.indexes), func(i int) {
		x := &next.indexes[i]
		if rebuild {
			x.index = x.empty()
			x.fill(entries)
		} else {
			x.merge(changes)
		}
	})
	next.compact()
	next.history.add(next.revision+1, changes, c.schema.History)
	next.use(used)

	c.mu.Lock()
	c.count(next, changes)
	woken := c.swap(next)
	c.mu.Unlock()
	wake(woken)
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

// count counts the members of changed records. The state mutex must be held.
func (c *Store) count(s *State, changes []Change) {
	changed := false
	for _, ch := range changes {
		changed = c.members.apply(ch) || changed
	}
	if changed {
		s.rename(c.members.names(c.schema))
	}
}

// rename sets the names of a state and drops the indexes that use other names.
func (s *State) rename(names []string) {
	s.names = names
	s.indexes = slices.DeleteFunc(s.indexes, func(x namedIndex) bool { return s.schema.check(x.terms, names) != nil })
}

// swap publishes s, which began as a fork of the published state, as the next
// revision. An index that was installed since the fork is dropped, to be built
// again on its next use, and the builds in progress start over. If the writer
// started over instead, readers that request new orderings could delay it without
// limit. The state mutex must be held.
func (c *Store) swap(s *State) (next chan struct{}) {
	now := c.published.Load()
	s.indexes = slices.DeleteFunc(s.indexes, func(x namedIndex) bool { return findTerms(now.indexes, x.terms) < 0 })
	s.builds = now.builds
	for _, b := range s.builds {
		b.stale, b.missed = true, nil
	}
	s.revision = now.revision + 1
	s.evict()
	return c.publish(s)
}

// A Replacement specifies the new records of a store for [Replace]. Entries are
// sorted by id. UsedID is the highest id that is known to have been used, or 0.
type Replacement struct {
	Store   *Store
	Entries []*Entry
	UsedID  int
}

// Replace replaces the records of stores at one instant. All callers must list the
// stores in the same order. If the program's code panics, nothing changes.
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
	stores := make([]*Store, len(all))
	states := make([]*State, len(all))
	counts := make([]members, len(all))
	for i, r := range all {
		stores[i] = r.Store
		states[i], counts[i] = r.prepare()
	}
	var woken []chan struct{}
	lock(stores)
	for i, c := range stores {
		c.members = counts[i]
		woken = append(woken, c.swap(states[i]))
	}
	unlock(stores)
	for _, next := range woken {
		wake(next)
	}
}

// prepare returns the state to publish and the counts of its members.
func (r Replacement) prepare() (*State, members) {
	c := r.Store
	s := c.forked()
	s.history.replace(s, r.Entries, c.schema.History)
	s.primary = newPrimary()
	s.primary.fill(r.Entries)
	s.usedID = 0
	s.use(max(r.UsedID, s.MaxID()))
	parallel(len(s.indexes), func(i int) {
		x := &s.indexes[i]
		x.index = x.empty()
		x.fill(r.Entries)
	})
	counts := newMembers(c.schema.Members)
	for _, e := range r.Entries {
		counts.apply(Change{New: e})
	}
	s.rename(counts.names(c.schema))
	return s, counts
}

// replace adds the changes that turn the records of a state into entries, which are
// sorted by id. If there are more than limit changes, it drops all events instead.
func (h *history) replace(s *State, entries []*Entry, limit int) {
	switch revision := s.revision + 1; {
	case h.events == nil:
	case max(s.Len(), len(entries)) > limit:
		*h = newHistory(revision)
	default:
		h.add(revision, difference(s.Entries(), entries), limit)
	}
}
