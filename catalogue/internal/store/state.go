package store

import (
	"slices"
	"sync/atomic"
	"weak"

	"github.com/gobacklist/backlist/ordering"
)

// A State is a collection at one instant. A frozen state never changes. A writer
// may withdraw any other published state, change it in place and publish it again.
type State struct {
	schema *Schema
	store  weak.Pointer[Store] // weak, so that a state does not keep later records alive
	slots  slots

	primary  *tree[struct{}]
	indexes  []namedIndex
	builds   []*build // indexes being built; each records every change
	names    members  // names of the fields if schema.Members is set
	lastID   int      // highest id ever used
	usedID   int      // highest id used by the last replacement or after it
	revision uint64   // number of writes
	history  history

	frozen atomic.Bool  // a caller may use the state without a pin
	hot    bool         // the next read freezes it; set before it is published
	reads  atomic.Int32 // pinned reads since the last write

	sorted sortCache
}

// A namedIndex is an index with the canonical terms of its ordering.
type namedIndex struct {
	terms []ordering.Term
	index
	used   *atomic.Int64 // the store's clock at the last use; only for multi-field indexes
	unique bool          // no two entries have the same key, except null; never dropped
}

// Len returns the number of records. O(1).
func (s *State) Len() int { return s.primary.len() }

// Revision returns the number of writes that led to the state.
func (s *State) Revision() uint64 { return s.revision }

// LastID returns the highest id that was ever used. The next assigned id is
// greater.
func (s *State) LastID() int { return s.lastID }

// UsedID returns the highest id that was used by the last replacement of all
// records or after it. It is saved with the records.
func (s *State) UsedID() int { return s.usedID }

// use records that an id is used.
func (s *State) use(id int) { s.lastID, s.usedID = max(s.lastID, id), max(s.usedID, id) }

// MaxID returns the highest id of a record, or 0 if there are no records.
// O(log n).
func (s *State) MaxID() int {
	it, _ := s.primary.items.Max()
	return it.id
}

// Names returns the sorted names of the fields that at least one record has. It
// returns nil if the schema has no Members. O(names).
func (s *State) Names() []string { return s.names.names() }

// Get returns the entry with the id, or nil if there is none. O(log n).
func (s *State) Get(id int) *Entry { return s.primary.get(id) }

// Entries returns all entries, sorted by id. O(n).
func (s *State) Entries() []*Entry {
	return s.primary.walk(make([]*Entry, 0, s.Len()), 0, s.Len(), false)
}

// fork returns a state with the same records for a writer to change. It writes to
// the trees of s, so the state mutex must be held. O(indexes).
func (s *State) fork() *State {
	f := s.sibling()
	f.primary = s.primary.forkTree()
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
	return &State{
		schema: s.schema, store: s.store, slots: s.slots,
		primary: s.primary, indexes: s.indexes, builds: s.builds, names: s.names,
		lastID: s.lastID, usedID: s.usedID, revision: s.revision, history: s.history,
	}
}

// index returns the index of a canonical ordering, or nil if there is none.
func (s *State) index(terms []ordering.Term) sequence {
	if len(terms) == 0 {
		return s.primary
	}
	if i := findTerms(s.indexes, terms); i >= 0 {
		return s.indexes[i].index
	}
	return nil
}

func findTerms(indexes []namedIndex, terms []ordering.Term) int {
	for i := range indexes {
		if slices.Equal(indexes[i].terms, terms) {
			return i
		}
	}
	return -1
}

// appendKeys appends the keys of changes for all indexes and builds, as apply
// takes them. It may run the program's code.
func (s *State) appendKeys(dst []keys, changes []Change) []keys {
	for _, ch := range changes {
		for i := range s.indexes {
			dst = append(dst, s.indexes[i].keys(ch))
		}
		for _, b := range s.builds {
			dst = append(dst, b.empty.keys(ch))
		}
	}
	return dst
}

// apply applies changes to all trees and records them for the builds. The keys
// are those of appendKeys. O(changes × indexes × log n).
func (s *State) apply(changes []Change, k []keys) {
	for _, ch := range changes {
		s.primary.set(ch, keys{})
		for i := range s.indexes {
			s.indexes[i].set(ch, k[i])
		}
		k = k[len(s.indexes):]
		for i, b := range s.builds {
			b.missed = append(b.missed, missedChange{ch, k[i]})
		}
		k = k[len(s.builds):]
	}
}

// needsCompaction reports whether a tree of the state should be compacted.
func (s *State) needsCompaction() bool {
	return s.primary.needsCompaction() ||
		slices.ContainsFunc(s.indexes, func(x namedIndex) bool { return x.needsCompaction() })
}
