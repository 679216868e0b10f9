package store

import (
	"cmp"
	"slices"
	"sync/atomic"
	"weak"

	"github.com/gobacklist/backlist/ordering"
)

// A State is a collection at one instant. A frozen state never changes. A writer
// may withdraw any other published state, change it in place and publish it again.
type State struct {
	reader
	typ   *Type
	store weak.Pointer[Store] // weak, so that a state does not keep later records alive
	slots slots

	primary primary
	indexes []orderingIndex
	builds  []*build // indexes being filled; each records every change
	names   members  // names of the fields if typ.Members is set
	lastID  int      // highest id ever used
	usedID  int      // highest id used by the last replacement or after it
	history history

	// revision is the number of writes. Readers load it without a pin.
	revision atomic.Uint64

	frozen atomic.Bool  // a caller may use the state without a pin
	hot    bool         // the next read freezes it; set before it is published
	reads  atomic.Int32 // pinned reads since the last write

	sorted sortCache
	draft  bool // of a batch, with changes that the store does not have
}

// An orderingIndex is an index with the canonical terms of its ordering.
type orderingIndex struct {
	terms []ordering.Term
	index
	*usage
	ahead  index // after the write in progress, which began before the index was installed
	of     *edit // the write of ahead
	idle   int   // the number of changes since a write found that the index was used
	kept   bool  // never dropped
	unique bool  // no two entries have the same key, except null
}

// usage counts the uses of an index. All states that have the index share it.
type usage struct {
	used  atomic.Bool  // since the last write
	score atomic.Int64 // the lowest is dropped first
}

// newUsage returns the usage of an index that was not used yet.
func newUsage(score int64) *usage {
	u := new(usage)
	u.score.Store(score)
	return u
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

// Entries returns all entries, sorted by id. O(n).
func (s *State) Entries() []*Entry {
	return s.primary.walk(make([]*Entry, 0, s.Len()), 0, s.Len(), false)
}

// fork returns a state with the same records for a writer to change. It writes to
// the trees of s, so the state mutex must be held. O(indexes).
func (s *State) fork() *State {
	f := s.sibling()
	f.primary = s.primary.fork().(primary)
	f.names = s.names.fork()
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
		typ: s.typ, store: s.store, slots: s.slots,
		primary: s.primary, indexes: s.indexes, builds: s.builds, names: s.names, draft: s.draft,
		lastID: s.lastID, usedID: s.usedID, history: s.history,
	}
	sibling.revision.Store(s.revision.Load())
	sibling.reader = reader{sibling}
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

// use records a use of an index.
func (s *State) use(x *orderingIndex) {
	if x.kept {
		return
	}
	if !x.used.Load() {
		x.used.Store(true)
	}
	if c := s.store.Value(); c != nil {
		if n := x.score.Load(); n < c.floor.Load()+maxScore {
			x.score.CompareAndSwap(n, n+1)
		}
	}
}

// age counts changes to indexes.
func (s *State) age(changes int) {
	for i := range s.indexes {
		x := &s.indexes[i]
		if x.idle += changes; x.used.Load() {
			x.used.Store(false)
			x.idle = 0
		}
	}
}

func findTerms(indexes []orderingIndex, terms []ordering.Term) int {
	for i := range indexes {
		if slices.Equal(indexes[i].terms, terms) {
			return i
		}
	}
	return -1
}

// place returns the position of an index in another state, or -1.
func place(indexes []orderingIndex, x orderingIndex) int {
	return slices.IndexFunc(indexes, func(other orderingIndex) bool { return other.usage == x.usage })
}

// next makes x the index after a write, which may be nil, and reports whether it is known.
func (x *orderingIndex) next(e *edit) bool {
	known := e != nil && x.of == e
	if known {
		x.index = x.ahead
	}
	return known
}

// appendKeys appends the keys of changes for each index, as apply takes them. It may run
// callbacks.
func (s *State) appendKeys(dst []keys, changes []Change) []keys {
	for i := range s.indexes {
		for _, ch := range changes {
			dst = append(dst, s.indexes[i].keys(ch))
		}
	}
	return dst
}

// apply applies changes to all trees and records them for the builds. The keys belong to the
// indexes of an earlier state with the same records. An index that was installed since is
// replaced by what its build made of it for the write e, or dropped. O(changes × indexes ×
// log n).
func (s *State) apply(changes []Change, before []orderingIndex, k []keys, e *edit) {
	for _, ch := range changes {
		s.primary.set(ch, keys{})
	}
	late := false
	for i := range s.indexes {
		x, at := &s.indexes[i], i
		if at >= len(before) || before[at].usage != x.usage {
			at = place(before, *x)
		}
		switch {
		case at >= 0:
			for j, ch := range changes {
				x.set(ch, k[at*len(changes)+j])
			}
		case !x.next(e):
			x.index, late = nil, true
		}
	}
	if late {
		s.indexes = slices.DeleteFunc(s.indexes, func(x orderingIndex) bool { return x.index == nil })
	}
	for _, b := range s.builds {
		b.miss(&edit{changes: changes}, s.Len())
	}
}

// needsCompaction reports whether a tree of the state should be compacted.
func (s *State) needsCompaction() bool {
	return s.primary.needsCompaction() ||
		slices.ContainsFunc(s.indexes, func(x orderingIndex) bool { return x.needsCompaction() })
}

// An Entry represents a stored record. It is the first field of a struct that
// contains the record, whose type is unknown to the store. An Entry in a tree must
// not be modified.
type Entry struct{ ID int }

// A Change is the effect of a write on one record. Old is nil if the record is
// inserted. New is nil if it is deleted.
type Change struct{ Old, New *Entry }

// ID returns the id of the record. It panics if ch is the zero Change.
func (ch Change) ID() int {
	if ch.New != nil {
		return ch.New.ID
	}
	return ch.Old.ID
}

func compareIDs(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) }

