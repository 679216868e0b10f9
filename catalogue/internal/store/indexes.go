package store

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// A policy decides which indexes a store has. All states of the store share it. Indexes that
// are declared or unique are always there. As for the others:
//
//   - A query makes the index of its order, if it has no conditions, and those of the fields
//     with conditions, unless one has led to few entries (see makes). It waits for them.
//   - An index by several terms is made once the queries that want it have cost as much as its
//     build. They do not wait for it.
//   - An index whose keys are too large is refused for some time.
//   - After each write and each build, indexes are dropped until the limits are met: first
//     those that are too large or only written to, then those that are used least.
//
// For any queries, builds that queries do not wait for therefore cost in proportion to what these
// queries did, and the queries that want one index cost at most twice what they would if it
// had been built for the first of them. No clock and no random number plays a part, so the
// same queries always have the same effect.
type policy struct {
	mu      sync.Mutex
	wanted  []wanted
	refused []refusal    // the oldest first
	floor   atomic.Int64 // the highest score of an index that was dropped for another
}

// A wanted is the cost of the queries that want an index.
//
// There are sums for at most maxWanted indexes. If there are more, the least of them is
// subtracted from all. An index is then built at the latest when its queries have
// cost as much as the build and a share of 1/(maxWanted+1) of all queries.
type wanted struct {
	terms []ordering.Term
	cost  int // as of [plan.work]
}

// A refusal is the canonical terms of an index whose keys were too large. It is built again
// after as many writes as there were records then.
type refusal struct {
	terms []ordering.Term
	until uint64 // a revision
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

	// maxWanted is the largest number of indexes by several terms that are wanted and not built.
	maxWanted = 2 * maxCombined

	// buildCost is the number of entries that can be filtered in about the time that it
	// takes to add one to an index by several terms.
	buildCost = 16

	// fewToRead is the number of entries that a query reads rather than make another index.
	fewToRead = 2
)

// An orderingIndex is an index with the canonical terms of its ordering.
type orderingIndex struct {
	terms []ordering.Term
	index
	*usage
	idle   int  // the number of changes since a write found that the index was used
	kept   bool // never dropped; only then fields are set
	unique bool // no two entries have the same keys, unless one is null
	fields []Field
}

// usage counts the uses of an index. All states that have the index share it.
type usage struct {
	used  atomic.Bool  // since the last write
	score atomic.Int64 // the lowest is dropped first
}

// keptIndexes returns an empty index for each unique set and each declared order. They are
// never dropped.
func (typ *Type) keptIndexes() (list []orderingIndex) {
	keep := func(terms []ordering.Term, unique bool) {
		if findTerms(list, terms) < 0 {
			fields := typ.resolve(terms)
			x := newIndex(fields, terms)
			list = append(list, orderingIndex{terms: terms, index: x, usage: new(usage), kept: true, unique: unique, fields: fields})
		}
	}
	for _, set := range typ.Unique {
		if slices.Contains(set, typ.ID) {
			continue
		}
		var terms []ordering.Term
		for _, field := range set {
			terms = append(terms, ordering.Asc(field))
		}
		keep(terms, true)
	}
	for _, terms := range typ.indexes {
		keep(terms, false)
	}
	return list
}

func findTerms(indexes []orderingIndex, terms []ordering.Term) int {
	for i := range indexes {
		if slices.Equal(indexes[i].terms, terms) {
			return i
		}
	}
	return -1
}

// want adds the cost of a query that wants an index by terms. If the sum reaches limit, want
// forgets it and returns true.
func (p *policy) want(terms []ordering.Term, cost, limit int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.wanted, func(w wanted) bool { return slices.Equal(w.terms, terms) })
	if i < 0 {
		i = len(p.wanted)
		p.wanted = append(p.wanted, wanted{terms: terms})
	}
	if p.wanted[i].cost += cost; p.wanted[i].cost >= limit {
		p.wanted = slices.Delete(p.wanted, i, i+1)
		return true
	}
	if len(p.wanted) > maxWanted {
		least := slices.MinFunc(p.wanted, func(a, b wanted) int { return cmp.Compare(a.cost, b.cost) }).cost
		for i := range p.wanted {
			p.wanted[i].cost -= least
		}
		p.wanted = slices.DeleteFunc(p.wanted, func(w wanted) bool { return w.cost == 0 })
	}
	return false
}

// refuse remembers that the keys of an index of a state are too large.
func (s *State) refuse(terms []ordering.Term) {
	p := s.policy
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = append(p.refused, refusal{terms, s.Revision() + uint64(s.Len())})
	if len(p.refused) > maxSingle {
		p.refused = slices.Delete(p.refused, 0, 1)
	}
}

// refuses reports whether the keys of an index were too large recently. Conditions on its
// field are then filters.
func (s *State) refuses(terms []ordering.Term) bool {
	s.policy.mu.Lock()
	defer s.policy.mu.Unlock()
	return slices.ContainsFunc(s.policy.refused, func(r refusal) bool {
		return r.until > s.Revision() && slices.Equal(r.terms, terms)
	})
}

// renew forgets what queries wanted of the records before.
func (s *State) renew() {
	floor := s.floor.Load()
	s.policy = new(policy)
	s.policy.floor.Store(floor)
}

// use records a use of an index.
func (s *State) use(x *orderingIndex) {
	if x.kept {
		return
	}
	if !x.used.Load() {
		x.used.Store(true)
	}
	if n := x.score.Load(); n < s.floor.Load()+maxScore {
		x.score.CompareAndSwap(n, n+1)
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

// evict drops the indexes that no query used while writes changed as many records as there
// are, and then others until all limits are met beside texts of a size in bytes. O(indexes).
func (s *State) evict(texts int) {
	n := s.Len()
	s.indexes = slices.DeleteFunc(s.indexes, func(x orderingIndex) bool {
		return !x.kept && (x.keySize() > maxKeys(n, x.terms) || x.idle > max(n, minIdle))
	})
	s.limit(maxSingle, 2*maxPerRecord*n-texts, func(x *orderingIndex) bool { return len(x.terms) == 1 })
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
		s.floor.Store(max(s.floor.Load(), s.indexes[least].score.Load()))
		s.indexes = slices.Delete(s.indexes, least, least+1)
	}
}

// install adds the index of canonical terms to the draft of a batch unless its keys are too
// large.
func (s *State) install(terms []ordering.Term) {
	x := newIndex(s.typ.resolve(terms), terms)
	if x.build(s.Entries(), maxKeys(s.Len(), terms), nil) == nil {
		s.indexes = append(slices.Clip(s.indexes), orderingIndex{terms: slices.Clone(terms), index: x, usage: new(usage)})
	}
}
