package store

import (
	"slices"
	"sync/atomic"
	"weak"

	"github.com/gobacklist/backlist/ordering"
)

// A State is a collection at one instant. Once handed out it never changes.
// Before, the writer may change it in place while it is not published.
type State struct {
	schema *Schema
	home   weak.Pointer[Store] // a state does not keep the live records
	slots  slots

	primary  *tree[struct{}]
	indexes  []namedIndex
	builds   []*build // indexes being built, which are told of every change
	names    []string // fields, where records differ in theirs; replaced, never changed
	lastID   int      // highest id ever used
	usedID   int      // highest id used since the records were replaced, or in the replacement
	revision uint64   // number of writes
	history  history

	handed atomic.Bool  // somebody may hold the state for longer than a pin
	hot    bool         // every read is to hand it out; set before it is published
	reads  atomic.Int32 // pinned ones since the last write

	own ownSequences
}

// namedIndex is an index with the canonical terms of its ordering.
type namedIndex struct {
	terms []ordering.Term
	index
	used *atomic.Int64 // of several terms: the store's clock when it was last asked for
}

// Len returns the number of records. O(1).
func (s *State) Len() int { return s.primary.len() }

// Revision returns the number of writes that the state holds.
func (s *State) Revision() uint64 { return s.revision }

// LastID returns the highest id that was ever used. The next one is assigned above
// it.
func (s *State) LastID() int { return s.lastID }

// UsedID returns the highest id that was used since the records were last
// replaced, the replacement included. It is what has to be saved with them.
func (s *State) UsedID() int { return s.usedID }

// use notes that an id is used.
func (s *State) use(id int) { s.lastID, s.usedID = max(s.lastID, id), max(s.usedID, id) }

// MaxID returns the highest id of a record, 0 if there is none. O(log n).
func (s *State) MaxID() int {
	it, _ := s.primary.items.Max()
	return it.id
}

// Names returns the fields of records that need not have the same, sorted. The
// result must not be modified.
func (s *State) Names() []string { return s.names }

// Get returns the entry with an id, or nil. O(log n).
func (s *State) Get(id int) *Entry { return s.primary.get(id) }

// Entries returns all entries by id. O(n).
func (s *State) Entries() []*Entry {
	return s.primary.walk(make([]*Entry, 0, s.Len()), 0, s.Len(), false)
}

// fork returns a state for a writer to change, of the same records. It writes to the trees
// of s, so the state mutex must be held. O(indexes).
func (s *State) fork() *State {
	f := s.sibling()
	f.primary = s.primary.copy()
	f.indexes = slices.Clone(s.indexes)
	for i := range f.indexes {
		f.indexes[i].index = s.indexes[i].fork()
	}
	f.history = s.history.fork()
	return f
}

// sibling returns a state with the same trees. Neither may be changed in place.
func (s *State) sibling() *State {
	return &State{
		schema: s.schema, home: s.home, slots: s.slots,
		primary: s.primary, indexes: s.indexes, builds: s.builds, names: s.names,
		lastID: s.lastID, usedID: s.usedID, revision: s.revision, history: s.history,
	}
}

// find returns the sequence of a canonical ordering, or nil.
func (s *State) find(terms []ordering.Term) sequence {
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

// appendKeys appends the keys of changes in all indexes and builds. It may run
// the program's code.
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

// apply makes changes whose keys are known in all trees and notes them for the
// builds. O(changes × indexes × log n).
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

// worn reports whether a tree of the state is to be compacted.
func (s *State) worn() bool {
	return s.primary.worn() || slices.ContainsFunc(s.indexes, func(x namedIndex) bool { return x.worn() })
}