// difference returns the changes that turn the entries before into those after.
// Both are sorted by id. Every record in before or after has a change.
func difference(before, after []*Entry) []Change {
	changes := make([]Change, 0, max(len(before), len(after)))
	for len(before) > 0 || len(after) > 0 {
		var ch Change
		if len(after) == 0 || len(before) > 0 && before[0].ID <= after[0].ID {
			ch.Old, before = before[0], before[1:]
		}
		if len(after) > 0 && (ch.Old == nil || ch.Old.ID == after[0].ID) {
			ch.New, after = after[0], after[1:]
		}
		changes = append(changes, ch)
	}
	return changes
}

// A client that may read a collection can request any ordering. These limits bound
// the memory and the work for such requests.
const (
	// maxCombined is the largest number of multi-field indexes. Together they take
	// at most maxPerRecord bytes for each record. The one with the lowest score is dropped
	// first.
	maxCombined = 8

	// maxSingle is the largest number of single-field indexes. Together they take at most
	// 2*maxPerRecord bytes for each record. Indexes that are declared or unique do not count.
	maxSingle = 32

	// maxScore is the largest difference between the score of an index and the score of the
	// last one that was dropped. The score of a new index is the latter and one more for each
	// use. So some indexes that are used once do not displace one that is used often, but
	// many do if it is not used any more.
	maxScore = 64

	// minIdle is the number of changes for which an index is kept without a use, even if
	// there are fewer records.
	minIdle = 1000

	// maxPerRecord is the largest average size in bytes of the keys of a
	// single-field index, and of the keys and items of a multi-field index. An
	// ordering with larger keys has no index; see sortCache.
	maxPerRecord = 512

	// itemSize is the approximate size in bytes of an item with its share of the
	// node.
	itemSize = 36

	// maxSorts is the largest number of concurrent sorts by one term, and of concurrent sorts
	// by several terms.
	maxSorts = 4
)

// maxKeys returns the largest size in bytes of the keys of an index of n entries.
// For a multi-field index it leaves room for the items, which evict also counts.
// Otherwise evict could drop a new index before the reader that waits for it uses
// it, and the reader would build it again and again.
func maxKeys(n int, terms []ordering.Term) int {
	if len(terms) > 1 {
		return (maxPerRecord - itemSize) * n
	}
	return maxPerRecord * n
}

// evict drops indexes until all limits are met, and those that no query used while writes changed as many records as there are. O(indexes).
func (s *State) evict() {
	n := s.Len()
	s.indexes = slices.DeleteFunc(s.indexes, func(x orderingIndex) bool {
		return !x.kept && (x.keySize() > maxKeys(n, x.terms) || x.idle > max(n, minIdle))
	})
	s.limit(maxSingle, 2*maxPerRecord*n, func(x *orderingIndex) bool { return len(x.terms) == 1 })
	s.limit(maxCombined, maxPerRecord*n, func(x *orderingIndex) bool { return len(x.terms) > 1 })
}

// limit drops the indexes of a kind that were used least until there are at most some, of at
// most some bytes together.
func (s *State) limit(most, size int, kind func(*orderingIndex) bool) {
	for {
		counted, bytes, least := 0, 0, 0
		for i := range s.indexes {
			x := &s.indexes[i]
			if x.kept || !kind(x) {
				continue
			}
			if counted == 0 || x.score.Load() < s.indexes[least].score.Load() {
				least = i
			}
			counted++
			bytes += itemSize*s.Len() + x.keySize()
		}
		if counted <= most && bytes <= size {
			return
		}
		if c := s.store.Value(); c != nil {
			c.floor.Store(max(c.floor.Load(), s.indexes[least].score.Load()))
		}
		s.indexes = slices.Delete(s.indexes, least, least+1)
	}
}
